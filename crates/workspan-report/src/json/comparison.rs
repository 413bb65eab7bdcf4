//! Comparisons and checks for programs; field names are the keys. Amounts are in the unit of the metric, growths are shares.

use std::io;

use serde::Serialize;
use workspan_model::{
    Basis, ChangeKind, Checked, Comparison, ComparisonVerdict, FigureChange, Metric, Mismatch,
    SiteChange, SiteRow, ThresholdLimit, ThresholdOutcome,
};

use crate::sentences::comparison::mismatch;

/// Version of the JSON of `workspan compare` and `workspan check`. Keys may be added within a version.
const VERSION: u32 = 1;

/// Writes what has changed between two profiles.
///
/// # Errors
/// Those of `output`.
pub fn comparison_json(comparison: &Comparison, output: &mut dyn io::Write) -> io::Result<()> {
    let totals = comparison.totals.iter();
    let page = ComparisonPart {
        version: VERSION,
        metric: MetricPart::of(&comparison.metric),
        verdict: match comparison.verdict() {
            ComparisonVerdict::Worse => "worse",
            ComparisonVerdict::Better => "better",
            ComparisonVerdict::Mixed => "mixed",
            ComparisonVerdict::Same => "same",
            ComparisonVerdict::Open => "open",
            ComparisonVerdict::Unknown => "unknown",
        },
        basis: BasisPart::of(comparison.basis),
        least_change: comparison.least_change,
        mismatches: mismatches(&comparison.mismatches),
        totals: totals
            .map(|(quantity, change)| TotalPart {
                quantity: quantity.name(),
                change: ChangePart::of(change),
            })
            .collect(),
        speedup: comparison
            .speedup
            .iter()
            .map(|(before, after)| SpeedupPart {
                cores: before.cores,
                before: (before.lower, before.upper),
                after: (after.lower, after.upper),
            })
            .collect(),
        sites: comparison.sites.iter().map(SitePart::of).collect(),
    };
    write(&page, output)
}

/// Writes whether thresholds on amounts of `metric` hold; with `is_strict`, one that may be exceeded fails.
///
/// # Errors
/// Those of `output`.
pub fn check_json(
    checked: &[Checked],
    metric: &Metric,
    is_strict: bool,
    of: &[Mismatch],
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let page = CheckPart {
        version: VERSION,
        metric: MetricPart::of(metric),
        passed: !checked.iter().any(|checked| checked.fails(is_strict)),
        strict: is_strict,
        mismatches: mismatches(of),
        thresholds: checked.iter().map(ThresholdPart::of).collect(),
    };
    write(&page, output)
}

fn write(page: &impl Serialize, output: &mut dyn io::Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *output, page)?;
    writeln!(output)
}

fn mismatches(of: &[Mismatch]) -> Vec<String> {
    of.iter().map(mismatch).collect()
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

#[derive(Serialize)]
struct ComparisonPart<'a> {
    version: u32,
    metric: MetricPart<'a>,
    verdict: &'static str,
    basis: BasisPart,
    least_change: f64,
    mismatches: Vec<String>,
    totals: Vec<TotalPart>,
    speedup: Vec<SpeedupPart>,
    sites: Vec<SitePart>,
}

/// What amounts are of.
#[derive(Serialize)]
struct MetricPart<'a> {
    name: &'a str,
    unit: &'a str,
}

impl<'a> MetricPart<'a> {
    fn of(metric: &'a Metric) -> Self {
        Self {
            name: &metric.name,
            unit: &metric.unit,
        }
    }
}

#[derive(Serialize)]
struct BasisPart {
    /// `exact`, `runs`, `pairs` or `too_few_runs`.
    kind: &'static str,
    runs_before: Option<usize>,
    runs_after: Option<usize>,
}

impl BasisPart {
    fn of(basis: Basis) -> Self {
        let (kind, runs) = match basis {
            Basis::Exact => ("exact", None),
            Basis::Runs(before, after) => ("runs", Some((before, after))),
            Basis::Pairs(pairs) => ("pairs", Some((pairs, pairs))),
            Basis::TooFew(before, after) => ("too_few_runs", Some((before, after))),
        };
        Self {
            kind,
            runs_before: runs.map(|(before, _)| before),
            runs_after: runs.map(|(_, after)| after),
        }
    }
}

#[derive(Serialize)]
struct ChangePart {
    before: Option<f64>,
    after: Option<f64>,
    growth: Option<f64>,
    growth_low: Option<f64>,
    growth_high: Option<f64>,
    /// `grown`, `shrunk`, `same`, `open` or `unknown`.
    change: &'static str,
}

impl ChangePart {
    fn of(change: &FigureChange) -> Self {
        Self {
            before: finite(change.before),
            after: finite(change.after),
            growth: finite(change.growth),
            growth_low: change.interval.and_then(|(low, _)| finite(low)),
            growth_high: change.interval.and_then(|(_, high)| finite(high)),
            change: change_name(change.kind),
        }
    }
}

pub(crate) const fn change_name(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Grown => "grown",
        ChangeKind::Shrunk => "shrunk",
        ChangeKind::Same => "same",
        ChangeKind::Open => "open",
        ChangeKind::Unknown => "unknown",
    }
}

#[derive(Serialize)]
struct TotalPart {
    quantity: &'static str,
    #[serde(flatten)]
    change: ChangePart,
}

#[derive(Serialize)]
struct SpeedupPart {
    cores: u32,
    before: (f64, f64),
    after: (f64, f64),
}

#[derive(Serialize)]
struct SitePart {
    kind: &'static str,
    name: Option<String>,
    function: Option<String>,
    location_before: Option<String>,
    location_after: Option<String>,
    /// `both`, `moved`, `gained` or `lost`.
    found: &'static str,
    span: ChangePart,
    own_work: ChangePart,
    weight: f64,
}

impl SitePart {
    fn of(site: &SiteChange) -> Self {
        let row = site.row();
        let location = |row: &Option<SiteRow>| Some(row.as_ref()?.location.as_ref()?.to_string());
        Self {
            kind: row.kind.name(),
            name: row.name.clone(),
            function: row.function.clone(),
            location_before: location(&site.before),
            location_after: location(&site.after),
            found: found(site),
            span: ChangePart::of(&site.on_span),
            own_work: ChangePart::of(&site.own_work),
            weight: site.weight,
        }
    }
}

/// In which of the profiles a site is.
pub(crate) fn found(site: &SiteChange) -> &'static str {
    match (&site.before, &site.after) {
        (Some(_), Some(_)) if site.is_moved => "moved",
        (Some(_), Some(_)) => "both",
        (None, _) => "gained",
        (_, None) => "lost",
    }
}

#[derive(Serialize)]
struct CheckPart<'a> {
    version: u32,
    metric: MetricPart<'a>,
    passed: bool,
    strict: bool,
    mismatches: Vec<String>,
    thresholds: Vec<ThresholdPart<'a>>,
}

#[derive(Serialize)]
struct ThresholdPart<'a> {
    quantity: &'static str,
    site: Option<&'a str>,
    /// The growth over the baseline that is allowed, of a limit that is relative.
    growth: Option<f64>,
    limit: Option<f64>,
    baseline: Option<f64>,
    now: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    /// `held`, `open` or `exceeded`.
    outcome: &'static str,
}

impl<'a> ThresholdPart<'a> {
    fn of(checked: &'a Checked) -> Self {
        let threshold = &checked.threshold;
        Self {
            quantity: threshold.quantity.name(),
            site: threshold.site.as_deref(),
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
                ThresholdOutcome::Open => "open",
                ThresholdOutcome::Exceeded => "exceeded",
            },
        }
    }
}
