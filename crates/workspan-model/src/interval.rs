//! What is known of a span, and of the parallelism that follows, when strands were timed together.

use serde::{Deserialize, Serialize};

use crate::{Nanos, Span, Work, parallelism};

/// An interval is worth telling from this width on either side, as a share of the span.
const OPEN_SHARE: f64 = 0.01;

/// The interval that a span lies within.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpanInterval {
    /// No shorter than this.
    pub lower: Span,
    /// No longer than this.
    pub upper: Span,
    /// Whether it is wide enough to matter: more than a hundredth of the span on either side.
    pub is_open: bool,
}

/// The interval that a parallelism lies within.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ParallelismInterval {
    /// No less than this.
    pub lower: f64,
    /// No more than this; `None` when the span may be nothing.
    pub upper: Option<f64>,
}

impl SpanInterval {
    /// The interval from `open` below `span`, but not below 0, to `open` above it.
    pub fn around(span: Span, open: Nanos) -> Self {
        let (time, open) = (span.time(), open.max(Nanos::ZERO));
        Self {
            lower: Span::from((time - open).max(Nanos::ZERO).min(time)),
            upper: Span::from(time + open),
            is_open: open.share_of(time) > OPEN_SHARE
                || (time <= Nanos::ZERO && open > Nanos::ZERO),
        }
    }

    /// The part of the interval up to `work`: strands on one path are no more than all strands. The
    /// span itself stays inside, though measuring noise may have put it above the work.
    pub fn within_work(self, span: Span, work: Work) -> Self {
        let most = Span::from(work.time().max(span.time()));
        Self {
            upper: self.upper.min(most),
            ..self
        }
    }

    /// The parallelism of `work` with a span of this interval; 1 for a program without span.
    pub fn parallelism(self, work: Work) -> ParallelismInterval {
        match parallelism(work, self.upper) {
            None => ParallelismInterval {
                lower: 1.0,
                upper: Some(1.0),
            },
            Some(lower) => ParallelismInterval {
                lower,
                upper: parallelism(work, self.lower),
            },
        }
    }
}

impl ParallelismInterval {
    /// That of what nothing limits.
    pub(crate) const UNLIMITED: Self = Self {
        lower: f64::INFINITY,
        upper: None,
    };

    /// Exactly this.
    pub(crate) const fn exactly(parallelism: f64) -> Self {
        Self {
            lower: parallelism,
            upper: Some(parallelism),
        }
    }

    /// What is left of the parallelism where no speedup exceeds `most`.
    pub(crate) fn at_most(self, most: Self) -> Self {
        let upper = self.upper_or_infinite().min(most.upper_or_infinite());
        Self {
            lower: self.lower.min(most.lower),
            upper: upper.is_finite().then_some(upper),
        }
    }

    /// The parallelism where what takes so long that no speedup exceeds `most` comes on top of the span, once.
    pub(crate) fn after(self, most: Self) -> Self {
        let both = |parallelism: f64, most: f64| parallelism / (1.0 + parallelism / most);
        Self {
            lower: both(self.lower, most.lower),
            upper: match (self.upper, most.upper) {
                (Some(upper), most) => Some(both(upper, most.unwrap_or(f64::INFINITY))),
                (None, most) => most,
            },
        }
    }

    /// The upper end, infinite when there is none.
    pub fn upper_or_infinite(self) -> f64 {
        self.upper.unwrap_or(f64::INFINITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORK: Work = Work::from_nanos(2_000);

    fn around(span: i64, open: i64) -> SpanInterval {
        SpanInterval::around(Span::from_nanos(span), Nanos::from_nanos(open))
    }

    fn ends(interval: SpanInterval) -> (i64, i64) {
        let nanos = |span: Span| span.time().as_nanos();
        (nanos(interval.lower), nanos(interval.upper))
    }

    #[test]
    fn an_interval_lies_around_the_span_and_never_below_zero() {
        assert_eq!(ends(around(1_000, 300)), (700, 1_300));
        assert_eq!(ends(around(1_000, 1_500)), (0, 2_500));
        assert_eq!(ends(around(-5, 20)), (-5, 15));
        assert_eq!(ends(around(1_000, -4)), (1_000, 1_000));
    }

    #[test]
    fn an_interval_matters_from_a_hundredth_of_the_span() {
        assert!(!around(1_000, 0).is_open);
        assert!(!around(1_000, 10).is_open);
        assert!(around(1_000, 11).is_open);
        assert!(around(0, 1).is_open);
        assert!(!around(0, 0).is_open);
    }

    #[test]
    fn a_span_is_no_more_than_the_work() {
        let span = Span::from_nanos(1_500);
        assert_eq!(
            ends(around(1_500, 900).within_work(span, WORK)),
            (600, 2_000)
        );
        let noisy = Span::from_nanos(2_010);
        assert_eq!(
            ends(around(2_010, 900).within_work(noisy, WORK)),
            (1_110, 2_010)
        );
    }

    #[test]
    fn parallelism_is_highest_where_the_span_is_lowest() {
        let interval = around(500, 300).parallelism(WORK);
        assert_eq!((interval.lower, interval.upper), (2.5, Some(10.0)));
        let open = around(500, 500).parallelism(WORK);
        assert_eq!((open.lower, open.upper), (2.0, None));
        assert_eq!(open.upper_or_infinite(), f64::INFINITY);
        let none = around(0, 0).parallelism(WORK);
        assert_eq!((none.lower, none.upper), (1.0, Some(1.0)));
    }
}
