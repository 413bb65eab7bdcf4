//! WS010 to WS013: the same work takes longer in parallel.

use super::{Compared, Differential, Extent, Judgement, MetricInflation};
use crate::findings::finding::{LEAST_GAIN, sort_by_gain};
use crate::findings::gain::Expectation;
use crate::{EstimatedBy, Evidence, Finding, Gain, InflatedCounter, InflationCause, Span, Work};

/// The approximate cost of an event that makes a core wait for another core or for memory: 50 to
/// 150 ns (Intel's and AMD's optimisation manuals, tables of latencies).
const EVENT_NANOS: f64 = 100.0;

/// Events that cost less than this share of the inflation are not its cause, however much more
/// frequent they are.
const EXPLAINED_SHARE: f64 = 0.1;

/// A more specific cause is named if its counter grew by at least this share of the growth of the
/// one that grew most.
const MAIN_SHARE: f64 = 1.0 / 3.0;

/// The findings for rows whose work is inflated, by the first metric that is a time, if they cost
/// enough. `metrics` are those of `differential`.
///
/// Regions as a whole have no findings: what is inflated in them are their own strands or those of
/// sites in them.
pub(super) fn findings(differential: &Differential, metrics: &[MetricInflation]) -> Vec<Finding> {
    let Some(time) = metrics.iter().find(|metric| metric.is_time()) else {
        return Vec::new();
    };
    let rows = time.rows.iter();
    let mut findings: Vec<Finding> = rows
        .filter(|row| row.judgement == Judgement::Inflated && row.extent == Extent::Own)
        .filter_map(|row| diagnose(differential, time, metrics, row))
        .collect();
    sort_by_gain(&mut findings);
    findings
}

fn diagnose(
    differential: &Differential,
    time: &MetricInflation,
    metrics: &[MetricInflation],
    row: &Compared,
) -> Option<Finding> {
    let inflation = row.work?;
    let [more_work, more_span] = row.more();
    let now = Expectation {
        work: time.program.parallel_work,
        burdened_span: time.program.parallel_span,
        ..Expectation::default()
    };
    let after = Expectation {
        work: Work::from(now.work.time() - more_work),
        burdened_span: Span::from(now.burdened_span.time() - more_span),
        ..now
    };
    let gain = Gain::new(now, after, differential.threads, EstimatedBy::Bounds);
    let counters = metrics
        .iter()
        .filter(|metric| InflationCause::from_event(&metric.metric).is_some());
    let counter = explaining_counter(metrics, row, more_work.as_nanos() as f64 / time.per_nano()?);
    (gain.factor.value >= LEAST_GAIN).then_some(Finding {
        evidence: Evidence::Inflated {
            inflation,
            on_path: row.path,
            more: more_work,
            work_share: row.work_share,
            span_share: row.span_share,
            threads: differential.threads,
            counters: counters.count(),
            counter,
        },
        row: row.site,
        within: None,
        function: None,
        gain,
        change: None,
    })
}

/// Of the counters whose growth in the row can explain `more` nanoseconds of work and is a good
/// part of the largest growth: the one with the most specific cause, and among these the one that
/// grew most.
fn explaining_counter(
    metrics: &[MetricInflation],
    row: &Compared,
    more: f64,
) -> Option<InflatedCounter> {
    let counters = metrics.iter().enumerate().filter_map(|(metric, counted)| {
        let cause = InflationCause::from_event(&counted.metric)?;
        let mut rows = counted.rows.iter();
        let there = rows.find(|there| (there.site, there.extent) == (row.site, row.extent))?;
        let grown = (there.parallel_work.time() - there.oracle_work.time()).as_nanos() as f64;
        let is_enough = grown * EVENT_NANOS >= EXPLAINED_SHARE * more;
        (there.judgement == Judgement::Inflated && is_enough).then_some(InflatedCounter {
            cause,
            metric,
            inflation: there.work?,
            more: grown,
        })
    });
    let counters: Vec<InflatedCounter> = counters.collect();
    let most = counters
        .iter()
        .map(|counter| counter.more)
        .fold(0.0, f64::max);
    let main = counters
        .into_iter()
        .filter(|counter| counter.more >= MAIN_SHARE * most);
    main.min_by(|one, other| (one.cause.cmp(&other.cause)).then(other.more.total_cmp(&one.more)))
}
