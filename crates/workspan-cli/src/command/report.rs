//! `workspan report FILE.wsp`: shows a stored profile.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use workspan_format::wsp;

use crate::exit_code::{Failure, OrExit as _, PROFILE, USAGE};
use crate::message;
use crate::outputs::{Details, Exports, Outputs, Sink};

#[derive(Debug, Args)]
struct Options {
    /// The profile, as written by a run
    #[arg(value_name = "FILE.wsp")]
    profile: PathBuf,
    #[command(flatten)]
    details: Details,
    #[command(flatten)]
    exports: Exports,
}

/// The command's description.
pub(super) fn command() -> Command {
    Options::augment_args(Command::new("report"))
        .about("Print the report of a stored profile on standard output")
}

/// Prints the report, and writes the exports. The text gives way to an export to standard output.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let profile = wsp::read(&options.profile).or_exit(PROFILE)?;
    let taken = [&options.exports.json, &options.exports.csv].contains(&&Some(Sink::Stdout));
    let outputs = Outputs {
        report: (!taken).then_some(Sink::Stdout),
        details: options.details,
        profile: None,
        exports: options.exports,
    };
    let failures = outputs.write(&profile);
    for failure in &failures {
        message::error(failure);
    }
    Ok(if failures.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(PROFILE)
    })
}
