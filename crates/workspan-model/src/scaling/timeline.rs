//! How idle the workers of a run were at each time.

use super::run::shares_of_parts;
use super::{Sweep, Worker};
use crate::Nanos;

/// What the workers of one run did over time.
#[derive(Clone, Debug, PartialEq)]
pub struct IdleTimeline {
    /// Number of threads P.
    pub threads: u32,
    /// Length of the measurement.
    pub elapsed: Nanos,
    /// One timeline for each worker.
    pub workers: Vec<WorkerTimeline>,
}

/// What one worker did over time. Shares are fractions of 1.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkerTimeline {
    /// Time in strands, as a share of the measurement.
    pub work_share: f64,
    /// Time in the scheduler, as a share of the measurement.
    pub scheduling_share: f64,
    /// Time waiting for work, as a share of the measurement.
    pub idle_share: f64,
    /// The measurement divided into equal parts: the share of each part in which the worker was
    /// idle, in order of time. Empty if the run did not record when the worker was idle.
    pub idle_shares: Vec<f64>,
}

impl Sweep {
    /// What the workers did in one run, with the measurement divided into `parts` equal parts.
    ///
    /// Of the runs whose idle time was measured, those on the most threads count, and of these the
    /// one with the median time. `None` if there is no such run.
    ///
    /// # Panics
    /// May panic if `parts` is 0.
    pub fn idle_timeline(&self, parts: usize) -> Option<IdleTimeline> {
        let run = self.idle_runs().pop()?;
        let workers = run.workers.as_ref()?;
        let elapsed = workers.elapsed;
        Some(IdleTimeline {
            threads: run.threads,
            elapsed,
            workers: workers
                .workers
                .iter()
                .map(|worker| WorkerTimeline {
                    work_share: worker.work.share_of(elapsed),
                    scheduling_share: worker.scheduling.share_of(elapsed),
                    idle_share: worker.idle.share_of(elapsed),
                    idle_shares: idle_shares(worker, elapsed, parts),
                })
                .collect(),
        })
    }
}

/// The idle share of each of `parts` equal parts of `elapsed`, resampled from the parts that the
/// run recorded. Empty if the worker was idle but the run did not record when.
fn idle_shares(worker: &Worker, elapsed: Nanos, parts: usize) -> Vec<f64> {
    let recorded = &worker.idle_parts;
    let is_known = worker.idle <= Nanos::ZERO || !recorded.is_empty();
    if elapsed <= Nanos::ZERO || !is_known {
        return Vec::new();
    }
    let mut shares = vec![0.0; parts];
    for (index, idle) in recorded.iter().enumerate() {
        let [from, to] = [index, index + 1].map(|edge| edge as f64 / recorded.len() as f64);
        // The idle time in units of one part's length.
        let idle_in_parts = idle.share_of(elapsed) * parts as f64;
        for (part, share) in shares_of_parts(from, to, parts) {
            shares[part] += idle_in_parts * share;
        }
    }
    shares.into_iter().map(|share| share.min(1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six recorded parts of 10 ns each become four of 15 ns.
    #[test]
    fn recorded_parts_are_resampled() {
        let nanos = Nanos::from_nanos;
        let worker = Worker {
            idle: nanos(33),
            idle_parts: [10, 10, 0, 3, 0, 10].map(nanos).to_vec(),
            ..Worker::default()
        };
        let shares = idle_shares(&worker, nanos(60), 4);
        let expected = [1.0, 5.0 / 15.0, 3.0 / 15.0, 10.0 / 15.0];
        for (share, expected) in shares.iter().zip(expected) {
            assert!((share - expected).abs() < 1e-12, "{shares:?}");
        }
        let unknown = Worker {
            idle_parts: Vec::new(),
            ..worker
        };
        assert!(idle_shares(&unknown, nanos(60), 4).is_empty());
        assert_eq!(idle_shares(&Worker::default(), nanos(60), 2), [0.0, 0.0]);
    }
}
