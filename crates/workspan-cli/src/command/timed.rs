//! `workspan timed LIST INDEX`, hidden: a launcher starts it in place of a program, to time the
//! program.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgMatches, Args, Command, FromArgMatches as _};

use crate::exit_code::{Failure, OrExit as _, USAGE};
use crate::sweep;

#[derive(Debug, Args)]
struct Options {
    /// The list of what can be run
    list: PathBuf,
    /// Which of it, from 0
    index: usize,
}

/// The command's description.
pub(super) fn command() -> Command {
    Options::augment_args(Command::new("timed")).hide(true)
}

/// Runs the program and times it.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    sweep::run_timed(&options.list, options.index)?;
    Ok(ExitCode::SUCCESS)
}
