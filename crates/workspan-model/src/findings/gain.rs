//! What a change can bring.

use crate::{Nanos, Span, Work};

/// The expected time of a program on a number of cores, before a change and after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// The cores.
    pub cores: u32,
    /// Expected time as the program is.
    pub now: Nanos,
    /// Expected time after the change, which is taken to do all that it can.
    pub after: Nanos,
    /// What tells of the program after the change.
    pub estimate: Estimate,
}

/// What tells of a program after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// The profile: the part of the span that the change is about is taken off. Another path may then be the longest, so
    /// that the gain is at most this.
    Bounds,
    /// The task dag of the run, changed so: the longest path is that of the changed program.
    WhatIf,
}

impl Estimate {
    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bounds => "bounds",
            Self::WhatIf => "what_if",
        }
    }
}

impl Gain {
    /// From one expectation to another.
    pub(super) fn of(now: Expectation, after: Expectation, cores: u32, estimate: Estimate) -> Self {
        Self {
            cores,
            estimate,
            now: now.time(cores),
            after: after.time(cores),
        }
    }

    /// How many times as fast the program gets, at most; 1 for one that takes no time.
    pub fn factor(&self) -> f64 {
        match (self.now.shown(), self.after.shown()) {
            (0, _) => 1.0,
            (now, after) => now as f64 / after.max(1) as f64,
        }
    }
}

/// What the expected time of a program follows from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Expectation {
    pub(super) work: Work,
    /// Cost of making and scheduling tasks, which is no part of the work.
    pub(super) tasking: Nanos,
    /// Cost of the steals that there were.
    pub(super) steals: Nanos,
    pub(super) burdened_span: Span,
    /// What is done under the lock that is held longest.
    pub(super) locked: Span,
}

impl Expectation {
    /// The time on `cores` cores: what they do, shared evenly, and the burdened span, or what is done under one lock if
    /// that is longer.
    ///
    /// That is the bound on greedy scheduling (Cilkview §2, T_P ≤ T₁/P + T∞), with the burdened span of §3. No
    /// schedule beats the larger of the two terms, so the bound is at most twice the truth where no lock is. Locks are no
    /// part of that theorem, but no schedule beats the time of one either ([`Lock::held`](crate::Lock::held)).
    pub(super) fn time(self, cores: u32) -> Nanos {
        let shared = self.work.time() + self.tasking + self.steals;
        let each = Nanos::from_nanos_f64(shared.shown() as f64 / f64::from(cores));
        let longest = self.burdened_span.max(self.locked);
        each + longest.time().max(Nanos::ZERO)
    }

    /// The same with so much less span.
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
        burdened_span: Span::from_nanos(30),
        locked: Span::from_nanos(10),
    };

    #[test]
    fn the_time_is_that_of_greedy_scheduling() {
        // (500 + 100 + 40) / 64 + 30.
        assert_eq!(EXPECTATION.time(64), Nanos::from_nanos(40));
        assert_eq!(EXPECTATION.time(1), Nanos::from_nanos(670));
    }

    #[test]
    fn what_is_done_under_a_lock_is_done_by_one_core() {
        let locked = Expectation {
            locked: Span::from_nanos(120),
            ..EXPECTATION
        };
        // (500 + 100 + 40) / 64 + 120.
        assert_eq!(locked.time(64), Nanos::from_nanos(130));
        let span_cut = locked.with_less_span(Nanos::from_nanos(30));
        assert_eq!(span_cut.time(64), locked.time(64));
    }

    #[test]
    fn the_gain_is_the_ratio_of_the_times() {
        let after = EXPECTATION.with_less_span(Nanos::from_nanos(20));
        let gain = Gain::of(EXPECTATION, after, 64, Estimate::Bounds);
        assert_eq!(gain.after, Nanos::from_nanos(20));
        assert_eq!(gain.factor(), 2.0);
        let nothing = EXPECTATION.with_less_span(Nanos::from_nanos(31));
        assert_eq!(nothing.burdened_span, Span::ZERO);
        let empty = Expectation::default();
        assert_eq!(Gain::of(empty, empty, 64, Estimate::Bounds).factor(), 1.0);
    }
}
