//! Measured speedups, compared with what was expected.

use serde::Serialize;

use super::estimate::{RunTimes, ratio_of_means};
use super::{MissingProcessors, RunKind, Sweep, TimeEstimate};
use crate::quantity::speedup::MOST_CORES;
use crate::{
    Analysis, Estimate, Exit, Nanos, Prediction, Profile, RuntimeKind, SpeedupBounds, SpeedupLimits,
};

/// The analysis of the plain runs of a sweep, compared with what a profile leads one to expect.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// One point for each number of threads with a run that counts, in ascending order.
    pub points: Vec<ScalingPoint>,
    /// The curves that were expected.
    pub expected: Option<ExpectedScaling>,
    /// The runs of any kind that failed; their times do not count.
    pub failures: Vec<FailedRuns>,
    /// The number of runs whose output differed from that of the first.
    pub other_outputs: u32,
    /// Whether threads that wait for work may spin, so that their processor time does not separate
    /// idle time from work.
    pub spins_idle: bool,
}

/// The most processors that a program with one busy thread uses, including what the system does for
/// it.
const ONE_PROCESSOR: f64 = 1.1;

impl Scaling {
    /// Whether runs on several threads never used more than about one processor, though nothing
    /// else had it and they were long enough: the program has one thread, whatever it was told, or
    /// all of its threads wait for one another.
    pub fn is_serial(&self) -> bool {
        let several = || self.points.iter().filter(|point| point.threads > 1);
        several().next().is_some()
            && several().all(|point| {
                let processors = point.processor.as_nanos() as f64
                    / point.time.mean.value.as_nanos().max(1) as f64;
                let has_all = point.lacked.is_none_or(|lacked| !lacked.is_significant());
                processors < ONE_PROCESSOR && has_all && !point.time.is_too_short()
            })
    }
}

/// The figures for a number of threads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScalingPoint {
    /// Number of threads P.
    pub threads: u32,
    /// T_P.
    pub time: TimeEstimate,
    /// T_1/T_P, of means; `None` without a run on one thread.
    pub speedup: Option<Estimate<f64>>,
    /// The speedup divided by P.
    pub efficiency: Option<Estimate<f64>>,
    /// Mean processor time of the process, summed over its threads.
    pub processor: Nanos,
    /// `processor` divided by the mean processor time on one thread: it grows if the same work
    /// takes longer, and if idle threads look for work. `None` without a run on one thread.
    pub processor_growth: Option<Estimate<f64>>,
    /// Processors that the runs lacked; `None` if that was not observed.
    pub lacked: Option<MissingProcessors>,
    /// The bounds on the speedup.
    pub bounds: Option<SpeedupBounds>,
    /// The predicted speedup.
    pub predicted: Option<Prediction>,
    /// Whether the whole interval of the speedup lies below the lower bound. The cause is then
    /// neither a lack of parallelism nor too fine a grain (Cilkview §5).
    pub is_below_lower: bool,
    /// Whether there are more threads than cores, so that they cannot be faster.
    pub shares_cores: bool,
}

/// Runs that failed in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct FailedRuns {
    /// What they were of
    pub kind: RunKind,
    /// On how many threads
    pub threads: u32,
    /// How a run ended
    pub exit: Exit,
    /// Whether they took longer than was allowed
    pub timed_out: bool,
    /// How many
    pub runs: u32,
}

/// Analyses the plain runs of `sweep`.
///
/// Warm-up runs and failed runs do not count; a number of threads without any other run has no
/// point.
pub fn scaling(sweep: &Sweep, expected: Option<&ExpectedScaling>) -> Scaling {
    let one = run_times(sweep, 1);
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
    one: Option<&RunTimes>,
    expected: Option<&ExpectedScaling>,
) -> Option<ScalingPoint> {
    let times = run_times(sweep, threads)?;
    let speedup = one.and_then(|one| match threads {
        // The runs are the same ones, not independent samples.
        1 => Some(Estimate::exactly(1.0)),
        _ => ratio_of_means(&one.elapsed, &times.elapsed),
    });
    let processor_growth = one.and_then(|one| match threads {
        1 => Some(Estimate::exactly(1.0)),
        _ => ratio_of_means(&times.processor, &one.processor),
    });
    let bounds = expected.and_then(|expected| expected.bounds_on(threads));
    Some(ScalingPoint {
        threads,
        time: TimeEstimate::from_sample(&times.elapsed)?,
        speedup,
        efficiency: speedup.map(|speedup| speedup.map(|value| value / f64::from(threads))),
        processor: Nanos::from_nanos_f64(times.processor.mean().time),
        processor_growth,
        lacked: MissingProcessors::from_runs(threads, sweep.counted(RunKind::Plain, threads)),
        bounds,
        predicted: expected.and_then(|expected| expected.prediction_on(threads)),
        is_below_lower: match (speedup, bounds) {
            (Some(speedup), Some(bounds)) => speedup.high < bounds.lower,
            _ => false,
        },
        shares_cores: !sweep.machine.has_cores_for(threads),
    })
}

fn run_times(sweep: &Sweep, threads: u32) -> Option<RunTimes> {
    let runs = sweep.counted(RunKind::Plain, threads);
    RunTimes::new(runs.map(|run| (run.elapsed, run.user + run.system)))
}

fn failures(sweep: &Sweep) -> Vec<FailedRuns> {
    let mut failures: Vec<FailedRuns> = Vec::new();
    for run in sweep.runs.iter().filter(|run| !run.is_success()) {
        let same = |failed: &&mut FailedRuns| {
            let failure = (failed.kind, failed.threads, failed.exit, failed.timed_out);
            failure == (run.kind, run.threads, run.exit, run.timed_out)
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

/// The speedups to expect after one profiled run, for comparison with measured ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpectedScaling {
    /// Bounds on each number of cores from 1 on, and possibly on the assumed count.
    pub bounds: Vec<SpeedupBounds>,
    /// Predicted speedups, in ascending order of cores; for only some numbers of cores, or none.
    pub predictions: Vec<Prediction>,
}

impl ExpectedScaling {
    /// The bounds on 1 to `most_cores` cores, without predictions.
    pub fn up_to(most_cores: u32, limits: &SpeedupLimits) -> Self {
        Self {
            bounds: (1..=most_cores).map(|cores| limits.on(cores)).collect(),
            predictions: Vec::new(),
        }
    }

    /// The bounds of `profile` on 1 to 256 cores and on the assumed count, and the predictions in
    /// its `analysis`.
    pub fn from_profile(profile: &Profile, analysis: &Analysis) -> Self {
        let limits = &analysis.limits;
        let mut expected = Self::up_to(MOST_CORES, limits);
        let assumed = profile.run.assumed_cores;
        if assumed > MOST_CORES {
            expected.bounds.push(limits.on(assumed));
        }
        let predicted = analysis.predicted.as_ref();
        expected.predictions = predicted.map_or_else(Vec::new, |curve| curve.predictions.clone());
        expected
    }

    /// The bounds on this many cores.
    pub fn bounds_on(&self, cores: u32) -> Option<SpeedupBounds> {
        self.bounds
            .iter()
            .copied()
            .find(|bounds| bounds.cores == cores)
    }

    /// The prediction for this many cores.
    pub fn prediction_on(&self, cores: u32) -> Option<Prediction> {
        let mut predictions = self.predictions.iter().copied();
        predictions.find(|prediction| prediction.cores == cores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{analyse_with_dag, example};

    #[test]
    fn expectations_agree_with_the_analysis() {
        let (mut profile, dag) = (example::quicksort(), example::quicksort_dag());
        profile.run.assumed_cores = 300;
        let analysis = analyse_with_dag(&profile, Some(&dag));
        let expected = ExpectedScaling::from_profile(&profile, &analysis);
        assert_eq!(expected.bounds.len(), 257);
        for bounds in &analysis.speedup {
            assert_eq!(expected.bounds_on(bounds.cores), Some(*bounds));
        }
        for prediction in &analysis.predicted.unwrap().predictions {
            assert_eq!(expected.prediction_on(prediction.cores), Some(*prediction));
        }
    }
}
