//! Figures computed from the means of several groups of runs.

use crate::Nanos;

/// A figure computed from the means of several groups of runs, such as a speedup, with its 95%
/// confidence interval: a percentile bootstrap, as uncertain as that of a mean
/// ([`TimeEstimate`](super::TimeEstimate)).
///
/// Ratios are those of means, not means of ratios (Acar et al. §2.7).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RatioEstimate {
    /// The figure.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// A time computed from the means of several groups of runs, such as work inflation, with its 95%
/// confidence interval, which is that of a [`RatioEstimate`]. It may be negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DerivedTime {
    /// The time.
    pub value: Nanos,
    /// Lower end of the interval.
    pub low: Nanos,
    /// Upper end of the interval.
    pub high: Nanos,
}

impl RatioEstimate {
    /// A figure that is known exactly.
    pub const fn exactly(value: f64) -> Self {
        Self {
            value,
            low: value,
            high: value,
        }
    }

    /// This figure divided by `divisor`, which must be positive.
    #[must_use]
    pub fn over(self, divisor: f64) -> Self {
        Self {
            value: self.value / divisor,
            low: self.low / divisor,
            high: self.high / divisor,
        }
    }
}

impl DerivedTime {
    pub(super) fn from_nanos(nanos: RatioEstimate) -> Self {
        Self {
            value: Nanos::from_nanos_f64(nanos.value),
            low: Nanos::from_nanos_f64(nanos.low),
            high: Nanos::from_nanos_f64(nanos.high),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_over_another() {
        let work = RatioEstimate {
            value: 6.0,
            low: 4.0,
            high: 9.0,
        };
        let half = RatioEstimate {
            value: 3.0,
            low: 2.0,
            high: 4.5,
        };
        assert_eq!(work.over(2.0), half);
    }
}
