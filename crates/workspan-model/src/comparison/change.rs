//! How a figure has changed.

use super::Basis;
use crate::spread::Spread;

/// How sure the interval of a change is. There are five totals that may all be looked at, so that of unchanged programs at most
/// 5 in 100 have one whose interval misses the truth.
pub const COMPARISON_CONFIDENCE: f64 = 0.99;

/// How a figure has changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FigureChange {
    /// What it was; of several runs the median.
    pub before: f64,
    /// What it is.
    pub after: f64,
    /// By how much it has grown, less than 0 if it has shrunk: of a total as a share of itself, of a site's figure as a share
    /// of the program's. Of several runs the median over all pairs of them. Infinite of what was nothing.
    pub growth: f64,
    /// Within what the growth lies with a confidence of [`COMPARISON_CONFIDENCE`]; where figures repeat exactly it is that of
    /// the figures themselves. `None` where it is not known.
    pub interval: Option<(f64, f64)>,
    /// What follows from that.
    pub kind: ChangeKind,
}

/// What is known of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It has grown by more than the least change, for all of the interval.
    Grown,
    /// It has shrunk by more.
    Shrunk,
    /// It has changed by no more, for all of the interval.
    Same,
    /// The interval reaches from what would be no change to what would be one.
    Open,
    /// There is no interval.
    Unknown,
}

impl ChangeKind {
    /// Whether a change is certain.
    pub const fn is_certain(self) -> bool {
        matches!(self, Self::Grown | Self::Shrunk)
    }

    /// Of an interval, with changes up to `least` not being worth telling.
    fn of((low, high): (f64, f64), least: f64) -> Self {
        if low > least {
            Self::Grown
        } else if high < -least {
            Self::Shrunk
        } else if low >= -least && high <= least {
            Self::Same
        } else {
            Self::Open
        }
    }
}

/// A figure of one run, with how far it is open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reading {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Reading {
    pub(super) const fn exactly(value: f64) -> Self {
        Self {
            value,
            low: value,
            high: value,
        }
    }
}

/// By how much a figure grows from one to another, as a share of itself. What the profiler's own cost was taken off can be a
/// little less than nothing, and is taken for nothing.
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

/// What a figure is that grows by `growth`, as [`relative`] has it.
pub(super) fn grown(before: f64, growth: f64) -> f64 {
    match growth.is_infinite() {
        true => growth,
        false => before.max(0.0) * (1.0 + growth),
    }
}

impl FigureChange {
    /// From the readings of each run; `growth` takes one from before and one from after, and grows with the latter.
    pub(super) fn of(
        before: &[Reading],
        after: &[Reading],
        basis: Basis,
        least_change: f64,
        growth: impl Fn(f64, f64) -> f64,
    ) -> Self {
        let basis = basis.of_readings(before.len(), after.len());
        let median = |readings: &[Reading]| {
            let values = readings.iter().map(|reading| reading.value);
            Spread::of(values).map_or(0.0, |spread| spread.median)
        };
        let each = |of: &dyn Fn(&Reading, &Reading) -> f64| -> Vec<f64> {
            let mut growths: Vec<f64> = match basis {
                Basis::Pairs(_) => before
                    .iter()
                    .zip(after)
                    .map(|(one, other)| of(one, other))
                    .collect(),
                _ => {
                    let pairs = before
                        .iter()
                        .flat_map(|one| after.iter().map(move |other| (one, other)));
                    pairs.map(|(one, other)| of(one, other)).collect()
                }
            };
            growths.sort_by(f64::total_cmp);
            growths
        };
        let growths = each(&|one, other| growth(one.value, other.value));
        let outside = basis.outside().filter(|_| !growths.is_empty());
        let interval = outside.map(|outside| {
            let lowest = each(&|one, other| growth(one.high, other.low));
            let highest = each(&|one, other| growth(one.low, other.high));
            (lowest[outside], highest[highest.len() - 1 - outside])
        });
        Self {
            before: median(before),
            after: median(after),
            growth: middle(&growths),
            interval,
            kind: interval.map_or(ChangeKind::Unknown, |interval| {
                ChangeKind::of(interval, least_change)
            }),
        }
    }
}

/// The middle one of sorted figures, or between the two in the middle.
fn middle(sorted: &[f64]) -> f64 {
    match sorted.len() {
        0 => 0.0,
        count => f64::midpoint(sorted[(count - 1) / 2], sorted[count / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(values: &[f64]) -> Vec<Reading> {
        values.iter().copied().map(Reading::exactly).collect()
    }

    fn change(before: &[f64], after: &[f64], basis: Basis) -> FigureChange {
        FigureChange::of(&readings(before), &readings(after), basis, 0.02, relative)
    }

    #[test]
    fn runs_apart_from_one_another() {
        let before = [100.0, 101.0, 102.0, 103.0, 104.0];
        let longer = before.map(|time| time * 1.1);
        let change = change(&before, &longer, Basis::Runs(5, 5));
        assert_eq!((change.before, change.after), (102.0, 102.0 * 1.1));
        assert!((change.growth - 0.1).abs() < 1e-12, "{change:?}");
        let (low, high) = change.interval.unwrap();
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
        assert_eq!(change(&before, &wide, runs).kind, ChangeKind::Open);
        let few = change(&before[..1], &shrunk[..1], Basis::TooFew(1, 1));
        assert_eq!((few.kind, few.interval), (ChangeKind::Unknown, None));
        assert!((few.growth + 0.1).abs() < 1e-12);
    }

    /// The machine is half as fast in some rounds: pairs tell, where runs by themselves do not.
    #[test]
    fn pairs_are_told_from_the_machine() {
        let before = [100.0, 200.0, 101.0, 201.0, 100.0, 200.0, 102.0, 203.0];
        let after = before.map(|time| time * 1.1);
        assert_eq!(
            change(&before, &after, Basis::Runs(8, 8)).kind,
            ChangeKind::Open
        );
        let pairs = change(&before, &after, Basis::Pairs(8));
        assert_eq!(pairs.kind, ChangeKind::Grown);
        assert!((pairs.growth - 0.1).abs() < 1e-12);
    }

    #[test]
    fn what_repeats_exactly_is_told_to_the_last_digit() {
        let exact = |after| {
            let (before, after) = (readings(&[1_000_000.0]), readings(&[after]));
            FigureChange::of(&before, &after, Basis::Exact, 0.0, relative).kind
        };
        assert_eq!(exact(1_000_000.0), ChangeKind::Same);
        assert_eq!(exact(1_000_001.0), ChangeKind::Grown);
        assert_eq!(exact(999_999.0), ChangeKind::Shrunk);
    }

    /// A site that some runs do not reach has fewer readings than there are runs.
    #[test]
    fn an_interval_is_of_the_readings_there_are() {
        let before = [100.0, 101.0, 102.0, 103.0, 104.0];
        let change = |basis| change(&before, &[110.0], basis);
        for basis in [Basis::Runs(20, 20), Basis::Pairs(20)] {
            let change = change(basis);
            assert_eq!((change.kind, change.interval), (ChangeKind::Unknown, None));
        }
        let none = FigureChange::of(&[], &[], Basis::Exact, 0.0, relative);
        assert_eq!(none.interval, None);
    }

    #[test]
    fn what_is_open_in_each_run_stays_open() {
        let open = |value: f64| Reading {
            value,
            low: value * 0.9,
            high: value * 1.1,
        };
        let (before, after) = ([open(100.0)], [open(110.0)]);
        let change = FigureChange::of(&before, &after, Basis::Exact, 0.0, relative);
        assert_eq!(change.kind, ChangeKind::Open);
    }

    #[test]
    fn what_was_nothing_has_grown_without_end() {
        assert_eq!(relative(0.0, 0.0), 0.0);
        assert_eq!(relative(0.0, 5.0), f64::INFINITY);
        assert_eq!(relative(-3.0, 5.0), f64::INFINITY);
        assert_eq!(relative(0.0, -3.0), 0.0);
        assert_eq!(relative(f64::INFINITY, 5.0), -1.0);
        assert_eq!(grown(0.0, f64::INFINITY), f64::INFINITY);
        assert_eq!(grown(-3.0, 0.05), 0.0);
    }
}
