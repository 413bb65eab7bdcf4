//! The phases of the workers of a run.

use super::{RunKind, Sweep, SweepRun, Worker, Workers};
use crate::Nanos;
use crate::quantity::estimate::median_index;

/// A period in which a worker did the same thing.
///
/// Waiting time is recorded for equal parts of the measurement. Consecutive parts in which the
/// worker did nothing but wait form one phase, as do those in which it did not wait; for any other
/// part it is not known when within it the worker waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerPhase {
    /// The beginning, relative to that of the measurement.
    pub from: Nanos,
    /// The end, relative to the beginning of the measurement.
    pub to: Nanos,
    /// How long the worker waited for work in it.
    pub idle: Nanos,
    /// What it did.
    pub activity: WorkerActivity,
}

named! {
    /// What a worker does.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum WorkerActivity {
        /// It runs tasks or the scheduler.
        Busy = "busy",
        /// It waits for work.
        Idle = "idle",
        /// Both, in turn.
        Both = "partly idle",
    }
}

/// A share of a part that is too small to matter.
const NEGLIGIBLE: f64 = 0.01;

impl Sweep {
    /// For each number of threads, the run with the median time among those whose idle time was
    /// measured.
    pub fn idle_runs(&self) -> Vec<&SweepRun> {
        let threads = self.measured_threads(RunKind::Idle).into_iter();
        threads
            .filter_map(|threads| {
                let runs = self.counted(RunKind::Idle, threads);
                let mut runs: Vec<&SweepRun> = runs.filter(|run| run.workers.is_some()).collect();
                runs.sort_by_key(|run| (run.elapsed, run.order));
                runs.get(median_index(runs.len())).copied()
            })
            .collect()
    }

    /// Whether all of these runs recorded when their workers were idle.
    pub fn keeps_phases(&self) -> bool {
        let runs = self.idle_runs().into_iter();
        let mut workers = runs.filter_map(|run| run.workers.as_ref());
        workers.all(|workers| {
            let mut all = workers.workers.iter();
            all.all(|worker| worker.phases(workers.elapsed).is_some())
        })
    }
}

impl Workers {
    /// How many workers were idle, on average over each recorded part of the measurement, with the
    /// beginning of the part; empty if no worker was idle, or if that was not recorded.
    pub fn idle_counts(&self) -> Vec<(Nanos, f64)> {
        let recorded = || self.workers.iter().map(|worker| &worker.idle_parts);
        let parts = recorded().map(Vec::len).max().unwrap_or(0);
        let count = |part: usize| {
            let [from, to] = edges(part, parts, self.elapsed);
            let idle = recorded().filter_map(|parts| parts.get(part).copied());
            (from, idle.sum::<Nanos>().share_of(to - from))
        };
        (0..parts).map(count).collect()
    }
}

impl Worker {
    /// Its phases in a measurement of `elapsed`, in order; `None` if it was idle but the run did
    /// not record when.
    pub fn phases(&self, elapsed: Nanos) -> Option<Vec<WorkerPhase>> {
        if self.idle_parts.is_empty() {
            let busy = WorkerPhase {
                from: Nanos::ZERO,
                to: elapsed,
                idle: Nanos::ZERO,
                activity: WorkerActivity::Busy,
            };
            return (self.idle <= Nanos::ZERO).then(|| vec![busy]);
        }
        let mut phases: Vec<WorkerPhase> = Vec::new();
        for (part, &idle) in self.idle_parts.iter().enumerate() {
            let [from, to] = edges(part, self.idle_parts.len(), elapsed);
            let activity = match idle.share_of(to - from) {
                share if share <= NEGLIGIBLE => WorkerActivity::Busy,
                share if share >= 1.0 - NEGLIGIBLE => WorkerActivity::Idle,
                _ => WorkerActivity::Both,
            };
            match phases.last_mut() {
                Some(last) if last.activity == activity && activity != WorkerActivity::Both => {
                    last.to = to;
                    last.idle += idle;
                }
                _ => phases.push(WorkerPhase {
                    from,
                    to,
                    idle,
                    activity,
                }),
            }
        }
        Some(phases)
    }
}

/// The beginning and the end of one of `parts` parts of `elapsed`.
fn edges(part: usize, parts: usize, elapsed: Nanos) -> [Nanos; 2] {
    [part, part + 1].map(|edge| {
        let share = edge as f64 / parts as f64;
        Nanos::from_nanos_f64(elapsed.as_nanos() as f64 * share)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nanos(nanos: i64) -> Nanos {
        Nanos::from_nanos(nanos)
    }

    fn worker(idle_parts: &[i64]) -> Worker {
        Worker {
            idle: nanos(idle_parts.iter().sum()),
            idle_parts: idle_parts.iter().copied().map(nanos).collect(),
            ..Worker::default()
        }
    }

    /// Five parts of 200.
    #[test]
    fn equal_parts_become_one_phase() {
        let phases = worker(&[200, 199, 50, 50, 1]).phases(nanos(1000)).unwrap();
        let found = phases.iter().map(|phase| {
            let [from, to, idle] = [phase.from, phase.to, phase.idle].map(Nanos::as_nanos);
            (from, to, idle, phase.activity.name())
        });
        let expected = [
            (0, 400, 399, "idle"),
            (400, 600, 50, "partly idle"),
            (600, 800, 50, "partly idle"),
            (800, 1000, 1, "busy"),
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_worker_that_was_never_idle_was_busy() {
        let phases = worker(&[]).phases(nanos(10)).unwrap();
        assert_eq!(phases.len(), 1);
        assert_eq!(
            (phases[0].to, phases[0].activity),
            (nanos(10), WorkerActivity::Busy)
        );
        let unknown = Worker {
            idle: nanos(3),
            ..Worker::default()
        };
        assert_eq!(unknown.phases(nanos(10)), None);
    }

    #[test]
    fn idle_workers_are_counted() {
        let workers = Workers {
            elapsed: nanos(40),
            outside: Nanos::ZERO,
            workers: vec![worker(&[20, 5]), worker(&[]), worker(&[10, 0])],
        };
        assert_eq!(workers.idle_counts(), [(nanos(0), 1.5), (nanos(20), 0.25)]);
        assert!(Workers::default().idle_counts().is_empty());
    }
}
