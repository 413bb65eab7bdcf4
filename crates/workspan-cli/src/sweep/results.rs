//! Where the results of a sweep go.

use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use serde::{Deserialize, Serialize};
use workspan_model::{ExpectedScaling, Sweep};
use workspan_report::{Plot, ScalingReport};

use super::Figures;
use crate::message;
use crate::outputs::{Sink, with_suffix};
use crate::screen::ScreenOptions;

/// Where the results of a sweep go.
#[derive(Clone, Debug, Default, PartialEq, Args, Serialize, Deserialize)]
pub(crate) struct Results {
    /// Write the report to a file instead of standard output
    #[arg(long, value_name = "FILE", value_parser = Sink::parser())]
    report: Option<Sink>,
    /// Draw the speedups as SVG (`-` = standard output); factored ones go to a file beside it, `FILE-factored.svg`
    #[arg(long, value_name = "FILE", value_parser = Sink::parser())]
    svg: Option<Sink>,
    /// Draw them as PNG (`-` = standard output)
    #[arg(long, value_name = "FILE", value_parser = Sink::parser())]
    png: Option<Sink>,
    /// Write all figures as CSV, a line for each number of threads (`-` = standard output)
    #[arg(long, value_name = "FILE", value_parser = Sink::parser())]
    csv: Option<Sink>,
    /// Write all figures as JSON (`-` = standard output)
    #[arg(long, value_name = "FILE", value_parser = Sink::parser())]
    json: Option<Sink>,
    /// Write a script for gnuplot, and its data, into this folder
    #[arg(long, value_name = "FOLDER")]
    gnuplot: Option<PathBuf>,
    #[command(flatten)]
    pub(super) screen: ScreenOptions,
}

impl Results {
    /// Writes everything that was asked for. One failure does not keep the others from being written; all are returned.
    pub(super) fn write(
        &self,
        sweep: &Sweep,
        expected: Option<&ExpectedScaling>,
    ) -> Vec<anyhow::Error> {
        let figures = Figures::of(sweep, expected);
        if let Some(reason) = figures.not_factored() {
            message::warning(format_args!("there are no factored speedups: {reason}"));
        }
        let report = figures.report(sweep);
        let written = [
            ("report", self.write_text(&report)),
            (
                "JSON",
                write_one(self.json.as_ref(), |bytes| report.json(bytes)),
            ),
            (
                "CSV",
                write_one(self.csv.as_ref(), |bytes| report.csv(bytes)),
            ),
            ("SVG", self.write_svg(&report.plots())),
            ("PNG", self.write_png(&report.plots())),
            ("script for gnuplot", self.write_gnuplot(&report.plots())),
        ];
        written
            .into_iter()
            .filter_map(|(what, written)| {
                written
                    .with_context(|| format!("cannot write the {what}"))
                    .err()
            })
            .collect()
    }

    /// The text gives way to what takes standard output.
    fn write_text(&self, report: &ScalingReport<'_>) -> anyhow::Result<()> {
        let others = [&self.svg, &self.png, &self.csv, &self.json];
        let is_taken = others.contains(&&Some(Sink::Stdout));
        let usual = (!is_taken).then_some(Sink::Stdout);
        let Some(sink) = self.report.clone().or(usual) else {
            return Ok(());
        };
        let screen = self.screen.screen(&sink);
        write_one(Some(&sink), |bytes| report.text(screen, bytes))
    }

    fn write_svg(&self, plots: &[(&str, Plot)]) -> anyhow::Result<()> {
        let Some(sink) = &self.svg else {
            return Ok(());
        };
        for (sink, plot) in each_to_its_own(sink, plots) {
            sink.write(plot.svg().as_bytes())?;
        }
        Ok(())
    }

    fn write_png(&self, plots: &[(&str, Plot)]) -> anyhow::Result<()> {
        let Some(sink) = &self.png else {
            return Ok(());
        };
        for (sink, plot) in each_to_its_own(sink, plots) {
            write_one(Some(&sink), |bytes| plot.png(bytes))?;
        }
        Ok(())
    }

    fn write_gnuplot(&self, plots: &[(&str, Plot)]) -> anyhow::Result<()> {
        let Some(folder) = &self.gnuplot else {
            return Ok(());
        };
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        for (name, plot) in plots {
            let [data, picture] = ["dat", "svg"].map(|extension| format!("{name}.{extension}"));
            for (file, text) in [
                (format!("{name}.gnuplot"), plot.gnuplot(&data, &picture)),
                (data, plot.gnuplot_data()),
            ] {
                Sink::File(folder.join(file)).write(text.as_bytes())?;
            }
        }
        Ok(())
    }
}

/// Writes what `render` makes, if somebody wants it.
fn write_one(
    sink: Option<&Sink>,
    render: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
) -> anyhow::Result<()> {
    let Some(sink) = sink else {
        return Ok(());
    };
    let mut bytes = Vec::new();
    render(&mut bytes)?;
    sink.write(&bytes)
}

/// The first plot goes to `sink`, each other one to a file beside it with its name in it; to a stream only the first.
fn each_to_its_own<'a>(sink: &Sink, plots: &'a [(&str, Plot)]) -> Vec<(Sink, &'a Plot)> {
    let plots = plots.iter().enumerate();
    plots
        .filter_map(|(index, (name, plot))| {
            let sink = match sink {
                sink if index == 0 => sink.clone(),
                Sink::File(path) => Sink::File(with_suffix(path, name)),
                Sink::Stdout | Sink::Stderr => return None,
            };
            Some((sink, plot))
        })
        .collect()
}
