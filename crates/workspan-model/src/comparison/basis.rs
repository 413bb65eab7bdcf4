//! What a comparison of two profiles rests on.

use super::rank_sum;
use super::side::Side;
use super::{COMPARISON_CONFIDENCE, Incomparable, mismatch};
use crate::scaling::median_interval_of;

/// What a comparison of two profiles rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The clock of both repeats exactly, so that each difference is one of the programs.
    Exact,
    /// So many runs before and after, each by itself.
    Runs(usize, usize),
    /// So many runs of each, each made beside one of the other.
    Pairs(usize),
    /// So many runs before and after, too few for an interval: nothing tells a change from the figures' spread.
    TooFew(usize, usize),
}

impl Basis {
    pub(super) fn of(sides: &[Side<'_>; 2], is_paired: bool) -> Result<Self, Incomparable> {
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
        let basis = match is_paired {
            true => Self::Pairs(runs[0]),
            false => Self::Runs(runs[0], runs[1]),
        };
        Ok(basis.of_readings(runs[0], runs[1]))
    }

    /// The basis of a figure that is known of so many of the runs: a site need not be reached in each.
    pub(super) fn of_readings(self, before: usize, after: usize) -> Self {
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

    /// Of the growths from run to run, sorted, how many lie outside of the interval on either side; `None` where there is no
    /// interval.
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

    /// The fewest runs of each that give an interval.
    pub const fn fewest_runs(is_paired: bool) -> usize {
        if is_paired { 8 } else { 5 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_takes_a_few_runs() {
        assert_eq!(Basis::Runs(4, 4).outside(), None);
        assert_eq!(Basis::Pairs(7).outside(), None);
        let fewest = Basis::fewest_runs(false);
        assert_eq!(Basis::Runs(fewest, fewest).outside(), Some(0));
        assert_eq!(Basis::Pairs(Basis::fewest_runs(true)).outside(), Some(0));
        // 2 · P(Bin(20, ½) ≤ 3) = 0.0026, and with 4 it is 0.0118.
        assert_eq!(Basis::Pairs(20).outside(), Some(3));
    }
}
