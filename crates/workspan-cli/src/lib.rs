//! The commands `cargo workspan` and `workspan`.
//!
//! One executable does three jobs. The name that it is started under selects the job:
//!
//! * the command that the user types (`command`); to build and run a program it hands over to
//!   cargo;
//! * `workspan-rustc`, which cargo starts in place of rustc (`rustc`): puts the instrumented
//!   `rayon_core` into the build;
//! * `workspan-runner`, which cargo starts to run the program (`runner`): reads the raw profile,
//!   resolves its addresses (`symbols`), and passes the finished profile to the renderers. It
//!   runs a program that was built as usual with different numbers of threads (`sweep`).
#![forbid(unsafe_code)]

mod baselines;
mod cache;
mod cargo_runner;
mod command;
mod digest;
mod emulation;
mod exit_code;
#[cfg(any(fuzzing, test))]
pub mod fuzzing;
mod goal;
mod history;
mod inflate;
mod kept;
mod machine;
mod machine_costs;
mod measure;
mod message;
mod native;
mod outputs;
mod page;
mod process;
mod report_options;
mod runner;
mod rustc;
mod screen;
mod session;
mod sink;
#[cfg(test)]
#[path = "../../../tests/skip.rs"]
mod skip;
mod source_files;
mod sources;
mod stored;
mod suite;
mod sweep;
mod symbols;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use process::{RUNNER_LINK, RUSTC_LINK};

/// Runs the job that the name of the executable selects.
///
/// Prints errors to standard error. `docs/exit-codes.md` lists the exit codes.
#[must_use]
pub fn main() -> ExitCode {
    process::survive_limits();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let name = arguments
        .first()
        .and_then(|program| Path::new(program).file_name());
    let outcome = match name.and_then(|name| name.to_str()) {
        Some(RUSTC_LINK) => rustc::main(&arguments[1..]),
        Some(RUNNER_LINK) => cargo_runner::main(&arguments[1..]),
        _ => command::main(&arguments),
    };
    outcome.unwrap_or_else(|failure| {
        if let Some(error) = &failure.error {
            message::error(error);
        }
        ExitCode::from(failure.code)
    })
}
