//! `workspan check FILE.wsp`: checks whether a program keeps to its thresholds.

mod configuration;
#[cfg(any(fuzzing, test))]
pub(crate) use configuration::parse_configuration;
mod limit;
mod limits;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use workspan_format::wsp;
use workspan_model::{
    ComparisonOptions, Dag, Mismatch, Profile, Threshold, ThresholdError, ThresholdLimit,
    check_thresholds, compare, mismatches,
};
use workspan_report::{CheckText, check_alerts, check_json, mismatch_sentence};

use super::alerts::FormatOptions;
use super::what_if::WIDTH;
use crate::baselines::{Name, Stored};
use crate::exit_code::{EXIT_CODES, Failure, OrExit as _, PROFILE, REGRESSION, USAGE};
use crate::message;
use crate::screen::ScreenOptions;
use crate::sink::{Sink, write_to};
use crate::stored;
use configuration::Configuration;
use limits::Limits;

#[derive(Debug, Args)]
struct Options {
    /// The profile to check: a file, or the name of a baseline
    #[arg(value_name = "FILE.wsp|NAME")]
    profile: Stored,
    /// What limits with a sign are relative to: a profile, or the name of a baseline
    #[arg(long, value_name = "FILE.wsp|NAME")]
    baseline: Option<Stored>,
    #[command(flatten, next_help_heading = "Thresholds")]
    limits: Limits,
    /// Read thresholds from this file [default: workspan.toml here or in the nearest folder above]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Fail also where a figure is beyond its limit, but its interval reaches to it
    #[arg(long)]
    strict: bool,
    /// Take run N of one and run N of the other as a pair, made beside one another: what the machine did to both cancels out
    #[arg(long)]
    paired: bool,
    /// Keep the profile as a baseline under this name, if no threshold is exceeded
    #[arg(long, value_name = "NAME", value_parser = Name::destination)]
    save_baseline: Option<PathBuf>,
    /// Write the results as JSON too (`-` = standard output, in place of the text)
    #[arg(long, value_name = "FILE", value_parser = Sink::parser())]
    json: Option<Sink>,
    #[command(flatten)]
    format: FormatOptions,
    #[command(flatten)]
    screen: ScreenOptions,
}

const EXAMPLES: &str = "Examples:\n  \
    workspan check app.wsp --min-parallelism 20\n  \
    workspan check app.wsp --baseline main --max-span +5% --max-work +3%\n  \
    workspan check app.wsp --max-span 12ms --json check.json\n  \
    workspan check app.wsp --baseline main --save-baseline main     if it passes, it is the next baseline\n\n\
    workspan.toml:\n  \
    [check]\n  \
    baseline = \"main\"\n\n  \
    [thresholds]\n  \
    max-span = \"+5%\"\n  \
    min-parallelism = 20\n\n  \
    [site.\"src/main.rs:40\"]      # a site or a named region, in words of --path-of\n  \
    max-work = \"+3%\"";

/// The command's description.
pub(super) fn command() -> Command {
    Options::augment_args(Command::new("check"))
        .about("Check that a program keeps to thresholds: exit code 3 on a regression")
        .long_about(
            "Checks a profile against thresholds, for continuous integration: ends with exit code 3 where one is exceeded.\n\n\
             A limit is a figure by itself (`--max-span 12ms`, of instructions `--max-span 2_000_000`, `--min-parallelism 20`), or relative to a baseline, with a sign \
             (`--max-span +5%`, `--min-parallelism -10%`). They stand on the command line or in workspan.toml; the \
             former replace those of the same name.\n\n\
             Figures that are measured vary. Of several runs (`--runs 10`), a threshold is exceeded where the whole interval that \
             the figure lies in with a confidence of 99% is beyond the limit. Where only a part of it is, the threshold may be \
             exceeded, which passes unless --strict is given. With too few runs for an interval the figure is judged as it \
             is. Instructions that are counted by an emulator (`--emulate`) do not vary.",
        )
        .after_help(EXAMPLES)
        .after_long_help(format!("{EXAMPLES}\n\n{EXIT_CODES}"))
}

/// Checks the profile, and writes the requested outputs.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let configuration = Configuration::find(options.config.as_deref()).or_exit(USAGE)?;
    let is_printed = options.format.prints_beside(&[&options.json])?;
    let file = options.profile.file().or_exit(PROFILE)?;
    let stored = read_complete(&file)?;
    let profile = &stored.0;
    let thresholds = configuration
        .thresholds(&options.limits, profile)
        .or_exit(USAGE)?;
    if thresholds.is_empty() && options.save_baseline.is_none() {
        let error = anyhow!(
            "there is nothing to check: give a threshold, such as --min-parallelism 20, or write a workspan.toml \
             (`workspan check --help`)"
        );
        return Err(Failure::new(USAGE, error));
    }
    let is_relative = |threshold: &Threshold| matches!(threshold.limit, ThresholdLimit::Growth(_));
    // The baseline of the configuration is read, and has to exist, only if a threshold needs it.
    let configured = configuration
        .baseline()
        .filter(|_| thresholds.iter().any(is_relative));
    let baseline = options.baseline.as_ref().or(configured);
    let baseline = baseline
        .map(|baseline| read_complete(&baseline.file().or_exit(PROFILE)?))
        .transpose()?;
    let baseline = baseline.as_ref().map(|(baseline, _)| baseline);
    let differing = match baseline {
        Some(baseline) => mismatches(baseline, profile),
        None => Vec::new(),
    };
    refuse_other_runs(&differing).or_exit(USAGE)?;
    let judging = ComparisonOptions {
        is_paired: options.paired,
        ..ComparisonOptions::default()
    };
    let checked = check_thresholds(profile, baseline, &thresholds, judging)
        .map_err(|(place, error)| explained(&thresholds[place], error))
        .or_exit(USAGE)?;
    let is_strict = options.strict || configuration.is_strict();
    if is_printed && (options.format.is_document() || !checked.is_empty()) {
        let page = CheckText {
            screen: options.screen.screen_of_width(&Sink::Stdout, WIDTH),
            run: &profile.run,
            is_strict,
            mismatches: &differing,
        };
        let alerts = || {
            let comparison = baseline.and_then(|before| compare(before, profile, judging).ok());
            check_alerts(&checked, &profile.run, is_strict, comparison.as_ref())
        };
        let text = |output: &mut Vec<u8>| page.render(&checked, output);
        let summary = |output: &mut Vec<u8>| page.summary(&checked, output);
        let printed = options.format.print(&stored, text, summary, alerts);
        printed.or_exit(PROFILE)?;
    }
    let metric = &profile.run.metric;
    let json = |output: &mut Vec<u8>| check_json(&checked, metric, is_strict, &differing, output);
    write_to(&options.json, json).or_exit(PROFILE)?;
    if checked.iter().any(|checked| checked.fails(is_strict)) {
        return Ok(ExitCode::from(REGRESSION));
    }
    if let Some(file) = &options.save_baseline {
        save(file, profile).or_exit(PROFILE)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The profile in `file`, of a run that must have done all of its work.
fn read_complete(file: &Path) -> Result<(Profile, Option<Dag>), Failure> {
    let stored = stored::read(file).or_exit(PROFILE)?;
    if !stored.0.run.is_whole() {
        let error = anyhow!(
            "{} is of a run that failed, ended early or left tasks unfinished, so that its figures are not those of the whole \
             program: profile a run that succeeds",
            file.display()
        );
        return Err(Failure::new(USAGE, error));
    }
    Ok(stored)
}

/// Refuses a baseline of a run that did other work: the result would say nothing about the program.
fn refuse_other_runs(differing: &[Mismatch]) -> anyhow::Result<()> {
    match differing
        .iter()
        .find(|mismatch| mismatch.invalidates_comparison())
    {
        None => Ok(()),
        Some(grave) => Err(anyhow!(
            "the baseline is of another run. {} Or save a new baseline: --save-baseline NAME",
            mismatch_sentence(grave)
        )),
    }
}

/// The error with the name of its threshold.
fn explained(threshold: &Threshold, error: ThresholdError) -> anyhow::Error {
    let name = limits::name(threshold.quantity);
    let site = threshold.site.as_deref();
    let site = site.map(|site| format!(" of `{site}`")).unwrap_or_default();
    anyhow!("{name}{site}: {error}")
}

/// Keeps the profile as a baseline, without its task dag.
fn save(file: &Path, profile: &Profile) -> anyhow::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    wsp::write(file, profile, None)?;
    message::note(format_args!("baseline kept in {}", file.display()));
    Ok(())
}
