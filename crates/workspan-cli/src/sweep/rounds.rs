//! In which order a sweep runs what it measures.
//!
//! Runs of different numbers of threads take turns, so that what changes on the machine meanwhile changes all of them, and
//! the order differs from round to round, so that none always follows the same other.

use fastrand::Rng;

/// How far the measurement of one thing is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Runs that count.
    pub(crate) runs: u32,
    /// Whether its interval is as narrow as is wanted.
    pub(crate) is_narrow: bool,
    /// Whether a run failed.
    pub(crate) has_failed: bool,
}

impl Progress {
    /// Whether it is run again, when it is to run `most` times at most.
    pub(crate) const fn wants_more(self, most: u32) -> bool {
        !self.has_failed && !self.is_narrow && self.runs < most
    }
}

/// The things to run in a round, as indices into `progress`: in another order for each round and seed.
pub(crate) fn order(progress: &[Progress], most: u32, seed: u64, round: u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..progress.len())
        .filter(|&index| progress[index].wants_more(most))
        .collect();
    let of_round = u64::from(round).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Rng::with_seed(seed ^ of_round).shuffle(&mut order);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_is_run_until_it_is_known_well_or_often_enough() {
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
    fn rounds_have_all_that_is_wanted_in_changing_orders() {
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
