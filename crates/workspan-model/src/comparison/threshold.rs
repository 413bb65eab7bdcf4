//! Limits on the figures of a program, and whether they hold.

use super::change::{Reading, Side, median};
use super::{
    Basis, COMPARISON_CONFIDENCE, ChangeKind, ComparisonOptions, FigureChange, Incomparable,
    Quantity, change,
};
use crate::quantity::median::median_interval_of;
use crate::{Location, Profile, SelectionError, SiteRow, match_rows, select_rows};

/// A limit that a figure of a program must not exceed, or must reach if it is to be high.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    /// The figure.
    pub quantity: Quantity,
    /// Words for its site, as [`select_rows`] takes them; `None` for the whole program.
    pub site: Option<String>,
    /// The limit.
    pub limit: ThresholdLimit,
}

/// Where a threshold lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ThresholdLimit {
    /// At this figure.
    At(f64),
    /// At the baseline's figure plus this share of it, which may be negative.
    Growth(f64),
}

/// A threshold that has been checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The threshold.
    pub threshold: Threshold,
    /// The figure of the baseline, of several runs the median; `None` if there is no baseline.
    pub before: Option<f64>,
    /// The figure, of several runs the median.
    pub after: f64,
    /// The limit as a figure.
    pub limit: f64,
    /// The interval of the figure, with a confidence of [`COMPARISON_CONFIDENCE`]; for a limit
    /// relative to a baseline, as if the baseline were exactly its median. `None` if it is not
    /// known.
    pub interval: Option<(f64, f64)>,
    /// Whether it holds.
    pub outcome: ThresholdOutcome,
    /// Where its site is, if it has one and symbols show it.
    pub location: Option<Location>,
}

impl Checked {
    /// Whether the program fails because of it; with `is_strict`, also if it may be exceeded.
    pub fn fails(&self, is_strict: bool) -> bool {
        match self.outcome {
            ThresholdOutcome::Held => false,
            ThresholdOutcome::Inconclusive => is_strict,
            ThresholdOutcome::Exceeded => true,
        }
    }
}

named! {
    /// Whether a threshold holds.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ThresholdOutcome {
        /// The figure is within the limit.
        Held = "held",
        /// The figure is beyond the limit, but its interval reaches the limit.
        Inconclusive = "open",
        /// The figure is beyond the limit with all of its interval, or there is no interval.
        Exceeded = "exceeded",
    }
}

/// Why a threshold cannot be checked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ThresholdError {
    /// The profile cannot be compared with the baseline.
    #[error(transparent)]
    Incomparable(#[from] Incomparable),
    /// A limit is relative, and there is no baseline.
    #[error("a limit relative to a baseline needs one: name it by --baseline")]
    NoBaseline,
    /// The words for a site name none.
    #[error(transparent)]
    Site(#[from] SelectionError),
    /// The words for a site name several.
    #[error("`{0}` means several sites: name the one by its line and column")]
    SeveralSites(String),
    /// The site is not in the baseline.
    #[error("the site `{0}` is not in the baseline: save a new one, or give an absolute limit")]
    NewSite(String),
    /// No pair of runs reaches the site both before and after.
    #[error("no pair of runs reaches the site `{0}` in both: leave --paired out")]
    NoPair(String),
    /// The figure is not known of sites.
    #[error("{} is known of the whole program alone", .0.name())]
    NotOfSites(Quantity),
}

/// Checks `thresholds` on `profile`, the relative ones against `baseline`.
///
/// # Errors
/// That of the first threshold that cannot be checked, with the threshold's index.
///
/// # Panics
/// If a profile is invalid.
pub fn check_thresholds(
    profile: &Profile,
    baseline: Option<&Profile>,
    thresholds: &[Threshold],
    options: ComparisonOptions,
) -> Result<Vec<Checked>, (usize, ThresholdError)> {
    let after = Side::new(profile);
    let before = baseline.map(Side::new);
    let checked = thresholds.iter().enumerate().map(|(place, threshold)| {
        let checked = match (threshold.limit, &before) {
            (ThresholdLimit::At(limit), before) => {
                check_absolute(threshold, limit, before.as_ref(), &after)
            }
            (ThresholdLimit::Growth(_), None) => Err(ThresholdError::NoBaseline),
            (ThresholdLimit::Growth(growth), Some(before)) => {
                check_relative(threshold, growth, before, &after, options)
            }
        };
        checked.map_err(|error| (place, error))
    });
    checked.collect()
}

fn check_absolute(
    threshold: &Threshold,
    limit: f64,
    before: Option<&Side<'_>>,
    after: &Side<'_>,
) -> Result<Checked, ThresholdError> {
    let row = row_meant(threshold, after)?;
    let readings = readings(threshold, after, row.as_ref())?;
    let interval = if after.profile.run.repeats_exactly() {
        range_of(&readings)
    } else {
        interval_of_median(&readings)
    };
    // It is only shown, so it may be missing.
    let before = before.and_then(|side| {
        let row = match &row {
            Some(row) => Some(row_before(row, side, after)?),
            None => None,
        };
        let readings = self::readings(threshold, side, row.as_ref()).ok()?;
        Some(median(&readings))
    });
    let mut checked = judge(threshold, before, median(&readings), limit, interval);
    checked.location = row.and_then(|row| row.location);
    Ok(checked)
}

fn check_relative(
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
    let basis = Basis::new([before, after], options.is_paired)?;
    let old = readings_of_runs(threshold, before, old_row.as_ref())?;
    let new = readings_of_runs(threshold, after, row.as_ref())?;
    let (old, new): (Vec<Reading>, Vec<Reading>) = if options.is_paired {
        // A run that does not reach the site is part of no pair.
        let pairs = old.into_iter().zip(new);
        pairs.filter_map(|(old, new)| old.zip(new)).unzip()
    } else {
        (
            old.into_iter().flatten().collect(),
            new.into_iter().flatten().collect(),
        )
    };
    if old.is_empty() {
        let words = threshold.site.clone().unwrap_or_default();
        return Err(ThresholdError::NoPair(words));
    }
    let change = FigureChange::new(&old, &new, basis, 0.0, change::relative);
    let scaled = |growth: f64| change::grown(change.before, growth);
    let is_known = change.kind != ChangeKind::Unknown;
    let interval = is_known.then(|| (scaled(change.growth.low), scaled(change.growth.high)));
    // The interval is that of the median of the growths, so that is what is judged if there is one.
    let judged_at = match interval {
        Some(_) => scaled(change.growth.value),
        None => change.after,
    };
    // A growth from 0 is infinite, and beyond every limit.
    let limit = scaled(growth);
    let mut checked = judge(threshold, Some(change.before), judged_at, limit, interval);
    checked.after = change.after;
    checked.location = row.and_then(|row| row.location);
    Ok(checked)
}

fn judge(
    threshold: &Threshold,
    before: Option<f64>,
    after: f64,
    limit: f64,
    interval: Option<(f64, f64)>,
) -> Checked {
    let is_to_be_high = threshold.quantity.is_to_be_high();
    let is_beyond = |figure: f64| {
        if is_to_be_high {
            figure < limit
        } else {
            figure > limit
        }
    };
    let nearest = interval.map(|(low, high)| if is_to_be_high { high } else { low });
    let outcome = match (is_beyond(after), nearest) {
        (false, _) => ThresholdOutcome::Held,
        (true, Some(nearest)) if !is_beyond(nearest) => ThresholdOutcome::Inconclusive,
        (true, _) => ThresholdOutcome::Exceeded,
    };
    Checked {
        threshold: threshold.clone(),
        before,
        after,
        limit,
        interval,
        outcome,
        location: None,
    }
}

/// The row of the threshold's site; `None` if it is for the whole program.
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

/// The row of `before` that matches `row`.
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

/// The figure in each run; `None` in a run that does not reach the site. It is known of at least
/// one run.
fn readings_of_runs(
    threshold: &Threshold,
    side: &Side<'_>,
    row: Option<&SiteRow>,
) -> Result<Vec<Option<Reading>>, ThresholdError> {
    let quantity = threshold.quantity;
    let Some(row) = row else {
        let readings = side.totals(|totals| quantity.read_totals(totals));
        return Ok(readings.into_iter().map(Some).collect());
    };
    let keyed = side.rows_by_key();
    let key = crate::profile::site_row::row_key(row);
    let of_run = keyed
        .iter()
        .map(|rows| quantity.read_row(rows.get(&key).copied()?));
    let readings: Vec<Option<Reading>> = of_run.collect();
    if readings.iter().all(Option::is_none) {
        return Err(ThresholdError::NotOfSites(quantity));
    }
    Ok(readings)
}

/// From the lowest to the highest end of the readings: the range of runs that repeat exactly.
/// `None` if there are none.
fn range_of(readings: &[Reading]) -> Option<(f64, f64)> {
    let ranges = readings.iter().map(|reading| (reading.low, reading.high));
    ranges.reduce(|(low, high), (other_low, other_high)| (low.min(other_low), high.max(other_high)))
}

/// The interval of the median of runs; `None` if there are too few.
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
