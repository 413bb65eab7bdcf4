//! The files of workspan, described in `docs/format.md`.
//!
//! [`raw`] reads what a profiled program writes on its exit: records in clock ticks and addresses,
//! only ever read by the same version of workspan. [`stream`] reads what it writes of its task dag while it runs.
//! [`idle`] reads what a program writes of its workers' idle time. [`wsp`] reads and writes the profile file that users keep: versioned
//! and checksummed. [`replace_file`] writes any file whole or not at all, and [`read_file`] reads one that may be anybody's.
//!
//! Nothing read is trusted: what a file of n bytes makes is bounded by n, by limits that its writer keeps, too.
#![forbid(unsafe_code)]

mod atomic;
pub mod idle;
mod input;
pub mod raw;
pub mod stream;
mod varint;
pub mod wsp;

pub use atomic::replace_file;
pub use input::{MOST_BYTES, open_file, read_file};
