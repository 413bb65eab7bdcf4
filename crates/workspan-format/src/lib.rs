//! Reads and writes workspan's files. `docs/format.md` describes the formats.
//!
//! - [`raw`] reads the profile that a program writes when it exits: clock ticks and addresses, for
//!   the version of workspan that built the program and no other.
//! - [`stream`] reads the record of the task dag that a program writes while it runs.
//! - [`idle`] reads the idle time of a program's workers.
//! - [`wsp`] reads and writes the profile file that users keep, versioned and checksummed.
//! - [`replace_file`] writes a file either completely or not at all.
//! - [`read_file`] reads a file that may come from anybody.
//!
//! No input is trusted: the size of a file bounds what reading it may allocate, and limits that the
//! writers observe are enforced again on reading.
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
