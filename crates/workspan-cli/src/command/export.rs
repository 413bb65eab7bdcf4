//! `workspan export FILE`: writes a profile or a sweep in the formats of other tools.

mod format;
mod input;
mod meant;
mod missing;
mod plots;

use std::fmt;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::{ArgMatches, Args, Command, FromArgMatches as _, ValueEnum};
use workspan_model::{
    Dag, FlameMeasure, Profile, Sweep, analyse, analyse_with_dag, flame, site_rows,
};
use workspan_report::export::{self, Stacks};
use workspan_report::{Csv, Json, Renderer as _};

use super::{alerts, dag, dag_of};
use crate::exit_code::{EXIT_CODES, Failure, OrExit as _, PROFILE, USAGE};
use crate::sink::Sink;
use format::Format;
pub(super) use format::name_of;
use input::Input;
use plots::PlotOptions;

#[derive(Debug, Args)]
struct Options {
    /// The profile, as written by a run, or the sweep that `workspan scale` keeps
    #[arg(value_name = "FILE.wsp|FILE.sweep.json")]
    file: PathBuf,
    /// What to write
    #[arg(short, long)]
    format: Format,
    /// What frames of call stacks are as wide as. Formats that hold several quantities hold all that the profile knows; then
    /// this one is shown first
    #[arg(long, value_name = "QUANTITY", default_value_t = By::Work)]
    by: By,
    #[command(flatten)]
    plots: PlotOptions,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", value_parser = Sink::parser())]
    output: Option<Sink>,
}

/// A quantity that `--by` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// Time of all strands
    Work,
    /// Time on the critical path, which alone limits the speedup
    Span,
    /// The same with the cost of moving tasks to other cores; needs a recorded task dag
    Burdened,
    /// Samples, by the processor time of threads
    Samples,
}

impl By {
    const fn measure(self) -> FlameMeasure {
        match self {
            Self::Work => FlameMeasure::Work,
            Self::Span => FlameMeasure::Span,
            Self::Burdened => FlameMeasure::BurdenedSpan,
            Self::Samples => FlameMeasure::Samples,
        }
    }

    /// Why a profile may not have the quantity. All profiles have work and span.
    const fn reason_for_absence(self) -> Option<&'static str> {
        match self {
            Self::Work | Self::Span => None,
            Self::Burdened => Some(
                "it holds no task dag; profile with `--record` (the default) instead of `--no-record`",
            ),
            Self::Samples => {
                Some("it holds no samples; profile without `--functions exact` and `--sample-hz 0`")
            }
        }
    }
}

impl fmt::Display for By {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(name_of(self).as_str())
    }
}

const EXAMPLES: &str = "Examples:\n  \
    workspan export app.wsp --format speedscope -o app.speedscope.json\n  \
    workspan export app.wsp --format flamegraph --by span >span.svg     what the span is made of\n  \
    workspan export app.wsp --format pprof -o app.pb.gz                 go tool pprof app.pb.gz\n  \
    workspan export app.wsp --format svg -o speedup.svg                 the speedup to expect\n  \
    workspan export app.sweep.json --format trace -o workers.json       for ui.perfetto.dev";

/// The command's description.
pub(super) fn command() -> Command {
    Options::augment_args(Command::new("export"))
        .about("Write a stored profile or a sweep in the format of another tool")
        .long_about(
            "Writes a profile in the format of another tool, which then shows what workspan has measured.\n\n\
             Call stacks are those of the logical call tree: which code ran below which `join`, scope or iterator, with the \
             user's functions between them as samples saw them. Recursion is folded, and rayon's own frames are not there. \
             A stack's figure is not a count of samples, but the work or the span that was measured; so tools that \
             subtract, compare and search do that with these.\n\n\
             Plots are of a profile, or of the sweep that `workspan scale` keeps. If both lie beside one another, as in \
             target/workspan, and are of the same command, what was measured is drawn over what was to be expected.\n\n\
             A trace shows when workers were busy and idle, in each of 240 equal parts of a run: a part in which a worker did \
             both is told as partly idle, with how long.",
        )
        .after_help(EXAMPLES)
        .after_long_help(format!("{EXAMPLES}\n\n{EXIT_CODES}"))
}

/// Writes the file.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let sink = options.output.clone().unwrap_or(Sink::Stdout);
    if options.format.is_binary() && sink == Sink::Stdout && io::stdout().is_terminal() {
        let advice = anyhow!(
            "{} is nothing that a terminal can show; name a file by --output",
            options.format
        );
        return Err(Failure::new(USAGE, advice));
    }
    let input = Input::read(&options.file)?;
    meant::check(matches, options.format, &input)?;
    let bytes = match input {
        Input::Profile(profile, dag) => of_profile(&options, &sink, &profile, dag.as_ref())?,
        Input::Sweep(sweep) => of_sweep(&options, &sink, &sweep)?,
    };
    sink.write(&bytes).or_exit(PROFILE)?;
    Ok(ExitCode::SUCCESS)
}

/// The profile in the requested format.
fn of_profile(
    options: &Options,
    sink: &Sink,
    profile: &Profile,
    dag: Option<&Dag>,
) -> Result<Vec<u8>, Failure> {
    let file = &options.file;
    let stacks = |write: StacksWriter| stacks(options, profile, dag, write);
    match options.format {
        Format::Speedscope => stacks(export::speedscope),
        Format::Firefox => stacks(export::firefox),
        Format::Pprof => stacks(export::pprof),
        Format::Collapsed => stacks(export::collapsed),
        Format::Flamegraph => stacks(export::flamegraph),
        Format::Svg | Format::Gnuplot => {
            let plot = plots::of_profile(profile, dag, file, &options.plots)?;
            plots::written(options.format, &plot, sink)
        }
        Format::Trace => Err(missing::timeline(file)),
        Format::Csv => {
            let analysis = analyse(profile);
            written(|bytes| Csv.render(profile, &analysis, bytes))
        }
        Format::Json => {
            let analysis = analyse_with_dag(profile, dag);
            written(|bytes| Json.render(profile, &analysis, bytes))
        }
        Format::Sarif => {
            let analysis = analyse_with_dag(profile, dag);
            written(|bytes| alerts::scanned(Vec::new(), &analysis, bytes))
        }
        Format::Dot => match dag {
            Some(dag) => dag::dot(file, profile, dag),
            None => Err(dag_of::missing(file)),
        },
    }
}

/// The sweep in the requested format.
fn of_sweep(options: &Options, sink: &Sink, sweep: &Sweep) -> Result<Vec<u8>, Failure> {
    let file = &options.file;
    let figures = || plots::figures_of(sweep, file, &options.plots);
    match options.format {
        Format::Svg | Format::Gnuplot => {
            let plot = plots::of_sweep(&figures()?.report(sweep), file, &options.plots)?;
            plots::written(options.format, &plot, sink)
        }
        Format::Trace if sweep.idle_runs().is_empty() => Err(missing::idle_runs(file)),
        Format::Trace if !sweep.keeps_phases() => Err(missing::phases(file)),
        Format::Trace => written(|bytes| export::trace(sweep, bytes)),
        Format::Csv => {
            let figures = figures()?;
            written(|bytes| figures.report(sweep).csv(bytes))
        }
        Format::Json => {
            let figures = figures()?;
            written(|bytes| figures.report(sweep).json(bytes))
        }
        format => Err(missing::profile(file, format)),
    }
}

/// The bytes that `write` writes.
fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    write(&mut bytes).or_exit(PROFILE)?;
    Ok(bytes)
}

/// Writes call stacks in a format, with this measure first.
type StacksWriter = fn(&Stacks, FlameMeasure, &mut dyn io::Write) -> io::Result<()>;

/// The call stacks of a profile in the format of `write`.
fn stacks(
    options: &Options,
    profile: &Profile,
    dag: Option<&Dag>,
    write: StacksWriter,
) -> Result<Vec<u8>, Failure> {
    let rows = site_rows(profile);
    let stacks = Stacks::new(profile, &rows, &flame(profile, &rows, dag, usize::MAX));
    let by = options.by.measure();
    let is_known = stacks.measures().any(|measure| measure == by);
    if let Some(reason) = options.by.reason_for_absence().filter(|_| !is_known) {
        return Err(missing::quantity(&options.file, options.by, reason));
    }
    written(|bytes| write(&stacks, by, bytes))
}
