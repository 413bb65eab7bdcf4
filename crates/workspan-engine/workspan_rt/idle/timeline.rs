//! When a worker waited.

/// One or several waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) begin: i64,
    pub(crate) end: i64,
    /// Ticks of waiting in between: fewer than the interval's length if it stands for several
    /// waits.
    pub(crate) waited: i64,
}

/// The most intervals kept.
pub(crate) const MOST: usize = 10_000;

/// The waits of one worker, in order of time. When there are too many, waits that fit into one
/// grain become one interval, and the grain doubles.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    intervals: Vec<Interval>,
    grain: i64,
}

impl Timeline {
    /// Adds a wait that begins no earlier than those before ended.
    pub(crate) fn add(&mut self, begin: i64, end: i64) {
        if begin >= end {
            return;
        }
        let interval = Interval {
            begin,
            end,
            waited: end - begin,
        };
        if !self.merges(interval) {
            if self.intervals.len() == MOST {
                self.coarsen();
            }
            self.intervals.push(interval);
        }
    }

    pub(crate) fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    fn merges(&mut self, interval: Interval) -> bool {
        match self.intervals.last_mut() {
            Some(last) if interval.end - last.begin <= self.grain => {
                last.end = interval.end;
                last.waited += interval.waited;
                true
            }
            _ => false,
        }
    }

    /// Merges intervals until at most half of [`MOST`] are left.
    fn coarsen(&mut self) {
        while self.intervals.len() > MOST / 2 {
            self.grain = (self.grain * 2).max(1_000);
            for interval in std::mem::take(&mut self.intervals) {
                if !self.merges(interval) {
                    self.intervals.push(interval);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_waits_are_told_one_by_one() {
        let mut timeline = Timeline::default();
        timeline.add(5, 9);
        timeline.add(9, 9);
        timeline.add(12, 30);
        let interval = |begin, end| Interval {
            begin,
            end,
            waited: end - begin,
        };
        assert_eq!(timeline.intervals(), [interval(5, 9), interval(12, 30)]);
    }

    #[test]
    fn many_waits_become_few_intervals_and_none_is_lost() {
        let mut timeline = Timeline::default();
        let count = 25 * MOST as i64;
        for wait in 0..count {
            timeline.add(wait * 100, wait * 100 + 30);
        }
        let intervals = timeline.intervals();
        assert!((MOST / 8..=MOST).contains(&intervals.len()));
        assert_eq!(
            intervals.iter().map(|one| one.waited).sum::<i64>(),
            count * 30
        );
        assert!(intervals.iter().all(|one| one.begin < one.end));
        assert!(intervals.windows(2).all(|two| two[0].end < two[1].begin));
    }
}
