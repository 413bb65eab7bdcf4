//! The outputs of a sweep.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use serde::{Deserialize, Serialize};
use workspan_model::{ExpectedScaling, Sweep};
use workspan_report::{Plot, ScalingReport};

use super::Figures;
use crate::message;
use crate::screen::ScreenOptions;
use crate::sink::with_suffix;
use crate::sink::{Sink, failures, write_to};

/// Where the results of a sweep go.
#[derive(Clone, Debug, Default, PartialEq, Args, Serialize, Deserialize)]
pub(crate) struct Results {
    /// Write the report to a file instead of standard output
    #[arg(long, value_name = "FILE", value_parser = Sink::parser())]
    report: Option<Sink>,
    /// Draw the speedups as SVG (`-` = standard output); factored ones go to a file beside it, `FILE-factored.svg`
    #[arg(long, value_name = "FILE", value_parser = Sink::parser())]
    svg: Option<Sink>,
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
    pub(crate) screen: ScreenOptions,
}

impl Results {
    /// Writes all outputs that were asked for, even if some fail. Returns all failures.
    pub(super) fn write(
        &self,
        sweep: &Sweep,
        expected: Option<&ExpectedScaling>,
    ) -> Vec<anyhow::Error> {
        let figures = Figures::new(sweep, expected);
        if let Some(reason) = figures.not_factored() {
            message::warning(format_args!("there are no factored speedups: {reason}"));
        }
        let report = figures.report(sweep);
        failures([
            ("report", self.write_text(&report)),
            ("JSON", write_to(&self.json, |bytes| report.json(bytes))),
            ("CSV", write_to(&self.csv, |bytes| report.csv(bytes))),
            ("SVG", self.write_svg(&report.plots())),
            ("script for gnuplot", self.write_gnuplot(&report.plots())),
        ])
    }

    /// Writes the report: by default to standard output, unless another output goes there.
    fn write_text(&self, report: &ScalingReport<'_>) -> anyhow::Result<()> {
        let others = [&self.svg, &self.csv, &self.json];
        let is_taken = others.contains(&&Some(Sink::Stdout));
        let default = (!is_taken).then_some(Sink::Stdout);
        let Some(sink) = self.report.as_ref().or(default.as_ref()) else {
            return Ok(());
        };
        let screen = self.screen.screen(sink);
        sink.show(|bytes| report.text(screen, bytes))
    }

    fn write_svg(&self, plots: &[(&str, Plot)]) -> anyhow::Result<()> {
        for (sink, plot) in each_to_its_own(self.svg.as_ref(), plots) {
            sink.write(plot.svg().as_bytes())?;
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

/// The sinks of plots: `sink` for the first, for each other one a file in the same folder with the
/// plot's name added. A stream gets only the first. Without a sink there are none.
fn each_to_its_own<'a>(sink: Option<&Sink>, plots: &'a [(&str, Plot)]) -> Vec<(Sink, &'a Plot)> {
    let plots = plots.iter().enumerate();
    plots
        .filter_map(|(index, (name, plot))| {
            let sink = match sink? {
                sink if index == 0 => sink.clone(),
                Sink::File(path) => Sink::File(with_suffix(path, name)),
                Sink::Stdout | Sink::Stderr => return None,
            };
            Some((sink, plot))
        })
        .collect()
}
