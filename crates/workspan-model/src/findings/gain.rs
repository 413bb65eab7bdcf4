//! What a change can bring.

use crate::{Estimate, Nanos, Span, Work};

/// The expected time of a program on a number of cores, before and after a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// The cores.
    pub cores: u32,
    /// The expected time of the program as it is, from what no schedule beats to what a greedy one
    /// takes at most.
    pub now: Estimate<Nanos>,
    /// The expected time after the change, assuming that it does everything it can.
    pub after: Estimate<Nanos>,
    /// The speedup from the change; 1 for a program that takes no time.
    pub factor: Estimate<f64>,
    /// The basis of the expectation after the change.
    pub estimate: EstimatedBy,
}

named! {
    /// The basis of an expectation after a change.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum EstimatedBy {
        /// The profile: the part of the span that the change affects is subtracted. Another path
        /// may then be the longest, so the gain is at most this.
        Bounds = "bounds",
        /// The changed task dag of the run: the longest path is that of the changed program.
        WhatIf = "what_if",
    }
}

impl Gain {
    /// The gain from one expectation to another.
    ///
    /// The change saves no more than what it takes off the longest path, off the work under a lock and
    /// off each core's share of the work. By bounds, it may save nothing.
    pub(crate) fn new(
        now: Expectation,
        after: Expectation,
        cores: u32,
        estimate: EstimatedBy,
    ) -> Self {
        let over = |now: Nanos, after: Nanos| match (now.shown(), after.shown()) {
            (0, _) => 1.0,
            (now, after) => now as f64 / after.max(1) as f64,
        };
        let saved = now.burdened_span.time() - after.burdened_span.time() + now.locked.time()
            - after.locked.time()
            + now.share(cores)
            - after.share(cores);
        let saved = saved.max(Nanos::ZERO);
        let [now, after] = [now, after].map(|expectation| expectation.time(cores));
        let factor = Estimate {
            value: over(now.value, after.value),
            low: match estimate {
                EstimatedBy::Bounds => 1.0,
                EstimatedBy::WhatIf => over(now.low, after.high).max(1.0),
            },
            high: over((after.low + saved).min(now.high), after.low),
        };
        Self {
            cores,
            now,
            after,
            factor,
            estimate,
        }
    }
}

/// The figures from which the expected time of a program follows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Expectation {
    pub(crate) work: Work,
    /// Cost of creating and scheduling tasks, which is not part of the work.
    pub(crate) tasking: Nanos,
    /// Cost of the steals that were made.
    pub(crate) steals: Nanos,
    pub(crate) burdened_span: Span,
    /// The work done under the lock that is held longest.
    pub(crate) locked: Span,
}

impl Expectation {
    /// The time on `cores` cores. At least, it is everything done, divided evenly, or the longer of
    /// the burdened span and the work under one lock: no schedule beats either. At most, and that is
    /// the figure, it is the first plus the part of the second that is not in its share.
    ///
    /// This is the bound on greedy scheduling (Brent 1974, T_P ≤ (T₁ − T∞)/P + T∞), with the burdened
    /// span of Cilkview §3. Locks are not part of that theorem, but no schedule beats the time of
    /// one either ([`Lock::held`](crate::Lock::held)).
    fn time(self, cores: u32) -> Estimate<Nanos> {
        let (share, longest) = (self.share(cores), self.longest());
        let alone = longest.shown() as f64;
        let most = share + Nanos::from_nanos_f64(alone * (1.0 - 1.0 / f64::from(cores)));
        Estimate {
            value: most,
            low: share.max(longest).min(most),
            high: most,
        }
    }

    /// Everything done, divided evenly.
    fn share(self, cores: u32) -> Nanos {
        let done = self.work.time() + self.tasking + self.steals;
        Nanos::from_nanos_f64(done.shown() as f64 / f64::from(cores))
    }

    /// The longer of the burdened span and the work under one lock.
    fn longest(self) -> Nanos {
        let longest = self.burdened_span.max(self.locked);
        longest.time().max(Nanos::ZERO)
    }

    /// The same with `less` subtracted from the burdened span.
    pub(super) fn with_less_span(self, less: Nanos) -> Self {
        let rest = (self.burdened_span.time() - less).max(Nanos::ZERO);
        Self {
            burdened_span: Span::from(rest),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPECTATION: Expectation = Expectation {
        work: Work::from_nanos(500),
        tasking: Nanos::from_nanos(100),
        steals: Nanos::from_nanos(40),
        burdened_span: Span::from_nanos(640),
        locked: Span::from_nanos(320),
    };

    #[test]
    fn the_time_is_the_bound_on_greedy_scheduling() {
        // (500 + 100 + 40) / 64 + 640 · 63/64.
        let time = EXPECTATION.time(64);
        assert_eq!(
            (time.value, time.low),
            (Nanos::from_nanos(640), Nanos::from_nanos(640))
        );
        assert_eq!(
            EXPECTATION.time(1),
            Estimate::exactly(Nanos::from_nanos(640))
        );
        // 640 / 2, or 640; and 320 + 320.
        assert_eq!(
            EXPECTATION.time(2),
            Estimate::exactly(Nanos::from_nanos(640))
        );
        let short = EXPECTATION.with_less_span(Nanos::from_nanos(320)).time(2);
        // 640 / 2, and 320 + 160.
        assert_eq!(short.ends(), [320, 480].map(Nanos::from_nanos));
    }

    #[test]
    fn work_under_a_lock_is_done_by_one_core() {
        let locked = Expectation {
            locked: Span::from_nanos(1_280),
            ..EXPECTATION
        };
        // (500 + 100 + 40) / 64 + 1280 · 63/64.
        assert_eq!(locked.time(64).value, Nanos::from_nanos(1_270));
        let span_cut = locked.with_less_span(Nanos::from_nanos(640));
        assert_eq!(span_cut.time(64), locked.time(64));
    }

    #[test]
    fn serial_code_that_is_shared_out_is_at_most_as_many_times_as_fast() {
        let serial = Expectation {
            work: Work::from_nanos(6_400),
            burdened_span: Span::from_nanos(6_400),
            ..Expectation::default()
        };
        let shared = serial.with_less_span(Nanos::from_nanos(6_300));
        let gain = Gain::new(serial, shared, 64, EstimatedBy::WhatIf);
        // From 6400 to 100, or to 100 + 100 · 63/64.
        assert_eq!(gain.factor.ends(), [6_400.0 / 198.0, 64.0]);
    }

    #[test]
    fn what_a_change_leaves_takes_no_less_than_before() {
        let gain = |longest: i64| {
            let now = EXPECTATION.with_less_span(Nanos::from_nanos(640 - longest));
            let after = now.with_less_span(Nanos::from_nanos(50));
            Gain::new(now, after, 2, EstimatedBy::WhatIf).factor.high
        };
        // At least the span; and the 320 under the lock or on each core.
        assert_eq!(gain(640), 640.0 / 590.0);
        assert_eq!(gain(400), 400.0 / 350.0);
        // The span that is cut may have delayed what is done under the lock.
        assert_eq!(gain(340), 370.0 / 320.0);
    }

    #[test]
    fn the_gain_is_the_ratio_of_the_times() {
        let after = EXPECTATION.with_less_span(Nanos::from_nanos(320));
        let gain = Gain::new(EXPECTATION, after, 64, EstimatedBy::Bounds);
        // From 320 to 10 + 320 · 63/64.
        assert_eq!(gain.after.ends(), [320, 325].map(Nanos::from_nanos));
        assert_eq!(gain.factor.value, 640.0 / 325.0);
        assert_eq!(gain.factor.ends(), [1.0, 2.0]);
        let by_dag = Gain::new(EXPECTATION, after, 64, EstimatedBy::WhatIf);
        assert_eq!(by_dag.factor.ends(), [640.0 / 325.0, 2.0]);
        let nothing = EXPECTATION.with_less_span(Nanos::from_nanos(641));
        assert_eq!(nothing.burdened_span, Span::ZERO);
        let empty = Expectation::default();
        assert_eq!(
            Gain::new(empty, empty, 64, EstimatedBy::Bounds).factor,
            Estimate::exactly(1.0)
        );
    }
}
