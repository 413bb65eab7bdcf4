//! How `check` and `compare` print: as text, or for tools that show alerts at lines of the source.

use std::env;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum};
use workspan_model::{Analysis, Dag, Location, Profile, analyse_with_dag};
use workspan_report::{Alert, annotations, finding_alerts, sarif};

use super::export::name_of;
use crate::exit_code::{Failure, USAGE};
use crate::message;
use crate::sink::Sink;

/// The variable that names the file of a step's summary in GitHub's workflows.
const SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// The variable that names the folder of the repository there.
const WORKSPACE: &str = "GITHUB_WORKSPACE";

#[derive(Clone, Copy, Debug, Args)]
pub(super) struct FormatOptions {
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text
    #[default]
    Text,
    /// The text and annotations of lines, for GitHub's workflows; tables go to the step's summary
    Github,
    /// SARIF 2.1.0 for code scanning, with the findings of the profile
    Sarif,
}

impl FormatOptions {
    /// Whether to print anything: another output to standard output replaces the text.
    ///
    /// # Errors
    /// If it would replace anything but text.
    pub(super) fn prints_beside(self, outputs: &[&Option<Sink>]) -> Result<bool, Failure> {
        let is_free = !outputs.contains(&&Some(Sink::Stdout));
        if is_free || self.format == Format::Text {
            return Ok(is_free);
        }
        let error = anyhow!(
            "`--format {}` and another output both go to standard output: give the other output a file",
            name_of(&self.format)
        );
        Err(Failure::new(USAGE, error))
    }

    /// Whether a tool reads what is printed, also where there is nothing to tell.
    pub(super) fn is_document(self) -> bool {
        self.format == Format::Sarif
    }

    /// Prints what was found of the profile and its task dag; `summary` is Markdown.
    pub(super) fn print(
        self,
        (profile, dag): &(Profile, Option<Dag>),
        text: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
        summary: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
        alerts: impl FnOnce() -> Vec<Alert>,
    ) -> anyhow::Result<()> {
        match self.format {
            Format::Text => Sink::Stdout.show(text),
            Format::Github => {
                Sink::Stdout.show(text)?;
                let alerts = Repository::find().alerts(alerts());
                Sink::Stdout.write_rendered(|output| annotations(&alerts, output))?;
                let file = env::var_os(SUMMARY).filter(|file| !file.is_empty());
                if let Some(file) = file
                    && let Err(error) = append(Path::new(&file), summary)
                {
                    message::warning(format_args!("the step has no summary: {error:#}"));
                }
                Ok(())
            }
            Format::Sarif => {
                let analysis = analyse_with_dag(profile, dag.as_ref());
                Sink::Stdout.write_rendered(|output| scanned(alerts(), &analysis, output))
            }
        }
    }
}

/// Writes the alerts and the findings of a profile as SARIF. What has no line of its own is shown at
/// the site with the most work.
pub(super) fn scanned(
    mut alerts: Vec<Alert>,
    analysis: &Analysis,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let repository = Repository::find();
    alerts.extend(finding_alerts(analysis));
    let mut alerts = repository.alerts(alerts);
    let places = analysis.sites.iter().filter_map(|site| {
        let place = repository.place(site.location.as_ref()?)?;
        Some((site.on_work.local_work.time(), place))
    });
    let most_costly = places.max_by_key(|(own_work, _)| *own_work);
    for alert in &mut alerts {
        let place = alert.location.take();
        alert.location = place.or_else(|| Some(most_costly.as_ref()?.1.clone()));
    }
    let without_place = alerts.iter().filter(|it| it.location.is_none()).count();
    if without_place > 0 {
        message::warning(format_args!(
            "SARIF needs a line in a file of this repository; results left out: {without_place}"
        ));
    }
    sarif(&alerts, output)
}

/// The folders that paths in alerts are relative to, before and after.
struct Repository {
    folder: PathBuf,
    root: PathBuf,
}

impl Repository {
    /// That of the current folder or of GitHub's workflow; without one, the folder itself. A
    /// workflow may check out repositories into folders of its workspace.
    fn find() -> Self {
        let folder = env::current_dir().unwrap_or_default();
        let workspace = env::var_os(WORKSPACE).map(PathBuf::from);
        let workspace = workspace.and_then(|root| root.canonicalize().ok());
        let workspace = || workspace.filter(|root| folder.starts_with(root));
        let above = folder.ancestors().find(|it| it.join(".git").exists());
        let root = above.map(Path::to_owned).or_else(workspace);
        Self {
            root: root.unwrap_or_else(|| folder.clone()),
            folder,
        }
    }

    /// The alerts with paths from the root.
    fn alerts(&self, mut alerts: Vec<Alert>) -> Vec<Alert> {
        for alert in &mut alerts {
            let place = alert.location.take();
            alert.location = place.and_then(|place| self.place(&place));
        }
        alerts
    }

    /// The place with its path from the root. `None` for files of others, such as those of
    /// downloaded crates and of the standard library, whose names are of no file here, and where no
    /// line is known.
    fn place(&self, place: &Location) -> Option<Location> {
        if place.line == 0 {
            return None;
        }
        let file = self.folder.join(&place.file).canonicalize().ok()?;
        let file = file.strip_prefix(&self.root).ok()?.to_str()?;
        Some(Location::new(file, place.line, place.column))
    }
}

/// Steps share the file.
fn append(file: &Path, render: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    render(&mut bytes)?;
    let opened = File::options().append(true).create(true).open(file);
    let written = opened.and_then(|mut file| file.write_all(&bytes));
    written.with_context(|| file.display().to_string())
}
