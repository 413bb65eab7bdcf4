//! Moments from which the rate of a clock is computed.

use super::{chosen, monotonic_nanos, now, Clock};

/// Two clocks read at one moment. Two marks give the rate.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    ticks: i64,
    nanos: i64,
}

impl Mark {
    pub(crate) fn now() -> Self {
        // Of several tries, the one with the least time between the readings.
        let attempt = || {
            let before = now();
            let nanos = monotonic_nanos();
            let after = now();
            let ticks = before + (after - before) / 2;
            (after - before, Self { ticks, nanos })
        };
        let tries = (0..5).map(|_| attempt());
        let (_, mark) = tries
            .min_by_key(|(distance, _)| *distance)
            .expect("several tries");
        mark
    }

    /// Whether the mark is old enough for the rate. Under a millisecond, the distance between the
    /// two readings of a mark would show.
    pub(crate) fn is_old(self) -> bool {
        monotonic_nanos() - self.nanos >= 1_000_000
    }

    /// The moment, by [`monotonic_nanos`].
    pub(crate) fn nanos(self) -> i64 {
        self.nanos
    }

    /// Nanoseconds from `self` to now.
    pub(crate) fn nanos_since(self) -> i64 {
        monotonic_nanos() - self.nanos
    }

    /// Ticks of the chosen clock a second, from `self` to now.
    pub(crate) fn ticks_per_second(self) -> f64 {
        if chosen() != Clock::Tsc {
            return 1e9;
        }
        while !self.is_old() {
            std::hint::spin_loop();
        }
        let end = Self::now();
        (end.ticks - self.ticks) as f64 * 1e9 / (end.nanos - self.nanos) as f64
    }
}
