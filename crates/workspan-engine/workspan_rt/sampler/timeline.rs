//! When the samples were taken: how much ran in each part of a session, in strands and outside.
//!
//! How long a session lasts is known only at its end. So there are scales, each with parts twice as
//! long as those of the scale before. A sample is added to the finest scale that has a part for its
//! moment, and the writer adds the parts of finer scales to those of the first that the whole
//! session fits in.
//!
//! What a sample stands for lies before its moment, and may be several periods: the kernel looks at
//! timers only when its clock ticks. It is put wholly into the part of the moment. The shortest part
//! is as long as two usual ticks, so that this moves little to a later part, unless signals are late.
//!
//! # Why the handler may do what it does
//!
//! It adds to atomics in static memory, and reads the time as others do in a handler. Handlers of
//! several threads may add at once. Sums do not depend on the order, and nothing else is concluded
//! from them, so relaxed additions suffice. While they are cleared or written no handler is at work:
//! see [the module above](super).

use crate::clock;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// The length of a part of the finest scale, in nanoseconds.
const SHORTEST: i64 = 8_000_000;
/// How many parts a scale has.
const PARTS: usize = 256;
/// Enough for 49 days.
const SCALES: usize = 22;

pub(super) static TIMELINE: Timeline = Timeline::new();

pub(super) struct Timeline {
    /// When the session began.
    began: AtomicI64,
    /// By scale and part, the periods in strands and those outside.
    periods: [[[AtomicU64; 2]; PARTS]; SCALES],
}

/// The finest scale that has a part for the moment `at` nanoseconds after the beginning.
fn scale_of(at: i64) -> Option<usize> {
    (0..SCALES).find(|scale| at < (SHORTEST << scale) * PARTS as i64)
}

impl Timeline {
    const fn new() -> Self {
        Self {
            began: AtomicI64::new(0),
            periods: [const { [const { [const { AtomicU64::new(0) }; 2] }; PARTS] }; SCALES],
        }
    }

    /// Begins a session.
    pub(super) fn begin(&self) {
        self.began.store(clock::moment(), Ordering::Relaxed);
        for periods in self.periods.as_flattened().as_flattened() {
            periods.store(0, Ordering::Relaxed);
        }
    }

    /// Adds a sample of this moment.
    pub(super) fn add(&self, periods: u64, is_outside: bool) {
        let at = clock::moment() - self.began.load(Ordering::Relaxed);
        self.add_at(at.max(0), periods, is_outside);
    }

    fn add_at(&self, at: i64, periods: u64, is_outside: bool) {
        if let Some(scale) = scale_of(at) {
            let part = &self.periods[scale][(at / (SHORTEST << scale)) as usize];
            part[usize::from(is_outside)].fetch_add(periods, Ordering::Relaxed);
        }
    }

    /// Writes the record of a session of `elapsed` nanoseconds.
    pub(super) fn write(&self, text: &mut String, elapsed: i64) {
        let Some(scale) = scale_of(elapsed - 1).filter(|_| elapsed > 0) else {
            return;
        };
        let length = SHORTEST << scale;
        let mut parts = vec![[0; 2]; ((elapsed - 1) / length) as usize + 1];
        for (finer, periods) in self.periods[..=scale].iter().enumerate() {
            for (part, [in_strands, outside]) in periods.iter().enumerate() {
                // What ran after the end is in none.
                if let Some(sums) = parts.get_mut(part >> (scale - finer)) {
                    sums[0] += in_strands.load(Ordering::Relaxed);
                    sums[1] += outside.load(Ordering::Relaxed);
                }
            }
        }
        let _ = write!(text, "timeline {length}");
        for [in_strands, outside] in parts {
            let _ = write!(text, " {in_strands} {outside}");
        }
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(timeline: &Timeline, elapsed: i64) -> Vec<i64> {
        let mut text = String::new();
        timeline.write(&mut text, elapsed);
        let numbers = text.split_whitespace().skip(1);
        numbers.map(|number| number.parse().unwrap()).collect()
    }

    #[test]
    fn the_finest_scale_is_that_of_the_whole_session() {
        let whole = SHORTEST * PARTS as i64;
        let timeline = Timeline::new();
        for (elapsed, length, parts) in [
            (1, SHORTEST, 1),
            (SHORTEST, SHORTEST, 1),
            (SHORTEST + 1, SHORTEST, 2),
            (whole, SHORTEST, PARTS),
            (whole + 1, 2 * SHORTEST, PARTS / 2 + 1),
            (3 * whole, 4 * SHORTEST, 3 * PARTS / 4),
        ] {
            let record = written(&timeline, elapsed);
            assert_eq!((record[0], record.len()), (length, 1 + 2 * parts));
        }
        assert!(written(&timeline, 0).is_empty());
        assert!(written(&timeline, whole << SCALES).is_empty());
    }

    #[test]
    fn samples_are_in_the_part_of_their_moment_on_each_scale() {
        let timeline = Timeline::new();
        let whole = SHORTEST * PARTS as i64;
        timeline.add_at(0, 1, false);
        timeline.add_at(SHORTEST - 1, 2, true);
        timeline.add_at(SHORTEST, 4, false);
        timeline.add_at(whole, 8, false);
        timeline.add_at(2 * whole + 3 * SHORTEST, 16, true);
        timeline.add_at(i64::MAX, 32, true);
        assert_eq!(
            written(&timeline, 3 * SHORTEST),
            [SHORTEST, 1, 2, 4, 0, 0, 0]
        );
        // Parts as long as four of the shortest.
        let mut expected = vec![0; 2 * 193];
        (expected[0], expected[1]) = (5, 2);
        expected[2 * 64] = 8;
        expected[2 * 128 + 1] = 16;
        expected.insert(0, 4 * SHORTEST);
        assert_eq!(written(&timeline, 3 * whole + 1), expected);
    }
}
