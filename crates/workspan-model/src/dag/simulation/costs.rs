//! The costs of scheduling.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{BurdenSource, Cost, MachineCosts, Run};

/// Rounds of looking for work in vain after which a rayon worker falls asleep (rayon-core,
/// `sleep::ROUNDS_UNTIL_SLEEPING`).
const ROUNDS_UNTIL_SLEEPING: f64 = 33.0;

/// What scheduling costs a worker.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SchedulingCosts {
    /// For each task that is offered to thieves, beyond what the strands already contain: a
    /// recorded strand includes what rayon's `join` and `spawn` cost when nobody steals.
    pub spawn: Cost,
    /// From when a worker looks for a task that exists, or from when a task is pushed while a
    /// worker looks for work, until the task runs.
    pub steal: Cost,
    /// For each attempt to steal from a worker that has no tasks while another one has.
    pub failed_attempt: Cost,
    /// From the end of the last task that a waiting worker waits for until the worker continues.
    pub hand_back: Cost,
    /// Instead of `steal` and `hand_back`, for a worker that is asleep.
    pub wake_up: Cost,
    /// How long a worker looks for work before it falls asleep.
    pub sleep_after: Cost,
}

impl SchedulingCosts {
    /// Scheduling that costs nothing.
    pub const FREE: Self = Self {
        spawn: Cost::FREE,
        steal: Cost::FREE,
        failed_attempt: Cost::FREE,
        hand_back: Cost::FREE,
        wake_up: Cost::FREE,
        sleep_after: Cost::FREE,
    };

    /// The costs of a machine. A look into an empty deque is not measured and keeps its default.
    pub fn from_machine(machine: &MachineCosts) -> Self {
        Self {
            hand_back: machine.hand_back.cost.value,
            wake_up: machine.wake_up.cost.value,
            ..Self::default().with_steal(machine.steal.cost.value)
        }
    }

    /// Costs in which a steal or a wake-up costs the burden and nothing else costs anything. That
    /// is all that is known in events of a metric other than time.
    fn from_burden(burden: Cost) -> Self {
        Self {
            wake_up: burden,
            ..Self::FREE.with_steal(burden)
        }
    }

    /// The costs of the machine of `run`: all measured if its burden was measured, otherwise the
    /// default. If the metric is not time, those that follow from the burden.
    pub fn from_run(run: &Run) -> (Self, CostsSource) {
        if !run.metric.is_time() {
            let burden = Cost::from_nanos(run.burden.shown() as f64);
            return (Self::from_burden(burden), CostsSource::Burden);
        }
        match &run.burden_source {
            Some(BurdenSource::Measured(machine)) => {
                (Self::from_machine(machine), CostsSource::Measured)
            }
            _ => (Self::default(), CostsSource::Typical),
        }
    }

    /// These costs with another cost of a steal, from which follows how long a worker looks for
    /// work in vain.
    #[must_use]
    pub fn with_steal(self, steal: Cost) -> Self {
        Self {
            steal,
            sleep_after: Cost::from_nanos(ROUNDS_UNTIL_SLEEPING * steal.as_nanos()),
            ..self
        }
    }
}

impl Default for SchedulingCosts {
    /// The costs of an unknown machine, by order of magnitude: a steal and a hand-back are a few
    /// cache misses, a look into an empty deque is one, a wake-up is a context switch of the
    /// operating system.
    fn default() -> Self {
        Self {
            hand_back: Cost::from_nanos(200.0),
            failed_attempt: Cost::from_nanos(50.0),
            wake_up: Cost::from_nanos(10_000.0),
            ..Self::FREE.with_steal(Cost::from_nanos(500.0))
        }
    }
}

named! {
    /// Where the costs come from.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CostsSource {
        /// They are the defaults for an unknown machine.
        Typical = "typical",
        /// They were measured on the machine.
        Measured = "measured",
        /// The user gave some of them.
        Given = "given",
        /// They are the burden of the profile, in events of its metric.
        Burden = "burden",
    }
}

/// [`SchedulingCosts`] in ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct CostTicks {
    pub(super) spawn: u64,
    pub(super) steal: u64,
    pub(super) failed_attempt: u64,
    pub(super) hand_back: u64,
    pub(super) wake_up: u64,
    pub(super) sleep_after: u64,
}

impl CostTicks {
    pub(super) fn new(costs: &SchedulingCosts, ticks_per_second: f64) -> Self {
        let ticks = |cost: Cost| (cost.as_nanos() * ticks_per_second / 1e9).round() as u64;
        Self {
            spawn: ticks(costs.spawn),
            steal: ticks(costs.steal),
            failed_attempt: ticks(costs.failed_attempt),
            hand_back: ticks(costs.hand_back),
            wake_up: ticks(costs.wake_up),
            sleep_after: ticks(costs.sleep_after),
        }
    }
}

named! {
    /// A scheduler that steals work.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Scheduler {
        /// Rayon's. A worker that spawns continues and offers the task to thieves. A worker that
        /// waits in a sync runs other tasks on top of its stack meanwhile. It continues when both
        /// what it waits for and what it took up meanwhile have ended.
        #[default]
        Rayon = "rayon",
        /// Cilk's. A worker that spawns runs the task and offers its own continuation to thieves.
        /// The last worker to arrive at a sync continues there.
        Cilk = "cilk",
    }
}

/// There is no scheduler of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no scheduler `{0}`: `rayon` and `cilk` are known")]
pub struct UnknownScheduler(String);

impl FromStr for Scheduler {
    type Err = UnknownScheduler;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|one| one.name() == text);
        found.ok_or_else(|| UnknownScheduler(text.to_owned()))
    }
}
