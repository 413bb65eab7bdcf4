//! The inflation report as JSON: how much more work a program does in parallel than on one worker.
//!
//! `docs/inflation.schema.json` describes the keys.

use std::io;

use workspan_model::{Finding, Metric, MetricInflation, SiteRow};

use super::document::gain;
use super::keys::{known_column, write_pretty};
use crate::InflationReport;
use crate::notation::place::kind_and_name;
use crate::object::{Document, object};
use crate::sentences::inflation as sentences;

/// Version of the inflation report's JSON schema. Keys may be added without a new version.
pub const INFLATION_SCHEMA_VERSION: u32 = 1;

impl InflationReport<'_> {
    /// Writes the report as JSON (`docs/inflation.schema.json`). Times are in nanoseconds, other
    /// metrics are counts; unknown values are `null`.
    ///
    /// # Errors
    /// If writing to `output` fails.
    pub fn json(&self, output: &mut dyn io::Write) -> io::Result<()> {
        write_pretty(&self.document(), &Metric::time(), output)
    }

    pub(super) fn document(&self) -> impl Document {
        let (differential, inflation) = (self.differential, self.inflation);
        let findings = inflation.findings.iter();
        object! {
            /// Version of this schema. Keys may be added within a version; none is removed or changes its
            /// meaning.
            #[cfg_attr(test, schemars(extend("const" = INFLATION_SCHEMA_VERSION)))]
            schema_version: INFLATION_SCHEMA_VERSION,
            /// Version of workspan that made the runs
            workspan_version: &differential.workspan_version,
            /// When the first run was started, in seconds since 1970-01-01 UTC
            started_at: differential.started_at,
            /// The program and its arguments
            command: &differential.command,
            /// The parallel runtime
            runtime: differential.runtime,
            /// Threads of the parallel runs
            threads: differential.threads,
            /// Inflation of no more than this is not reported (--least)
            least_inflation: differential.least,
            /// Where the runs were made
            machine: &differential.machine,
            /// What each metric says
            metrics: inflation.metrics.iter().map(metric).collect::<Vec<_>>(),
            /// The sites
            sites: inflation.sites.iter().map(site).collect::<Vec<_>>(),
            /// What is worth mending, the greatest gain first
            findings: findings.map(|found| finding(found, self)).collect::<Vec<_>>(),
        }
    }
}

/// The comparison in one metric.
fn metric(metric: &MetricInflation) -> impl Document {
    object! {
        /// Its name
        metric: &metric.metric,
        /// The whole program. Medians over the rounds
        program: metric.program,
        /// Rows that are compared: their intervals hold at once, with 95%
        comparisons: metric.comparisons,
        /// Rounds that this takes
        rounds_needed: metric.rounds_needed,
        /// What keeps the executions from being comparable
        warnings: sentences::warnings(metric),
        /// Rows of sites, those first that cost most
        rows: metric.rows.as_slice(),
    }
}

/// A site: where it is in the source.
fn site(site: &SiteRow) -> impl Document {
    let location = site.location.as_ref();
    object! {
        /// What it does, as in the profile's schema
        kind: site.kind.name(),
        /// Name of the region, or of the function called
        name: &site.name,
        /// Kind and name, as people read them
        title: kind_and_name(site),
        /// The file that it stands in
        file: location.map(|location| &location.file),
        /// The line, from 1
        line: location.map(|location| location.line),
        /// The column, from 1
        column: known_column(location),
        /// The function around it
        function: &site.function,
    }
}

/// A finding, with its words and figures.
fn finding(finding: &Finding, report: &InflationReport<'_>) -> impl Document {
    let words = sentences::finding(finding, report.inflation, report.differential.runtime);
    let diagnosis = finding.diagnosis();
    object! {
        /// Number of the diagnosis
        #[cfg_attr(test, schemars(extend("enum" = workspan_model::Diagnosis::ALL.map(workspan_model::Diagnosis::number))))]
        number: diagnosis.number(),
        /// Name of the diagnosis
        name: diagnosis.name() => Diagnosis,
        /// What it is, where, and the evidence
        text: format!("{} {}", words.text, words.evidence),
        /// What to try; null if nothing is known that fits
        advice: words.advice,
        /// Where, as an index into `sites`
        site: finding.row,
        /// The figures that show it
        #[cfg_attr(test, schemars(schema_with = "super::schema::evidence_of_inflation"))]
        evidence: words.figures,
        /// Expected times before and after the repair: work / threads + span
        gain: gain(&finding.gain),
    }
}
