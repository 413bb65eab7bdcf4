//! Measured quantities, as types that do not mix.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub};

use serde::{Deserialize, Serialize, Serializer};

/// A time in nanoseconds; in a profile of another [`Metric`](crate::Metric) than time, a number of
/// events.
///
/// Signed: the profiler subtracts its own cost from every strand, so the sum over many short
/// strands may fall a little below zero. [`Nanos::shown`] is the value for display. Sums saturate.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(transparent)]
pub struct Nanos(i64);

impl Nanos {
    /// No time.
    pub const ZERO: Self = Self(0);

    /// A time of `nanos` nanoseconds.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// A time of `nanos` nanoseconds, rounded to the nearest integer; saturates, and NaN becomes 0.
    pub fn from_nanos_f64(nanos: f64) -> Self {
        Self(nanos.round() as i64)
    }

    /// The nanoseconds, as measured.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// The nanoseconds to show: a negative sum is measurement noise and shows as 0.
    pub fn shown(self) -> u64 {
        self.0.max(0).unsigned_abs()
    }

    /// Serialises it as it is shown.
    pub(crate) fn serialize_shown<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.shown())
    }

    /// `self` as a share of `whole`; 0 if `whole` is not positive or `self` is negative.
    pub fn share_of(self, whole: Self) -> f64 {
        if whole.0 <= 0 {
            0.0
        } else {
            self.shown() as f64 / whole.0 as f64
        }
    }
}

/// `nanos` for each of `threads`.
pub(crate) fn times(nanos: Nanos, threads: u32) -> Nanos {
    Nanos::from_nanos(nanos.as_nanos().saturating_mul(threads.into()))
}

impl Add for Nanos {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Nanos {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Neg for Nanos {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Nanos {
    fn sum<I: Iterator<Item = Self>>(times: I) -> Self {
        times.fold(Self::ZERO, Add::add)
    }
}

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
        #[serde(transparent)]
        pub struct $name(Nanos);

        impl $name {
            /// None.
            pub const ZERO: Self = Self(Nanos::ZERO);

            /// This quantity, of `nanos` nanoseconds.
            pub const fn from_nanos(nanos: i64) -> Self {
                Self(Nanos::from_nanos(nanos))
            }

            /// This quantity as a plain time.
            pub const fn time(self) -> Nanos {
                self.0
            }
        }

        impl From<Nanos> for $name {
            fn from(time: Nanos) -> Self {
                Self(time)
            }
        }

        impl Add for $name {
            type Output = Self;

            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }

        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(quantities: I) -> Self {
                quantities.fold(Self::ZERO, Add::add)
            }
        }
    };
}

quantity! {
    /// Work T₁: the total time of all strands.
    Work
}

quantity! {
    /// Span T∞: the time of the longest path of strands that depend on one another.
    Span
}

/// Parallelism T₁/T∞ (Cilkview §2): the average number of strands that could run at once.
///
/// `None` if there is no span to divide by.
pub fn parallelism(work: Work, span: Span) -> Option<f64> {
    let (work, span) = (work.time(), span.time());
    (span > Nanos::ZERO).then(|| work.shown() as f64 / span.as_nanos() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_sums_are_kept_but_show_as_zero() {
        let sum: Nanos = [Nanos::from_nanos(5), Nanos::from_nanos(-8)]
            .into_iter()
            .sum();
        assert_eq!(sum.as_nanos(), -3);
        assert_eq!(sum.shown(), 0);
        assert_eq!(sum.share_of(Nanos::from_nanos(10)), 0.0);
    }

    #[test]
    fn sums_saturate() {
        let most = Nanos::from_nanos(i64::MAX);
        assert_eq!(most + most, most);
        assert_eq!(Nanos::from_nanos_f64(1e300), most);
        assert_eq!(Nanos::from_nanos_f64(f64::NAN), Nanos::ZERO);
    }

    #[test]
    fn parallelism_of_the_quicksort_of_cilkview_figure_6() {
        let parallelism = parallelism(
            Work::from_nanos(5_570_609_776),
            Span::from_nanos(261_374_874),
        )
        .unwrap();
        assert!((parallelism - 21.31).abs() < 0.005, "{parallelism}");
    }

    #[test]
    fn parallelism_needs_a_span() {
        assert_eq!(parallelism(Work::from_nanos(5), Span::ZERO), None);
        assert_eq!(parallelism(Work::from_nanos(5), Span::from_nanos(-1)), None);
    }
}
