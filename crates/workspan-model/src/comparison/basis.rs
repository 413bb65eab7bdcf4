//! What a comparison of two profiles is based on.

use super::rank_sum;
use super::side::Side;
use super::{Incomparable, mismatch};
use crate::scaling::median_interval_of;

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

#[cfg(test)]
mod tests {
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
