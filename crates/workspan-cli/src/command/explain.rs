//! `workspan explain WS002`: explains a finding.

use std::io::Write as _;
use std::process::ExitCode;

use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use workspan_model::Diagnosis;
use workspan_report::{diagnoses, explanation, in_charset};

use crate::exit_code::{Failure, OrExit as _, PROFILE, USAGE};
use crate::screen::ScreenOptions;
use crate::sink::Sink;

#[derive(Debug, Args)]
struct Options {
    /// The finding's number, such as WS002; without it, all are listed
    #[arg(value_name = "NUMBER")]
    diagnosis: Option<Diagnosis>,
    #[command(flatten)]
    screen: ScreenOptions,
}

const EXAMPLES: &str = "Examples:\n  \
    workspan explain         the findings that there are, one a line\n  \
    workspan explain WS002   one of them, as Markdown";

/// The command's description.
pub(super) fn command() -> Command {
    Options::augment_args(Command::new("explain"))
        .about("Tell what a finding means, why it costs, and what to try; or list all findings")
        .after_help(EXAMPLES)
}

/// Prints the explanation, or the list.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let text = options.diagnosis.map_or_else(diagnoses, explanation);
    let text = in_charset(&text, options.screen.charset());
    Sink::Stdout
        .show(|output| output.write_all(text.as_bytes()))
        .or_exit(PROFILE)?;
    Ok(ExitCode::SUCCESS)
}
