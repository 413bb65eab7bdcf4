//! What a change can bring.

use crate::{Nanos, Span, Work};

/// The expected time of a program on a number of cores, before and after a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// The cores.
    pub cores: u32,
    /// The expected time of the program as it is.
    pub now: Nanos,
    /// The expected time after the change, assuming that it does everything it can.
    pub after: Nanos,
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
    pub(super) fn new(
        now: Expectation,
        after: Expectation,
        cores: u32,
        estimate: EstimatedBy,
    ) -> Self {
        Self {
            cores,
            estimate,
            now: now.time(cores),
            after: after.time(cores),
        }
    }

    /// The speedup from the change, at most; 1 for a program that takes no time.
    pub fn factor(&self) -> f64 {
        match (self.now.shown(), self.after.shown()) {
            (0, _) => 1.0,
            (now, after) => now as f64 / after.max(1) as f64,
        }
    }
}

/// The figures from which the expected time of a program follows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Expectation {
    pub(super) work: Work,
    /// Cost of creating and scheduling tasks, which is not part of the work.
    pub(super) tasking: Nanos,
    /// Cost of the steals that were made.
    pub(super) steals: Nanos,
    pub(super) burdened_span: Span,
    /// The work done under the lock that is held longest.
    pub(super) locked: Span,
}

impl Expectation {
    /// The time on `cores` cores: everything done, divided evenly, plus the part of the longer of the
    /// burdened span and the work under one lock that is not in its share.
    ///
    /// This is the bound on greedy scheduling (Brent 1974, T_P ≤ (T₁ − T∞)/P + T∞), with the burdened
    /// span of Cilkview §3. No schedule beats the larger of the two terms, so without locks the bound is at
    /// most twice the truth. Locks are not part of that theorem, but no schedule beats the time of
    /// one either ([`Lock::held`](crate::Lock::held)).
    pub(super) fn time(self, cores: u32) -> Nanos {
        let shared = self.work.time() + self.tasking + self.steals;
        let each = Nanos::from_nanos_f64(shared.shown() as f64 / f64::from(cores));
        let longest = self.burdened_span.max(self.locked);
        let alone = longest.time().max(Nanos::ZERO).shown() as f64;
        each + Nanos::from_nanos_f64(alone * (1.0 - 1.0 / f64::from(cores)))
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
        assert_eq!(EXPECTATION.time(64), Nanos::from_nanos(640));
        assert_eq!(EXPECTATION.time(1), Nanos::from_nanos(640));
    }

    #[test]
    fn work_under_a_lock_is_done_by_one_core() {
        let locked = Expectation {
            locked: Span::from_nanos(1_280),
            ..EXPECTATION
        };
        // (500 + 100 + 40) / 64 + 1280 · 63/64.
        assert_eq!(locked.time(64), Nanos::from_nanos(1_270));
        let span_cut = locked.with_less_span(Nanos::from_nanos(640));
        assert_eq!(span_cut.time(64), locked.time(64));
    }

    #[test]
    fn the_gain_is_the_ratio_of_the_times() {
        let after = EXPECTATION.with_less_span(Nanos::from_nanos(320));
        let gain = Gain::new(EXPECTATION, after, 64, EstimatedBy::Bounds);
        // 10 + 320 · 63/64.
        assert_eq!(gain.after, Nanos::from_nanos(325));
        assert_eq!(gain.factor(), 640.0 / 325.0);
        let nothing = EXPECTATION.with_less_span(Nanos::from_nanos(641));
        assert_eq!(nothing.burdened_span, Span::ZERO);
        let empty = Expectation::default();
        assert_eq!(
            Gain::new(empty, empty, 64, EstimatedBy::Bounds).factor(),
            1.0
        );
    }
}
