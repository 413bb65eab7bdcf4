//! What ran at which time of the run.

use serde::{Deserialize, Serialize};

use crate::Nanos;
use crate::quantity::units::times;

/// What ran in each part of a run, by its samples.
///
/// Samples are rare and stand for the time before them, so a figure of a single part may be off by
/// some periods of the rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// The length of a part.
    pub part: Nanos,
    /// All parts, from the start of the process to the writing of the profile. The last is as short
    /// as the run leaves it.
    pub parts: Vec<TimelinePart>,
}

/// The processor time that threads took in a part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelinePart {
    /// In strands.
    pub strands: Nanos,
    /// While they had none.
    pub without_task: Nanos,
}

/// A part of a run, and what threads did for which share of their time in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimelineShare {
    /// From when to when, since the start.
    pub time: [Nanos; 2],
    /// They ran strands.
    pub strands: f64,
    /// They ran without a task. What the two leave of 1, they were idle or waited.
    pub without_task: f64,
}

impl Timeline {
    /// The shares of the parts of a run of `elapsed` on `threads` threads. Where more ran than these
    /// have time for, the two share it.
    pub fn shares(
        &self,
        elapsed: Nanos,
        threads: u32,
    ) -> impl ExactSizeIterator<Item = TimelineShare> {
        let start = move |part: usize| times(self.part, part as u32).min(elapsed);
        self.parts.iter().enumerate().map(move |(index, part)| {
            let time = [start(index), start(index + 1)];
            let ran = part.strands + part.without_task;
            let all = times(time[1] - time[0], threads).max(ran);
            TimelineShare {
                time,
                strands: part.strands.share_of(all),
                without_task: part.without_task.share_of(all),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_shares_of_the_threads_time() {
        let part = |strands, without_task| TimelinePart {
            strands: Nanos::from_nanos(strands),
            without_task: Nanos::from_nanos(without_task),
        };
        let timeline = Timeline {
            part: Nanos::from_nanos(100),
            parts: vec![part(100, 50), part(300, 100), part(0, 0), part(10, 0)],
        };
        // Two threads have 200 in a part, and 40 in the last.
        let shares = timeline.shares(Nanos::from_nanos(320), 2);
        let shares: Vec<_> = shares
            .map(|share| {
                let time = share.time.map(Nanos::as_nanos);
                (time, share.strands, share.without_task)
            })
            .collect();
        let expected = [
            ([0, 100], 0.5, 0.25),
            ([100, 200], 0.75, 0.25),
            ([200, 300], 0.0, 0.0),
            ([300, 320], 0.25, 0.0),
        ];
        assert_eq!(shares, expected);
    }
}
