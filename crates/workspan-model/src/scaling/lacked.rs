//! Processors that runs lacked, since something else had them.

use super::bootstrap::{Measured, Sample, bootstrap};
use super::{RatioEstimate, SweepRun};

/// The share of the threads below which nothing is said.
const LEAST_SHARE: f64 = 0.05;

/// How long runs have to be watched, in nanoseconds: what others have is counted in ticks of 10 ms, which are then 2.5% of it.
const LEAST_WATCHED: f64 = 400e6;

/// How many of the processors that they needed runs did not have on average, because other programs or other virtual machines
/// had them meanwhile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LackedProcessors {
    /// How many threads the runs had.
    pub threads: u32,
    /// Processors, from 0 to `threads`.
    pub processors: RatioEstimate,
}

impl LackedProcessors {
    /// What runs of so many threads lacked; `None` if that was not observed of one of them, or they are too short all together.
    pub(super) fn of<'a>(threads: u32, runs: impl Iterator<Item = &'a SweepRun>) -> Option<Self> {
        let measured = |run: &SweepRun| {
            Some(Measured {
                time: run.elapsed.as_nanos() as f64,
                beside: run.lacked?.as_nanos() as f64,
            })
        };
        let measured: Vec<Measured> = runs.map(measured).collect::<Option<_>>()?;
        let watched: f64 = measured.iter().map(|run| run.time).sum();
        if watched < LEAST_WATCHED {
            return None;
        }
        let sample = Sample::of(measured);
        let most = f64::from(threads);
        let processors = bootstrap(&[&sample], |means| {
            (means[0].beside / means[0].time).clamp(0.0, most)
        })?;
        Some(Self {
            threads,
            processors,
        })
    }

    /// As a share of the time that the cores would have had for the runs.
    pub fn share(&self) -> f64 {
        self.processors.value / f64::from(self.threads)
    }

    /// Whether that is worth saying: a twentieth of the time of the threads, wherever in its interval it lies.
    pub fn is_significant(&self) -> bool {
        self.processors.low > LEAST_SHARE * f64::from(self.threads)
    }

    /// Whether a loss of `share` of that time is explained by it, half of it at least.
    pub fn explains(&self, share: f64) -> bool {
        self.is_significant() && self.share() >= share / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Exit, Nanos, RunKind};

    fn milliseconds(time: i64) -> Nanos {
        Nanos::from_nanos(time * 1_000_000)
    }

    fn run(elapsed: i64, lacked: Option<i64>) -> SweepRun {
        SweepRun {
            kind: RunKind::Plain,
            threads: 2,
            copies: 1,
            order: 0,
            is_warm_up: false,
            elapsed: milliseconds(elapsed),
            user: Nanos::ZERO,
            system: Nanos::ZERO,
            lacked: lacked.map(milliseconds),
            workers: None,
            exit: Exit::Code(0),
            timed_out: false,
            same_output: None,
        }
    }

    fn lacked(runs: &[SweepRun]) -> Option<LackedProcessors> {
        LackedProcessors::of(2, runs.iter())
    }

    /// 300 and 900 of 1000 and 2000: 0.4 processors of 2, a share of 0.2.
    #[test]
    fn it_is_a_ratio_of_means() {
        let lacked = lacked(&[run(1000, Some(300)), run(2000, Some(900))]).unwrap();
        assert_eq!((lacked.processors.value, lacked.share()), (0.4, 0.2));
        assert!(lacked.is_significant());
        assert!(lacked.explains(0.4) && !lacked.explains(0.41));
    }

    #[test]
    fn what_ticks_make_of_nothing_is_not_told() {
        let even = lacked(&[
            run(1000, Some(120)),
            run(1000, Some(-100)),
            run(1000, Some(-30)),
        ])
        .unwrap();
        assert_eq!(even.processors.value, 0.0);
        assert!(!even.is_significant() && !even.explains(0.0));
        // Once a tick more than there was.
        assert!(
            !lacked(&[run(1000, Some(400)), run(1000, Some(0))])
                .unwrap()
                .is_significant()
        );
    }

    #[test]
    fn what_nobody_watched_is_not_known() {
        assert_eq!(lacked(&[]), None);
        assert_eq!(
            lacked(&[run(130, Some(60)), run(130, Some(60)), run(130, Some(60))]),
            None
        );
        assert_eq!(lacked(&[run(1000, Some(50)), run(1000, None)]), None);
    }
}
