//! Options that mean nothing for what is exported.

use anyhow::anyhow;
use clap::ArgMatches;
use clap::parser::ValueSource;

use super::Format;
use super::input::Input;
use crate::exit_code::{Failure, USAGE};

/// An option that some exports have no use for.
struct Choice {
    /// As clap knows it.
    id: &'static str,
    option: &'static str,
    /// What it is for.
    purpose: &'static str,
    is_of_use: bool,
}

/// Refuses the first option on the command line that this export would not heed.
pub(super) fn check(matches: &ArgMatches, format: Format, input: &Input) -> Result<(), Failure> {
    let is_sweep = matches!(input, Input::Sweep(_));
    let is_table = matches!(format, Format::Csv | Format::Json);
    let choices = [
        Choice {
            id: "by",
            option: "--by",
            purpose: "chooses what call stacks show: speedscope, firefox, pprof, collapsed, flamegraph or callgrind of a profile",
            is_of_use: format.is_of_stacks(),
        },
        Choice {
            id: "plot",
            option: "--plot",
            purpose: "chooses one of several plots: svg, png or gnuplot",
            is_of_use: format.is_plot(),
        },
        Choice {
            id: "sweep",
            option: "--sweep",
            purpose: "adds what was measured to the plot of a profile: svg, png or gnuplot of FILE.wsp",
            is_of_use: format.is_plot() && !is_sweep,
        },
        Choice {
            id: "profiled",
            option: "--profiled",
            purpose: "adds what was to be expected to a sweep: svg, png, gnuplot, csv or json of FILE.sweep.json",
            is_of_use: is_sweep && (format.is_plot() || is_table),
        },
    ];
    let is_given = |id| matches.value_source(id) == Some(ValueSource::CommandLine);
    let mut refused = choices
        .iter()
        .filter(|choice| !choice.is_of_use && is_given(choice.id));
    let Some(Choice {
        option, purpose, ..
    }) = refused.next()
    else {
        return Ok(());
    };
    let what = if is_sweep { "sweep" } else { "profile" };
    let error = anyhow!(
        "{format} of a {what} has no use for {option}, which {purpose}; leave {option} out"
    );
    Err(Failure::new(USAGE, error))
}
