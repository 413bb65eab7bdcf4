//! The inflation report as JSON: how much more work a program does in parallel than on one worker.
//!
//! `docs/inflation.schema.json` describes the keys.

use std::io;

use serde::Serialize;
use workspan_model::{
    Compared, Finding, InflatedPath, MetricInflation, PairedRatio, ProgramInflation, SiteRow,
};

use super::findings::gain;
use super::place::known_column;
use super::write_plain;
use crate::InflationReport;
use crate::object::object;
use crate::place::kind_and_name;
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
        let (differential, inflation) = (self.differential, self.inflation);
        let findings = inflation.findings.iter();
        let document = object! {
            schema_version: INFLATION_SCHEMA_VERSION,
            workspan_version: &differential.workspan_version,
            started_at: differential.started_at,
            command: &differential.command,
            runtime: differential.runtime,
            threads: differential.threads,
            least_inflation: differential.least,
            machine: &differential.machine,
            metrics: inflation.metrics.iter().map(metric).collect::<Vec<_>>(),
            sites: inflation.sites.iter().map(site).collect::<Vec<_>>(),
            findings: findings.map(|found| finding(found, self)).collect::<Vec<_>>(),
        };
        write_plain(&document, output)
    }
}

/// The comparison in one metric.
fn metric(metric: &MetricInflation) -> impl Serialize {
    object! {
        metric: &metric.metric,
        program: program(&metric.program),
        comparisons: metric.comparisons,
        rounds_needed: metric.rounds_needed,
        warnings: sentences::warnings(metric),
        rows: metric.rows.iter().map(row).collect::<Vec<_>>(),
    }
}

/// A median ratio with its confidence interval.
fn ratio(ratio: PairedRatio) -> impl Serialize {
    object! {
        value: ratio.value,
        low: ratio.low,
        high: ratio.high,
        confidence: ratio.confidence,
        is_sure: ratio.is_sure,
        rounds: ratio.pairs,
    }
}

/// The whole program. *Oracle* runs use one worker, which nothing hinders. Work and span are in
/// nanoseconds, or in events for a metric that counts.
fn program(program: &ProgramInflation) -> impl Serialize {
    object! {
        rounds: program.rounds,
        work: ratio(program.work),
        path_by_site: program.path_by_site.map(ratio),
        path_by_strand: program.path_by_strand.as_ref().map(path),
        oracle_work: program.oracle_work.time().as_nanos(),
        parallel_work: program.parallel_work.time().as_nanos(),
        parallel_span: program.span.time().as_nanos(),
        oracle_elapsed_ns: program.oracle_elapsed.as_nanos(),
        parallel_elapsed_ns: program.parallel_elapsed.as_nanos(),
        oracle_tasks: program.tasks[0],
        parallel_tasks: program.tasks[1],
        oracle_threads: program.oracle_threads,
        oracle_off_processor: program.off_processor[0],
        parallel_off_processor: program.off_processor[1],
    }
}

/// The critical path, looked up strand by strand in the oracle runs.
fn path(path: &InflatedPath) -> impl Serialize {
    object! {
        #[serde(flatten)]
        ratio: ratio(path.ratio),
        found_share: path.found,
        by_choice: path.by_choice.map(ratio),
    }
}

/// The own strands of a site, or all strands in a region.
fn row(row: &Compared) -> impl Serialize {
    object! {
        site: row.row,
        extent: row.extent.name(),
        judgement: row.judgement.name(),
        work: row.work.map(ratio),
        path: row.path.map(ratio),
        oracle_work: row.oracle.time().as_nanos(),
        parallel_work: row.parallel.time().as_nanos(),
        parallel_span: row.span.time().as_nanos(),
        work_share: row.share_of_work,
        span_share: row.share_of_span,
        oracle_count: row.counts[0],
        parallel_count: row.counts[1],
        costs: row.costs,
    }
}

/// A site: where it is in the source.
fn site(site: &SiteRow) -> impl Serialize {
    let location = site.location.as_ref();
    object! {
        kind: site.kind.name(),
        name: &site.name,
        title: kind_and_name(site),
        file: location.map(|location| &location.file),
        line: location.map(|location| location.line),
        column: known_column(location),
        function: &site.function,
    }
}

/// A finding, with its words and figures.
fn finding(finding: &Finding, report: &InflationReport<'_>) -> impl Serialize {
    let words = sentences::finding(finding, report.inflation, report.differential.runtime);
    let diagnosis = finding.diagnosis();
    object! {
        number: diagnosis.number(),
        name: diagnosis.name(),
        text: format!("{} {}", words.text, words.evidence),
        advice: words.advice,
        site: finding.row,
        evidence: words.figures,
        gain: gain(&finding.gain),
    }
}
