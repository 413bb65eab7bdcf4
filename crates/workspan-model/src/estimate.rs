//! A figure with its interval.

use serde::Serialize;

use crate::Nanos;

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
