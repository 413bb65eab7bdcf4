//! The inflation report as JSON: how much more work a program does in parallel than on one worker.
//!
//! `docs/inflation.schema.json` describes the keys.

use std::io;

use workspan_model::{
    Compared, Finding, InflatedPath, MetricInflation, PairedRatio, ProgramInflation, SiteRow,
};

use super::findings::gain;
use super::place::known_column;
use super::write_plain;
use crate::InflationReport;
use crate::object::{Document, object};
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
        write_plain(&self.document(), output)
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
        program: program(&metric.program),
        /// Rows that are compared: their intervals hold at once, with 95%
        comparisons: metric.comparisons,
        /// Rounds that this takes
        rounds_needed: metric.rounds_needed,
        /// What keeps the executions from being comparable
        warnings: sentences::warnings(metric),
        /// Rows of sites, those first that cost most
        rows: metric.rows.iter().map(row).collect::<Vec<_>>(),
    }
}

/// A median ratio with its confidence interval.
fn ratio(ratio: PairedRatio) -> impl Document {
    object! {
        /// The median of the rounds' ratios
        value: ratio.value,
        /// Lower end of its interval
        low: ratio.low,
        /// Upper end of its interval
        high: ratio.high,
        /// How sure the interval is, by order statistics
        confidence: ratio.confidence,
        /// Whether that is as sure as is wanted: with too few rounds it is the range of the ratios
        is_sure: ratio.is_sure,
        /// Rounds that it is of
        rounds: ratio.pairs,
    }
}

/// The whole program. *Oracle* runs use one worker, which nothing hinders. Work and span are in
/// nanoseconds, or in events for a metric that counts.
fn program(program: &ProgramInflation) -> impl Document {
    object! {
        /// Rounds in which both executions succeeded
        rounds: program.rounds,
        /// A ratio of parallel runs over runs by one worker, with its interval
        work: ratio(program.work),
        /// Inflation of the parallel runs' critical path, its sites looked up in the oracle runs
        path_by_site: program.path_by_site.map(ratio),
        /// Inflation of the critical path, strand by strand, where task dags were recorded
        path_by_strand: program.path_by_strand.as_ref().map(path),
        /// Work by one worker
        oracle_work: program.oracle_work.time().as_nanos(),
        /// Work in parallel
        parallel_work: program.parallel_work.time().as_nanos(),
        /// Span of the parallel runs
        parallel_span: program.span.time().as_nanos(),
        /// From start to end by one worker, in nanoseconds
        oracle_elapsed_ns: program.oracle_elapsed.as_nanos(),
        /// From start to end in parallel, in nanoseconds
        parallel_elapsed_ns: program.parallel_elapsed.as_nanos(),
        /// Tasks that one worker made
        oracle_tasks: program.tasks[0],
        /// Tasks that were made in parallel
        parallel_tasks: program.tasks[1],
        /// Threads of the runs by one worker: more than 1 if the program sets their number itself
        oracle_threads: program.oracle_threads,
        /// Time for which ready threads were off the processor, as a share of the work, which does not
        /// include it
        oracle_off_processor: program.off_processor[0],
        /// That share of the parallel runs
        parallel_off_processor: program.off_processor[1],
    }
}

/// The critical path, looked up strand by strand in the oracle runs.
fn path(path: &InflatedPath) -> impl Document {
    object! {
        #[serde(flatten)]
        ratio: ratio(path.ratio),
        /// Of this share of the path the dags agree; the rest is looked up by site. The least of all rounds
        found_share: path.found,
        /// Inflation of oracle runs against one another: what choosing the longest path makes of noise
        by_choice: path.by_choice.map(ratio),
    }
}

/// The own strands of a site, or all strands in a region.
fn row(row: &Compared) -> impl Document {
    object! {
        /// The site, as an index into `sites`
        site: row.row,
        /// Which strands: the site's own, or all that run in a region
        #[cfg_attr(test, schemars(extend("enum" = workspan_model::Extent::ALL.map(workspan_model::Extent::name))))]
        extent: row.extent.name(),
        /// What can be said of the work
        #[cfg_attr(test, schemars(extend("enum" = workspan_model::Judgement::ALL.map(workspan_model::Judgement::name))))]
        judgement: row.judgement.name(),
        /// Inflation of the work
        work: row.work.map(ratio),
        /// Inflation of its part of the parallel runs' critical path, strand by strand
        path: row.path.map(ratio),
        /// Work by one worker
        oracle_work: row.oracle.time().as_nanos(),
        /// Work in parallel
        parallel_work: row.parallel.time().as_nanos(),
        /// What the critical path of the parallel runs has of it
        parallel_span: row.span.time().as_nanos(),
        /// Its share of the work in parallel
        work_share: row.share_of_work,
        /// Its share of the span in parallel
        span_share: row.share_of_span,
        /// Instances by one worker
        oracle_count: row.counts[0],
        /// Instances in parallel
        parallel_count: row.counts[1],
        /// What its inflation costs of the expected time: more work / threads + the inflated part of the span
        costs: row.costs,
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
        #[cfg_attr(test, schemars(extend("enum" = workspan_model::Diagnosis::ALL.map(workspan_model::Diagnosis::name))))]
        name: diagnosis.name(),
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
