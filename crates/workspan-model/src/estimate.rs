//! A figure with its interval.

use serde::{Deserialize, Serialize};

use crate::{Nanos, Span, Work, parallelism};

/// A figure, and the interval in which it lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct Estimate<T> {
    /// The figure
    pub value: T,
    /// Lower end of its interval
    pub low: T,
    /// Upper end of its interval
    pub high: T,
}

impl<T: Copy> Estimate<T> {
    /// A figure that is known exactly.
    pub const fn exactly(value: T) -> Self {
        Self {
            value,
            low: value,
            high: value,
        }
    }

    /// The estimate of another figure, which increases with this one.
    pub fn map<U>(self, figure: impl Fn(T) -> U) -> Estimate<U> {
        Estimate {
            value: figure(self.value),
            low: figure(self.low),
            high: figure(self.high),
        }
    }
}

impl Estimate<f64> {
    /// A time in nanoseconds. It may be negative.
    pub(crate) fn nanos(self) -> Estimate<Nanos> {
        self.map(Nanos::from_nanos_f64)
    }
}

/// An interval matters if it extends further than this to either side, as a share of the span.
const WIDE_SHARE: f64 = 0.01;

/// The interval within which a span lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpanInterval {
    /// The span is no shorter than this.
    pub lower: Span,
    /// The span is no longer than this.
    pub upper: Span,
    /// Whether the interval is wide enough to matter: more than a hundredth of the span on either
    /// side.
    #[serde(rename = "is_open")]
    pub is_wide: bool,
}

/// The interval within which a parallelism lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct ParallelismInterval {
    /// No less than this
    pub lower: f64,
    /// No more than this; null when the span may be nothing, or when it is not known how much delays
    /// lengthened it
    pub upper: Option<f64>,
}

/// From the least to the most that a span may be, each over the measured span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Factors {
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl SpanInterval {
    /// The interval from `error` below `span`, but not below 0, to `error` above it.
    pub fn around(span: Span, error: Nanos) -> Self {
        let (time, error) = (span.time(), error.max(Nanos::ZERO));
        Self {
            lower: Span::from((time - error).max(Nanos::ZERO).min(time)),
            upper: Span::from(time + error),
            is_wide: error.share_of(time) > WIDE_SHARE
                || (time <= Nanos::ZERO && error > Nanos::ZERO),
        }
    }

    /// The interval if `span` itself, which lies in it, may be off by these factors.
    pub(crate) fn widened(self, span: Span, factors: Factors) -> Self {
        let time = span.time().max(Nanos::ZERO);
        let by = |factor: f64| Nanos::from_nanos_f64(time.as_nanos() as f64 * (factor - 1.0));
        let (less, more) = (-by(factors.least), by(factors.most));
        Self {
            lower: Span::from((self.lower.time() - less).max(Nanos::ZERO)).min(self.lower),
            upper: Span::from(self.upper.time() + more),
            is_wide: self.is_wide || less.max(more).share_of(time) > WIDE_SHARE,
        }
    }

    /// The interval if `span`, which lies in it, may be longer by `more`.
    pub(crate) fn longer_by(self, more: Nanos, span: Span) -> Self {
        Self {
            upper: Span::from(self.upper.time() + more),
            is_wide: self.is_wide || more.share_of(span.time()) > WIDE_SHARE,
            ..self
        }
    }

    /// The part of the interval up to `work`: the strands on one path cannot take longer than all
    /// strands. `span` itself stays inside, even if measurement noise put it above the work.
    pub fn within_work(self, span: Span, work: Work) -> Self {
        let most = Span::from(work.time().max(span.time()));
        Self {
            upper: self.upper.min(most),
            ..self
        }
    }

    /// The parallelism of `work` with a span in this interval; 1 for a program without span.
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
    /// No limit at all.
    pub(crate) const UNLIMITED: Self = Self {
        lower: f64::INFINITY,
        upper: None,
    };

    /// A parallelism that is known exactly.
    pub const fn exactly(parallelism: f64) -> Self {
        Self {
            lower: parallelism,
            upper: Some(parallelism),
        }
    }

    /// The parallelism if no speedup exceeds `most`.
    pub(crate) fn at_most(self, most: Self) -> Self {
        let upper = self.upper_or_infinite().min(most.upper_or_infinite());
        Self {
            lower: self.lower.min(most.lower),
            upper: upper.is_finite().then_some(upper),
        }
    }

    /// The parallelism if something that by itself limits the speedup to `most` is added to the
    /// span.
    pub(crate) fn in_series_with(self, most: Self) -> Self {
        let both = |parallelism: f64, most: f64| parallelism / (1.0 + parallelism / most);
        Self {
            lower: both(self.lower, most.lower),
            upper: match (self.upper, most.upper) {
                (Some(upper), most) => Some(both(upper, most.unwrap_or(f64::INFINITY))),
                (None, most) => most,
            },
        }
    }

    /// The upper end; infinite if there is none.
    pub fn upper_or_infinite(self) -> f64 {
        self.upper.unwrap_or(f64::INFINITY)
    }
}

/// A figure over several runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct Spread<T> {
    /// The middle one; of an even number of runs the lower of the two in the middle
    pub median: T,
    /// The least
    pub least: T,
    /// The most
    pub most: T,
}

impl<T: Copy + PartialOrd> Spread<T> {
    /// The spread of `figures`; `None` if there are none.
    pub fn new(figures: impl IntoIterator<Item = T>) -> Option<Self> {
        let mut figures: Vec<T> = figures.into_iter().collect();
        figures.sort_by(|one, other| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
        Some(Self {
            median: *figures.get(median_index(figures.len()))?,
            least: *figures.first()?,
            most: *figures.last()?,
        })
    }
}

/// Where the median stands among `count` sorted figures.
pub(crate) const fn median_index(count: usize) -> usize {
    count.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORK: Work = Work::from_nanos(2_000);

    fn around(span: i64, error: i64) -> SpanInterval {
        SpanInterval::around(Span::from_nanos(span), Nanos::from_nanos(error))
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
        assert!(!around(1_000, 0).is_wide);
        assert!(!around(1_000, 10).is_wide);
        assert!(around(1_000, 11).is_wide);
        assert!(around(0, 1).is_wide);
        assert!(!around(0, 0).is_wide);
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

#[cfg(test)]
mod spread_tests {
    use super::*;

    fn spread(figures: &[f64]) -> (f64, f64, f64) {
        let Spread {
            median,
            least,
            most,
        } = Spread::new(figures.iter().copied()).unwrap();
        (median, least, most)
    }

    #[test]
    fn the_median_was_measured() {
        assert_eq!(spread(&[5.0]), (5.0, 5.0, 5.0));
        assert_eq!(spread(&[5.0, 1.0]), (1.0, 1.0, 5.0));
        assert_eq!(spread(&[5.0, 1.0, 3.0]), (3.0, 1.0, 5.0));
        assert_eq!(spread(&[9.0, 5.0, 1.0, 3.0]), (3.0, 1.0, 9.0));
        assert_eq!(Spread::<u64>::new([]), None);
    }
}
