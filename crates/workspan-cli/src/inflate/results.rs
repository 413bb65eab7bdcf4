//! Where the results of a comparison go.

use std::io;

use anyhow::Context as _;
use clap::Args;
use serde::{Deserialize, Serialize};
use workspan_model::{Differential, Inflation};
use workspan_report::InflationReport;

use crate::outputs::Sink;
use crate::screen::ScreenOptions;

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
    /// Writes everything that was asked for; the text gives way to JSON on standard output. All failures are returned.
    pub(super) fn write(
        &self,
        differential: &Differential,
        inflation: &Inflation,
    ) -> Vec<anyhow::Error> {
        let report = InflationReport {
            differential,
            inflation,
        };
        let usual = (self.json != Some(Sink::Stdout)).then_some(Sink::Stdout);
        let text = self.report.as_ref().or(usual.as_ref());
        let written = [
            (
                "report",
                write_one(text, |sink, bytes| {
                    report.text(self.screen.screen(sink), bytes)
                }),
            ),
            (
                "JSON",
                write_one(self.json.as_ref(), |_, bytes| report.json(bytes)),
            ),
        ];
        written
            .into_iter()
            .filter_map(|(what, written)| {
                let written = written.with_context(|| format!("cannot write the {what}"));
                written.err()
            })
            .collect()
    }
}

/// Writes what `render` makes, if somebody wants it.
fn write_one(
    sink: Option<&Sink>,
    render: impl FnOnce(&Sink, &mut Vec<u8>) -> io::Result<()>,
) -> anyhow::Result<()> {
    let Some(sink) = sink else {
        return Ok(());
    };
    let mut bytes = Vec::new();
    render(sink, &mut bytes)?;
    sink.write(&bytes)
}
