//! `workspan compare BEFORE AFTER`: shows what has changed between two profiles.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use workspan_model::{ComparisonOptions, compare};
use workspan_report::{
    Compared, ComparisonText, Plot, comparison_alerts, comparison_csv, comparison_json,
};

use super::alerts::FormatOptions;
use super::what_if::WIDTH;
use crate::baselines::Stored;
use crate::exit_code::{EXIT_CODES, Failure, OrExit as _, PROFILE, USAGE};
use crate::report_options::share;
use crate::screen::ScreenOptions;
use crate::sink::{Sink, write_to};
use crate::stored;

#[derive(Debug, Args)]
struct Options {
    /// The profile of before the change: a file, or the name of a baseline
    #[arg(value_name = "BEFORE.wsp|NAME")]
    before: Stored,
    /// The profile of after it
    #[arg(value_name = "AFTER.wsp|NAME")]
    after: Stored,
    #[command(flatten)]
    judging: Judging,
    /// How many sites to show of each list
    #[arg(long, value_name = "N|all", default_value = "10", value_parser = parse_limit)]
    limit: usize,
    /// Write the results as JSON too (`-` = standard output, in place of the text)
    #[arg(long, value_name = "FILE", value_parser = Sink::parser())]
    json: Option<Sink>,
    /// Write totals and sites as CSV too (`-` = standard output, in place of the text)
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", value_parser = Sink::parser())]
    csv: Option<Sink>,
    /// Draw the bounds on the speedup, before and after, as a picture
    #[arg(long, value_name = "FILE", value_parser = Sink::parser())]
    svg: Option<Sink>,
    #[command(flatten)]
    format: FormatOptions,
    #[command(flatten)]
    screen: ScreenOptions,
}

/// How to distinguish a change from noise.
#[derive(Clone, Copy, Debug, Args)]
struct Judging {
    /// Take run N of one and run N of the other as a pair, made beside one another: what the machine did to both cancels out
    #[arg(long)]
    paired: bool,
    /// Tell no change that may be smaller [default: 2%, and 0% of figures that are the same in each run]
    #[arg(long, value_name = "PERCENT", value_parser = parse_share)]
    least_change: Option<f64>,
}

impl Judging {
    fn options(self) -> ComparisonOptions {
        ComparisonOptions {
            is_paired: self.paired,
            least_change: self.least_change,
        }
    }
}

fn parse_limit(text: &str) -> Result<usize, &'static str> {
    match text {
        "all" => Ok(usize::MAX),
        number => number.parse().map_err(|_| "a number or `all` is expected"),
    }
}

fn parse_share(text: &str) -> Result<f64, &'static str> {
    share(text).ok_or("a percentage from 0% to 100% is expected, such as 2%")
}

const EXAMPLES: &str = "Examples:\n  \
    cargo workspan run --release --runs 10 --save-baseline before\n  \
    … change the program …\n  \
    cargo workspan run --release --runs 10 -o after.wsp\n  \
    workspan compare before after.wsp\n\n\
    Runs in turns, on a machine that is not quiet:\n  \
    for run in 1 2 3 4 5 6 7 8; do\n    \
      workspan run --no-report -o old-$run.wsp -- ./old\n    \
      workspan run --no-report -o new-$run.wsp -- ./new\n  \
    done\n  \
    workspan merge -o old.wsp old-?.wsp; workspan merge -o new.wsp new-?.wsp\n  \
    workspan compare old.wsp new.wsp";

/// The command's description.
pub(super) fn command() -> Command {
    Options::augment_args(Command::new("compare"))
        .about("Tell what has changed between two profiles, and whether that is more than noise")
        .long_about(
            "Tells what has changed between two profiles of a program, such as before and after a change to it: the totals, the \
             speedup to expect, the sites gained, lost and changed most.\n\n\
             Figures that are measured vary from run to run. So profile with `--runs 10`: then each change has an interval that \
             it lies in with a confidence of 99%, and is told as one only where all of that lies beyond --least-change. With one \
             run of each nothing is told from noise. Instructions counted by an emulator (`--emulate`) need one run.\n\n\
             Sites are the same at the same place, or, where the file has changed, in the same function in the same order: these \
             are marked as moved.",
        )
        .after_help(EXAMPLES)
        .after_long_help(format!("{EXAMPLES}\n\n{EXIT_CODES}"))
}

/// Prints the comparison, and writes it in the requested forms.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let others = [&options.json, &options.csv, &options.svg];
    let is_printed = options.format.prints_beside(&others)?;
    let files: [PathBuf; 2] = [
        options.before.file().or_exit(PROFILE)?,
        options.after.file().or_exit(PROFILE)?,
    ];
    let (before, _) = stored::read(&files[0]).or_exit(PROFILE)?;
    let stored = stored::read(&files[1]).or_exit(PROFILE)?;
    let after = &stored.0;
    let comparison = compare(&before, after, options.judging.options()).or_exit(USAGE)?;
    let names = files.map(|file| file.display().to_string());
    if is_printed {
        let page = ComparisonText {
            screen: options.screen.screen_of_width(&Sink::Stdout, WIDTH),
            profiles: [
                Compared {
                    profile: &before,
                    file: &names[0],
                },
                Compared {
                    profile: after,
                    file: &names[1],
                },
            ],
            limit: options.limit,
        };
        let text = |output: &mut Vec<u8>| page.render(&comparison, output);
        let summary = |output: &mut Vec<u8>| page.summary(&comparison, output);
        let alerts = || comparison_alerts(&comparison, &after.run);
        let printed = options.format.print(&stored, text, summary, alerts);
        printed.or_exit(PROFILE)?;
    }
    let json = |output: &mut Vec<u8>| comparison_json(&comparison, output);
    write_to(&options.json, json).or_exit(PROFILE)?;
    let csv = |output: &mut Vec<u8>| comparison_csv(&comparison, output);
    write_to(&options.csv, csv).or_exit(PROFILE)?;
    if let Some(sink) = &options.svg {
        let title = format!("{} and {}", names[0], names[1]);
        let plot = Plot::compared(&title, &comparison);
        sink.write(plot.svg().as_bytes()).or_exit(PROFILE)?;
    }
    Ok(ExitCode::SUCCESS)
}
