//! The ratio of two figures that were measured in pairs.

use serde::Serialize;

use super::median::{CONFIDENCE, median_of};
use crate::Estimate;

/// How many times as large one figure is as another: the median of the ratios of several pairs,
/// with its confidence interval.
///
/// The figures of a pair come from runs right after one another, so that whatever changes slowly on
/// the machine cancels out. The interval lies between two of the ratios, by order statistics,
/// whatever their distribution: a run that something delayed shifts it by at most one rank.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct PairedRatio {
    /// The median of the rounds' ratios
    #[serde(flatten)]
    pub ratio: Estimate<f64>,
    /// How sure the interval is, by order statistics
    pub confidence: f64,
    /// Whether that is as sure as is wanted: with too few rounds it is the range of the ratios
    pub is_sure: bool,
    /// Rounds of whose ratios it is the median
    pub rounds: u32,
}

impl PairedRatio {
    /// The ratio of pairs of a divisor and a dividend. A figure below 1, the least that a clock or
    /// a counter can show, counts as 1; pairs in which both are below 1 do not count. `None` if no
    /// pair counts.
    pub(crate) fn from_pairs(
        pairs: impl IntoIterator<Item = (f64, f64)>,
        wanted: f64,
    ) -> Option<Self> {
        let present = pairs
            .into_iter()
            .filter(|&(oracle, parallel)| oracle >= 1.0 || parallel >= 1.0);
        let ratios: Vec<f64> = present
            .map(|(oracle, parallel)| parallel.max(1.0) / oracle.max(1.0))
            .collect();
        let rounds = ratios.len() as u32;
        let (ratio, confidence) = median_of(ratios, wanted)?;
        Some(Self {
            ratio,
            confidence,
            is_sure: confidence >= wanted,
            rounds,
        })
    }
}

/// The confidence that each of several intervals needs for all of them to hold at once
/// (Bonferroni).
pub(crate) fn confidence_of_each(comparisons: usize) -> f64 {
    1.0 - (1.0 - CONFIDENCE) / comparisons.max(1) as f64
}

/// The number of pairs that this many intervals need: the range of n pairs misses the median with
/// probability 2 · 2⁻ⁿ.
pub(crate) fn rounds_needed(comparisons: usize) -> u32 {
    let missed = 1.0 - confidence_of_each(comparisons);
    (1.0 - missed.log2()).ceil() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(pairs: &[(f64, f64)], wanted: f64) -> PairedRatio {
        PairedRatio::from_pairs(pairs.iter().copied(), wanted).unwrap()
    }

    #[test]
    fn the_median_of_the_ratios_is_not_the_ratio_of_the_medians() {
        let pairs = [(10.0, 20.0), (20.0, 20.0), (30.0, 90.0)];
        let found = ratio(&pairs, 0.95);
        assert_eq!(
            (found.ratio.value, found.ratio.low, found.ratio.high),
            (2.0, 1.0, 3.0)
        );
        // 1 − 2/8.
        assert_eq!(
            (found.confidence, found.is_sure, found.rounds),
            (0.75, false, 3)
        );
    }

    #[test]
    fn a_delayed_run_moves_the_interval_by_one_rank() {
        let mut pairs: Vec<(f64, f64)> = (1..=9)
            .map(|tenths| (10.0, f64::from(10 + tenths)))
            .collect();
        let quiet = ratio(&pairs, 0.95);
        assert_eq!(
            (quiet.ratio.value, quiet.ratio.low, quiet.ratio.high),
            (1.5, 1.2, 1.8)
        );
        assert!(quiet.is_sure);
        pairs[0].1 = 1_000.0;
        let delayed = ratio(&pairs, 0.95);
        assert_eq!(
            (delayed.ratio.value, delayed.ratio.low, delayed.ratio.high),
            (1.6, 1.3, 1.9)
        );
    }

    #[test]
    fn no_event_counts_as_one() {
        let found = ratio(&[(0.0, 227.0), (-3.0, 227.0), (0.0, 0.0)], 0.95);
        assert_eq!((found.ratio.value, found.rounds), (227.0, 2));
        assert_eq!(ratio(&[(50.0, 0.0)], 0.95).ratio.value, 0.02);
        assert_eq!(PairedRatio::from_pairs([(0.0, 0.0)], 0.95), None);
    }

    /// 2 · 2⁻ⁿ ≤ 5%/m.
    #[test]
    fn more_comparisons_take_more_rounds() {
        assert_eq!(
            [0, 1, 2, 4, 25, 26].map(rounds_needed),
            [6, 6, 7, 8, 10, 11]
        );
        for comparisons in [1, 2, 5, 25, 80] {
            let rounds = rounds_needed(comparisons);
            let pairs = vec![(1.0, 2.0); rounds as usize];
            let wanted = confidence_of_each(comparisons);
            assert!(ratio(&pairs, wanted).is_sure, "{comparisons}");
            assert!(!ratio(&pairs[1..], wanted).is_sure, "{comparisons}");
        }
    }
}
