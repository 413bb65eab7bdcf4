//! `libworkspan_gomp.so`: GCC's OpenMP runtime with the interface for tools that it lacks.
//!
//! The library is loaded before libgomp and defines the functions by which compiled code calls that
//! ([gcc's `libgomp.map` and `omp-builtins.def`][abi] list them). Each tells the tool what a runtime
//! with OMPT tells, and calls libgomp's own function: the program keeps its runtime, its threads and
//! its schedules. What is not defined here goes to libgomp unseen.
//!
//! A static loop that gcc divides itself calls nothing.
//!
//! [abi]: https://gcc.gnu.org/onlinedocs/libgomp/The-libgomp-ABI.html

#[path = "../workspan_capi/ompt/abi.rs"]
#[allow(dead_code, unused_imports, unused_macros)]
mod abi;
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

/// The hash of the sources that the library was made of: the command knows by it which library is its own.
#[no_mangle]
pub static WORKSPAN_LIBRARY_SOURCES: [u8; 16] = {
    const HASH: &[u8] = match option_env!("WORKSPAN_SOURCES") {
        Some(hash) => hash.as_bytes(),
        None => &[b'?'; 16],
    };
    let mut sources = [0; 16];
    let mut at = 0;
    while at < sources.len() {
        sources[at] = HASH[at];
        at += 1;
    }
    sources
};
