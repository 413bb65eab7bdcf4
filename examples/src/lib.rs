//! What the case studies share: reading their arguments, random input that is the same on every
//! run and for every number of threads, and the serial steps of sorting.
//!
//! The case studies themselves are the programs beside this folder; start one with
//! `cargo run --release --example quicksort`.
#![forbid(unsafe_code)]

mod arguments;
mod random;
mod sorting;

pub use arguments::{Arguments, BadArgument};
pub use random::{Xorshift, random_numbers};
pub use sorting::{insertion_sort, partition, sort_random_numbers};
