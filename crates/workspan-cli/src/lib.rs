//! The commands `cargo workspan` and `workspan`.
//!
//! One executable does four jobs, told apart by the name it is started under:
//!
//! * the command a person types (`command`), which hands over to cargo;
//! * `workspan-rustc`, started by cargo in rustc's place (`rustc`): puts the instrumented
//!   `rayon_core` into the build;
//! * `workspan-runner`, started by cargo to run the program (`runner`): collects the raw
//!   profile, puts names to its addresses (`symbols`), and hands the finished profile to the
//!   renderers;
//! * `workspan-sweep`, started by cargo to run a program that it built as it is (`sweep`): again and again, with
//!   different numbers of threads.
#![forbid(unsafe_code)]

mod baselines;
mod cilk2c;
mod command;
mod embedded;
mod emulation;
mod exit_code;
#[cfg(fuzzing)]
pub mod fuzzing;
mod inflate;
mod machine;
mod machine_costs;
mod message;
mod native;
mod outputs;
mod page;
mod report_options;
mod runner;
mod rustc;
mod screen;
mod session;
mod stored;
mod sweep;
mod symbols;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Name of the link to this executable that cargo starts in rustc's place.
const RUSTC_LINK: &str = "workspan-rustc";
/// Name of the link to this executable that cargo starts to run a program.
const RUNNER_LINK: &str = "workspan-runner";
/// Name of the link to this executable that cargo starts to measure a program.
const SWEEP_LINK: &str = "workspan-sweep";

/// Runs the job that the name of the executable asks for.
///
/// Errors are printed to standard error; the exit code is one of those in `docs/exit-codes.md`.
#[must_use]
pub fn main() -> ExitCode {
    runner::survive_limits();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let name = arguments
        .first()
        .and_then(|program| Path::new(program).file_name());
    let outcome = match name.and_then(|name| name.to_str()) {
        Some(RUSTC_LINK) => rustc::main(&arguments[1..]),
        Some(RUNNER_LINK) => runner::main(&arguments[1..]),
        Some(SWEEP_LINK) => sweep::main(&arguments[1..]),
        _ => command::main(&arguments),
    };
    outcome.unwrap_or_else(|failure| {
        if let Some(error) = &failure.error {
            message::error(error);
        }
        ExitCode::from(failure.code)
    })
}
