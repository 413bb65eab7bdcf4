//! Factored speedups: what is lost to overheads, to idle time and to work inflation.

use std::collections::BTreeMap;

use super::bootstrap::{Measured, Sample, bootstrap};
use super::curvature::{Curvature, curvature};
use super::gap::{Gap, gaps};
use super::times::{Compared, Times};
use super::{
    BALANCE_TOLERANCE, DerivedTime, FactoredError, LackedProcessors, RatioEstimate, RunKind, Sweep,
    SweepRun, TimeEstimate,
};

/// Tasks are too fine where scheduling is the larger part of T_1.
const FINE_BY_SCHEDULING: f64 = 0.5;

/// Or where waiting is such a share of it, since what else scheduling takes comes on top.
const FINE_BY_WAITING: f64 = 0.25;

/// The share of P · T_P from which on blocked threads are worth telling.
const LEAST_BLOCKED: f64 = 0.05;

/// The factored speedups of a program (Acar et al. §2).
#[derive(Clone, Debug, PartialEq)]
pub struct Factored {
    /// T_s, the time of the sequential program.
    pub baseline: TimeEstimate,
    /// Whether there is no sequential program, so that T_s is T_1: algorithmic overhead is then not seen.
    pub is_baseline_one: bool,
    /// T_elision, the time of the program with every task run in place, where that was measured.
    pub elision: Option<TimeEstimate>,
    /// Whether T_1 was measured for each P by itself, as T_1^P.
    pub is_one_per_threads: bool,
    /// One for each number of threads, in ascending order.
    pub points: Vec<FactoredPoint>,
    /// What the speedup is lost to on the most threads that have a core each, the most costly first.
    pub gaps: Vec<Gap>,
    /// What the shapes of the curves tell; nothing while they are straight. Work inflation is not read from points that lacked
    /// processors.
    pub curvature: Vec<Curvature>,
    /// Whether the sequential program is slower than the parallel one on one thread, so that it is no baseline to compare with;
    /// never where there is none.
    pub is_baseline_slow: bool,
    /// The runs whose work, scheduling and idle time are off P · T_P by more than [`BALANCE_TOLERANCE`].
    pub imbalances: Vec<Imbalance>,
}

/// The factored speedups on a number of threads. All are T_s over some time, of means.
#[derive(Clone, Debug, PartialEq)]
pub struct FactoredPoint {
    /// Number of threads P.
    pub threads: u32,
    /// T_P.
    pub time: TimeEstimate,
    /// T_1, or T_1^P.
    pub one: TimeEstimate,
    /// I_P, the idle time of all cores, as a share of P · T_P; `None` where it was not measured.
    pub idle: Option<DerivedTime>,
    /// I_P − I_1, the idle time beyond that on one thread.
    pub more_idle: Option<DerivedTime>,
    /// F_P = P · T_P − I_P − (T_1 − I_1), the work inflation (Fact 2.3 and, with scheduling, Fact 2.8).
    pub inflation: Option<DerivedTime>,
    /// Where tasks are too fine, how much of T_1 is scheduling, as a share, at least. Idle time then tells of the scheduler, not
    /// of a lack of parallelism, which it tells of only where tasks cost little (§2.4).
    pub fine_tasks: Option<f64>,
    /// P · T_s/T_elision (§2.8).
    pub elision: Option<RatioEstimate>,
    /// P · T_s/T_1.
    pub maximal: RatioEstimate,
    /// P · T_s/(T_1 + I_P − I_1).
    pub idle_specific: Option<RatioEstimate>,
    /// P · T_s/(P · T_P − I_P + I_1).
    pub inflation_specific: Option<RatioEstimate>,
    /// T_s/T_P.
    pub actual: RatioEstimate,
    /// The time of the runs whose idle time was measured over that of plain ones: what measuring costs.
    pub measuring: Option<RatioEstimate>,
    /// Processors that these runs lacked, which shows as work inflation; `None` where nobody watched.
    pub lacked: Option<LackedProcessors>,
    /// How much of P · T_P counts as work though the program was on no processor, as a share, at least; `None` below
    /// 5% of it, or where others had its processors.
    pub blocked: Option<f64>,
    /// Whether there are more threads than cores.
    pub shares_cores: bool,
}

/// One of the curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactoredCurve {
    /// P.
    Linear,
    /// If there were no tasks, no idle time and no inflation.
    Elision,
    /// If there were no idle time and no inflation.
    Maximal,
    /// If there were no inflation.
    IdleSpecific,
    /// If there were no idle time.
    InflationSpecific,
    /// As measured.
    Actual,
}

impl FactoredCurve {
    /// All, in the order in which they lie above one another if nothing is negative; idle-time-specific and
    /// inflation-specific ones may change places.
    pub const ALL: [Self; 6] = [
        Self::Linear,
        Self::Elision,
        Self::Maximal,
        Self::IdleSpecific,
        Self::InflationSpecific,
        Self::Actual,
    ];

    /// The name that files use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Elision => "elision",
            Self::Maximal => "maximal",
            Self::IdleSpecific => "idle-time-specific",
            Self::InflationSpecific => "inflation-specific",
            Self::Actual => "actual",
        }
    }
}

impl FactoredPoint {
    /// Whether work inflation is explained by processors that the runs lacked, half of it at least.
    pub fn lacked_explains_inflation(&self) -> bool {
        let available = self.time.mean.as_nanos() as f64 * f64::from(self.threads);
        let inflation = self
            .inflation
            .map_or(0.0, |inflation| inflation.value.as_nanos() as f64);
        self.lacked
            .is_some_and(|lacked| lacked.explains(inflation / available))
    }

    /// The speedup that a curve has here; `None` where what it follows from was not measured.
    pub fn speedup(&self, curve: FactoredCurve) -> Option<RatioEstimate> {
        match curve {
            FactoredCurve::Linear => Some(RatioEstimate::exactly(f64::from(self.threads))),
            FactoredCurve::Elision => self.elision,
            FactoredCurve::Maximal => Some(self.maximal),
            FactoredCurve::IdleSpecific => self.idle_specific,
            FactoredCurve::InflationSpecific => self.inflation_specific,
            FactoredCurve::Actual => Some(self.actual),
        }
    }
}

/// A run whose workers' times do not add up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Imbalance {
    /// Number of threads.
    pub threads: u32,
    /// The run's [`order`](super::SweepRun::order).
    pub order: u32,
    /// How far the sum is off P · T_P, as a share of it; negative if time is missing.
    pub share: f64,
    /// How many workers there were. If they are more than threads were asked for, the sum cannot but be too much.
    pub workers: usize,
}

impl Factored {
    /// What measuring idle time cost where it cost most: the greatest of [`FactoredPoint::measuring`].
    pub fn most_of_measuring(&self) -> Option<RatioEstimate> {
        let costs = self.points.iter().filter_map(|point| point.measuring);
        costs.max_by(|one, other| one.value.total_cmp(&other.value))
    }
}

/// The factored speedups of `sweep`.
///
/// T_P is that of plain runs. I_P is as great a share of P · T_P as in the runs whose idle time was measured: measuring takes some
/// nanoseconds a task, and the build that can is not optimised quite as the plain one, which is no matter for a share. Where no
/// idle time was measured, the curves that need I_P are missing; where T_1 was measured for each P by itself, in the build that
/// can measure idle time, T_P is of that build, too. T_s is T_1 where the sweep has no baseline.
///
/// # Errors
/// When there is nothing to compare: no run of the program, of the baseline that the sweep has, or of the program on one thread,
/// that counts.
pub fn factored(sweep: &Sweep) -> Result<Factored, FactoredError> {
    let groups = Groups::of(sweep)?;
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
    // Threads that share a core cannot be told from those that idle.
    let with_cores: Vec<&(Compared<'_>, FactoredPoint)> = measured
        .iter()
        .filter(|(_, point)| !point.shares_cores)
        .collect();
    let widest = with_cores.last();
    let points: Vec<&FactoredPoint> = with_cores.iter().map(|(_, point)| point).collect();
    Ok(Factored {
        baseline: groups
            .baseline()
            .and_then(Sample::estimate)
            .ok_or(FactoredError::NoBaseline)?,
        is_baseline_one: groups.baseline.is_none(),
        elision: groups.elision.as_ref().and_then(Sample::estimate),
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

/// The runs of a sweep that factored speedups are made of.
struct Groups {
    /// `None` where T_s is T_1.
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
    lacked: Option<LackedProcessors>,
    blocked: f64,
    shares_cores: bool,
}

impl Groups {
    fn of(sweep: &Sweep) -> Result<Self, FactoredError> {
        let baseline = sweep.times_of_all(RunKind::Baseline).map(Sample::of_times);
        if sweep.baseline.is_some() && baseline.is_none() {
            return Err(FactoredError::NoBaseline);
        }
        let mut threads = sweep.measured_threads(RunKind::Plain);
        threads.extend(sweep.measured_threads(RunKind::Idle));
        let groups = threads.into_iter();
        let by_threads: BTreeMap<u32, Group> = groups
            .map(|threads| (threads, Group::of(sweep, threads)))
            .collect();
        if by_threads.is_empty() {
            return Err(FactoredError::NoRuns);
        }
        Ok(Self {
            baseline,
            elision: sweep.times_of_all(RunKind::Elision).map(Sample::of_times),
            is_one_per_threads: !sweep.measured_threads(RunKind::OneWorker).is_empty(),
            by_threads,
        })
    }

    fn one(&self) -> Option<&Sample> {
        self.parallel(self.by_threads.get(&1)?)
    }

    /// The runs whose time is T_P.
    fn parallel<'a>(&self, group: &'a Group) -> Option<&'a Sample> {
        let [first, second] = match self.is_one_per_threads {
            true => [&group.with_idle, &group.plain],
            false => [&group.plain, &group.with_idle],
        };
        first.as_ref().or(second.as_ref())
    }

    fn baseline(&self) -> Option<&Sample> {
        self.baseline.as_ref().or_else(|| self.one())
    }

    /// `None` without a T_1 or T_1^P to compare with.
    fn compared<'a>(&'a self, threads: u32, group: &'a Group) -> Option<Compared<'a>> {
        let of_one = || match self.is_one_per_threads && threads > 1 {
            true => None,
            false => self.one(),
        };
        Some(Compared {
            threads,
            baseline: self.baseline()?,
            elision: self.elision.as_ref(),
            one: group.one_worker.as_ref().or_else(of_one)?,
            parallel: self.parallel(group)?,
            with_idle: group.with_idle.as_ref(),
            one_with_idle: self
                .by_threads
                .get(&1)
                .and_then(|one| one.with_idle.as_ref()),
        })
    }
}

impl Group {
    fn of(sweep: &Sweep, threads: u32) -> Self {
        let plain = sweep.times(RunKind::Plain, threads).map(Sample::of_times);
        let with_idle: Vec<Measured> = sweep
            .counted(RunKind::Idle, threads)
            .filter_map(|run| {
                Some(Measured {
                    time: run.elapsed.as_nanos() as f64,
                    beside: run.idle()?.as_nanos() as f64,
                })
            })
            .collect();
        Self {
            plain,
            with_idle: Some(with_idle)
                .filter(|runs| !runs.is_empty())
                .map(Sample::of),
            one_worker: sweep
                .times(RunKind::OneWorker, threads)
                .map(Sample::of_times),
            blocked: mean_of(
                sweep
                    .counted(RunKind::Idle, threads)
                    .filter_map(SweepRun::blocked_in_work),
            ),
            lacked: LackedProcessors::of(
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
            time: compared.parallel.estimate()?,
            one: compared.one.estimate()?,
            idle: with_idle(|times| times.idle).map(DerivedTime::of),
            more_idle: with_idle(Times::more_idle).map(DerivedTime::of),
            inflation: with_idle(Times::inflation).map(DerivedTime::of),
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

    fn measuring(&self) -> Option<RatioEstimate> {
        let samples = [self.with_idle.as_ref()?, self.plain.as_ref()?];
        bootstrap(&samples, |means| means[0].time / means[1].time)
    }
}

/// How much of T_1 is scheduling, where that makes tasks too fine. A core alone that waits, waits for the scheduler: no other one
/// could have given it work.
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

/// The same mean, to the last bit, in whatever order the values come; 0 of none.
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
