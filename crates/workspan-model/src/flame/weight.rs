//! The weight of a frame.

use std::ops::AddAssign;

use crate::{Span, Work};

/// The quantities that a frame's width can stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlameWeight {
    /// Work.
    pub work: Work,
    /// Time on the critical path.
    pub span: Span,
    /// Time on the longest burdened path; 0 without a task dag.
    pub burdened_span: Span,
    /// Samples on the work, in periods.
    pub samples: f64,
}

impl AddAssign for FlameWeight {
    fn add_assign(&mut self, other: Self) {
        self.work += other.work;
        self.span += other.span;
        self.burdened_span += other.burdened_span;
        self.samples += other.samples;
    }
}

impl FlameWeight {
    /// The shares that it has of `whole`: of the work, the span, the burdened span and the samples.
    pub fn shares_of(&self, whole: &Self) -> [f64; 4] {
        let samples = if whole.samples > 0.0 {
            self.samples / whole.samples
        } else {
            0.0
        };
        [
            self.work.time().share_of(whole.work.time()),
            self.span.time().share_of(whole.span.time()),
            self.burdened_span
                .time()
                .share_of(whole.burdened_span.time()),
            samples,
        ]
    }

    pub(super) fn largest_share_of(&self, whole: &Self) -> f64 {
        self.shares_of(whole).into_iter().fold(0.0, f64::max)
    }
}
