//! How `check` and `compare` print: as text, or for tools that show alerts at lines of the source.

use std::env;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum};
use workspan_model::{Dag, Profile, analyse_with_dag};
use workspan_report::{Alert, annotations, finding_alerts, sarif};

use super::export::name_of;
use crate::exit_code::{Failure, USAGE};
use crate::sink::Sink;

/// The variable that names the file of a step's summary in GitHub's workflows.
const SUMMARY: &str = "GITHUB_STEP_SUMMARY";

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
            "`--format {}` and another output both go to standard output: name a file for that",
            name_of(&self.format)
        );
        Err(Failure::new(USAGE, error))
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
                Sink::Stdout.write_rendered(|output| annotations(&alerts(), output))?;
                let file = env::var_os(SUMMARY).filter(|file| !file.is_empty());
                file.map_or(Ok(()), |file| append(Path::new(&file), summary))
            }
            Format::Sarif => {
                let mut alerts = alerts();
                alerts.extend(finding_alerts(&analyse_with_dag(profile, dag.as_ref())));
                Sink::Stdout.write_rendered(|output| sarif(&alerts, output))
            }
        }
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
