//! `workspan completions SHELL`: prints the script that lets a shell complete the command.

use std::process::ExitCode;

use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use clap_complete::Shell;

use crate::exit_code::{Failure, OrExit as _, PROFILE, USAGE};
use crate::sink::Sink;

#[derive(Debug, Args)]
struct Options {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

const EXAMPLES: &str = "Examples:\n  \
    source <(workspan completions bash)        in ~/.bashrc\n  \
    source <(cargo workspan completions bash)  for cargo-workspan\n  \
    workspan completions fish >~/.config/fish/completions/workspan.fish";

/// The command's description.
pub(super) fn command() -> Command {
    Options::augment_args(Command::new("completions"))
        .about("Print a script that has a shell complete this command")
        .after_help(EXAMPLES)
}

/// Prints the script for `described`.
pub(super) fn main(matches: &ArgMatches, mut described: Command) -> Result<ExitCode, Failure> {
    let Options { shell } = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let name = described.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut described, name, &mut script);
    Sink::Stdout.write(&script).or_exit(PROFILE)?;
    Ok(ExitCode::SUCCESS)
}
