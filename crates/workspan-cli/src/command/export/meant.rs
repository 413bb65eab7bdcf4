//! Refuses options that do not apply to an export.

use anyhow::anyhow;
use clap::ArgMatches;
use clap::parser::ValueSource;

use super::format::Format;
use super::input::Input;
use crate::exit_code::{Failure, USAGE};

/// An option that applies only to some exports.
struct Choice {
    /// The id in clap.
    id: &'static str,
    option: &'static str,
    /// What the option does, for the message.
    purpose: &'static str,
    applies: bool,
}

/// Refuses the first given option that does not apply to this export.
pub(super) fn check(matches: &ArgMatches, format: Format, input: &Input) -> Result<(), Failure> {
    let is_sweep = matches!(input, Input::Sweep(_));
    let is_table = matches!(format, Format::Csv | Format::Json);
    let choices = [
        Choice {
            id: "by",
            option: "--by",
            purpose: "chooses what call stacks show: speedscope, firefox, pprof, collapsed or flamegraph of a profile",
            applies: format.shows_stacks(),
        },
        Choice {
            id: "plot",
            option: "--plot",
            purpose: "chooses one of several plots: svg or gnuplot",
            applies: format.is_plot(),
        },
        Choice {
            id: "sweep",
            option: "--sweep",
            purpose: "adds what was measured to the plot of a profile: svg or gnuplot of FILE.wsp",
            applies: format.is_plot() && !is_sweep,
        },
        Choice {
            id: "profiled",
            option: "--profiled",
            purpose: "adds what was to be expected to a sweep: svg, gnuplot, csv or json of FILE.sweep.json",
            applies: is_sweep && (format.is_plot() || is_table),
        },
    ];
    let is_given = |id| matches.value_source(id) == Some(ValueSource::CommandLine);
    let refused = choices
        .iter()
        .find(|choice| !choice.applies && is_given(choice.id));
    let Some(Choice {
        option, purpose, ..
    }) = refused
    else {
        return Ok(());
    };
    let what = if is_sweep { "sweep" } else { "profile" };
    let error = anyhow!(
        "{format} of a {what} has no use for {option}, which {purpose}; leave {option} out"
    );
    Err(Failure::new(USAGE, error))
}
