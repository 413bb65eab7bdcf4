//! Measures several metrics of a program, with a run for each, since a clock counts only one.

use workspan_model::Profile;
use workspan_report as report;

use super::functions::FunctionsFile;
use super::launch::Launch;
use super::once::Outcome;
use super::{once, repeat};
use crate::exit_code::{Failure, OrExit as _, PROFILE, SETUP};
use crate::measure::Measure;
use crate::message;
use crate::outputs::Outputs;
use crate::process::StandardInput;
use crate::sink::Sink;

/// Runs the program for the metric of `launch`, and then for each of `others`. Stops after a run
/// that fails. The output files of the other metrics have the metric in their names. The report is
/// that of the first metric; a table of all metrics follows it. Returns the exit code.
pub(super) fn launch(mut launch: Launch, others: &[Measure]) -> Result<u8, Failure> {
    let input = StandardInput::of_this_process();
    if !input.can_be_repeated() {
        message::warning(
            "standard input is a pipe: the first run reads it, those of other metrics find it at its end; \
             `< FILE` is read by every run",
        );
    }
    let reporting = launch.reporting.as_ref();
    let outputs = reporting.map_or_else(Outputs::default, |reporting| reporting.outputs.clone());
    let mut profiles: Vec<Profile> = Vec::new();
    let first = launch_for_one(&launch)?;
    profiles.extend(first.profile);
    if first.code != 0 {
        return Ok(first.code);
    }
    for measure in others {
        message::note(format_args!("the same for {} …", measure.metric));
        input.rewind().or_exit(SETUP)?;
        if let Some(reporting) = &mut launch.reporting {
            reporting.outputs = outputs.for_program(&measure.metric);
            reporting.outputs.report = None;
            reporting.outputs.page.open = false;
            reporting.metric = Some(measure.metric.clone());
        }
        launch.measure = measure.clone();
        let Outcome { code, profile } = launch_for_one(&launch)?;
        profiles.extend(profile);
        if code != 0 {
            return Ok(code);
        }
    }
    if outputs.report.is_some() {
        write_table(&profiles, &outputs)?;
    }
    Ok(0)
}

/// Runs the program as many times as requested, for the metric of `launch` alone.
pub(super) fn launch_for_one(launch: &Launch) -> Result<Outcome, Failure> {
    let functions = match &launch.reporting {
        Some(_) => FunctionsFile::for_program(launch).or_exit(SETUP)?,
        None => None,
    };
    let functions = functions.as_ref();
    match &launch.reporting {
        Some(reporting) if launch.runs > 1 => repeat::launch(launch, reporting, functions),
        _ => once::launch(launch, functions),
    }
}

/// Writes the table of all metrics.
fn write_table(profiles: &[Profile], outputs: &Outputs) -> Result<(), Failure> {
    let sink = match outputs.report {
        Some(Sink::Stdout) => Sink::Stdout,
        // In a file, the table would overwrite the report.
        _ => Sink::Stderr,
    };
    let screen = outputs.screen.screen(&sink);
    sink.show(|table| report::metrics(profiles, screen, table))
        .or_exit(PROFILE)
}
