//! The outcome of one simulated run.

use crate::Nanos;

/// The outcome of one simulated run on P workers. P times `time` is the sum of `busy`, `scheduling`
/// and `idle`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// From the beginning of the first strand to the end of the last.
    pub time: Nanos,
    /// Time of all strands, which is the work.
    pub busy: Nanos,
    /// Time that the workers spent on spawning, on successful steals, and on continuing after a
    /// wait.
    pub scheduling: Nanos,
    /// Time in which workers had nothing to do.
    pub idle: Nanos,
    /// Work over time: the speedup over a run on one worker without any scheduling costs.
    pub speedup: f64,
    /// The share of the workers' time in which they were busy.
    pub utilisation: f64,
    /// Tasks that were stolen.
    pub steals: u64,
    /// Attempts to steal from a worker that had no tasks while another one had, and attempts that
    /// came too late.
    pub failed_steals: u64,
    /// Time in which a sync was ready but its worker had not come back to it. Only under rayon,
    /// where no other worker may continue there.
    pub held_up: Nanos,
    /// Vertices that were run.
    pub vertices: u64,
}

/// An [`Outcome`] in ticks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OutcomeTicks {
    pub(super) cores: u32,
    pub(super) time: u64,
    pub(super) busy: u64,
    pub(super) scheduling: u64,
    pub(super) idle: u64,
    pub(super) steals: u64,
    pub(super) failed_steals: u64,
    pub(super) held_up: u64,
    pub(super) vertices: u64,
}

impl OutcomeTicks {
    pub(super) fn in_nanos(self, ticks_per_second: f64) -> Outcome {
        let nanos = |ticks: u64| Nanos::from_nanos_f64(ticks as f64 * 1e9 / ticks_per_second);
        // A run that takes no time is just as fast on one worker.
        let speedup = match self.time {
            0 => 1.0,
            time => self.busy as f64 / time as f64,
        };
        Outcome {
            time: nanos(self.time),
            busy: nanos(self.busy),
            scheduling: nanos(self.scheduling),
            idle: nanos(self.idle),
            speedup,
            utilisation: match self.time {
                0 => 1.0,
                _ => speedup / f64::from(self.cores),
            },
            steals: self.steals,
            failed_steals: self.failed_steals,
            held_up: nanos(self.held_up),
            vertices: self.vertices,
        }
    }
}
