//! `workspan dag FILE.wsp`: the task dag of a run.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgMatches, Args, Command, FromArgMatches as _};

use super::dag_of::dag_of;
use crate::exit_code::{Failure, OrExit as _, PROFILE, USAGE};
use crate::outputs::Sink;

#[derive(Debug, Args)]
struct Options {
    /// The profile, as written by a run
    #[arg(value_name = "FILE.wsp")]
    profile: PathBuf,
}

/// The command's description.
pub(super) fn command() -> Command {
    Options::augment_args(Command::new("dag")).about("Print the size of a stored task dag")
}

/// Prints the size of the dag.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let (_, dag) = dag_of(&options.profile)?;
    let text = format!("{} vertices\n", dag.vertices.len());
    Sink::Stdout.write(text.as_bytes()).or_exit(PROFILE)?;
    Ok(ExitCode::SUCCESS)
}
