//! Where the results of a run go, and writing them there.

use std::cell::LazyCell;
use std::fmt;
use std::io::{self, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use anstream::{AutoStream, ColorChoice};
use anyhow::Context as _;
use clap::Args;
use serde::{Deserialize, Serialize};
use terminal_size::{Width, terminal_size_of};
use workspan_format::{replace_file, wsp};
use workspan_model::{Analysis, Dag, Profile, analyse_with_dag};
use workspan_report::{Csv, Json, RegionsCsv, Renderer, Text};

use crate::report_options::ReportOptions;

/// A file, or a stream of this process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Sink {
    Stdout,
    Stderr,
    File(PathBuf),
}

impl Sink {
    /// The sink that a person names on the command line: `-` or a file.
    ///
    /// The file's path is made absolute, because cargo runs tests in other folders.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match text {
            "" => Err("a file name, or `-` for standard output, is expected".to_owned()),
            "-" => Ok(Self::Stdout),
            path => std::path::absolute(path)
                .map(Self::File)
                .map_err(|error| error.to_string()),
        }
    }

    pub(crate) fn write(&self, bytes: &[u8]) -> anyhow::Result<()> {
        match self {
            Self::Stdout => to_stream(&mut io::stdout().lock(), bytes).context("standard output"),
            Self::Stderr => to_stream(&mut io::stderr().lock(), bytes).context("standard error"),
            Self::File(path) => {
                replace_file(path, bytes).with_context(|| path.display().to_string())
            }
        }
    }
}

/// Writes to a stream whose reader may have left, as `head` does.
fn to_stream(stream: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    match stream.write_all(bytes).and_then(|()| stream.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// The files besides the report that the user asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct Exports {
    /// Write the results as JSON too (`-` = standard output)
    #[arg(long, value_name = "FILE", value_parser = Sink::parse)]
    pub(crate) json: Option<Sink>,
    /// Write the table of sites as CSV too, with every measure (`-` = standard output)
    #[arg(long, value_name = "FILE", value_parser = Sink::parse)]
    pub(crate) csv: Option<Sink>,
    /// Write the regions that the program names, and their instances, as CSV too (`-` = standard output)
    #[arg(long, value_name = "FILE", value_parser = Sink::parse)]
    pub(crate) regions_csv: Option<Sink>,
}

impl Exports {
    fn all(&self) -> [&Option<Sink>; 3] {
        let Self {
            json,
            csv,
            regions_csv,
        } = self;
        [json, csv, regions_csv]
    }

    /// Whether one of them takes standard output.
    pub(crate) fn take_standard_output(&self) -> bool {
        self.all().contains(&&Some(Sink::Stdout))
    }
}

/// Where the results of a run go.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outputs {
    /// The report for people; none if it was not wanted.
    pub(crate) report: Option<Sink>,
    /// What it shows.
    pub(crate) shown: ReportOptions,
    /// The sites whose span it shows instead, as indices into the rows of the profile.
    pub(crate) path_of: Option<Vec<usize>>,
    /// The profile file.
    pub(crate) profile: Option<Sink>,
    pub(crate) exports: Exports,
}

impl Outputs {
    /// Writes everything that was asked for; `dag`, the task dag of the same run, goes into the profile file. One failure
    /// does not keep the others from being written; all are returned.
    pub(crate) fn write(&self, profile: &Profile, dag: Option<&Dag>) -> Vec<anyhow::Error> {
        let forms = [
            (&self.profile, Form::Profile),
            (&self.exports.json, Form::Json),
            (&self.exports.csv, Form::Csv),
            (&self.exports.regions_csv, Form::RegionsCsv),
            (&self.report, Form::Report),
        ];
        let analysis = LazyCell::new(|| analyse_with_dag(profile, dag));
        forms
            .into_iter()
            .filter_map(|(sink, form)| {
                let sink = sink.as_ref()?;
                self.bytes(form, profile, dag, &analysis, sink)
                    .and_then(|bytes| sink.write(&bytes))
                    .with_context(|| format!("cannot write the {form}"))
                    .err()
            })
            .collect()
    }

    fn bytes(
        &self,
        form: Form,
        profile: &Profile,
        dag: Option<&Dag>,
        analysis: &impl Deref<Target = Analysis>,
        sink: &Sink,
    ) -> anyhow::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match form {
            Form::Profile => return Ok(wsp::encode(profile, dag)),
            Form::Json => Json.render(profile, analysis, &mut bytes)?,
            Form::Csv => Csv.render(profile, analysis, &mut bytes)?,
            Form::RegionsCsv => RegionsCsv.render(profile, analysis, &mut bytes)?,
            Form::Report => self.text_for(sink).render(profile, analysis, &mut bytes)?,
        }
        Ok(bytes)
    }

    /// The text renderer as it suits the reader: colours and the full width for a terminal.
    fn text_for(&self, sink: &Sink) -> Text {
        let (width, colour) = width_and_colour(sink);
        self.shown.applied_to(Text {
            colour,
            width,
            path_of: self.path_of.clone(),
            ..Text::default()
        })
    }

    /// The same, with `-<name>` put before the extension of every file: for a second program of
    /// one command.
    pub(crate) fn for_program(&self, name: &str) -> Self {
        let rename = |sink: &Option<Sink>| {
            sink.clone().map(|sink| match sink {
                Sink::File(path) => Sink::File(with_suffix(&path, name)),
                stream => stream,
            })
        };
        Self {
            report: rename(&self.report),
            shown: self.shown.clone(),
            path_of: self.path_of.clone(),
            profile: rename(&self.profile),
            exports: Exports {
                json: rename(&self.exports.json),
                csv: rename(&self.exports.csv),
                regions_csv: rename(&self.exports.regions_csv),
            },
        }
    }

    /// The files among the outputs.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        let own = [&self.report, &self.profile];
        own.into_iter()
            .chain(self.exports.all())
            .filter_map(|sink| match sink {
                Some(Sink::File(path)) => Some(path.as_path()),
                _ => None,
            })
    }
}

/// The columns that a text for `sink` has, and whether it is coloured.
pub(crate) fn width_and_colour(sink: &Sink) -> (usize, bool) {
    let (choice, size) = match sink {
        Sink::Stdout => (
            AutoStream::choice(&io::stdout()),
            terminal_size_of(io::stdout()),
        ),
        Sink::Stderr => (
            AutoStream::choice(&io::stderr()),
            terminal_size_of(io::stderr()),
        ),
        Sink::File(_) => (ColorChoice::Never, None),
    };
    let width = size.map_or(Text::default().width, |(Width(width), _)| width.into());
    (width, choice != ColorChoice::Never)
}

/// The forms that a profile is written in.
#[derive(Clone, Copy, Debug)]
enum Form {
    Profile,
    Json,
    Csv,
    RegionsCsv,
    Report,
}

impl fmt::Display for Form {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Profile => "profile",
            Self::Json => "JSON",
            Self::Csv => "CSV",
            Self::RegionsCsv => "CSV of regions",
            Self::Report => "report",
        })
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push("-");
    name.push(suffix);
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_is_standard_output() {
        assert_eq!(Sink::parse("-"), Ok(Sink::Stdout));
        assert!(matches!(Sink::parse("a.json"), Ok(Sink::File(path)) if path.is_absolute()));
        assert!(Sink::parse("").is_err());
    }

    #[test]
    fn later_programs_write_beside_the_first() {
        let outputs = Outputs {
            report: Some(Sink::Stderr),
            profile: Some(Sink::File("/d/all.wsp".into())),
            exports: Exports {
                json: Some(Sink::File("/d/all".into())),
                csv: None,
                regions_csv: None,
            },
            ..Outputs::default()
        };
        let later = outputs.for_program("unit");
        assert_eq!(later.report, Some(Sink::Stderr));
        let files: Vec<_> = later.files().collect();
        assert_eq!(
            files,
            [Path::new("/d/all-unit.wsp"), Path::new("/d/all-unit")]
        );
    }
}
