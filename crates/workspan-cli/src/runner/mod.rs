//! Profiled runs of a program, and what is written about them.

mod baseline;
mod child;
mod collect;
mod files;
mod functions;
mod launch;
mod metrics;
mod missing;
mod once;
mod repeat;
mod report;
mod runs;
mod sleds;
mod thread_watch;

use std::path::Path;
use std::process::ExitCode;

use crate::exit_code::Failure;
use crate::measure::Measure;
use crate::process::binary;
pub(crate) use launch::{Expected, Launch, Reporting};
pub(crate) use report::TO_REPORT;
pub(crate) use runs::{RunProfile, Runs};

/// Runs the program for its metric and for each of `others`, as many times as requested, and writes
/// the results. Stops after a run that fails. Returns the program's exit code.
pub(crate) fn launch(mut launch: Launch, others: &[Measure]) -> Result<ExitCode, Failure> {
    child::enlarge_stack();
    let program = binary::name(Path::new(&launch.command[0]));
    if let Some(reporting) = &mut launch.reporting {
        reporting.outputs = reporting.outputs.for_run(&program);
    }
    let code = match others {
        [] => metrics::launch_for_one(&launch)?.code,
        _ => metrics::launch(launch, others)?,
    };
    Ok(ExitCode::from(code))
}
