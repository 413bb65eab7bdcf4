//! Comparisons and checks as JSON. Amounts are in the unit of the metric, growths are shares.

use std::io;

use workspan_model::{
    Basis, Checked, Comparison, FigureChange, Metric, Mismatch, SiteChange, SiteRow, ThresholdLimit,
};

use super::keys::write_pretty;
use crate::notation::place::place;
use crate::object::{Document, finite, object};
use crate::sentences::comparison::mismatch;

/// Version of the JSON of `workspan compare` and `workspan check`. Keys may be added within a
/// version.
const VERSION: u32 = 1;

/// Writes what has changed between two profiles, as JSON.
///
/// # Errors
/// Any error from writing to `output`.
pub fn comparison_json(comparison: &Comparison, output: &mut dyn io::Write) -> io::Result<()> {
    write_pretty(&comparison_document(comparison), &Metric::time(), output)
}

pub(super) fn comparison_document(comparison: &Comparison) -> impl Document {
    let totals = comparison.totals.iter().map(|(total, changed)| {
        object! {
            quantity: total.name() => Quantity,
            #[serde(flatten)]
            /// What follows: `open` where the interval has both, `unknown` where there are too few runs
            change: change(changed),
        }
    });
    let speedup = comparison.speedup.iter().map(|(before, after)| {
        object! {
            cores: before.cores,
            /// Lower and upper bound before the change
            before: [before.lower, before.upper],
            /// Lower and upper bound after the change
            after: [after.lower, after.upper],
        }
    });
    object! {
        /// Version of this schema. Keys may be added within a version; none is removed or changes its
        /// meaning.
        #[cfg_attr(test, schemars(extend("const" = VERSION)))]
        version: VERSION,
        /// What amounts are of
        metric: metric_part(&comparison.metric),
        /// What the totals say together
        verdict: comparison.verdict().name() => ComparisonVerdict,
        /// What it rests on
        basis: basis(comparison.basis),
        /// The growth that is worth telling
        least_change: comparison.least_change,
        /// What is not the same in how the profiles were made, each with what to do
        mismatches: mismatch_sentences(&comparison.mismatches),
        totals: totals.collect::<Vec<_>>(),
        /// Bounds of the speedup
        speedup: speedup.collect::<Vec<_>>(),
        /// All sites of both, those first of which the change matters most
        sites: comparison.sites.iter().map(site).collect::<Vec<_>>(),
    }
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
    let document = check_document(checked, metric, is_strict, mismatches);
    write_pretty(&document, &Metric::time(), output)
}

pub(super) fn check_document(
    checked: &[Checked],
    metric: &Metric,
    is_strict: bool,
    mismatches: &[Mismatch],
) -> impl Document {
    object! {
        /// Version of this schema. Keys may be added within a version; none is removed or changes its
        /// meaning.
        #[cfg_attr(test, schemars(extend("const" = VERSION)))]
        version: VERSION,
        /// What amounts are of
        metric: metric_part(metric),
        /// Whether the exit code is 0
        passed: !checked.iter().any(|checked| checked.fails(is_strict)),
        /// Whether a threshold that is not certain fails
        strict: is_strict,
        /// What is not the same in how the profiles were made, each with what to do
        mismatches: mismatch_sentences(mismatches),
        thresholds: checked.iter().map(threshold).collect::<Vec<_>>(),
    }
}

fn mismatch_sentences(mismatches: &[Mismatch]) -> Vec<String> {
    mismatches.iter().map(mismatch).collect()
}

/// What amounts count.
fn metric_part(metric: &Metric) -> impl Document {
    object! {
        /// As --metric has it
        name: &metric.name,
        /// `ns` of time, else what is counted
        unit: &metric.unit,
    }
}

fn basis(basis: Basis) -> impl Document {
    let (name, runs) = match basis {
        Basis::Exact => ("exact", None),
        Basis::Runs(before, after) => ("runs", Some((before, after))),
        Basis::Pairs(pairs) => ("pairs", Some((pairs, pairs))),
        Basis::TooFew(before, after) => ("too_few_runs", Some((before, after))),
    };
    object! {
        /// `exact`: figures that are the same in each run; else what intervals rest on
        #[cfg_attr(test, schemars(extend("enum" = ["exact", "runs", "pairs", "too_few_runs"])))]
        kind: name,
        runs_before: runs.map(|(before, _)| before),
        runs_after: runs.map(|(_, after)| after),
    }
}

fn change(change: &FigureChange) -> impl Document {
    object! {
        /// The median of the runs before
        before: finite(change.before),
        /// The median of the runs after
        after: finite(change.after),
        /// By what share it has grown: 0.1 is a tenth more
        growth: finite(change.growth.value),
        /// Lower end of the interval in which the growth lies with 99% confidence; null where there are too
        /// few runs
        growth_low: finite(change.growth.low),
        /// Its upper end
        growth_high: finite(change.growth.high),
        /// What follows: `open` where the interval has both, `unknown` where there are too few runs
        change: change.kind.name() => ChangeKind,
    }
}

fn site(site: &SiteChange) -> impl Document {
    let row = site.row();
    let location = |row: &Option<SiteRow>| Some(row.as_ref()?.location.as_ref()?.to_string());
    object! {
        kind: row.kind.name() => SiteKind,
        /// Of a region
        name: &row.name,
        function: &row.function,
        location_before: location(&site.before),
        location_after: location(&site.after),
        /// In which of the profiles it is; `moved`: on another line
        #[cfg_attr(test, schemars(extend("enum" = ["both", "moved", "gained", "lost"])))]
        found: found(site),
        /// Own time on the critical path; its growth is a share of the program's span before
        span: change(&site.on_span),
        /// Own work; its growth is a share of the program's work before
        own_work: change(&site.own_work),
        /// What it changes of the time on the assumed cores, by which sites are sorted
        weight: site.weight,
    }
}

/// A record for each figure that may have changed.
pub(crate) fn comparison_records(comparison: &Comparison) -> impl Iterator<Item = impl Document> {
    let totals = comparison.totals.iter().map(|(quantity, change)| {
        let program = ["both", "program", "", ""].map(str::to_owned);
        (program, quantity.name(), change, None)
    });
    let sites = comparison.sites.iter().flat_map(|site| {
        let row = site.row();
        [("own_span", &site.on_span), ("own_work", &site.own_work)].map(|(figure, change)| {
            let name = row.name.clone().unwrap_or_default();
            let [found, kind] = [found(site), row.kind.name()].map(str::to_owned);
            (
                [found, kind, name, place(row)],
                figure,
                change,
                Some(site.weight),
            )
        })
    });
    totals
        .chain(sites)
        .map(|([found, kind, name, place], of, changed, weight)| {
            object! {
                found: found,
                kind: kind,
                name: name,
                location: place,
                figure: of,
                #[serde(flatten)]
                change: change(changed),
                weight: weight,
                metric: &comparison.metric.name,
            }
        })
}

/// In which of the two profiles a site is.
fn found(site: &SiteChange) -> &'static str {
    match (&site.before, &site.after) {
        (Some(_), Some(_)) if site.is_moved => "moved",
        (Some(_), Some(_)) => "both",
        (None, _) => "gained",
        (_, None) => "lost",
    }
}

fn threshold(checked: &Checked) -> impl Document {
    let threshold = &checked.threshold;
    object! {
        quantity: threshold.quantity.name() => Quantity,
        /// The words by which the threshold names its site; null for the program
        site: &threshold.site,
        // The growth over the baseline that a relative limit allows.
        /// The growth over the baseline that is allowed; null for a limit by itself
        growth: match threshold.limit {
            ThresholdLimit::At(_) => None,
            ThresholdLimit::Growth(growth) => Some(growth),
        },
        /// The amount that is allowed
        limit: finite(checked.limit),
        baseline: checked.before.and_then(finite),
        now: finite(checked.after),
        /// Lower end of the interval in which the figure lies with 99% confidence; of a relative limit, the
        /// baseline's figure by the least growth in the interval
        low: checked.interval.and_then(|(low, _)| finite(low)),
        /// Its upper end
        high: checked.interval.and_then(|(_, high)| finite(high)),
        /// `open`: only a part of the interval is beyond
        outcome: checked.outcome.name() => ThresholdOutcome,
    }
}
