//! `libworkspan_gomp.so`: GCC's OpenMP runtime with the interface for tools that it lacks.
//!
//! The library is loaded before libgomp and defines the functions by which compiled code calls
//! it ([gcc's `libgomp.map` and `omp-builtins.def`][abi] list them). Each reports to the tool what a
//! runtime with OMPT reports, and calls libgomp's own function: the program keeps its runtime, its
//! threads and its schedules. What is not defined here goes to libgomp unseen.
//!
//! A static loop that gcc divides itself calls nothing.
//!
//! [abi]: https://gcc.gnu.org/onlinedocs/libgomp/The-libgomp-ABI.html

#[path = "../workspan_capi/ompt/abi.rs"]
#[allow(dead_code, unused_imports, unused_macros)]
mod abi;
#[path = "../workspan_capi/own_sources.rs"]
mod own_sources;
#[macro_use]
mod tool;
#[macro_use]
mod next;

mod dependences;
mod locks;
mod loops;
mod place;
mod regions;
mod tasks;
mod waits;
