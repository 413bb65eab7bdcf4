//! The destinations of a run's results, and writing the results there.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Deserialize, Serialize};
use workspan_format::wsp;
use workspan_report::{Csv, FirstScreen, Json, RegionsCsv, Renderer, Text};

use crate::page::{PageOptions, Results};
use crate::report_options::ReportOptions;
use crate::screen::ScreenOptions;
use crate::sink::with_suffix;
use crate::sink::{Sink, failures, write_to};
use crate::source_files::Source;

/// The files that the user requested besides the report.
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

    /// Whether one of them goes to standard output.
    pub(crate) fn take_standard_output(&self) -> bool {
        self.all().contains(&&Some(Sink::Stdout))
    }
}

/// The destinations of a run's results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outputs {
    /// The report as text; none if it is not wanted.
    pub(crate) report: Option<Sink>,
    /// How the report looks.
    pub(crate) screen: ScreenOptions,
    /// What the report shows.
    pub(crate) shown: ReportOptions,
    /// What the page contains, and whether to open it.
    pub(crate) page: PageOptions,
    /// Whether to keep no page next to the profile: a large task dag takes seconds to render.
    pub(crate) without_page: bool,
    /// The report shows only the span of these sites, which are indices into the profile's rows.
    pub(crate) path_of: Option<Vec<usize>>,
    /// The profile file.
    pub(crate) profile: Option<Sink>,
    /// The file of the baseline to keep.
    pub(crate) baseline: Option<Sink>,
    pub(crate) exports: Exports,
}

impl Outputs {
    /// Writes all outputs; the task dag goes into the profile file. A failure does not prevent the
    /// other outputs from being written. Returns all failures.
    pub(crate) fn write(&self, results: &Results<'_>) -> Vec<anyhow::Error> {
        if let Some(Sink::File(file)) = &self.baseline {
            // The first baseline has no folder yet. If this fails, writing reports why.
            let _ = file.parent().map(fs::create_dir_all);
        }
        let encode = |sink: &Option<Sink>, dag| {
            let write = |sink: &Sink| sink.write(&wsp::encode(results.profile, dag));
            sink.as_ref().map_or(Ok(()), write)
        };
        let render = |sink: &Option<Sink>, renderer: &dyn Renderer| {
            write_to(sink, |bytes| {
                renderer.render(results.profile, results.analysis(), bytes)
            })
        };
        let html = |sink: &Sink| sink.write(results.page());
        let report = |sink: &Sink| self.write_report(sink, results);
        let exports = &self.exports;
        failures([
            ("profile", encode(&self.profile, results.dag)),
            ("baseline", encode(&self.baseline, None)),
            ("JSON", render(&exports.json, &Json)),
            ("CSV", render(&exports.csv, &Csv)),
            ("CSV of regions", render(&exports.regions_csv, &RegionsCsv)),
            ("page", exports.html.as_ref().map_or(Ok(()), html)),
            ("report", self.report.as_ref().map_or(Ok(()), report)),
        ])
    }

    /// Writes the report to `sink`: with colours and the full width on a terminal.
    fn write_report(&self, sink: &Sink, results: &Results<'_>) -> anyhow::Result<()> {
        let screen = self.screen.screen(sink);
        let measured_at = results.profile.run.started_at;
        let source = |file: &str| match results.sources()?.find(file) {
            Source::Found { text, changed_at } if changed_at <= measured_at => Some(text),
            _ => None,
        };
        let renderer: &dyn Renderer =
            match self.shown.are_of_full_report() || self.path_of.is_some() {
                true => &self.shown.applied_to(Text {
                    screen,
                    path_of: self.path_of.clone(),
                    ..Text::default()
                }),
                false => &FirstScreen {
                    screen,
                    source: &source,
                    file: results.kept_in.as_deref(),
                },
            };
        sink.show(|bytes| renderer.render(results.profile, results.analysis(), bytes))
    }

    /// Whether the report is one screen, on a stream.
    pub(crate) fn shows_one_screen(&self) -> bool {
        let is_shown = matches!(self.report, Some(Sink::Stdout | Sink::Stderr));
        is_shown && !self.shown.are_of_full_report()
    }

    /// The outputs of another program of the same command: `-<name>` is inserted before the
    /// extension of every file.
    pub(crate) fn for_program(&self, name: &str) -> Self {
        self.renamed(|path| with_suffix(path, name))
    }

    /// The outputs with the placeholders in file names replaced: `%e` by the program's name, `%p`
    /// by this process's id, `%h` by the host, `%%` by a percent sign. They let several programs or
    /// ranks of one command write separate files.
    pub(crate) fn for_run(&self, program: &str) -> Self {
        self.renamed(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.contains('%') {
                path.with_file_name(without_placeholders(&name, program))
            } else {
                path.to_owned()
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
            profile: rename(&self.profile),
            baseline: rename(&self.baseline),
            exports: Exports {
                json: rename(&self.exports.json),
                csv: rename(&self.exports.csv),
                regions_csv: rename(&self.exports.regions_csv),
                html: rename(&self.exports.html),
            },
            ..self.clone()
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

/// `name` with its `%e`, `%p`, `%h` and `%%` replaced. A `%` before another character stays.
fn without_placeholders(name: &str, program: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_in_file_names_are_replaced() {
        let outputs = Outputs {
            profile: Some(Sink::File("/d%e/%e-%p-%%-%x%.wsp".into())),
            ..Outputs::default()
        };
        let name = format!("/d%e/unit-{}-%-%x%.wsp", std::process::id());
        assert_eq!(
            outputs.for_run("unit").profile,
            Some(Sink::File(name.into()))
        );
        let host = without_placeholders("%h", "");
        assert!(!host.is_empty() && !host.contains('%'), "{host}");
    }

    #[test]
    fn later_programs_write_next_to_the_first() {
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
