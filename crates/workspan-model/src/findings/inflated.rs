//! WS010 to WS013: the same work takes longer in parallel.

use std::cmp::Ordering;

use super::evidence::{Evidence, InflatedCounter};
use super::gain::{Estimate, Expectation, Gain};
use super::{Finding, LEAST_GAIN};
use crate::{
    Compared, Differential, Extent, InflationCause, Judgement, MetricInflation, Span, Work,
};

/// About what an event costs that has a core wait for another one or for memory: 50 to 150 ns (Intel's and AMD's optimisation
/// manuals, tables of latencies).
const EVENT_NANOS: f64 = 100.0;

/// Events that cost less than this share of the inflation are not what it is due to, however often more there are of them.
const EXPLAINED_SHARE: f64 = 0.1;

/// A more particular cause is named if its counter grew by this share of what the one that grew by most did.
const MAIN_SHARE: f64 = 1.0 / 3.0;

/// Of the rows whose work is inflated, by the first metric that is a time, those that cost enough. `metrics` are those of
/// `differential`.
///
/// Regions as a whole have none: what is inflated in them are strands of their own, or of sites in them.
pub(crate) fn findings(differential: &Differential, metrics: &[MetricInflation]) -> Vec<Finding> {
    let Some(time) = metrics.iter().find(|metric| metric.is_time()) else {
        return Vec::new();
    };
    let rows = time.rows.iter();
    let mut findings: Vec<Finding> = rows
        .filter(|row| row.judgement == Judgement::Inflated && row.extent == Extent::Own)
        .filter_map(|row| diagnose(differential, time, metrics, row))
        .collect();
    findings.sort_by(|one, other| {
        let by_gain = other.gain.factor().partial_cmp(&one.gain.factor());
        by_gain
            .unwrap_or(Ordering::Equal)
            .then(one.row.cmp(&other.row))
    });
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
        burdened_span: time.program.span,
        ..Expectation::default()
    };
    let after = Expectation {
        work: Work::from(now.work.time() - more_work),
        burdened_span: Span::from(now.burdened_span.time() - more_span),
        ..now
    };
    let gain = Gain::of(now, after, differential.threads, Estimate::Bounds);
    let counters = metrics
        .iter()
        .filter(|metric| InflationCause::of_event(&metric.metric).is_some());
    let counter = counter(metrics, row, more_work.as_nanos() as f64 / time.a_nano()?);
    (gain.factor() >= LEAST_GAIN).then_some(Finding {
        evidence: Evidence::Inflated {
            inflation,
            on_path: row.path,
            more: more_work,
            work_share: row.share_of_work,
            span_share: row.share_of_span,
            threads: differential.threads,
            counters: counters.count(),
            counter,
        },
        row: row.row,
        within: None,
        function: None,
        gain,
        change: None,
    })
}

/// Of the counters that grew by enough in the row to explain `more` nanoseconds of work, and by a good part of what the one that grew by most
/// did, that of the most particular cause, and of these the one that grew by most.
fn counter(metrics: &[MetricInflation], row: &Compared, more: f64) -> Option<InflatedCounter> {
    let counters = metrics.iter().enumerate().filter_map(|(metric, counted)| {
        let cause = InflationCause::of_event(&counted.metric)?;
        let mut rows = counted.rows.iter();
        let there = rows.find(|there| (there.row, there.extent) == (row.row, row.extent))?;
        let grown = (there.parallel.time() - there.oracle.time()).as_nanos() as f64;
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
