//! A figure with its interval.

use serde::Serialize;

use crate::{Nanos, Span, Work, parallelism};

/// A figure, and the interval in which it lies. An end that is not known is infinite.
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

    /// The lower and the upper end of the interval.
    pub fn ends(self) -> [T; 2] {
        [self.low, self.high]
    }
}

impl<T: Copy + PartialOrd> Estimate<T> {
    /// Whether the interval is more than one figure.
    pub fn is_range(self) -> bool {
        self.low < self.high
    }

    /// With an interval that holds all of `figures`, too.
    pub fn with(self, figures: impl IntoIterator<Item = T>) -> Self {
        figures.into_iter().fold(self, |it, figure| Self {
            low: if figure < it.low { figure } else { it.low },
            high: if figure > it.high { figure } else { it.high },
            ..it
        })
    }

    /// The median of `figures` (of an even number the lower of the two in the middle), from the
    /// least to the most of them; `None` if there are none.
    pub fn over_runs(figures: impl IntoIterator<Item = T>) -> Option<Self> {
        let mut figures: Vec<T> = figures.into_iter().collect();
        figures.sort_by(|one, other| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
        Some(Self {
            value: *figures.get(median_index(figures.len()))?,
            low: *figures.first()?,
            high: *figures.last()?,
        })
    }
}

impl Estimate<f64> {
    /// A figure of which nothing more is known.
    pub(crate) const fn without_ends(value: f64) -> Self {
        Self {
            value,
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
        }
    }

    /// Half the width of the interval.
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// A time in nanoseconds. It may be negative.
    pub(crate) fn nanos(self) -> Estimate<Nanos> {
        self.map(Nanos::from_nanos_f64)
    }
}

/// An interval matters if it extends further than this to either side, as a share of the span.
const WIDE_SHARE: f64 = 0.01;

/// From the least to the most that a span may be, each over the measured span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Factors {
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Estimate<Span> {
    /// The interval from `error` below `span`, but not below 0, to `error` above it.
    pub fn around(span: Span, error: Nanos) -> Self {
        let (time, error) = (span.time(), error.max(Nanos::ZERO));
        Self {
            value: span,
            low: Span::from((time - error).max(Nanos::ZERO).min(time)),
            high: Span::from(time + error),
        }
    }

    /// Whether the interval is wide enough to matter: more than a hundredth of the span on either
    /// side.
    pub fn is_wide(self) -> bool {
        let [value, low, high] = [self.value, self.low, self.high].map(Span::time);
        let error = (value - low).max(high - value);
        error.share_of(value) > WIDE_SHARE || (value <= Nanos::ZERO && error > Nanos::ZERO)
    }

    /// The interval if the span itself may be off by these factors.
    pub(crate) fn widened(self, factors: Factors) -> Self {
        let time = self.value.time().max(Nanos::ZERO);
        let by = |factor: f64| Nanos::from_nanos_f64(time.as_nanos() as f64 * (factor - 1.0));
        let (low, high) = (self.low.time() + by(factors.least), self.high.time());
        Self {
            low: Span::from(low.max(Nanos::ZERO)).min(self.low),
            high: Span::from(high + by(factors.most)),
            ..self
        }
    }

    /// The interval if the span may be longer by `more`.
    pub(crate) fn longer_by(self, more: Nanos) -> Self {
        Self {
            high: Span::from(self.high.time() + more),
            ..self
        }
    }

    /// The part of the interval up to `work`: the strands on one path cannot take longer than all
    /// strands. The span itself stays inside, even if measurement noise put it above the work.
    pub fn within_work(self, work: Work) -> Self {
        let most = Span::from(work.time()).max(self.value);
        Self {
            high: self.high.min(most),
            ..self
        }
    }

    /// The parallelism of `work` with this span; 1 for a program without span.
    pub fn parallelism(self, work: Work) -> Estimate<f64> {
        let with = |span| parallelism(work, span);
        let Some(low) = with(self.high) else {
            return Estimate::exactly(1.0);
        };
        Estimate {
            value: with(self.value).unwrap_or(1.0),
            low,
            high: with(self.low).unwrap_or(f64::INFINITY),
        }
    }
}

impl Estimate<f64> {
    /// The parallelism if no speedup exceeds `most`.
    pub(crate) fn at_most(self, most: Self) -> Self {
        Self {
            value: self.value.min(most.value),
            low: self.low.min(most.low),
            high: self.high.min(most.high),
        }
    }

    /// The parallelism if something that by itself limits the speedup to `most` is added to the
    /// span.
    pub(crate) fn in_series_with(self, most: Self) -> Self {
        let both = |parallelism: f64, most: f64| match parallelism {
            f64::INFINITY => most,
            _ => parallelism / (1.0 + parallelism / most),
        };
        Self {
            value: both(self.value, most.value),
            low: both(self.low, most.low),
            high: both(self.high, most.high),
        }
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

    fn around(span: i64, error: i64) -> Estimate<Span> {
        Estimate::around(Span::from_nanos(span), Nanos::from_nanos(error))
    }

    fn ends(span: Estimate<Span>) -> (i64, i64) {
        let nanos = |span: Span| span.time().as_nanos();
        (nanos(span.low), nanos(span.high))
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
        assert!(!around(1_000, 0).is_wide());
        assert!(!around(1_000, 10).is_wide());
        assert!(around(1_000, 11).is_wide());
        assert!(around(0, 1).is_wide());
        assert!(!around(0, 0).is_wide());
    }

    #[test]
    fn a_span_is_no_more_than_the_work() {
        assert_eq!(ends(around(1_500, 900).within_work(WORK)), (600, 2_000));
        assert_eq!(ends(around(2_010, 900).within_work(WORK)), (1_110, 2_010));
    }

    #[test]
    fn parallelism_is_highest_where_the_span_is_lowest() {
        let interval = around(500, 300).parallelism(WORK);
        assert_eq!(
            (interval.low, interval.value, interval.high),
            (2.5, 4.0, 10.0)
        );
        let open = around(500, 500).parallelism(WORK);
        assert_eq!(open.ends(), [2.0, f64::INFINITY]);
        let none = around(0, 0).parallelism(WORK);
        assert_eq!(none, Estimate::exactly(1.0));
    }

    #[test]
    fn the_median_was_measured() {
        let over = |figures: &[f64]| {
            let Estimate { value, low, high } = Estimate::over_runs(figures.iter().copied())?;
            Some((value, low, high))
        };
        assert_eq!(over(&[5.0]), Some((5.0, 5.0, 5.0)));
        assert_eq!(over(&[5.0, 1.0]), Some((1.0, 1.0, 5.0)));
        assert_eq!(over(&[5.0, 1.0, 3.0]), Some((3.0, 1.0, 5.0)));
        assert_eq!(over(&[9.0, 5.0, 1.0, 3.0]), Some((3.0, 1.0, 9.0)));
        assert_eq!(over(&[]), None);
    }
}
