//! Shared by the programs in `src/bin`: building the benchmark suite plain and profiled, running
//! it, reading its profiles, and tables of the results.
#![forbid(unsafe_code)]

mod command;
mod executables;
mod machine;
mod markdown;
mod process;
mod profile;
mod programs;
mod statistics;

pub use command::run_silently;
pub use executables::{Executables, Group};
pub use machine::describe_machine;
pub use markdown::{Table, megabytes};
pub use process::{Functions, Launch, Usage};
pub use profile::{CallSite, Profile, Site};
pub use programs::{EXAMPLES, ONE_JOIN, Program, SUITE};
pub use statistics::{geometric_mean, median, range};
