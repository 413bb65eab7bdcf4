//! The program without a profile, on one processor and on all: the ruler for what a profile says.

use crate::quantity::median::CONFIDENCE;
use crate::quantity::speedup::is_sufficient;
use crate::{Nanos, PairedRatio, Profile, Totals};

/// The speedup that the program has on this machine today, and how its work compares with what one
/// thread takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainRuns {
    /// T₁: the median elapsed time on one processor.
    pub one: Nanos,
    /// T_P: the median elapsed time on all processors.
    pub all: Nanos,
    /// P: the processors that the threads of the profiled run could use.
    pub processors: u32,
    /// T₁ / T_P, by pairs.
    pub speedup: PairedRatio,
    /// The work of the profiled run / T₁: above 1, tasks do more together than one thread alone,
    /// or take longer for it. Below 1 where one thread also waits.
    pub work_ratio: f64,
}

/// A speedup from here to 1 is none, but no slowdown to speak of.
const SLOWER: f64 = 0.95;

/// Where the work differs less from what one thread takes, it counts as the same: one run of each
/// is compared.
const SAME_WORK: f64 = 1.1;

/// What the plain runs beside a profile say; `None` without any.
pub(crate) fn plain_runs(profile: &Profile, totals: &Totals) -> Option<PlainRuns> {
    let pairs = &profile.run.plain;
    let nanos = |time: Nanos| time.as_nanos() as f64;
    let ratios = pairs.iter().map(|pair| (nanos(pair.all), nanos(pair.one)));
    let one = median(pairs.iter().map(|pair| pair.one))?;
    Some(PlainRuns {
        one,
        all: median(pairs.iter().map(|pair| pair.all))?,
        processors: match profile.run.threads {
            0 => profile.machine.cores,
            threads => threads.min(profile.machine.cores),
        },
        speedup: PairedRatio::from_pairs(ratios, CONFIDENCE)?,
        work_ratio: nanos(totals.work.time()) / nanos(one).max(1.0),
    })
}

impl PlainRuns {
    /// Whether all processors together are certainly slower than one, and by more than noise.
    pub fn is_slower(&self) -> bool {
        self.speedup.is_sure && self.speedup.ratio.high < SLOWER
    }

    /// Whether the program may have less than a quarter of what the processors can gain, as far as
    /// the runs tell.
    pub fn gains_little(&self) -> bool {
        self.processors > 1
            && self.speedup.ratio.value < 1.0 + (f64::from(self.processors) - 1.0) / 4.0
    }

    /// Whether the program certainly has half of what the processors can gain today, whatever its
    /// tasks cost.
    pub fn is_well_used(&self) -> bool {
        self.speedup.is_sure && is_sufficient(self.speedup.ratio.low, self.processors)
    }

    /// Whether the tasks' work exceeds what one thread takes.
    pub fn has_more_work(&self) -> bool {
        self.work_ratio > SAME_WORK
    }

    /// What a speedup over the work is as one over the time of one thread.
    pub fn over_one_thread(&self) -> f64 {
        if self.has_more_work() {
            1.0 / self.work_ratio
        } else {
            1.0
        }
    }
}

fn median(times: impl Iterator<Item = Nanos>) -> Option<Nanos> {
    let mut times: Vec<Nanos> = times.collect();
    times.sort_unstable();
    times.get(times.len().checked_sub(1)? / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limit, PlainPair, analyse, example};

    /// The quicksort, whose work is 1060 ms, on 2 cores with enough parallelism, beside plain runs
    /// of these milliseconds.
    fn beside(pairs: &[(i64, i64)]) -> Profile {
        let millis = |millis: i64| Nanos::from_nanos(millis * 1_000_000);
        let mut profile = example::quicksort();
        (profile.run.assumed_cores, profile.machine.cores) = (2, 2);
        let pairs = pairs.iter().map(|&(one, all)| PlainPair {
            one: millis(one),
            all: millis(all),
        });
        profile.run.plain = pairs.collect();
        profile
    }

    #[test]
    fn the_speedup_is_that_of_pairs() {
        let analysis = analyse(&beside(&[(1_000, 500), (1_100, 500), (1_060, 530)]));
        let plain = analysis.plain.unwrap();
        assert_eq!(
            (plain.speedup.ratio.value, plain.speedup.ratio.low),
            (2.0, 2.0)
        );
        assert!((plain.speedup.ratio.high - 2.2).abs() < 1e-9 && !plain.speedup.is_sure);
        assert!((plain.work_ratio - 1.0).abs() < 1e-9);
        assert_eq!(analysis.verdict.limit, Limit::None);
        assert_eq!(analyse(&beside(&[])).plain, None);
    }

    #[test]
    fn what_one_thread_does_faster_has_no_yes() {
        let analysis = analyse(&beside(&[(1_000, 1_060); 6]));
        assert_eq!(analysis.verdict.limit, Limit::Slower);
        assert!(!analysis.tells_speedups());
        // A few runs prove nothing, nor does a small difference.
        for pairs in [&[(1_000, 1_060); 5][..], &[(1_000, 1_010); 6]] {
            assert_ne!(analyse(&beside(pairs)).verdict.limit, Limit::Slower);
        }
    }

    #[test]
    fn what_gains_little_has_no_yes() {
        let limit_of = |pairs| analyse(&beside(pairs)).verdict.limit;
        // A quarter of what a second core can bring.
        assert_eq!(limit_of(&[(1_240, 1_000)]), Limit::Contended);
        assert_eq!(limit_of(&[(1_260, 1_000)]), Limit::None);
    }

    #[test]
    fn a_measured_speedup_refutes_one_lock() {
        let limit_of = |pairs| {
            let mut profile = beside(pairs);
            // 700 of 1060 ms on 2 threads: if for one lock, a speedup of 1.51.
            profile.tree[1].on_work.blocked = Nanos::from_nanos(700_000_000);
            profile.run.assumed_cores = 4;
            analyse(&profile).verdict.limit
        };
        assert_eq!(limit_of(&[]), Limit::Awaited { row: 0 });
        for unsure in [&[(1_500, 1_000); 6][..], &[(1_600, 1_000); 5]] {
            assert_eq!(limit_of(unsure), Limit::Awaited { row: 0 });
        }
        assert_eq!(limit_of(&[(1_600, 1_000); 6]), Limit::None);
    }

    #[test]
    fn speedups_are_over_one_thread() {
        let without = analyse(&beside(&[(1_060, 600)]));
        let twice = analyse(&beside(&[(530, 500)]));
        let (bounds, halved) = (without.verdict.bounds, twice.verdict.bounds);
        assert!((halved.upper - bounds.upper / 2.0).abs() < 1e-9);
        assert!((halved.lower - bounds.lower / 2.0).abs() < 1e-9);
        assert_eq!(twice.speedup[0].upper, without.speedup[0].upper / 2.0);
        assert_eq!(without.verdict.limit, Limit::None);
        assert_eq!(twice.verdict.limit, Limit::Inflated { row: 0 });
    }
}
