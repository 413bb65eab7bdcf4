//! The order in which a sweep runs what it measures.
//!
//! Runs with different numbers of threads take turns, so that changes of the machine affect all of
//! them. The order differs from round to round, so that none always follows the same other.

use fastrand::Rng;

/// How far the measurement of one thing has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// The number of runs that count.
    pub(crate) runs: u32,
    /// Whether the interval of its time is narrow enough.
    pub(crate) is_narrow: bool,
    /// Whether a run failed.
    pub(crate) has_failed: bool,
}

impl Progress {
    /// Whether it needs another run, if `most` is the largest number of runs allowed.
    pub(crate) const fn wants_more(self, most: u32) -> bool {
        !self.has_failed && !self.is_narrow && self.runs < most
    }
}

/// The things to run in a round, as indices into `progress`. Each round and seed has its own order.
pub(crate) fn order(progress: &[Progress], most: u32, seed: u64, round: u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..progress.len())
        .filter(|&index| progress[index].wants_more(most))
        .collect();
    let round_seed = u64::from(round).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Rng::with_seed(seed ^ round_seed).shuffle(&mut order);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_runs_until_it_is_precise_or_has_run_often_enough() {
        let after = |runs, is_narrow, has_failed| Progress {
            runs,
            is_narrow,
            has_failed,
        };
        assert!(after(0, false, false).wants_more(10));
        assert!(after(9, false, false).wants_more(10));
        assert!(!after(10, false, false).wants_more(10));
        assert!(!after(6, true, false).wants_more(10));
        assert!(!after(0, false, true).wants_more(10));
    }

    #[test]
    fn rounds_have_everything_wanted_in_varying_orders() {
        let mut progress = vec![Progress::default(); 6];
        progress[2].runs = 10;
        let orders: Vec<_> = (0..80)
            .map(|round| order(&progress, 10, 7, round))
            .collect();
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 3, 4, 5]);
        }
        assert!(orders.iter().any(|order| order != &orders[0]));
        for first in [0, 1, 3, 4, 5] {
            assert!(orders.iter().any(|order| order[0] == first), "{first}");
        }
        assert_eq!(orders[3], order(&progress, 10, 7, 3));
        assert!((0..80).any(|round| order(&progress, 10, 8, round) != orders[round as usize]));
    }
}
