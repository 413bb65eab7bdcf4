//! What the programs `overhead` and `published` share: building the benchmark suite plain and
//! profiled, running it, reading its profiles, and tables of the results.
#![forbid(unsafe_code)]

mod executables;
mod machine;
mod markdown;
mod process;
mod profile;
mod statistics;

pub use executables::{Executables, Group};
pub use machine::describe_machine;
pub use markdown::Table;
pub use process::{Functions, Launch, Threads, Timing, Usage, run_silently};
pub use profile::{CallSite, Profile, Site};
pub use statistics::{geometric_mean, median, range};
