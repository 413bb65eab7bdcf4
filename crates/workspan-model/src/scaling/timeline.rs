//! When the workers of a run were idle.

use super::run::shares_of_parts;
use super::{Sweep, Worker};
use crate::Nanos;

/// What the workers of one run did over time.
#[derive(Clone, Debug, PartialEq)]
pub struct IdleTimeline {
    /// Number of threads P.
    pub threads: u32,
    /// From the beginning to the end of the measurement.
    pub elapsed: Nanos,
    /// One for each worker.
    pub workers: Vec<WorkerTimeline>,
}

/// What a worker did over time.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkerTimeline {
    /// Time in strands, as a share of the measurement.
    pub work_share: f64,
    /// Time in the scheduler.
    pub scheduling_share: f64,
    /// Time without work.
    pub idle_share: f64,
    /// The idle share of each of several equal parts of the measurement, in order; empty where that was not kept.
    pub idle_shares: Vec<f64>,
}

impl Sweep {
    /// What workers did in the run with the median time on the most threads whose idle time was measured, in `parts` parts.
    /// `None` without such a run.
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

/// The idle share of each of `parts` equal parts of `elapsed`.
fn idle_shares(worker: &Worker, elapsed: Nanos, parts: usize) -> Vec<f64> {
    let kept = &worker.idle_parts;
    let is_known = worker.idle <= Nanos::ZERO || !kept.is_empty();
    if elapsed <= Nanos::ZERO || !is_known {
        return Vec::new();
    }
    let mut shares = vec![0.0; parts];
    for (index, idle) in kept.iter().enumerate() {
        let [from, to] = [index, index + 1].map(|edge| edge as f64 / kept.len() as f64);
        let of_whole = idle.share_of(elapsed) * parts as f64;
        for (part, share) in shares_of_parts(from, to, parts) {
            shares[part] += of_whole * share;
        }
    }
    shares.into_iter().map(|share| share.min(1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 6 parts of 10, in 4 parts of 15.
    #[test]
    fn parts_are_shared_out_to_others() {
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
