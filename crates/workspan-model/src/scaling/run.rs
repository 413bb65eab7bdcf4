//! One run of a sweep.

use serde::{Deserialize, Serialize};

use crate::{Exit, Nanos, RuntimeKind};

/// One run of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepRun {
    /// What was run.
    pub kind: RunKind,
    /// The number of threads P that the program was told.
    pub threads: u32,
    /// How many copies of the program ran at once; each copy is a run of its own. Always 1 except
    /// for [`RunKind::Copy`].
    #[serde(default = "one")]
    pub copies: u32,
    /// The order of the runs: copies that ran at once have the same number, later runs a greater
    /// one.
    pub order: u32,
    /// Whether it was only for warm-up; such a run does not count.
    #[serde(default)]
    pub is_warm_up: bool,
    /// From the start of the process to its end.
    pub elapsed: Nanos,
    /// Processor time of the process in user mode.
    pub user: Nanos,
    /// Processor time of the process in the kernel.
    pub system: Nanos,
    /// Processor time that it could not get: that of other programs and other virtual machines on
    /// the processors that it was allowed to use, beyond what it could spare. Negative if there was
    /// some to spare, or because the time is counted in ticks; `None` if it was not observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacked: Option<Nanos>,
    /// What its workers did, if that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<Workers>,
    /// How it ended. Of a run that did not end with code 0, only the failure counts.
    pub exit: Exit,
    /// Whether it was stopped because it took longer than allowed.
    #[serde(default)]
    pub timed_out: bool,
    /// Whether its output was the same as that of the first run, if that was checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_output: Option<bool>,
}

const fn one() -> u32 {
    1
}

named! {
    /// What a run of a sweep runs.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "snake_case")]
    pub enum RunKind {
        /// The program as it is, on P threads.
        Plain = "plain",
        /// The program on P threads, with the idle time of its workers measured.
        Idle = "idle",
        /// The program on one worker, but otherwise told the number of threads P: T_1^P, the work of a
        /// program that divides its work by P (Acar et al. §3.1, chart 3.f).
        OneWorker = "one_worker",
        /// The sequential program for comparison: T_s.
        Baseline = "baseline",
        /// The program with every task run in place: T_elision (Acar et al. §2.8).
        Elision = "elision",
        /// One of several copies of the program, on one worker each, that ran at once (Cilkview §5).
        Copy = "copy",
    }
}

/// What the workers of a run did, as measured by the run itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Workers {
    /// The length of the measurement, which lies within the run.
    pub elapsed: Nanos,
    /// Time for which threads other than the workers ran the program while they did not wait for
    /// workers: its serial code, on one of the P cores. The workers were idle in the meantime, but
    /// that is not idle time of a core.
    #[serde(default)]
    pub outside: Nanos,
    /// One entry for each of the P workers.
    pub workers: Vec<Worker>,
}

/// What a worker did. The three times add up to the measurement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Worker {
    /// Time in strands of the program.
    pub work: Nanos,
    /// Time in the scheduler, except while it had no task.
    pub scheduling: Nanos,
    /// Time that it waited for work.
    pub idle: Nanos,
    /// The idle time in each of 240 equal parts of the measurement, in order; empty if there was
    /// none, or if the run did not record it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub idle_parts: Vec<Nanos>,
}

/// A period in which a worker was idle, or several in a row; times are relative to the beginning of
/// the measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdlePhase {
    /// The beginning of the first period.
    pub from: Nanos,
    /// The end of the last period.
    pub to: Nanos,
    /// How long it was idle in between.
    pub waited: Nanos,
}

/// The number of parts of a measurement for which idle time is recorded: enough for any plot, and
/// few compared with the idle periods of a run.
const IDLE_PARTS: usize = 240;

/// How far the sum of work, scheduling and idle time may differ from P · T_P, as a share of P ·
/// T_P.
pub const BALANCE_TOLERANCE: f64 = 0.01;

impl SweepRun {
    /// Whether its times count: it is not a warm-up run, and it succeeded.
    pub const fn counts(&self) -> bool {
        !self.is_warm_up && self.is_success()
    }

    /// Whether it ended by itself, in time and with code 0.
    pub const fn is_success(&self) -> bool {
        !self.timed_out && matches!(self.exit, Exit::Code(0))
    }

    /// Total idle time I_P (Acar et al. §2.1); `None` if it was not measured.
    ///
    /// Before and after the measurement, one thread ran the process and P − 1 cores had nothing to
    /// do, which counts as idle time.
    pub fn idle(&self) -> Option<Nanos> {
        let workers = self.workers.as_ref()?;
        let outside = (self.elapsed - workers.elapsed).shown() as f64;
        let others = f64::from(self.threads.saturating_sub(1));
        Some(workers.idle() + Nanos::from_nanos_f64(outside * others))
    }

    /// The difference between the work, scheduling and idle time of the workers and P · T_P, as a
    /// share of P · T_P; negative if time is missing. `None` if workers were not measured.
    pub fn imbalance(&self) -> Option<f64> {
        let workers = self.workers.as_ref()?;
        let available = workers.elapsed.as_nanos() as f64 * f64::from(self.threads);
        let sum = workers.work() + workers.scheduling() + workers.idle();
        (available > 0.0).then(|| (sum.as_nanos() as f64 - available) / available)
    }

    /// The share of P · T_P that counts as work although the process was on no processor, at least:
    /// threads that block elsewhere than in a wait for tasks. It may be more, since workers that
    /// look for work also use processors. `None` if workers were not measured.
    pub fn blocked_in_work(&self) -> Option<f64> {
        let work = self.workers.as_ref()?.work();
        let ran = self.user + self.system + self.lacked.unwrap_or(Nanos::ZERO);
        let available = self.elapsed.as_nanos() as f64 * f64::from(self.threads);
        (available > 0.0).then(|| ((work - ran).as_nanos() as f64 / available).max(0.0))
    }
}

impl Worker {
    /// Records when it was idle in a measurement of `elapsed`; the time itself is already in
    /// [`idle`](Self::idle).
    pub fn keep_idle_phase(&mut self, phase: IdlePhase, elapsed: Nanos) {
        self.idle_parts.resize(IDLE_PARTS, Nanos::ZERO);
        let waited = phase.waited.as_nanos() as f64;
        let [from, to] = [phase.from, phase.to].map(|at| at.share_of(elapsed));
        for (part, share) in shares_of_parts(from, to, IDLE_PARTS) {
            self.idle_parts[part] += Nanos::from_nanos_f64(waited * share);
        }
    }
}

/// Divides a whole into `parts` equal parts and returns those that the interval from `from` to `to`
/// (shares of the whole) covers, each with the share of the interval that falls on it.
pub(super) fn shares_of_parts(from: f64, to: f64, parts: usize) -> Vec<(usize, f64)> {
    let from = from.clamp(0.0, 1.0) * parts as f64;
    let to = to.clamp(0.0, 1.0) * parts as f64;
    let first = (from as usize).min(parts - 1);
    if to <= from {
        return vec![(first, 1.0)];
    }
    (first..parts)
        .map(|part| (part, to.min((part + 1) as f64) - from.max(part as f64)))
        .take_while(|&(_, overlap)| overlap > 0.0)
        .map(|(part, overlap)| (part, overlap / (to - from)))
        .collect()
}

impl Workers {
    /// Idle time of all cores: that of the workers, minus what ran [`outside`](Self::outside) in
    /// the meantime.
    pub fn idle(&self) -> Nanos {
        let idle: Nanos = self.workers.iter().map(|worker| worker.idle).sum();
        idle - self.outside
    }

    /// Time of all cores in strands of the program: of the workers, and [`outside`](Self::outside).
    pub fn work(&self) -> Nanos {
        let work: Nanos = self.workers.iter().map(|worker| worker.work).sum();
        work + self.outside
    }

    /// Time of all workers in the scheduler.
    pub fn scheduling(&self) -> Nanos {
        self.workers.iter().map(|worker| worker.scheduling).sum()
    }
}

/// The machine that a sweep ran on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SweepMachine {
    /// Logical processors available to a run; if something else started the runs, the most of any
    /// run.
    pub cores: u32,
    /// Physical cores among them, if known: fewer than `cores` with hyper-threading.
    #[serde(default)]
    pub physical_cores: Option<u32>,
    /// Sockets that they are on, if known.
    #[serde(default)]
    pub sockets: Option<u32>,
    /// The processor's name.
    #[serde(default)]
    pub processor: Option<String>,
    /// The operating system, such as `linux`.
    pub os: String,
    /// The architecture, such as `x86_64`.
    pub architecture: String,
    /// The conditions found that make measurements less certain.
    #[serde(default)]
    pub conditions: Vec<Condition>,
}

/// What makes measurements less certain: the practices recommended by Cilkview §4 that were not
/// followed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// Other programs were running just before the sweep began.
    Busy {
        /// How many processors they kept busy, on average.
        processors: f64,
    },
    /// Other virtual machines used this one's processors just before the sweep began.
    Stolen {
        /// How many of them, on average.
        processors: f64,
    },
    /// The clock rate of the processor follows the load, under this governor.
    ClockVaries {
        /// Its name.
        governor: String,
    },
    /// A few busy cores run at a higher clock rate than many.
    Boost,
    /// Logical processors share physical cores.
    HyperThreads,
    /// The machine is virtual, and other machines may use its cores, too.
    Virtual,
    /// The machine was running on battery.
    Battery,
}

impl SweepMachine {
    /// Whether this many threads, or copies of a program, have a logical processor each.
    pub const fn has_cores_for(&self, threads: u32) -> bool {
        threads <= self.cores
    }

    /// Whether this many have a physical core each, as far as is known.
    pub fn has_physical_cores_for(&self, threads: u32) -> bool {
        threads <= self.physical_cores.unwrap_or(self.cores)
    }
}

/// The version of [`Sweep`] that this crate writes and reads.
pub const SWEEP_VERSION: u32 = 1;

/// Runs of one program on several numbers of threads, and how they were made.
///
/// Runs are in the order in which they were made, including warm-ups and failed ones; nothing else
/// depends on that order. An interrupted sweep is the same with fewer runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// [`SWEEP_VERSION`].
    pub version: u32,
    /// The program and its arguments, as given: they still contain the placeholder for the number
    /// of threads.
    pub command: Vec<String>,
    /// A digest that distinguishes the program's file from that of another build, if it could be
    /// read.
    #[serde(default)]
    pub program_digest: Option<String>,
    /// The sequential program that the parallel one is compared with (T_s), and its arguments.
    #[serde(default)]
    pub baseline: Option<Vec<String>>,
    /// The same as `program_digest`, for the baseline's file.
    #[serde(default)]
    pub baseline_digest: Option<String>,
    /// The environment variable that set the number of threads of runs; `None` if only the
    /// arguments did.
    #[serde(default)]
    pub threads_variable: Option<String>,
    /// The parallel runtime of the program, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<RuntimeKind>,
    /// The file of the runtime that all runs used in place of the program's own, which cannot
    /// report idle time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stand_in: Option<String>,
    /// Where threads were put.
    #[serde(default)]
    pub pinning: Pinning,
    /// The command with which each run was started, if it was not started directly, such as
    /// `srun -n1 -c {threads}`.
    #[serde(default)]
    pub launcher: Option<String>,
    /// The machine.
    pub machine: SweepMachine,
    /// When the sweep began, in seconds since 1970-01-01 UTC.
    pub started_at: u64,
    /// The numbers of threads to be measured, in ascending order.
    pub threads: Vec<u32>,
    /// The most runs planned for each of them, not counting warm-ups.
    pub runs_wanted: u32,
    /// The seed by which the order of the runs was shuffled.
    #[serde(default)]
    pub seed: u64,
    /// Version of workspan that made the sweep.
    pub workspan_version: String,
    /// All runs so far.
    pub runs: Vec<SweepRun>,
}

named! {
    /// Where the threads of a run were put.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Pinning {
        /// Wherever the system put them.
        #[default]
        None = "none",
        /// On the physical cores of one socket before those of the next.
        Compact = "compact",
        /// On the physical cores of all sockets in turn.
        Spread = "spread",
    }
}

impl Sweep {
    /// The runs of `kind` on `threads` threads that count.
    pub fn counted(&self, kind: RunKind, threads: u32) -> impl Iterator<Item = &SweepRun> {
        self.counted_of_kind(kind)
            .filter(move |run| run.threads == threads)
    }

    /// The runs of `kind` that count, whatever number of threads they were told.
    pub(super) fn counted_of_kind(&self, kind: RunKind) -> impl Iterator<Item = &SweepRun> {
        let runs = self.runs.iter();
        runs.filter(move |run| run.counts() && run.kind == kind)
    }

    /// The numbers of threads for which a run of `kind` counts, in ascending order.
    pub fn measured_threads(&self, kind: RunKind) -> Vec<u32> {
        let runs = self.counted_of_kind(kind);
        let mut threads: Vec<u32> = runs.map(|run| run.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        threads
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::sweep_run;

    fn nanos(nanos: i64) -> Nanos {
        Nanos::from_nanos(nanos)
    }

    fn run(threads: u32, elapsed: i64, workers: Workers) -> SweepRun {
        SweepRun {
            workers: Some(workers),
            ..sweep_run(RunKind::Idle, threads, nanos(elapsed))
        }
    }

    fn worker(work: i64, scheduling: i64, idle: i64) -> Worker {
        Worker {
            work: nanos(work),
            scheduling: nanos(scheduling),
            idle: nanos(idle),
            idle_parts: Vec::new(),
        }
    }

    /// Two spins of 60 and 100: the first worker waits for 40. The process took 10 more, in which
    /// one core ran it.
    #[test]
    fn two_unequal_spins() {
        let workers = Workers {
            elapsed: nanos(100),
            outside: Nanos::ZERO,
            workers: vec![worker(60, 0, 40), worker(99, 1, 0)],
        };
        let run = run(2, 110, workers);
        assert_eq!(run.idle(), Some(nanos(50)));
        assert_eq!(run.imbalance(), Some(0.0));
        assert!(run.counts());
    }

    /// Both workers wait while the main thread itself runs for 30 of the 100, then one of them runs
    /// for 70.
    #[test]
    fn serial_code_keeps_a_core_busy() {
        let workers = Workers {
            elapsed: nanos(100),
            outside: nanos(30),
            workers: vec![worker(70, 0, 30), worker(0, 0, 100)],
        };
        let run = run(2, 100, workers.clone());
        assert_eq!((run.idle(), workers.work()), (Some(nanos(100)), nanos(100)));
        assert_eq!(run.imbalance(), Some(0.0));
    }

    /// 240 parts of 10: one that is half idle, two that are fully idle, and several waits of 12 in
    /// total within the last 24.
    #[test]
    fn idle_phases_are_divided_among_parts() {
        let mut worker = worker(0, 0, 37);
        let mut keep = |from, to, waited| {
            let phase = IdlePhase {
                from: nanos(from),
                to: nanos(to),
                waited: nanos(waited),
            };
            worker.keep_idle_phase(phase, nanos(2400));
        };
        keep(5, 30, 25);
        keep(2376, 2400, 12);
        let parts: Vec<i64> = worker
            .idle_parts
            .iter()
            .map(|part| part.as_nanos())
            .collect();
        assert_eq!(parts.len(), 240);
        assert_eq!(parts[..4], [5, 10, 10, 0]);
        assert_eq!(parts[236..], [0, 2, 5, 5]);
    }

    #[test]
    fn what_lies_outside_counts_at_the_ends() {
        assert_eq!(shares_of_parts(0.2, 0.2, 10), [(2, 1.0)]);
        assert_eq!(shares_of_parts(1.0, 1.5, 10), [(9, 1.0)]);
        assert_eq!(shares_of_parts(0.0, 1.0, 2), [(0, 0.5), (1, 0.5)]);
        assert_eq!(shares_of_parts(-1.0, 0.5, 4), [(0, 0.5), (1, 0.5)]);
    }

    #[test]
    fn missing_time_shows() {
        let workers = Workers {
            elapsed: nanos(100),
            outside: Nanos::ZERO,
            workers: vec![worker(60, 0, 20), worker(100, 0, 0)],
        };
        assert_eq!(run(2, 100, workers).imbalance(), Some(-0.1));
    }

    #[test]
    fn warm_ups_and_failures_do_not_count() {
        let good = run(1, 10, Workers::default());
        let warm_up = SweepRun {
            is_warm_up: true,
            ..good.clone()
        };
        let failed = SweepRun {
            exit: Exit::Code(3),
            ..good.clone()
        };
        let killed = SweepRun {
            exit: Exit::Signal(9),
            ..good.clone()
        };
        assert!(good.counts());
        assert_eq!(good.imbalance(), None);
        for run in [warm_up, failed, killed] {
            assert!(!run.counts(), "{run:?}");
        }
    }

    /// Of 200, 150 are work, for which the process was on processors for 90, and others in its
    /// place for 10.
    #[test]
    fn work_on_no_processor_is_blocked() {
        let workers = Workers {
            elapsed: nanos(100),
            outside: Nanos::ZERO,
            workers: vec![worker(100, 0, 0), worker(50, 0, 50)],
        };
        let mut run = run(2, 100, workers);
        (run.user, run.system, run.lacked) = (nanos(80), nanos(10), Some(nanos(10)));
        assert_eq!(run.blocked_in_work(), Some(0.25));
        run.user = nanos(200);
        assert_eq!(run.blocked_in_work(), Some(0.0));
        run.workers = None;
        assert_eq!(run.blocked_in_work(), None);
    }
}
