//! How much processor time a run did not get because something else used its processors.

use std::time::Instant;

use workspan_model::Nanos;

use super::activity::Activity;
use super::process::{Ended, Process, nanos};

/// The activity of all processors at the beginning of a run, for comparison with that at its end.
pub(super) struct Watch {
    before: Activity,
    started: Instant,
}

impl Watch {
    /// Starts watching; `None` if the kernel does not count the activity of processors.
    pub(super) fn begin() -> Option<Self> {
        let before = Activity::now()?;
        let started = Instant::now();
        Some(Self { before, started })
    }

    /// The processor time that each of `processes` did not get, on average. They ran at the same
    /// time, on `threads` threads each; `ended` is how they ran. A process that was not pinned may
    /// have run on the `usual` processors.
    ///
    /// Negative if the processors had time to spare. The kernel counts in ticks, so it can also be
    /// slightly below zero otherwise. `None` if the kernel does not count the activity of
    /// processors.
    pub(super) fn taken(
        &self,
        processes: &[Process],
        threads: u32,
        usual: &[usize],
        ended: &[Ended],
    ) -> Option<Nanos> {
        let elapsed = nanos(self.started.elapsed());
        let mut allowed: Vec<usize> = processes
            .iter()
            .flat_map(|process| match process.processors.as_slice() {
                [] => usual,
                pinned => pinned,
            })
            .copied()
            .collect();
        allowed.sort_unstable();
        allowed.dedup();
        let activity = Activity::now()?.since(&self.before, Some(&allowed));
        let own: Nanos = ended
            .iter()
            .map(|ended| ended.times.user + ended.times.system)
            .sum();
        let used_by_others = activity.taken() - own;
        let threads = threads as usize * processes.len();
        let total = total_taken(allowed.len(), threads, elapsed, used_by_others);
        Some(Nanos::from_nanos(
            total.as_nanos() / processes.len().max(1) as i64,
        ))
    }
}

/// How much of the processor time that others used was more than the run could spare: processors
/// beyond its threads stay idle anyway.
fn total_taken(processors: usize, threads: usize, elapsed: Nanos, used_by_others: Nanos) -> Nanos {
    let spare = processors.saturating_sub(threads);
    used_by_others - Nanos::from_nanos(elapsed.as_nanos() * spare as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spare_processors_are_not_taken() {
        let [elapsed, used] = [100, 150].map(Nanos::from_nanos);
        let taken =
            |processors, threads| total_taken(processors, threads, elapsed, used).as_nanos();
        assert_eq!(taken(2, 2), 150);
        assert_eq!(taken(3, 2), 50);
        assert_eq!(taken(4, 2), -50);
        // Threads beyond the number of processors have to take turns anyway.
        assert_eq!(taken(2, 8), 150);
    }
}
