//! Measured speedups, over what was expected.

use super::bootstrap::{Sample, bootstrap};
use super::{ExpectedScaling, LackedProcessors, RatioEstimate, RunKind, Sweep, TimeEstimate};
use crate::{Exit, Nanos, Prediction, RuntimeKind, SpeedupBounds};

/// What the plain runs of a sweep say, beside what a profile led to expect.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// One for each number of threads with a run that counts, in ascending order.
    pub points: Vec<ScalingPoint>,
    /// The curves that were expected.
    pub expected: Option<ExpectedScaling>,
    /// The runs that failed, of any kind; their times count for nothing.
    pub failures: Vec<FailedRuns>,
    /// Runs that printed something else than the first.
    pub other_outputs: u32,
    /// Whether threads that wait for work may spin, so that their processor time does not tell idle time from work.
    pub spins_idle: bool,
}

/// Processors that a program with one busy thread may use, with what the system does for it.
const ONE_PROCESSOR: f64 = 1.1;

impl Scaling {
    /// Whether runs on several threads never used more than about one processor, though nothing else had it and they were long
    /// enough: the program has one thread, whatever it was told, or all of its threads wait for one another.
    pub fn is_serial(&self) -> bool {
        let several = || self.points.iter().filter(|point| point.threads > 1);
        several().next().is_some()
            && several().all(|point| {
                let processors =
                    point.processor.as_nanos() as f64 / point.time.mean.as_nanos().max(1) as f64;
                let has_all = point.lacked.is_none_or(|lacked| !lacked.is_significant());
                processors < ONE_PROCESSOR && has_all && !point.time.is_too_short()
            })
    }
}

/// What runs on a number of threads say.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalingPoint {
    /// Number of threads P.
    pub threads: u32,
    /// T_P.
    pub time: TimeEstimate,
    /// T_1/T_P, of means; `None` without a run on one thread.
    pub speedup: Option<RatioEstimate>,
    /// The speedup over P.
    pub efficiency: Option<RatioEstimate>,
    /// Mean processor time of the process, of all threads together.
    pub processor: Nanos,
    /// That over the processor time on one thread, of means: it grows where the same work takes longer, and where idle threads
    /// look for work. `None` without a run on one thread.
    pub processor_growth: Option<RatioEstimate>,
    /// Processors that the runs lacked; `None` where nobody watched.
    pub lacked: Option<LackedProcessors>,
    /// The bounds on the speedup.
    pub bounds: Option<SpeedupBounds>,
    /// The predicted speedup.
    pub predicted: Option<Prediction>,
    /// Whether the whole interval of the speedup lies below the lower bound. What it lacks is then no lack of parallelism, nor
    /// too fine a grain (Cilkview §5).
    pub is_below_lower: bool,
    /// Whether there are more threads than cores, so that they cannot be faster.
    pub shares_cores: bool,
}

/// Runs that failed in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedRuns {
    /// What they were of.
    pub kind: RunKind,
    /// On how many threads.
    pub threads: u32,
    /// How they ended.
    pub exit: Exit,
    /// Whether they were ended because they took longer than was allowed.
    pub timed_out: bool,
    /// How many of them.
    pub runs: u32,
}

/// What the plain runs of `sweep` say.
///
/// Runs that warmed up or failed count for nothing; where a number of threads has none left, it has no point.
pub fn scaling(sweep: &Sweep, expected: Option<&ExpectedScaling>) -> Scaling {
    let one = One::of(sweep);
    let points = sweep
        .measured_threads(RunKind::Plain)
        .into_iter()
        .filter_map(|threads| point(sweep, threads, one.as_ref(), expected))
        .collect();
    Scaling {
        points,
        expected: expected.cloned(),
        failures: failures(sweep),
        spins_idle: sweep.runtime == Some(RuntimeKind::OpenMp),
        other_outputs: sweep
            .runs
            .iter()
            .filter(|run| run.same_output == Some(false))
            .count() as u32,
    }
}

fn point(
    sweep: &Sweep,
    threads: u32,
    one: Option<&One>,
    expected: Option<&ExpectedScaling>,
) -> Option<ScalingPoint> {
    let times = sweep.times(RunKind::Plain, threads)?;
    let sample = Sample::of_times(times.iter().copied());
    let speedup = one.and_then(|one| match threads {
        // The same runs, not others like them.
        1 => Some(RatioEstimate::exactly(1.0)),
        _ => bootstrap(&[&one.times, &sample], |means| {
            means[0].time / means[1].time
        }),
    });
    let processor = processor_times(sweep, threads)?;
    let processor_growth = one.and_then(|one| match threads {
        1 => Some(RatioEstimate::exactly(1.0)),
        _ => bootstrap(&[&processor, &one.processor], |means| {
            means[0].time / means[1].time
        }),
    });
    let bounds = expected.and_then(|expected| expected.bounds_on(threads));
    Some(ScalingPoint {
        threads,
        time: TimeEstimate::of(&times)?,
        speedup,
        efficiency: speedup.map(|speedup| speedup.over(f64::from(threads))),
        processor: Nanos::from_nanos_f64(processor.mean().time),
        processor_growth,
        lacked: LackedProcessors::of(threads, sweep.counted(RunKind::Plain, threads)),
        bounds,
        predicted: expected.and_then(|expected| expected.prediction_on(threads)),
        is_below_lower: match (speedup, bounds) {
            (Some(speedup), Some(bounds)) => speedup.high < bounds.lower,
            _ => false,
        },
        shares_cores: !sweep.machine.has_cores_for(threads),
    })
}

/// The runs on one thread.
struct One {
    times: Sample,
    processor: Sample,
}

impl One {
    fn of(sweep: &Sweep) -> Option<Self> {
        Some(Self {
            times: Sample::of_times(sweep.times(RunKind::Plain, 1)?),
            processor: processor_times(sweep, 1)?,
        })
    }
}

fn processor_times(sweep: &Sweep, threads: u32) -> Option<Sample> {
    let runs = sweep.counted(RunKind::Plain, threads);
    let times: Vec<Nanos> = runs.map(|run| run.user + run.system).collect();
    (!times.is_empty()).then(|| Sample::of_times(times))
}

fn failures(sweep: &Sweep) -> Vec<FailedRuns> {
    let mut failures: Vec<FailedRuns> = Vec::new();
    for run in sweep.runs.iter().filter(|run| !run.is_success()) {
        let same = |failed: &&mut FailedRuns| {
            let told = (failed.kind, failed.threads, failed.exit, failed.timed_out);
            told == (run.kind, run.threads, run.exit, run.timed_out)
        };
        match failures.iter_mut().find(same) {
            Some(failed) => failed.runs += 1,
            None => failures.push(FailedRuns {
                kind: run.kind,
                threads: run.threads,
                exit: run.exit,
                timed_out: run.timed_out,
                runs: 1,
            }),
        }
    }
    let code = |exit: Exit| match exit {
        Exit::Code(code) => (0, code),
        Exit::Signal(signal) => (1, signal),
    };
    failures.sort_by_key(|failed| {
        (
            failed.kind,
            failed.threads,
            failed.timed_out,
            code(failed.exit),
        )
    });
    failures
}
