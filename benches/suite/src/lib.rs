//! What the programs of the benchmark suite share: reading their size, timing the computation,
//! checking the answer, and square matrices that fall into quadrants.
//!
//! The programs themselves are the files of `src/bin`, one algorithm each; start one with
//! `cargo run --release --package workspan-suite --bin cilksort`. Each checks its own answer and
//! ends with exit code 1 when it is wrong.
#![forbid(unsafe_code)]

mod checking;
mod matrix;
mod running;

pub use checking::{are_close, wrapping_sum};
pub use matrix::{Matrix, add_product, is_product, quadrants, quadrants_mut};
pub use running::{size, timed, verdict};
pub use workspan_examples::{Xorshift, random_numbers};
