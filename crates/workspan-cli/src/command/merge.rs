//! `workspan merge FILE.wsp…`: merges the profiles of several runs into one.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use workspan_format::wsp;
use workspan_model::{Dag, Profile, mismatches, repeated};
use workspan_report::mismatch_sentence;

use crate::exit_code::{EXIT_CODES, Failure, OrExit as _, PROFILE, USAGE};
use crate::sink::Sink;
use crate::stored;

#[derive(Debug, Args)]
struct Options {
    /// The profiles, of one run each, in the order of the runs
    #[arg(value_name = "FILE.wsp", required = true, num_args = 2..)]
    profiles: Vec<PathBuf>,
    /// Write the profile of all of them to this file
    #[arg(short, long, value_name = "FILE.wsp", value_parser = Sink::parser())]
    output: Sink,
}

/// The command's description.
pub(super) fn command() -> Command {
    const EXAMPLES: &str = "Example:\n  workspan merge -o all.wsp run-1.wsp run-2.wsp run-3.wsp";
    Options::augment_args(Command::new("merge"))
        .about("Make one profile of those of several runs, as `--runs` does")
        .long_about(
            "Makes one profile of those of several runs of a program, as `--runs` does: that of the run with the median span, \
             with the figures of all. So runs can be made in turns with those of another program (`workspan compare --paired`), \
             or by a batch system.",
        )
        .after_help(EXAMPLES)
        .after_long_help(format!("{EXAMPLES}\n\n{EXIT_CODES}"))
}

/// Merges the profiles and writes the result.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let mut profiles: Vec<Profile> = Vec::new();
    let mut dags: Vec<Option<Dag>> = Vec::new();
    for file in &options.profiles {
        let (profile, dag) = stored::read(file).or_exit(PROFILE)?;
        let file = file.display();
        if profile.repetition.is_some() {
            let error =
                anyhow!("{file} is of several runs already: give the profiles of single runs");
            return Err(Failure::new(USAGE, error));
        }
        let first = profiles.first().unwrap_or(&profile);
        if let Some(grave) = mismatches(first, &profile)
            .iter()
            .find(|other| other.invalidates_comparison())
        {
            let error = anyhow!(
                "{file} is no other run of the same: {} (before: the first profile)",
                mismatch_sentence(grave)
            );
            return Err(Failure::new(USAGE, error));
        }
        profiles.push(profile);
        dags.push(dag);
    }
    let profile = repeated(profiles).expect("clap requires two");
    let shown = profile
        .repetition
        .as_ref()
        .map(|repetition| repetition.shown);
    let dag = shown.and_then(|shown| dags[shown].as_ref());
    options
        .output
        .write(&wsp::encode(&profile, dag))
        .or_exit(PROFILE)?;
    Ok(ExitCode::SUCCESS)
}
