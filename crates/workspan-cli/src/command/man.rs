//! `workspan man`: the manual pages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use clap_mangen::Man;

use crate::exit_code::{Failure, OrExit as _, PROFILE, USAGE};
use crate::sink::Sink;

#[derive(Debug, Args)]
struct Options {
    /// Write the pages of all commands into this folder, in place of the main one to standard output
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples:\n  \
    workspan man | man -l -                     this command's page\n  \
    workspan man -o ~/.local/share/man/man1     all pages, for `man workspan`, `man workspan-report`,\n  \
    \x20                                           `man cargo-workspan` and so on";

/// The command's description.
pub(super) fn command() -> Command {
    Options::augment_args(Command::new("man"))
        .about("Print the manual page, or write those of all commands")
        .after_help(EXAMPLES)
}

/// Prints the page of `described`, or writes those of `all` and of their subcommands.
pub(super) fn main(
    matches: &ArgMatches,
    described: Command,
    all: [Command; 2],
) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    match options.output {
        Some(folder) => write_all(&folder, all).or_exit(PROFILE)?,
        None => {
            let mut page = Vec::new();
            let described = described.disable_help_subcommand(true);
            Man::new(described).render(&mut page).or_exit(PROFILE)?;
            Sink::Stdout.write(&page).or_exit(PROFILE)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the pages of `all` and of their subcommands.
fn write_all(folder: &Path, all: [Command; 2]) -> anyhow::Result<()> {
    let write = || {
        fs::create_dir_all(folder)?;
        for command in all {
            clap_mangen::generate_to(command, folder)?;
        }
        std::io::Result::Ok(())
    };
    write().with_context(|| format!("cannot write manual pages to {}", folder.display()))
}
