//! What a program must not exceed, and whether it does.

use super::change::Reading;
use super::side::Side;
use super::{
    Basis, COMPARISON_CONFIDENCE, ComparisonOptions, FigureChange, Incomparable, Quantity, change,
};
use crate::scaling::median_interval_of;
use crate::{Profile, SelectionError, SiteRow, match_rows, select_rows};

/// What a figure of a program must not exceed, or must reach if it is to be high.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    /// The figure.
    pub quantity: Quantity,
    /// Words for the site that it is of, as [`select_rows`] takes them; `None` of the whole program.
    pub site: Option<String>,
    /// The limit.
    pub limit: ThresholdLimit,
}

/// Where a threshold lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ThresholdLimit {
    /// At this figure.
    At(f64),
    /// At the baseline's figure and this share of it more, or less if it is below 0.
    Growth(f64),
}

/// What became of a threshold.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The threshold.
    pub threshold: Threshold,
    /// The figure of the baseline, of several runs the median; `None` without one.
    pub before: Option<f64>,
    /// The figure, of several runs the median.
    pub after: f64,
    /// The figure that the threshold stands for.
    pub limit: f64,
    /// Within what the figure lies, with a confidence of [`COMPARISON_CONFIDENCE`]; for a limit that is relative to a baseline,
    /// if that had been just what its median is. `None` where it is not known.
    pub interval: Option<(f64, f64)>,
    /// Whether it holds.
    pub outcome: ThresholdOutcome,
}

impl Checked {
    /// Whether the program fails for it; with `is_strict` also where it may be exceeded.
    pub fn fails(&self, is_strict: bool) -> bool {
        match self.outcome {
            ThresholdOutcome::Held => false,
            ThresholdOutcome::Open => is_strict,
            ThresholdOutcome::Exceeded => true,
        }
    }
}

/// Whether a threshold holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThresholdOutcome {
    /// The figure is within the limit.
    Held,
    /// The figure is beyond it, but its interval reaches to it.
    Open,
    /// The figure is beyond it with all of its interval, or there is no interval.
    Exceeded,
}

/// Why a threshold cannot be checked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ThresholdError {
    /// The baseline cannot be compared with.
    #[error(transparent)]
    Incomparable(#[from] Incomparable),
    /// A limit is relative, and there is no baseline.
    #[error("a limit relative to a baseline needs one: name it by --baseline")]
    NoBaseline,
    /// The words for a site mean none.
    #[error(transparent)]
    Site(#[from] SelectionError),
    /// The words for a site mean several.
    #[error("`{0}` means several sites: name the one by its line and column")]
    SeveralSites(String),
    /// The site is not in the baseline.
    #[error("the site `{0}` is not in the baseline: save a new one, or give an absolute limit")]
    NewSite(String),
    /// No run of before reaches the site that is a pair with one of after that does.
    #[error("no pair of runs reaches the site `{0}` in both: leave --paired out")]
    NoPair(String),
    /// The figure is not known of sites.
    #[error("{} is known of the whole program alone", .0.name())]
    NotOfSites(Quantity),
}

/// Checks `thresholds` on `profile`, those that are relative against `baseline`.
///
/// # Errors
/// Of the first threshold that cannot be checked, with its place among them.
///
/// # Panics
/// When a profile is not valid.
pub fn check_thresholds(
    profile: &Profile,
    baseline: Option<&Profile>,
    thresholds: &[Threshold],
    options: ComparisonOptions,
) -> Result<Vec<Checked>, (usize, ThresholdError)> {
    let after = Side::of(profile);
    let before = baseline.map(Side::of);
    let checked = thresholds.iter().enumerate().map(|(place, threshold)| {
        let checked = match (threshold.limit, &before) {
            (ThresholdLimit::At(limit), before) => at(threshold, limit, before.as_ref(), &after),
            (ThresholdLimit::Growth(_), None) => Err(ThresholdError::NoBaseline),
            (ThresholdLimit::Growth(growth), Some(before)) => {
                relative(threshold, growth, before, &after, options)
            }
        };
        checked.map_err(|error| (place, error))
    });
    checked.collect()
}

fn at(
    threshold: &Threshold,
    limit: f64,
    before: Option<&Side<'_>>,
    after: &Side<'_>,
) -> Result<Checked, ThresholdError> {
    let row = row_meant(threshold, after)?;
    let readings = readings(threshold, after, row.as_ref())?;
    let interval = match after.profile.run.repeats_exactly() {
        true => range_of(&readings),
        false => interval_of_median(&readings),
    };
    // It is shown, and not needed.
    let before = before.and_then(|side| {
        let row = row.as_ref().map(|row| row_before(row, side, after));
        let readings = match row {
            Some(None) => None,
            Some(row) => self::readings(threshold, side, row.as_ref()).ok(),
            None => self::readings(threshold, side, None).ok(),
        };
        readings.map(|readings| median(&readings))
    });
    Ok(judged(
        threshold,
        before,
        median(&readings),
        limit,
        interval,
    ))
}

fn relative(
    threshold: &Threshold,
    growth: f64,
    before: &Side<'_>,
    after: &Side<'_>,
    options: ComparisonOptions,
) -> Result<Checked, ThresholdError> {
    let row = row_meant(threshold, after)?;
    let old_row = match (&row, &threshold.site) {
        (Some(row), Some(words)) => {
            let old = row_before(row, before, after);
            Some(old.ok_or_else(|| ThresholdError::NewSite(words.clone()))?)
        }
        _ => None,
    };
    let sides = [before.profile, after.profile].map(Side::of);
    let basis = Basis::of(&sides, options.is_paired)?;
    let old = readings_of_runs(threshold, before, old_row.as_ref())?;
    let new = readings_of_runs(threshold, after, row.as_ref())?;
    let (old, new): (Vec<Reading>, Vec<Reading>) = match options.is_paired {
        // A run that does not reach the site has none to be beside.
        true => old
            .into_iter()
            .zip(new)
            .filter_map(|(old, new)| old.zip(new))
            .unzip(),
        false => (
            old.into_iter().flatten().collect(),
            new.into_iter().flatten().collect(),
        ),
    };
    if old.is_empty() {
        let words = threshold.site.clone().unwrap_or_default();
        return Err(ThresholdError::NoPair(words));
    }
    let change = FigureChange::of(&old, &new, basis, 0.0, change::relative);
    let scaled = |growth: f64| change::grown(change.before, growth);
    let interval = change
        .interval
        .map(|(low, high)| (scaled(low), scaled(high)));
    // With an interval the median of the growths is judged, which it is of.
    let judged_at = match interval {
        Some(_) => scaled(change.growth),
        None => change.after,
    };
    // A growth of nothing is without end, and beyond every limit.
    let limit = scaled(growth);
    let mut checked = judged(threshold, Some(change.before), judged_at, limit, interval);
    checked.after = change.after;
    Ok(checked)
}

fn judged(
    threshold: &Threshold,
    before: Option<f64>,
    after: f64,
    limit: f64,
    interval: Option<(f64, f64)>,
) -> Checked {
    let is_to_be_high = threshold.quantity.is_to_be_high();
    let is_beyond = |figure: f64| match is_to_be_high {
        true => figure < limit,
        false => figure > limit,
    };
    let nearest = interval.map(|(low, high)| if is_to_be_high { high } else { low });
    let outcome = match (is_beyond(after), nearest) {
        (false, _) => ThresholdOutcome::Held,
        (true, Some(nearest)) if !is_beyond(nearest) => ThresholdOutcome::Open,
        (true, _) => ThresholdOutcome::Exceeded,
    };
    Checked {
        threshold: threshold.clone(),
        before,
        after,
        limit,
        interval,
        outcome,
    }
}

/// The row that the threshold is of; `None` if it is of the program.
fn row_meant(threshold: &Threshold, side: &Side<'_>) -> Result<Option<SiteRow>, ThresholdError> {
    let Some(words) = &threshold.site else {
        return Ok(None);
    };
    let mut rows = side.rows();
    let meant = select_rows(&rows, words)?;
    match meant[..] {
        [row] => Ok(Some(rows.swap_remove(row))),
        _ => Err(ThresholdError::SeveralSites(words.clone())),
    }
}

/// The row of before that is the same as `row`.
fn row_before(row: &SiteRow, before: &Side<'_>, after: &Side<'_>) -> Option<SiteRow> {
    let (mut old, new) = (before.rows(), after.rows());
    let index = new.iter().position(|other| other == row)?;
    let matching = match_rows(&old, &new);
    let mut pairs = matching.pairs.iter();
    let pair = pairs.find(|pair| pair.after == index)?;
    Some(old.swap_remove(pair.before))
}

/// The figure in each run in which it is known.
fn readings(
    threshold: &Threshold,
    side: &Side<'_>,
    row: Option<&SiteRow>,
) -> Result<Vec<Reading>, ThresholdError> {
    let readings = readings_of_runs(threshold, side, row)?;
    Ok(readings.into_iter().flatten().collect())
}

/// The figure in each run; `None` in one that does not reach the site. It is known of one run at least.
fn readings_of_runs(
    threshold: &Threshold,
    side: &Side<'_>,
    row: Option<&SiteRow>,
) -> Result<Vec<Option<Reading>>, ThresholdError> {
    let quantity = threshold.quantity;
    let Some(row) = row else {
        let readings = side.totals(|totals| quantity.of_totals(totals));
        return Ok(readings.into_iter().map(Some).collect());
    };
    let keyed = side.rows_by_key();
    let key = crate::site_row::row_key(row);
    let of_run = keyed
        .iter()
        .map(|rows| quantity.of_row(rows.get(&key).copied()?));
    let readings: Vec<Option<Reading>> = of_run.collect();
    match readings.iter().any(Option::is_some) {
        true => Ok(readings),
        false => Err(ThresholdError::NotOfSites(quantity)),
    }
}

fn median(readings: &[Reading]) -> f64 {
    let values = readings.iter().map(|reading| reading.value);
    crate::Spread::of(values).map_or(0.0, |spread| spread.median)
}

/// From the lowest to the highest of runs that have no spread but what each is known to be off by; `None` of none.
fn range_of(readings: &[Reading]) -> Option<(f64, f64)> {
    let ranges = readings.iter().map(|reading| (reading.low, reading.high));
    ranges.reduce(|(low, high), (other_low, other_high)| (low.min(other_low), high.max(other_high)))
}

/// The interval of the median of runs; `None` of too few.
fn interval_of_median(readings: &[Reading]) -> Option<(f64, f64)> {
    let interval = median_interval_of(readings.len(), COMPARISON_CONFIDENCE)?;
    if interval.confidence < COMPARISON_CONFIDENCE {
        return None;
    }
    let mut lows: Vec<f64> = readings.iter().map(|reading| reading.low).collect();
    let mut highs: Vec<f64> = readings.iter().map(|reading| reading.high).collect();
    lows.sort_by(f64::total_cmp);
    highs.sort_by(f64::total_cmp);
    Some((lows[interval.low], highs[interval.high]))
}
