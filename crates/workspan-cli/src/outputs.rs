//! Where the results of a run go, and writing them there.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use serde::{Deserialize, Serialize};
use workspan_format::{replace_file, wsp};
use workspan_report::{Csv, Json, RegionsCsv, Renderer, Text, readable_on_screen};

use crate::page::{PageOptions, Results};
use crate::report_options::ReportOptions;
use crate::screen::ScreenOptions;

/// A file, or a stream of this process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Sink {
    Stdout,
    Stderr,
    File(PathBuf),
}

impl Sink {
    /// What reads the sink of an option, whose file may have any name.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Self> {
        OsStringValueParser::new().try_map(|text| Self::parse(&text))
    }

    /// The sink that a person names on the command line: `-` or a file.
    ///
    /// The file's path is made absolute, because cargo runs tests in other folders.
    fn parse(text: &OsStr) -> Result<Self, String> {
        match text.as_encoded_bytes() {
            b"" => Err("a file name, or `-` for standard output, is expected".to_owned()),
            b"-" => Ok(Self::Stdout),
            _ => std::path::absolute(text)
                .map(Self::File)
                .map_err(|error| error.to_string()),
        }
    }

    pub(crate) fn write(&self, bytes: &[u8]) -> anyhow::Result<()> {
        match self {
            Self::Stdout => {
                let is_terminal = io::stdout().is_terminal();
                to_stream(&mut io::stdout().lock(), &shown(bytes, is_terminal))
                    .context("standard output")
            }
            // Reports go there, to be read in a terminal or a log.
            Self::Stderr => {
                to_stream(&mut io::stderr().lock(), &shown(bytes, true)).context("standard error")
            }
            Self::File(path) => {
                replace_file(path, bytes).with_context(|| path.display().to_string())
            }
        }
    }
}

/// What a reader gets: to be shown, nothing that would do more to a terminal than show. Texts in a profile may be anybody's.
fn shown(bytes: &[u8], is_shown: bool) -> Cow<'_, [u8]> {
    match std::str::from_utf8(bytes) {
        Ok(text) if is_shown => readable_on_screen(text).into_bytes().into(),
        _ => bytes.into(),
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
    #[arg(long, value_name = "FILE", value_parser = Sink::parser())]
    pub(crate) json: Option<Sink>,
    /// Write the table of sites as CSV too, with every measure (`-` = standard output)
    #[arg(long, value_name = "FILE", value_parser = Sink::parser())]
    pub(crate) csv: Option<Sink>,
    /// Write the regions that the program names, and their instances, as CSV too (`-` = standard output)
    #[arg(long, value_name = "FILE", value_parser = Sink::parser())]
    pub(crate) regions_csv: Option<Sink>,
    /// Write a page for a browser, too, which needs no other file (`-` = standard output)
    #[arg(long, value_name = "FILE", value_parser = Sink::parser())]
    pub(crate) html: Option<Sink>,
}

impl Exports {
    fn all(&self) -> [&Option<Sink>; 4] {
        let Self {
            json,
            csv,
            regions_csv,
            html,
        } = self;
        [json, csv, regions_csv, html]
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
    /// How it looks.
    pub(crate) screen: ScreenOptions,
    /// What it shows.
    pub(crate) shown: ReportOptions,
    /// What the page holds, and whether it is opened.
    pub(crate) page: PageOptions,
    /// The sites whose span it shows instead, as indices into the rows of the profile.
    pub(crate) path_of: Option<Vec<usize>>,
    /// The profile file.
    pub(crate) profile: Option<Sink>,
    /// The file of the profile as a baseline.
    pub(crate) baseline: Option<Sink>,
    pub(crate) exports: Exports,
}

impl Outputs {
    /// Writes everything that was asked for; the task dag goes into the profile file. One failure does not keep the others
    /// from being written; all are returned.
    pub(crate) fn write(&self, results: &Results<'_>) -> Vec<anyhow::Error> {
        let forms = [
            (&self.profile, Form::Profile),
            (&self.baseline, Form::Baseline),
            (&self.exports.json, Form::Json),
            (&self.exports.csv, Form::Csv),
            (&self.exports.regions_csv, Form::RegionsCsv),
            (&self.exports.html, Form::Html),
            (&self.report, Form::Report),
        ];
        forms
            .into_iter()
            .filter_map(|(sink, form)| {
                let sink = sink.as_ref()?;
                if let (Form::Baseline, Sink::File(file)) = (form, sink) {
                    // A first one has no folder yet; writing says why there is none.
                    let _ = file.parent().map(fs::create_dir_all);
                }
                self.bytes(form, results, sink)
                    .and_then(|bytes| sink.write(&bytes))
                    .with_context(|| format!("cannot write the {form}"))
                    .err()
            })
            .collect()
    }

    fn bytes(&self, form: Form, results: &Results<'_>, sink: &Sink) -> anyhow::Result<Vec<u8>> {
        let render = |renderer: &dyn Renderer| {
            let mut bytes = Vec::new();
            renderer.render(results.profile, results.analysis(), &mut bytes)?;
            anyhow::Ok(bytes)
        };
        match form {
            Form::Profile => Ok(wsp::encode(results.profile, results.dag)),
            Form::Baseline => Ok(wsp::encode(results.profile, None)),
            Form::Json => render(&Json),
            Form::Csv => render(&Csv),
            Form::RegionsCsv => render(&RegionsCsv),
            Form::Html => Ok(results.page().to_owned()),
            Form::Report => render(&self.text_for(sink)),
        }
    }

    /// The text renderer as it suits the reader: colours and the full width for a terminal.
    fn text_for(&self, sink: &Sink) -> Text {
        self.shown.applied_to(Text {
            screen: self.screen.screen(sink),
            path_of: self.path_of.clone(),
            ..Text::default()
        })
    }

    /// The same, with `-<name>` put before the extension of every file: for a second program of
    /// one command.
    pub(crate) fn for_program(&self, name: &str) -> Self {
        self.renamed(|path| with_suffix(path, name))
    }

    /// The same, with what stands in the names of files for the run: `%e` for the program's name, `%p` for this process's
    /// id, `%h` for the host, `%%` for a percent sign. Several programs or ranks of one command write files of their own so.
    pub(crate) fn of_run(&self, program: &str) -> Self {
        self.renamed(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            match name.contains('%') {
                true => path.with_file_name(filled(&name, program)),
                false => path.to_owned(),
            }
        })
    }

    fn renamed(&self, new: impl Fn(&Path) -> PathBuf) -> Self {
        let rename = |sink: &Option<Sink>| {
            sink.clone().map(|sink| match sink {
                Sink::File(path) => Sink::File(new(&path)),
                stream => stream,
            })
        };
        Self {
            report: rename(&self.report),
            screen: self.screen,
            shown: self.shown.clone(),
            page: self.page.clone(),
            path_of: self.path_of.clone(),
            profile: rename(&self.profile),
            baseline: rename(&self.baseline),
            exports: Exports {
                json: rename(&self.exports.json),
                csv: rename(&self.exports.csv),
                regions_csv: rename(&self.exports.regions_csv),
                html: rename(&self.exports.html),
            },
        }
    }

    /// The files among the outputs.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        let own = [&self.report, &self.profile, &self.baseline];
        own.into_iter()
            .chain(self.exports.all())
            .filter_map(|sink| match sink {
                Some(Sink::File(path)) => Some(path.as_path()),
                _ => None,
            })
    }
}

/// The forms that a profile is written in.
#[derive(Clone, Copy, Debug)]
enum Form {
    Profile,
    Baseline,
    Json,
    Csv,
    RegionsCsv,
    Html,
    Report,
}

impl fmt::Display for Form {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Profile => "profile",
            Self::Baseline => "baseline",
            Self::Json => "JSON",
            Self::Csv => "CSV",
            Self::RegionsCsv => "CSV of regions",
            Self::Html => "page",
            Self::Report => "report",
        })
    }
}

/// The name of a file with what its `%e`, `%p`, `%h` and `%%` stand for. Other letters stay.
fn filled(name: &str, program: &str) -> String {
    let mut filled = String::new();
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('%') {
        filled.push_str(before);
        let mut letters = after.chars();
        match letters.next() {
            Some('e') => filled.push_str(program),
            Some('p') => filled.push_str(&std::process::id().to_string()),
            Some('h') => {
                let host = rustix::system::uname();
                filled.push_str(&host.nodename().to_string_lossy());
            }
            Some('%') => filled.push('%'),
            Some(other) => filled.extend(['%', other]),
            None => filled.push('%'),
        }
        rest = letters.as_str();
    }
    filled + rest
}

/// The file beside `path` with `-<suffix>` before the extension.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
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
        assert_eq!(Sink::parse("-".as_ref()), Ok(Sink::Stdout));
        assert!(
            matches!(Sink::parse("a.json".as_ref()), Ok(Sink::File(path)) if path.is_absolute())
        );
        assert!(Sink::parse("".as_ref()).is_err());
    }

    #[test]
    fn names_of_files_tell_of_the_run() {
        let outputs = Outputs {
            profile: Some(Sink::File("/d%e/%e-%p-%%-%x%.wsp".into())),
            ..Outputs::default()
        };
        let name = format!("/d%e/unit-{}-%-%x%.wsp", std::process::id());
        assert_eq!(
            outputs.of_run("unit").profile,
            Some(Sink::File(name.into()))
        );
        let host = filled("%h", "");
        assert!(!host.is_empty() && !host.contains('%'), "{host}");
    }

    #[test]
    fn later_programs_write_beside_the_first() {
        let outputs = Outputs {
            report: Some(Sink::Stderr),
            profile: Some(Sink::File("/d/all.wsp".into())),
            exports: Exports {
                json: Some(Sink::File("/d/all".into())),
                ..Exports::default()
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
