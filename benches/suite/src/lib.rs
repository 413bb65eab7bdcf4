//! Shared by the programs of the benchmark suite: reading their size, timing the computation, and
//! checking the answer; what they share with the case studies comes from `workspan_examples`.
//!
//! The programs themselves are the files of `src/bin`, one algorithm each; start one with
//! `cargo run --release --package workspan-suite --bin cilksort`. Each checks its own answer and
//! ends with exit code 1 if it is wrong.
#![forbid(unsafe_code)]

mod checking;
mod running;

pub use checking::{are_close, wrapping_sum};
pub use running::{size, timed, verdict};
pub use workspan_examples::{
    Matrix, Xorshift, add_product, is_product, multiply, quadrants, quadrants_mut, random_numbers,
};
