//! How a figure has changed.

use std::collections::HashMap;

use super::{Incomparable, mismatch, rank_sum};
use crate::profile::site_row::{RowKey, row_key};
use crate::quantity::median::{median_interval_of, middle};
use crate::{Estimate, Profile, RunFigures, SiteRow, Totals, runs, site_rows};

/// How a figure has changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FigureChange {
    /// What it was; of several runs, the median.
    pub before: f64,
    /// What it is.
    pub after: f64,
    /// By how much it has grown; negative if it has shrunk. A total's growth is a share of itself,
    /// a site's of the program's figure. Of several runs, it is the median over all pairs of runs.
    /// Infinite if the figure was 0.
    ///
    /// Its interval has a confidence of [`COMPARISON_CONFIDENCE`](super::COMPARISON_CONFIDENCE); if
    /// figures repeat exactly, it is that of the figures themselves.
    pub growth: Estimate<f64>,
    /// What follows from the interval.
    pub kind: ChangeKind,
}

named! {
    /// What is known of a change.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ChangeKind {
        /// It has grown by more than the least change, for all of the interval.
        Grown = "grown",
        /// It has shrunk by more.
        Shrunk = "shrunk",
        /// It has changed by no more, for all of the interval.
        Same = "same",
        /// The interval includes both what would be no change and what would be one.
        Inconclusive = "open",
        /// No interval is known: it has no ends.
        Unknown = "unknown",
    }
}

impl ChangeKind {
    /// Whether a change is certain.
    pub const fn is_certain(self) -> bool {
        matches!(self, Self::Grown | Self::Shrunk)
    }

    /// From how much a figure has grown; changes up to `least` are not worth reporting.
    fn from_growth(growth: Estimate<f64>, least: f64) -> Self {
        if growth == Estimate::without_ends(growth.value) {
            Self::Unknown
        } else if growth.low > least {
            Self::Grown
        } else if growth.high < -least {
            Self::Shrunk
        } else if growth.low >= -least && growth.high <= least {
            Self::Same
        } else {
            Self::Inconclusive
        }
    }
}

/// By how much a figure grows, as a share of itself. A figure from which the profiler's own cost
/// was subtracted may be slightly negative; it counts as 0.
pub(super) fn relative(before: f64, after: f64) -> f64 {
    let [before, after] = [before, after].map(|figure| figure.max(0.0));
    if after == before {
        0.0
    } else if before.is_infinite() {
        -1.0
    } else {
        (after - before) / before
    }
}

/// The figure that `before` becomes if it grows by `growth`, as [`relative`] computes it.
pub(super) fn grown(before: f64, growth: f64) -> f64 {
    if growth.is_infinite() {
        return growth;
    }
    before.max(0.0) * (1.0 + growth)
}

impl FigureChange {
    /// From the readings of each run. `growth` takes a figure from before and one from after, and
    /// increases with the latter.
    pub(super) fn new(
        before: &[Reading],
        after: &[Reading],
        basis: Basis,
        least_change: f64,
        growth: impl Fn(f64, f64) -> f64,
    ) -> Self {
        let basis = basis.for_readings(before.len(), after.len());
        let pairs: Vec<(&Reading, &Reading)> = match basis {
            Basis::Pairs(_) => before.iter().zip(after).collect(),
            _ => before
                .iter()
                .flat_map(|one| after.iter().map(move |other| (one, other)))
                .collect(),
        };
        let sorted = |growth: &dyn Fn(&Reading, &Reading) -> f64| -> Vec<f64> {
            let mut growths: Vec<f64> = pairs
                .iter()
                .map(|&(one, other)| growth(one, other))
                .collect();
            growths.sort_by(f64::total_cmp);
            growths
        };
        let growths = sorted(&|one, other| growth(one.value, other.value));
        let outside = basis.outside().filter(|_| !growths.is_empty());
        let value = middle(&growths);
        let growth = match outside {
            None => Estimate::without_ends(value),
            Some(outside) => Estimate {
                value,
                low: sorted(&|one, other| growth(one.high, other.low))[outside],
                high: sorted(&|one, other| growth(one.low, other.high))
                    [growths.len() - 1 - outside],
            },
        };
        Self {
            before: median(before),
            after: median(after),
            growth,
            kind: ChangeKind::from_growth(growth, least_change),
        }
    }
}

/// The median of the values; 0 if there are none.
pub(super) fn median(readings: &[Reading]) -> f64 {
    let values = readings.iter().map(|reading| reading.value);
    Estimate::over_runs(values).map_or(0.0, |spread| spread.value)
}

/// The confidence of the interval of a change. A user may look at all of five totals: of unchanged
/// programs, at most 5 in 100 have one whose interval misses the truth.
pub const COMPARISON_CONFIDENCE: f64 = 0.99;

/// What a comparison of two profiles is based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The clocks of both repeat exactly, so that each difference comes from the programs.
    Exact,
    /// This many independent runs before and after.
    Runs(usize, usize),
    /// This many runs of each, each made next to one of the other.
    Pairs(usize),
    /// This many runs before and after, too few for an interval: a change cannot be distinguished
    /// from the spread of the figures.
    TooFew(usize, usize),
}

impl Basis {
    pub(super) fn new(sides: [&Side<'_>; 2], is_paired: bool) -> Result<Self, Incomparable> {
        let [before, after] = sides;
        let metrics = [before, after].map(|side| mismatch::counted(&side.profile.run));
        if metrics[0] != metrics[1] {
            let [before, after] = metrics;
            return Err(Incomparable::Metric { before, after });
        }
        let runs = [before.runs.len(), after.runs.len()];
        if is_paired && runs[0] != runs[1] {
            return Err(Incomparable::Unpaired {
                before: runs[0],
                after: runs[1],
            });
        }
        let repeats = |side: &Side<'_>| side.profile.run.repeats_exactly();
        if repeats(before) && repeats(after) {
            return Ok(Self::Exact);
        }
        let basis = if is_paired {
            Self::Pairs(runs[0])
        } else {
            Self::Runs(runs[0], runs[1])
        };
        Ok(basis.for_readings(runs[0], runs[1]))
    }

    /// The basis for a figure that is known of this many runs: not every run has to reach a site.
    pub(super) fn for_readings(self, before: usize, after: usize) -> Self {
        let basis = match self {
            Self::Exact => return self,
            Self::TooFew(..) => Self::TooFew(before, after),
            Self::Runs(..) => Self::Runs(before, after),
            Self::Pairs(_) => Self::Pairs(before.min(after)),
        };
        match basis.outside() {
            Some(_) => basis,
            None => Self::TooFew(before, after),
        }
    }

    /// How many of the sorted growths from run to run lie outside the interval on either side;
    /// `None` if there is no interval.
    pub(super) fn outside(self) -> Option<usize> {
        match self {
            Self::Exact => Some(0),
            Self::TooFew(..) => None,
            Self::Runs(before, after) => rank_sum::outside(before, after, COMPARISON_CONFIDENCE),
            Self::Pairs(pairs) => {
                let interval = median_interval_of(pairs, COMPARISON_CONFIDENCE)?;
                let is_sure = interval.confidence >= COMPARISON_CONFIDENCE;
                is_sure.then_some(interval.low)
            }
        }
    }

    /// The fewest runs of each profile that give an interval.
    pub const fn fewest_runs(is_paired: bool) -> usize {
        if is_paired { 8 } else { 5 }
    }
}

/// One of the two profiles of a comparison, as the figures of its runs.
pub(super) struct Side<'a> {
    pub(super) profile: &'a Profile,
    /// At least one.
    pub(super) runs: Vec<RunFigures>,
}

impl<'a> Side<'a> {
    pub(super) fn new(profile: &'a Profile) -> Self {
        let runs = match &profile.repetition {
            Some(repetition) => repetition.runs.clone(),
            None => vec![RunFigures::new(profile)],
        };
        Self { profile, runs }
    }

    /// The totals of the run that the profile shows.
    pub(super) fn shown(&self) -> Totals {
        let shown = self.profile.repetition.as_ref();
        self.runs[shown.map_or(0, |repetition| repetition.shown)].totals
    }

    pub(super) fn totals(&self, figure: impl Fn(&Totals) -> Reading) -> Vec<Reading> {
        self.runs.iter().map(|run| figure(&run.totals)).collect()
    }

    /// The site rows, with the medians of several runs.
    pub(super) fn rows(&self) -> Vec<SiteRow> {
        match self.profile.repetition.as_ref().and_then(runs) {
            Some(runs) => runs.sites.into_iter().map(|site| site.medians).collect(),
            None => site_rows(self.profile),
        }
    }

    /// For each run, its rows by their keys.
    pub(super) fn rows_by_key(&self) -> Vec<HashMap<RowKey<'_>, &SiteRow>> {
        let mut keyed = Vec::with_capacity(self.runs.len());
        for run in &self.runs {
            keyed.push(run.sites.iter().map(|row| (row_key(row), row)).collect());
        }
        keyed
    }
}

/// A figure of one run, and the interval in which it lies.
pub(super) type Reading = Estimate<f64>;

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(values: &[f64]) -> Vec<Reading> {
        values.iter().copied().map(Reading::exactly).collect()
    }

    fn change(before: &[f64], after: &[f64], basis: Basis) -> FigureChange {
        FigureChange::new(&readings(before), &readings(after), basis, 0.02, relative)
    }

    #[test]
    fn independent_runs() {
        let before = [100.0, 101.0, 102.0, 103.0, 104.0];
        let longer = before.map(|time| time * 1.1);
        let change = change(&before, &longer, Basis::Runs(5, 5));
        assert_eq!((change.before, change.after), (102.0, 102.0 * 1.1));
        assert!((change.growth.value - 0.1).abs() < 1e-12, "{change:?}");
        let [low, high] = change.growth.ends();
        assert!((low - (110.0 / 104.0 - 1.0)).abs() < 1e-12, "{change:?}");
        assert!(
            (high - (104.0 * 1.1 / 100.0 - 1.0)).abs() < 1e-12,
            "{change:?}"
        );
        assert_eq!(change.kind, ChangeKind::Grown);
    }

    #[test]
    fn a_small_change_is_none_and_a_wide_interval_is_open() {
        let runs = Basis::Runs(5, 5);
        let before = [100.0, 100.1, 100.2, 100.3, 100.4];
        assert_eq!(change(&before, &before, runs).kind, ChangeKind::Same);
        let grown = before.map(|time| time * 1.01);
        assert_eq!(change(&before, &grown, runs).kind, ChangeKind::Same);
        let shrunk = before.map(|time| time * 0.9);
        assert_eq!(change(&before, &shrunk, runs).kind, ChangeKind::Shrunk);
        let wide = [90.0, 100.0, 110.0, 120.0, 130.0];
        assert_eq!(change(&before, &wide, runs).kind, ChangeKind::Inconclusive);
        let few = change(&before[..1], &shrunk[..1], Basis::TooFew(1, 1));
        assert_eq!(few.kind, ChangeKind::Unknown);
        assert!((few.growth.value + 0.1).abs() < 1e-12);
    }

    /// The machine is half as fast in some rounds: pairs show the change, independent runs do not.
    #[test]
    fn pairs_cancel_out_the_machine() {
        let before = [100.0, 200.0, 101.0, 201.0, 100.0, 200.0, 102.0, 203.0];
        let after = before.map(|time| time * 1.1);
        assert_eq!(
            change(&before, &after, Basis::Runs(8, 8)).kind,
            ChangeKind::Inconclusive
        );
        let pairs = change(&before, &after, Basis::Pairs(8));
        assert_eq!(pairs.kind, ChangeKind::Grown);
        assert!((pairs.growth.value - 0.1).abs() < 1e-12);
    }

    #[test]
    fn exact_figures_differ_in_the_last_digit() {
        let exact = |after| {
            let (before, after) = (readings(&[1_000_000.0]), readings(&[after]));
            FigureChange::new(&before, &after, Basis::Exact, 0.0, relative).kind
        };
        assert_eq!(exact(1_000_000.0), ChangeKind::Same);
        assert_eq!(exact(1_000_001.0), ChangeKind::Grown);
        assert_eq!(exact(999_999.0), ChangeKind::Shrunk);
    }

    /// A site that some runs do not reach has fewer readings than there are runs.
    #[test]
    fn an_interval_rests_on_the_readings_that_exist() {
        let before = [100.0, 101.0, 102.0, 103.0, 104.0];
        let change = |basis| change(&before, &[110.0], basis);
        for basis in [Basis::Runs(20, 20), Basis::Pairs(20)] {
            let change = change(basis);
            assert_eq!(change.kind, ChangeKind::Unknown);
        }
        let none = FigureChange::new(&[], &[], Basis::Exact, 0.0, relative);
        assert_eq!(none.kind, ChangeKind::Unknown);
    }

    #[test]
    fn uncertainty_within_each_run_remains() {
        let uncertain = |value: f64| Reading {
            value,
            low: value * 0.9,
            high: value * 1.1,
        };
        let (before, after) = ([uncertain(100.0)], [uncertain(110.0)]);
        let change = FigureChange::new(&before, &after, Basis::Exact, 0.0, relative);
        assert_eq!(change.kind, ChangeKind::Inconclusive);
    }

    #[test]
    fn growth_from_zero_is_infinite() {
        assert_eq!(relative(0.0, 0.0), 0.0);
        assert_eq!(relative(0.0, 5.0), f64::INFINITY);
        assert_eq!(relative(-3.0, 5.0), f64::INFINITY);
        assert_eq!(relative(0.0, -3.0), 0.0);
        assert_eq!(relative(f64::INFINITY, 5.0), -1.0);
        assert_eq!(grown(0.0, f64::INFINITY), f64::INFINITY);
        assert_eq!(grown(-3.0, 0.05), 0.0);
    }
}

#[cfg(test)]
mod basis_tests {
    use super::*;

    #[test]
    fn an_interval_needs_some_runs() {
        assert_eq!(Basis::Runs(4, 4).outside(), None);
        assert_eq!(Basis::Pairs(7).outside(), None);
        let fewest = Basis::fewest_runs(false);
        assert_eq!(Basis::Runs(fewest, fewest).outside(), Some(0));
        assert_eq!(Basis::Pairs(Basis::fewest_runs(true)).outside(), Some(0));
        // 2 · P(Bin(20, ½) ≤ 3) = 0.0026, and with 4 it is 0.0118.
        assert_eq!(Basis::Pairs(20).outside(), Some(3));
    }
}
