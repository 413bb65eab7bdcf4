//! `workspan report FILE.wsp`: reports on a stored profile.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use workspan_model::{Profile, SelectionError, SiteKind, SiteRow, select_rows, site_rows};

use crate::exit_code::{Failure, OrExit as _, PROFILE, USAGE};
use crate::inflate;
use crate::kept;
use crate::message;
use crate::outputs::{Exports, Outputs};
use crate::page::{self, PageOptions, Results};
use crate::report_options::ReportOptions;
use crate::screen::ScreenOptions;
use crate::sink::Sink;
use crate::stored;

#[derive(Debug, Args)]
struct Options {
    /// The profile, as written by a run, or by `workspan_dump` of workspan.h while a program runs; or the runs that `workspan
    /// inflate` has kept (.inflation.json), of which there is text and JSON [default: the newest that a run has kept]
    #[arg(value_name = "FILE.wsp|FILE.raw")]
    profile: Option<PathBuf>,
    /// What makes up the span of this site or function, in place of the report: a place such as src/main.rs:40 or
    /// main.rs:40:9, a function, a region, or `root` for the whole program
    #[arg(long, value_name = "LOCATION", help_heading = "Instead of the report")]
    path_of: Option<String>,
    #[command(flatten)]
    screen: ScreenOptions,
    #[command(flatten)]
    shown: ReportOptions,
    #[command(flatten)]
    exports: Exports,
    #[command(flatten)]
    page: PageOptions,
}

/// The command's description.
pub(super) fn command() -> Command {
    Options::augment_args(Command::new("report"))
        .about("Print the report of a stored profile on standard output")
}

/// Prints the report, and writes the exports. An export to standard output replaces the report.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let file = match &options.profile {
        Some(file) => file.clone(),
        None => kept::newest().or_exit(PROFILE)?,
    };
    if inflate::is_kept(&file) {
        return show_inflation(options, &file);
    }
    let (profile, dag) = stored::read(&file).or_exit(PROFILE)?;
    let is_replaced = options.exports.take_standard_output();
    let path_of = options.path_of.as_deref();
    let path_of = path_of.map(|words| find_sites(&profile, words)).transpose();
    let outputs = Outputs {
        report: (!is_replaced).then_some(Sink::Stdout),
        screen: options.screen,
        shown: options.shown,
        path_of: path_of.or_exit(USAGE)?,
        profile: None,
        baseline: None,
        page: options.page,
        without_page: true,
        exports: options.exports,
    };
    let results = Results::new(&profile, dag.as_ref(), &file, false, &outputs.page)
        .kept_in(&file.to_string_lossy());
    let mut failures = outputs.write(&results);
    if outputs.page.open && failures.is_empty() {
        let page = match &outputs.exports.html {
            Some(Sink::File(page)) => Ok(page.clone()),
            _ => page::keep(&file, &results).context("cannot write the page"),
        };
        match page {
            Ok(page) => page::open(&page),
            Err(error) => failures.push(error),
        }
    }
    for failure in &failures {
        message::error(failure);
    }
    Ok(if failures.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(PROFILE)
    })
}

/// Reports on the runs that `workspan inflate` has kept.
///
/// # Errors
/// If an option requests anything but text or JSON.
fn show_inflation(options: Options, file: &Path) -> Result<ExitCode, Failure> {
    let (exports, page) = (&options.exports, &options.page);
    let unsupported = [
        ("--path-of", options.path_of.is_some()),
        ("--csv", exports.csv.is_some()),
        ("--regions-csv", exports.regions_csv.is_some()),
        ("--html", exports.html.is_some()),
        ("--open", page.open),
        ("--sweep", page.sweep.is_some()),
        ("--against", page.against.is_some()),
    ];
    if let Some((option, _)) = unsupported.iter().find(|(_, is_given)| *is_given) {
        let file = file.display();
        let error = anyhow::anyhow!(
            "{file} is of `workspan inflate`, of which there is text and --json, but no {option}"
        );
        return Err(Failure::new(USAGE, error));
    }
    let differential = inflate::read(file).or_exit(PROFILE)?;
    let results = inflate::Results {
        report: None,
        json: options.exports.json,
        screen: options.screen,
    };
    Ok(inflate::report(&differential, &results))
}

/// How many sites a message lists.
const LISTED: usize = 12;

/// The sites that `words` refer to, as indices into the rows of `profile`.
fn find_sites(profile: &Profile, words: &str) -> anyhow::Result<Vec<usize>> {
    let rows = site_rows(profile);
    select_rows(&rows, words).map_err(|error| {
        let (advice, candidates): (_, Vec<&SiteRow>) = match &error {
            SelectionError::SeveralKinds { rows: meant, .. } => {
                ("say which", meant.iter().map(|&row| &rows[row]).collect())
            }
            _ => ("the longest on the span are", rows.iter().collect()),
        };
        let listed = candidates.iter().take(LISTED);
        let listed: String = listed
            .map(|row| format!("\n  {}", words_for(row)))
            .collect();
        anyhow::anyhow!("{error}; {advice}:{listed}")
    })
}

/// Words that refer to the row alone, or to the rows of its name.
fn words_for(row: &SiteRow) -> String {
    if row.kind == SiteKind::Root {
        return row.kind.name().to_owned();
    }
    let name = [&row.name, &row.function].into_iter().flatten().next();
    match (&row.location, &row.name) {
        (Some(location), Some(name)) => format!("{} at {location} ({name})", row.kind),
        (Some(location), None) => format!("{} at {location}", row.kind),
        (None, _) => format!("{} at {}", row.kind, name.map_or("?", String::as_str)),
    }
}
