//! The outputs of a comparison.

use clap::Args;
use serde::{Deserialize, Serialize};
use workspan_model::{Differential, Inflation};
use workspan_report::InflationReport;

use crate::screen::ScreenOptions;
use crate::sink::{Sink, failures, write_to};

/// Where the results of a comparison go.
#[derive(Clone, Debug, Default, PartialEq, Args, Serialize, Deserialize)]
pub(crate) struct Results {
    /// Write the report to a file instead of standard output
    #[arg(long, value_name = "FILE", value_parser = Sink::parser())]
    pub(crate) report: Option<Sink>,
    /// Write all figures as JSON (`-` = standard output)
    #[arg(long, value_name = "FILE", value_parser = Sink::parser())]
    pub(crate) json: Option<Sink>,
    #[command(flatten)]
    pub(crate) screen: ScreenOptions,
}

impl Results {
    /// Writes all outputs that were asked for, even if some fail. The report goes to standard
    /// output by default, unless JSON does. Returns all failures.
    pub(super) fn write(
        &self,
        differential: &Differential,
        inflation: &Inflation,
    ) -> Vec<anyhow::Error> {
        let report = InflationReport {
            differential,
            inflation,
        };
        let default = (self.json != Some(Sink::Stdout)).then_some(Sink::Stdout);
        let text = self.report.clone().or(default);
        let screen = text.as_ref().map(|sink| self.screen.screen(sink));
        let screen = screen.unwrap_or_default();
        failures([
            (
                "report",
                text.map_or(Ok(()), |sink| sink.show(|bytes| report.text(screen, bytes))),
            ),
            ("JSON", write_to(&self.json, |bytes| report.json(bytes))),
        ])
    }
}
