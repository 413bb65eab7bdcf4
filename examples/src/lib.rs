//! Shared by the case studies: reading their arguments, random input that is the same on every run
//! and for any number of threads, work of a chosen length, sorting, and matrices of quadrants.
//!
//! The case studies themselves are the programs in the parent folder; start one with `cargo run
//! --release --example quicksort`.
#![forbid(unsafe_code)]

mod arguments;
mod cilksort;
mod effort;
mod matrix;
mod random;
mod sorting;

pub use arguments::{Arguments, BadArgument};
pub use cilksort::cilksort;
pub use effort::{effort, sum_of_efforts};
pub use matrix::{Matrix, add_product, is_product, multiply, quadrants, quadrants_mut};
pub use random::{Xorshift, random_numbers};
pub use sorting::{insertion_sort, partition, sort_random_numbers};
