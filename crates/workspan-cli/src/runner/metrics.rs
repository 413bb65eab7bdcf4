//! Several metrics of one program: a run for each, since a clock counts one thing.

use workspan_model::Profile;
use workspan_report as report;

use super::standard_input::StandardInput;
use super::{Launch, Ran, launch_for_metric};
use crate::exit_code::{Failure, OrExit as _, PROFILE, SETUP};
use crate::message;
use crate::outputs::{Outputs, Sink};
use crate::session::Measure;

/// Runs the program for the metric of `launch`, and again for each of `others`, as long as runs end well. What the user
/// wants of the others goes to files that have the metric in their names; a table of all follows the report, which is of
/// the first. Gives back the exit code.
pub(super) fn launch(mut launch: Launch, others: Vec<Measure>) -> Result<u8, Failure> {
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
    let first = launch_for_metric(&launch)?;
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
        launch.measure = measure;
        let Ran { code, profile } = launch_for_metric(&launch)?;
        profiles.extend(profile);
        if code != 0 {
            return Ok(code);
        }
    }
    if outputs.report.is_some() {
        tell(&profiles, &outputs)?;
    }
    Ok(0)
}

fn tell(profiles: &[Profile], outputs: &Outputs) -> Result<(), Failure> {
    let sink = match outputs.report {
        Some(Sink::Stdout) => Sink::Stdout,
        // A file would lose the report.
        _ => Sink::Stderr,
    };
    let mut table = Vec::new();
    let screen = outputs.screen.screen(&sink);
    report::metrics(profiles, screen, &mut table).or_exit(PROFILE)?;
    sink.write(&table).or_exit(PROFILE)
}
