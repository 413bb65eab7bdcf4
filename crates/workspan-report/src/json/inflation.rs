//! How much more work a program does in parallel.

use std::io;

use serde::Serialize;
use serde_json::{Map, Value};
use workspan_model::{
    Compared, InflatedPath, Machine, MetricInflation, Nanos, PairedRatio, ProgramInflation,
    RuntimeKind, SiteRow,
};

use super::findings::{GainPart, figures};
use crate::InflationReport;
use crate::place::kind_and_name;
use crate::sentences::inflation as sentences;

/// Version of the JSON of inflation. Keys may be added within a version.
pub const INFLATION_SCHEMA_VERSION: u32 = 1;

/// Writes `report` as JSON.
pub(crate) fn inflation(
    report: &InflationReport<'_>,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *output, &Document::of(report))?;
    writeln!(output)
}

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    workspan_version: &'a str,
    started_at: u64,
    command: &'a [String],
    runtime: Option<RuntimeKind>,
    threads: u32,
    least_inflation: f64,
    machine: &'a Machine,
    metrics: Vec<MetricPart<'a>>,
    sites: Vec<SitePart<'a>>,
    findings: Vec<FindingPart>,
}

impl<'a> Document<'a> {
    fn of(report: &InflationReport<'a>) -> Self {
        let (differential, inflation) = (report.differential, report.inflation);
        Self {
            schema_version: INFLATION_SCHEMA_VERSION,
            workspan_version: &differential.workspan_version,
            started_at: differential.started_at,
            command: &differential.command,
            runtime: differential.runtime,
            threads: differential.threads,
            least_inflation: differential.least,
            machine: &differential.machine,
            metrics: inflation.metrics.iter().map(MetricPart::of).collect(),
            sites: inflation.sites.iter().map(SitePart::of).collect(),
            findings: FindingPart::all(report),
        }
    }
}

#[derive(Serialize)]
struct MetricPart<'a> {
    metric: &'a str,
    program: ProgramPart,
    comparisons: usize,
    rounds_needed: u32,
    warnings: Vec<String>,
    rows: Vec<RowPart>,
}

impl<'a> MetricPart<'a> {
    fn of(metric: &'a MetricInflation) -> Self {
        Self {
            metric: &metric.metric,
            program: ProgramPart::of(&metric.program),
            comparisons: metric.comparisons,
            rounds_needed: metric.rounds_needed,
            warnings: sentences::warnings(metric),
            rows: metric.rows.iter().map(RowPart::of).collect(),
        }
    }
}

#[derive(Serialize)]
struct RatioPart {
    value: f64,
    low: f64,
    high: f64,
    confidence: f64,
    is_sure: bool,
    rounds: u32,
}

impl RatioPart {
    const fn of(ratio: PairedRatio) -> Self {
        Self {
            value: ratio.value,
            low: ratio.low,
            high: ratio.high,
            confidence: ratio.confidence,
            is_sure: ratio.is_sure,
            rounds: ratio.pairs,
        }
    }
}

#[derive(Serialize)]
struct ProgramPart {
    rounds: u32,
    work: RatioPart,
    path_by_site: Option<RatioPart>,
    path_by_strand: Option<PathPart>,
    oracle_work: i64,
    parallel_work: i64,
    parallel_span: i64,
    oracle_elapsed_ns: i64,
    parallel_elapsed_ns: i64,
    oracle_tasks: u64,
    parallel_tasks: u64,
    oracle_threads: u32,
    oracle_off_processor: f64,
    parallel_off_processor: f64,
}

impl ProgramPart {
    fn of(program: &ProgramInflation) -> Self {
        let count = |time: Nanos| time.as_nanos();
        Self {
            rounds: program.rounds,
            work: RatioPart::of(program.work),
            path_by_site: program.path_by_site.map(RatioPart::of),
            path_by_strand: program.path_by_strand.as_ref().map(PathPart::of),
            oracle_work: count(program.oracle_work.time()),
            parallel_work: count(program.parallel_work.time()),
            parallel_span: count(program.span.time()),
            oracle_elapsed_ns: count(program.oracle_elapsed),
            parallel_elapsed_ns: count(program.parallel_elapsed),
            oracle_tasks: program.tasks[0],
            parallel_tasks: program.tasks[1],
            oracle_threads: program.oracle_threads,
            oracle_off_processor: program.off_processor[0],
            parallel_off_processor: program.off_processor[1],
        }
    }
}

#[derive(Serialize)]
struct PathPart {
    #[serde(flatten)]
    ratio: RatioPart,
    found_share: f64,
    by_choice: Option<RatioPart>,
}

impl PathPart {
    fn of(path: &InflatedPath) -> Self {
        Self {
            ratio: RatioPart::of(path.ratio),
            found_share: path.found,
            by_choice: path.by_choice.map(RatioPart::of),
        }
    }
}

#[derive(Serialize)]
struct RowPart {
    site: usize,
    extent: &'static str,
    judgement: &'static str,
    work: Option<RatioPart>,
    path: Option<RatioPart>,
    oracle_work: i64,
    parallel_work: i64,
    parallel_span: i64,
    work_share: f64,
    span_share: f64,
    oracle_count: u64,
    parallel_count: u64,
    costs: f64,
}

impl RowPart {
    fn of(row: &Compared) -> Self {
        Self {
            site: row.row,
            extent: row.extent.name(),
            judgement: row.judgement.name(),
            work: row.work.map(RatioPart::of),
            path: row.path.map(RatioPart::of),
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
}

#[derive(Serialize)]
struct SitePart<'a> {
    kind: &'static str,
    name: Option<&'a str>,
    title: String,
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    function: Option<&'a str>,
}

impl<'a> SitePart<'a> {
    fn of(site: &'a SiteRow) -> Self {
        let location = site.location.as_ref();
        Self {
            kind: site.kind.name(),
            name: site.name.as_deref(),
            title: kind_and_name(site),
            file: location.map(|location| location.file.as_str()),
            line: location.map(|location| location.line),
            column: location
                .map(|location| location.column)
                .filter(|&column| column > 0),
            function: site.function.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct FindingPart {
    number: &'static str,
    name: &'static str,
    text: String,
    advice: String,
    site: usize,
    evidence: Map<String, Value>,
    gain: GainPart,
}

impl FindingPart {
    fn all(report: &InflationReport<'_>) -> Vec<Self> {
        let runtime = report.differential.runtime;
        let findings = report.inflation.findings.iter();
        let part = |finding| {
            let words = sentences::finding(finding, report.inflation, runtime);
            let diagnosis = finding.diagnosis();
            Self {
                number: diagnosis.number(),
                name: diagnosis.name(),
                text: format!("{} {}", words.text, words.evidence),
                advice: words.advice,
                site: finding.row,
                evidence: figures(&finding.evidence),
                gain: GainPart::of(&finding.gain),
            }
        };
        findings.map(part).collect()
    }
}
