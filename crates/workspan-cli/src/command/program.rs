//! `workspan run -- PROGRAM`: runs a program that was built with instrumentation before.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::OsStringValueParser;
use clap::{Arg, ArgMatches, Args as _, Command, FromArgMatches as _};

use super::EXIT_CODES;
use super::measuring::OwnOptions;
use crate::RUNNER_LINK;
use crate::exit_code::{Failure, OrExit as _, SETUP, USAGE};
use crate::runner::{self, Expected, Launch, Reporting};
use crate::symbols::Places;

/// The command's description.
pub(super) fn command() -> Command {
    OwnOptions::augment_args(Command::new("run"))
        .about("Run a program that `cargo workspan` has built, and report its work and span")
        .after_long_help(EXIT_CODES)
        .arg(
            Arg::new("program")
                .value_name("PROGRAM")
                .help("The program and its arguments")
                .help_heading(None::<&str>)
                .value_parser(OsStringValueParser::new())
                .num_args(1..)
                .required(true)
                .trailing_var_arg(true),
        )
}

/// Runs the program and reports.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let own = OwnOptions::from_arg_matches(matches).or_exit(USAGE)?;
    let command: Vec<OsString> = matches
        .get_many("program")
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let home = home_of(Path::new(&command[0]));
    let raw_folder = tempfile::Builder::new()
        .prefix("workspan-")
        .tempdir()
        .or_exit(SETUP)?;
    runner::launch(&Launch {
        command,
        through: Vec::new(),
        inherited_wrapper: None,
        measure: own.measure()?,
        runs: own.runs(),
        raw_folder: raw_folder.path().to_owned(),
        reporting: Some(Reporting {
            outputs: own.outputs(),
            home,
            places: Places {
                folder: env::current_dir().or_exit(SETUP)?,
                workspace: None,
            },
            expected: Expected::Instrumented,
        }),
    })
}

/// workspan's folder, if the program lies below one.
fn home_of(program: &Path) -> Option<PathBuf> {
    let program = program.canonicalize().ok()?;
    program
        .ancestors()
        .find(|folder| folder.join("bin").join(RUNNER_LINK).exists())
        .map(Path::to_owned)
}
