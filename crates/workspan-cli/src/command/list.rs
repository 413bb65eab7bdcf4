//! `workspan list`: the profiles that runs have kept.

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::anyhow;
use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use workspan_report::{KeptProfile, kept_json, kept_profiles};

use crate::exit_code::{EXIT_CODES, Failure, OrExit as _, PROFILE, USAGE};
use crate::kept::{self, Kept};
use crate::message;
use crate::process;
use crate::screen::ScreenOptions;
use crate::sink::Sink;

#[derive(Debug, Args)]
struct Options {
    /// Only profiles of this program, by its name or path
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Write the list as JSON, in place of the table (`--json` alone, or `-` = standard output)
    #[arg(long, value_name = "FILE", value_parser = Sink::parser(), num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    json: Option<Sink>,
    #[command(flatten)]
    screen: ScreenOptions,
}

/// The command's description.
pub(super) fn command() -> Command {
    Options::augment_args(Command::new("list"))
        .about("List the profiles that runs have kept, the newest first")
        .long_about(
            "Lists the profiles that runs have kept around the current folder and in the user's cache, the newest first, with \
             the files that `report`, `compare` and other commands take. Of each program the last ten are kept.",
        )
        .after_long_help(EXIT_CODES)
}

/// Prints the list.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let mut kept = kept::all().or_exit(PROFILE)?;
    if kept.is_empty() && options.json.is_none() {
        return Err(Failure::new(PROFILE, anyhow!(kept::NONE)));
    }
    if let Some(name) = &options.name {
        let name = process::program_name(Path::new(name));
        kept.retain(|kept| name_of(kept).as_ref() == Some(&name));
        if kept.is_empty() && options.json.is_none() {
            let error = anyhow!(
                "no profile of `{name}` is kept here; `workspan list` shows those of other programs"
            );
            return Err(Failure::new(PROFILE, error));
        }
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_secs());
    let profiles = kept.into_iter().map(|Kept { file, run }| KeptProfile {
        age: now.saturating_sub(run.started_at),
        file: message::in_shell(&file),
        path: file,
        run,
    });
    let profiles: Vec<_> = profiles.collect();
    let screen = options.screen.screen(&Sink::Stdout);
    let written = match &options.json {
        Some(sink) => sink.write_rendered(|json| kept_json(&profiles, json)),
        None => Sink::Stdout.show(|table| kept_profiles(&profiles, screen, table)),
    };
    written.or_exit(PROFILE)?;
    Ok(ExitCode::SUCCESS)
}

/// The name of the program.
fn name_of(kept: &Kept) -> Option<String> {
    let program = kept.run.command.first()?;
    Some(process::program_name(Path::new(program)))
}
