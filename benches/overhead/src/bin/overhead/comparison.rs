//! Pairs of runs of one program, and their figures.

use workspan_overhead::{Program, Usage, median, range};

/// The runs of one program, plain and profiled, in pairs.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) program: &'static Program,
    /// Number of tasks that the program creates.
    pub(crate) tasks: u64,
    pairs: Vec<(Usage, Usage)>,
}

impl Comparison {
    pub(crate) fn new(program: &'static Program, tasks: u64) -> Self {
        Comparison {
            program,
            tasks,
            pairs: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, plain: Usage, profiled: Usage) {
        self.pairs.push((plain, profiled));
    }

    /// Median seconds of the plain runs.
    pub(crate) fn plain(&self) -> f64 {
        median(self.pairs.iter().map(|(plain, _)| seconds(plain)))
    }

    /// Median seconds of the profiled runs.
    pub(crate) fn profiled(&self) -> f64 {
        median(self.pairs.iter().map(|(_, profiled)| seconds(profiled)))
    }

    /// Profiled to plain time of each pair.
    pub(crate) fn ratios(&self) -> impl Iterator<Item = f64> {
        let ratio = |(plain, profiled): &(Usage, Usage)| seconds(profiled) / seconds(plain);
        self.pairs.iter().map(ratio)
    }

    /// Median over the pairs of profiled to plain time.
    pub(crate) fn ratio(&self) -> f64 {
        median(self.ratios())
    }

    /// The least and the largest ratio of a pair.
    pub(crate) fn range(&self) -> (f64, f64) {
        range(self.ratios())
    }

    /// The seconds that profiling adds in each pair.
    pub(crate) fn added(&self) -> impl Iterator<Item = f64> {
        let added = |(plain, profiled): &(Usage, Usage)| seconds(profiled) - seconds(plain);
        self.pairs.iter().map(added)
    }

    /// How far the peak memory of the profiled run of each pair is beyond 1.05 times that of the
    /// plain one, in MiB.
    pub(crate) fn mebibytes_beyond(&self) -> impl Iterator<Item = f64> {
        let beyond = |(plain, profiled): &(Usage, Usage)| {
            (profiled.peak_bytes as f64 - 1.05 * plain.peak_bytes as f64) / f64::from(1 << 20)
        };
        self.pairs.iter().map(beyond)
    }

    /// Number of tasks that a plain run creates per second.
    pub(crate) fn tasks_per_second(&self) -> f64 {
        self.tasks as f64 / self.plain()
    }

    /// What profiling adds per task, in nanoseconds of a thread's time.
    pub(crate) fn nanoseconds_per_task(&self, threads: usize) -> f64 {
        (self.profiled() - self.plain()) * 1e9 * threads as f64 / self.tasks as f64
    }

    /// The largest resident memory of the plain runs and of the profiled runs, in MiB.
    pub(crate) fn peak_mebibytes(&self) -> (f64, f64) {
        let peak = |bytes: fn(&(Usage, Usage)) -> u64| {
            let most = self.pairs.iter().map(bytes).max().unwrap_or_default();
            most as f64 / f64::from(1 << 20)
        };
        (
            peak(|(plain, _)| plain.peak_bytes),
            peak(|(_, profiled)| profiled.peak_bytes),
        )
    }
}

fn seconds(usage: &Usage) -> f64 {
    usage.elapsed.as_secs_f64()
}

/// A program on one thread: plain runs against profiles.
#[derive(Debug)]
pub(crate) struct OneWorker {
    pub(crate) program: &'static Program,
    /// Processor time of a plain run and work of a profiled run, in seconds.
    pub(crate) pairs: Vec<(f64, f64)>,
}

impl OneWorker {
    /// Median processor time of the plain runs, in seconds.
    pub(crate) fn plain(&self) -> f64 {
        median(self.pairs.iter().map(|(plain, _)| *plain))
    }

    /// Median work of the profiled runs, in seconds.
    pub(crate) fn work(&self) -> f64 {
        median(self.pairs.iter().map(|(_, work)| *work))
    }

    /// How many percent the work exceeds the plain run's processor time by, in each pair.
    pub(crate) fn percents_off(&self) -> impl Iterator<Item = f64> {
        let off = |(plain, work): &(f64, f64)| (work / plain - 1.0) * 100.0;
        self.pairs.iter().map(off)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use workspan_overhead::SUITE;

    use super::*;

    fn usage(milliseconds: u64, mebibytes: u64) -> Usage {
        let elapsed = Duration::from_millis(milliseconds);
        Usage {
            elapsed,
            processor: elapsed,
            peak_bytes: mebibytes << 20,
        }
    }

    fn is_close(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-9
    }

    #[test]
    fn the_ratio_is_the_median_of_pairs_not_of_times() {
        let mut comparison = Comparison::new(&SUITE[0], 1_000_000);
        comparison.add(usage(100, 10), usage(110, 12));
        comparison.add(usage(200, 11), usage(240, 11));
        comparison.add(usage(400, 10), usage(400, 15));
        assert!(is_close(comparison.ratio(), 1.1));
        assert!(is_close(comparison.plain(), 0.2));
        assert!(is_close(comparison.profiled(), 0.24));
        let (low, high) = comparison.range();
        assert!(is_close(low, 1.0) && is_close(high, 1.2));
        assert!(is_close(comparison.added().sum(), 0.05));
        // 12 − 10.5, 11 − 11.55 and 15 − 10.5.
        assert!(is_close(comparison.mebibytes_beyond().sum(), 5.45));
        assert_eq!(comparison.peak_mebibytes(), (11.0, 15.0));
        // 40 ms on two threads for a million tasks.
        assert!((comparison.nanoseconds_per_task(2) - 80.0).abs() < 1e-6);
        assert!((comparison.tasks_per_second() - 5e6).abs() < 1e-3);
    }

    #[test]
    fn work_is_off_by_percents_of_the_plain_time() {
        let one_worker = OneWorker {
            program: &SUITE[0],
            pairs: vec![(1.0, 1.02), (2.0, 1.9), (1.0, 1.5)],
        };
        let off: Vec<f64> = one_worker.percents_off().collect();
        assert!(is_close(off[0], 2.0) && is_close(off[1], -5.0) && is_close(off[2], 50.0));
    }
}
