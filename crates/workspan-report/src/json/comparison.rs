//! Comparisons and checks as JSON. Amounts are in the unit of the metric, growths are shares.

use std::io;

use serde::Serialize;
use workspan_model::{
    Basis, ChangeKind, Checked, Comparison, ComparisonVerdict, FigureChange, Metric, Mismatch,
    SiteChange, SiteRow, ThresholdLimit, ThresholdOutcome,
};

use super::{finite, write_plain};
use crate::object::object;
use crate::sentences::comparison::mismatch;

/// Version of the JSON of `workspan compare` and `workspan check`. Keys may be added within a
/// version.
const VERSION: u32 = 1;

/// Writes what has changed between two profiles, as JSON.
///
/// # Errors
/// Any error from writing to `output`.
pub fn comparison_json(comparison: &Comparison, output: &mut dyn io::Write) -> io::Result<()> {
    let totals = comparison.totals.iter().map(|(total, changed)| {
        object! {
            quantity: total.name(),
            #[serde(flatten)]
            change: change(changed),
        }
    });
    let speedup = comparison.speedup.iter().map(|(before, after)| {
        object! {
            cores: before.cores,
            before: [before.lower, before.upper],
            after: [after.lower, after.upper],
        }
    });
    let page = object! {
        version: VERSION,
        metric: metric_part(&comparison.metric),
        verdict: match comparison.verdict() {
            ComparisonVerdict::Worse => "worse",
            ComparisonVerdict::Better => "better",
            ComparisonVerdict::Mixed => "mixed",
            ComparisonVerdict::Same => "same",
            ComparisonVerdict::Inconclusive => "open",
            ComparisonVerdict::Unknown => "unknown",
        },
        basis: basis(comparison.basis),
        least_change: comparison.least_change,
        mismatches: mismatch_sentences(&comparison.mismatches),
        totals: totals.collect::<Vec<_>>(),
        speedup: speedup.collect::<Vec<_>>(),
        sites: comparison.sites.iter().map(site).collect::<Vec<_>>(),
    };
    write_plain(&page, output)
}

/// Writes, as JSON, whether thresholds on amounts of `metric` hold; with `is_strict`, one that may
/// be exceeded fails.
///
/// # Errors
/// Any error from writing to `output`.
pub fn check_json(
    checked: &[Checked],
    metric: &Metric,
    is_strict: bool,
    mismatches: &[Mismatch],
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let page = object! {
        version: VERSION,
        metric: metric_part(metric),
        passed: !checked.iter().any(|checked| checked.fails(is_strict)),
        strict: is_strict,
        mismatches: mismatch_sentences(mismatches),
        thresholds: checked.iter().map(threshold).collect::<Vec<_>>(),
    };
    write_plain(&page, output)
}

fn mismatch_sentences(mismatches: &[Mismatch]) -> Vec<String> {
    mismatches.iter().map(mismatch).collect()
}

/// What amounts count.
fn metric_part(metric: &Metric) -> impl Serialize {
    object! {
        name: &metric.name,
        unit: &metric.unit,
    }
}

fn basis(basis: Basis) -> impl Serialize {
    let (name, runs) = match basis {
        Basis::Exact => ("exact", None),
        Basis::Runs(before, after) => ("runs", Some((before, after))),
        Basis::Pairs(pairs) => ("pairs", Some((pairs, pairs))),
        Basis::TooFew(before, after) => ("too_few_runs", Some((before, after))),
    };
    object! {
        kind: name,
        runs_before: runs.map(|(before, _)| before),
        runs_after: runs.map(|(_, after)| after),
    }
}

fn change(change: &FigureChange) -> impl Serialize {
    object! {
        before: finite(change.before),
        after: finite(change.after),
        growth: finite(change.growth),
        growth_low: change.interval.and_then(|(low, _)| finite(low)),
        growth_high: change.interval.and_then(|(_, high)| finite(high)),
        change: change_name(change.kind),
    }
}

pub(crate) const fn change_name(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Grown => "grown",
        ChangeKind::Shrunk => "shrunk",
        ChangeKind::Same => "same",
        ChangeKind::Inconclusive => "open",
        ChangeKind::Unknown => "unknown",
    }
}

fn site(site: &SiteChange) -> impl Serialize {
    let row = site.row();
    let location = |row: &Option<SiteRow>| Some(row.as_ref()?.location.as_ref()?.to_string());
    object! {
        kind: row.kind.name(),
        name: &row.name,
        function: &row.function,
        location_before: location(&site.before),
        location_after: location(&site.after),
        found: found(site),
        span: change(&site.on_span),
        own_work: change(&site.own_work),
        weight: site.weight,
    }
}

/// In which of the two profiles a site is.
pub(crate) fn found(site: &SiteChange) -> &'static str {
    match (&site.before, &site.after) {
        (Some(_), Some(_)) if site.is_moved => "moved",
        (Some(_), Some(_)) => "both",
        (None, _) => "gained",
        (_, None) => "lost",
    }
}

fn threshold(checked: &Checked) -> impl Serialize {
    let threshold = &checked.threshold;
    object! {
        quantity: threshold.quantity.name(),
        site: &threshold.site,
        // The growth over the baseline that a relative limit allows.
        growth: match threshold.limit {
            ThresholdLimit::At(_) => None,
            ThresholdLimit::Growth(growth) => Some(growth),
        },
        limit: finite(checked.limit),
        baseline: checked.before.and_then(finite),
        now: finite(checked.after),
        low: checked.interval.and_then(|(low, _)| finite(low)),
        high: checked.interval.and_then(|(_, high)| finite(high)),
        outcome: match checked.outcome {
            ThresholdOutcome::Held => "held",
            ThresholdOutcome::Inconclusive => "open",
            ThresholdOutcome::Exceeded => "exceeded",
        },
    }
}
