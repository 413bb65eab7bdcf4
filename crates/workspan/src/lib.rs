//! Named regions of a program, for [workspan], the profiler of work and span.
//!
//! `cargo workspan run` reports for every region what it reports for the whole program: work, span,
//! parallelism and the speedup to expect. A region lasts as long as its guard:
//!
//! ```
//! # let mut numbers = vec![3, 1, 2];
//! {
//!     let _region = workspan::region("sort");
//!     numbers.sort(); // with all the tasks that it waits for, on whatever thread they run
//! }
//! let sum: i32 = workspan::in_region("sum", || numbers.iter().sum()); // as long as a closure runs
//!
//! #[workspan::function] // as long as a function runs, and with its name
//! fn product(numbers: &[i32]) -> i32 {
//!     numbers.iter().product()
//! }
//! assert_eq!(sum, product(&numbers));
//! ```
//!
//! [`region_here!`] is a guard with the name of the function around it.
//!
//! Regions may repeat, nest, overlap, and be opened by any number of threads and tasks at once. A
//! region covers a part of the path of the task or thread that opens it: what runs between its
//! beginning and its end, and all rayon tasks that are waited for in between. The work of a
//! `std::thread` belongs to the program. Two regions are the same if they have the same name and
//! the same place in the source; time that a region spends inside itself counts once.
//!
//! In a normal build all of this compiles to nothing, and no name is formatted. `cargo workspan`
//! compiles this crate with `--cfg workspan`; then a region costs a few tenths of a microsecond. So
//! name code that takes at least microseconds.
//!
//! [workspan]: https://github.com/workspan/workspan

mod engine;
mod function_name;
mod region;

pub use region::{in_region, region, Region};
pub use workspan_macros::function;

#[doc(hidden)]
pub use function_name::FunctionName;

/// A [`region`] with the name of the function around it, such as `sorting::merge` or
/// `sorting::List<_>::push`. In a closure the name is that of the function that contains the
/// closure.
///
/// ```
/// fn merge(left: &[u32], right: &[u32]) -> Vec<u32> {
///     let _region = workspan::region_here!();
///     [left, right].concat()
/// }
/// # assert_eq!(merge(&[1], &[2]), [1, 2]);
/// ```
#[macro_export]
macro_rules! region_here {
    () => {{
        fn here() {}
        $crate::region($crate::FunctionName(here))
    }};
}
