//! Factored speedups: how much is lost to overheads, to idle time and to work inflation.

use std::collections::BTreeMap;

use serde::Serialize;

use super::curvature::{Curvature, curvature};
use super::estimate::{Measured, Sample, ratio_of_means};
use super::gap::{Gap, gaps};
use super::times::{Compared, Times};
use super::{
    BALANCE_TOLERANCE, FactoredError, FactoredPoint, MissingProcessors, RunKind, Sweep, SweepRun,
    TimeEstimate,
};
use crate::{Estimate, Nanos};

/// Tasks are too fine if scheduling is at least this share of T_1.
const FINE_BY_SCHEDULING: f64 = 0.5;

/// Tasks are too fine, too, if waiting is at least this share of T_1: the rest of scheduling comes
/// on top.
const FINE_BY_WAITING: f64 = 0.25;

/// The share of P · T_P from which blocked threads are reported.
const LEAST_BLOCKED: f64 = 0.05;

/// The factored speedups of a program (Acar et al. §2).
#[derive(Clone, Debug, PartialEq)]
pub struct Factored {
    /// T_s, the time of the sequential program.
    pub baseline: TimeEstimate,
    /// Whether there is no sequential program, so that T_s is T_1 and algorithmic overhead is not
    /// visible.
    pub is_baseline_one: bool,
    /// T_elision, the time of the program with every task run in place, if that was measured.
    pub elision: Option<TimeEstimate>,
    /// Whether T_1 was measured for each P separately, as T_1^P.
    pub is_one_per_threads: bool,
    /// One point for each number of threads, in ascending order.
    pub points: Vec<FactoredPoint>,
    /// What the speedup is lost to on the greatest number of threads that have a core each, in
    /// descending order of cost.
    pub gaps: Vec<Gap>,
    /// What the shapes of the curves show; empty if they are straight. Work inflation is not read
    /// from points that lacked processors.
    pub curvature: Vec<Curvature>,
    /// Whether the sequential program is slower than the parallel one on one thread, so that it is
    /// not a valid baseline; `false` if there is none.
    pub is_baseline_slow: bool,
    /// The runs whose work, scheduling and idle time differ from P · T_P by more than
    /// [`BALANCE_TOLERANCE`].
    pub imbalances: Vec<Imbalance>,
}

/// A run whose workers' times do not add up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct Imbalance {
    /// Its threads
    pub threads: u32,
    /// Its number in the sweep
    pub order: u32,
    /// How far, as a share; negative if time is missing
    pub share: f64,
    /// How many workers there were
    pub workers: usize,
}

impl Factored {
    /// The cost of measuring idle time, at the point where it cost most: the greatest
    /// [`FactoredPoint::measuring`].
    pub fn most_of_measuring(&self) -> Option<Estimate<f64>> {
        let costs = self.points.iter().filter_map(|point| point.measuring);
        costs.max_by(|one, other| one.value.total_cmp(&other.value))
    }
}

/// The factored speedups of `sweep`.
///
/// T_P is that of plain runs. I_P is the same share of P · T_P as in the runs whose idle time was
/// measured: measuring costs some nanoseconds per task, and the build that can measure is not
/// optimised quite like the plain one, but neither matters for a share. If no idle time was
/// measured, the curves that need I_P are missing; if T_1 was measured for each P separately, in
/// the build that can measure idle time, T_P is from that build, too. T_s is T_1 if the sweep has
/// no baseline.
///
/// # Errors
/// If there is nothing to compare: no run counts of the program, of the sweep's baseline, or of the
/// program on one thread.
pub fn factored(sweep: &Sweep) -> Result<Factored, FactoredError> {
    let groups = Groups::new(sweep)?;
    let measured: Vec<(Compared<'_>, FactoredPoint)> = groups
        .by_threads
        .iter()
        .filter_map(|(&threads, group)| {
            let compared = groups.compared(threads, group)?;
            Some((compared, group.point(&compared)?))
        })
        .collect();
    if measured.is_empty() {
        return Err(FactoredError::NoOneThread);
    }
    // Threads that share a core cannot be distinguished from idle ones.
    let with_cores: Vec<&(Compared<'_>, FactoredPoint)> = measured
        .iter()
        .filter(|(_, point)| !point.shares_cores)
        .collect();
    let widest = with_cores.last();
    let points: Vec<&FactoredPoint> = with_cores.iter().map(|(_, point)| point).collect();
    Ok(Factored {
        baseline: groups
            .baseline()
            .and_then(TimeEstimate::from_sample)
            .ok_or(FactoredError::NoBaseline)?,
        is_baseline_one: groups.baseline.is_none(),
        elision: groups.elision.as_ref().and_then(TimeEstimate::from_sample),
        is_one_per_threads: groups.is_one_per_threads,
        gaps: widest.map_or_else(Vec::new, |(compared, _)| {
            gaps(compared, groups.baseline.is_some())
        }),
        curvature: curvature(&points),
        is_baseline_slow: groups.baseline.is_some()
            && measured
                .first()
                .is_some_and(|(_, point)| point.maximal.low > f64::from(point.threads)),
        imbalances: imbalances(sweep),
        points: measured.into_iter().map(|(_, point)| point).collect(),
    })
}

/// The runs of a sweep from which factored speedups are computed.
struct Groups {
    /// `None` if T_s is T_1.
    baseline: Option<Sample>,
    elision: Option<Sample>,
    is_one_per_threads: bool,
    by_threads: BTreeMap<u32, Group>,
}

/// The runs on a number of threads.
struct Group {
    plain: Option<Sample>,
    with_idle: Option<Sample>,
    one_worker: Option<Sample>,
    lacked: Option<MissingProcessors>,
    blocked: f64,
    shares_cores: bool,
}

impl Groups {
    fn new(sweep: &Sweep) -> Result<Self, FactoredError> {
        let baseline = elapsed(sweep.counted_of_kind(RunKind::Baseline));
        if sweep.baseline.is_some() && baseline.is_none() {
            return Err(FactoredError::NoBaseline);
        }
        let mut threads = sweep.measured_threads(RunKind::Plain);
        threads.extend(sweep.measured_threads(RunKind::Idle));
        let groups = threads.into_iter();
        let by_threads: BTreeMap<u32, Group> = groups
            .map(|threads| (threads, Group::new(sweep, threads)))
            .collect();
        if by_threads.is_empty() {
            return Err(FactoredError::NoRuns);
        }
        Ok(Self {
            baseline,
            elision: elapsed(sweep.counted_of_kind(RunKind::Elision)),
            is_one_per_threads: !sweep.measured_threads(RunKind::OneWorker).is_empty(),
            by_threads,
        })
    }

    fn one(&self) -> Option<&Sample> {
        self.parallel(self.by_threads.get(&1)?)
    }

    /// The runs whose time is T_P.
    fn parallel<'a>(&self, group: &'a Group) -> Option<&'a Sample> {
        let (plain, with_idle) = (group.plain.as_ref(), group.with_idle.as_ref());
        if self.is_one_per_threads {
            with_idle.or(plain)
        } else {
            plain.or(with_idle)
        }
    }

    fn baseline(&self) -> Option<&Sample> {
        self.baseline.as_ref().or_else(|| self.one())
    }

    /// `None` if there is no T_1 or T_1^P to compare with.
    fn compared<'a>(&'a self, threads: u32, group: &'a Group) -> Option<Compared<'a>> {
        let is_shared = !self.is_one_per_threads || threads <= 1;
        let shared_one = || self.one().filter(|_| is_shared);
        Some(Compared {
            threads,
            baseline: self.baseline()?,
            elision: self.elision.as_ref(),
            one: group.one_worker.as_ref().or_else(shared_one)?,
            parallel: self.parallel(group)?,
            with_idle: group.with_idle.as_ref(),
            one_with_idle: self
                .by_threads
                .get(&1)
                .and_then(|one| one.with_idle.as_ref()),
        })
    }
}

/// The elapsed times of runs, if there are any.
fn elapsed<'a>(runs: impl Iterator<Item = &'a SweepRun>) -> Option<Sample> {
    let times: Vec<Nanos> = runs.map(|run| run.elapsed).collect();
    (!times.is_empty()).then(|| Sample::from_times(times))
}

impl Group {
    fn new(sweep: &Sweep, threads: u32) -> Self {
        let with_idle: Vec<Measured> = sweep
            .counted(RunKind::Idle, threads)
            .filter_map(|run| {
                Some(Measured {
                    time: run.elapsed.as_nanos() as f64,
                    paired: run.idle()?.as_nanos() as f64,
                })
            })
            .collect();
        Self {
            plain: elapsed(sweep.counted(RunKind::Plain, threads)),
            with_idle: Some(with_idle)
                .filter(|runs| !runs.is_empty())
                .map(Sample::new),
            one_worker: elapsed(sweep.counted(RunKind::OneWorker, threads)),
            blocked: mean_of(
                sweep
                    .counted(RunKind::Idle, threads)
                    .filter_map(SweepRun::blocked_in_work),
            ),
            lacked: MissingProcessors::from_runs(
                threads,
                [RunKind::Plain, RunKind::Idle]
                    .into_iter()
                    .flat_map(|kind| sweep.counted(kind, threads)),
            ),
            shares_cores: !sweep.machine.has_cores_for(threads),
        }
    }

    fn point(&self, compared: &Compared<'_>) -> Option<FactoredPoint> {
        let with_idle = |formula: fn(&Times) -> f64| {
            compared.with_idle?;
            compared.estimate(formula)
        };
        Some(FactoredPoint {
            threads: compared.threads,
            time: TimeEstimate::from_sample(compared.parallel)?,
            one: TimeEstimate::from_sample(compared.one)?,
            idle: with_idle(|times| times.idle).map(Estimate::nanos),
            more_idle: with_idle(Times::more_idle).map(Estimate::nanos),
            inflation: with_idle(Times::inflation).map(Estimate::nanos),
            fine_tasks: fine_tasks(compared),
            elision: compared
                .elision
                .and_then(|_| compared.estimate(Times::elision_speedup)),
            maximal: compared.estimate(Times::maximal)?,
            idle_specific: with_idle(Times::idle_specific),
            inflation_specific: with_idle(Times::inflation_specific),
            actual: compared.estimate(Times::actual)?,
            measuring: self.measuring(),
            lacked: self.lacked,
            blocked: Some(self.blocked).filter(|&share| {
                let lacks = self.lacked.is_some_and(|lacked| lacked.is_significant());
                share >= LEAST_BLOCKED && !lacks
            }),
            shares_cores: self.shares_cores,
        })
    }

    fn measuring(&self) -> Option<Estimate<f64>> {
        ratio_of_means(self.with_idle.as_ref()?, self.plain.as_ref()?)
    }
}

/// The share of T_1 that is scheduling, if it makes tasks too fine. If a single core waits, it
/// waits for the scheduler: no other core could have given it work.
fn fine_tasks(compared: &Compared<'_>) -> Option<f64> {
    let share = |formula: fn(&Times) -> f64| {
        let share = compared.estimate(formula);
        share.map_or(0.0, |share| share.value)
    };
    let scheduling = compared
        .elision
        .map_or(0.0, |_| share(Times::scheduling_share));
    let waiting = share(Times::one_idle_share);
    let is_fine = scheduling >= FINE_BY_SCHEDULING || waiting >= FINE_BY_WAITING;
    is_fine.then_some(scheduling.max(waiting))
}

/// The mean, independent of the order of the values to the last bit; 0 if there are none.
fn mean_of(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn imbalances(sweep: &Sweep) -> Vec<Imbalance> {
    let mut imbalances: Vec<Imbalance> = sweep
        .runs
        .iter()
        .filter(|run| run.counts())
        .filter_map(|run| {
            Some(Imbalance {
                threads: run.threads,
                order: run.order,
                share: run.imbalance()?,
                workers: run.workers.as_ref()?.workers.len(),
            })
        })
        .filter(|imbalance| imbalance.share.abs() > BALANCE_TOLERANCE)
        .collect();
    imbalances.sort_by_key(|imbalance| (imbalance.threads, imbalance.order));
    imbalances
}
