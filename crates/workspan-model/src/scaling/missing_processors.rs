//! Processors that runs lacked because something else used them.

use super::SweepRun;
use super::estimate::{Measured, Sample, bootstrap};
use crate::Estimate;

/// Below this share of the threads, nothing is reported.
const LEAST_SHARE: f64 = 0.05;

/// How long runs have to be observed, in nanoseconds: the time of others is counted in ticks of 10
/// ms, which are then 2.5% of it.
const LEAST_OBSERVED: f64 = 400e6;

/// How many of the processors that they needed the runs did not have, on average, because other
/// programs or other virtual machines used them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MissingProcessors {
    /// The number of threads of the runs.
    pub threads: u32,
    /// Processors, from 0 to `threads`.
    pub processors: Estimate<f64>,
}

impl MissingProcessors {
    /// What runs on this many threads lacked; `None` if that was not observed for one of them, or
    /// if they are too short in total.
    pub(super) fn from_runs<'a>(
        threads: u32,
        runs: impl Iterator<Item = &'a SweepRun>,
    ) -> Option<Self> {
        let measured = |run: &SweepRun| {
            Some(Measured {
                time: run.elapsed.as_nanos() as f64,
                paired: run.lacked?.as_nanos() as f64,
            })
        };
        let measured: Vec<Measured> = runs.map(measured).collect::<Option<_>>()?;
        let observed: f64 = measured.iter().map(|run| run.time).sum();
        if observed < LEAST_OBSERVED {
            return None;
        }
        let sample = Sample::new(measured);
        let most = f64::from(threads);
        let processors = bootstrap(&[&sample], |means| {
            (means[0].paired / means[0].time).clamp(0.0, most)
        })?;
        Some(Self {
            threads,
            processors,
        })
    }

    /// The processors that were lacking, as a share of the time that the cores would have had for
    /// the runs.
    pub fn share(&self) -> f64 {
        self.processors.value / f64::from(self.threads)
    }

    /// Whether it is worth reporting: more than a twentieth of the time of the threads, wherever in
    /// its interval it lies.
    pub fn is_significant(&self) -> bool {
        self.processors.low > LEAST_SHARE * f64::from(self.threads)
    }

    /// Whether it explains at least half of a loss of `share` of that time.
    pub fn explains(&self, share: f64) -> bool {
        self.is_significant() && self.share() >= share / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::sweep_run;
    use crate::{Nanos, RunKind};

    fn milliseconds(time: i64) -> Nanos {
        Nanos::from_nanos(time * 1_000_000)
    }

    fn run(elapsed: i64, lacked: Option<i64>) -> SweepRun {
        SweepRun {
            lacked: lacked.map(milliseconds),
            ..sweep_run(RunKind::Plain, 2, milliseconds(elapsed))
        }
    }

    fn lacked(runs: &[SweepRun]) -> Option<MissingProcessors> {
        MissingProcessors::from_runs(2, runs.iter())
    }

    /// 300 of 1000 and 900 of 2000 are 0.4 processors of 2, a share of 0.2.
    #[test]
    fn the_processors_are_a_ratio_of_means() {
        let lacked = lacked(&[run(1000, Some(300)), run(2000, Some(900))]).unwrap();
        assert_eq!((lacked.processors.value, lacked.share()), (0.4, 0.2));
        assert!(lacked.is_significant());
        assert!(lacked.explains(0.4) && !lacked.explains(0.41));
    }

    #[test]
    fn rounding_to_ticks_is_not_significant() {
        let even = lacked(&[
            run(1000, Some(120)),
            run(1000, Some(-100)),
            run(1000, Some(-30)),
        ])
        .unwrap();
        assert_eq!(even.processors.value, 0.0);
        assert!(!even.is_significant() && !even.explains(0.0));
        // Once there is a tick too many.
        assert!(
            !lacked(&[run(1000, Some(400)), run(1000, Some(0))])
                .unwrap()
                .is_significant()
        );
    }

    #[test]
    fn what_was_not_observed_is_not_known() {
        assert_eq!(lacked(&[]), None);
        assert_eq!(
            lacked(&[run(130, Some(60)), run(130, Some(60)), run(130, Some(60))]),
            None
        );
        assert_eq!(lacked(&[run(1000, Some(50)), run(1000, None)]), None);
    }
}
