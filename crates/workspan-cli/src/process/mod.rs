//! Processes that workspan starts: finding their programs, passing signals and standard input on, and
//! how they end; and the names by which cargo starts this executable.

pub(crate) mod binary;
mod ending;
mod signals;
mod standard_input;
mod temporary;

pub(crate) use binary::{has_engine, has_rayon, locate, name as program_name};
pub(crate) use ending::{cannot_start, ended, exit, exit_code};
pub(crate) use signals::{Forwarder, Interruption, end_by_signals, survive_limits};
pub(crate) use standard_input::StandardInput;
pub(crate) use temporary::temporary_folder;

/// Environment variable that carries the [session](crate::session::Session) to the processes that
/// cargo starts.
pub(crate) const SESSION: &str = "WORKSPAN_SESSION";

/// Name of the link to this executable that cargo starts in place of rustc.
pub(crate) const RUSTC_LINK: &str = "workspan-rustc";
/// Name of the one that it starts to run a program.
pub(crate) const RUNNER_LINK: &str = "workspan-runner";
