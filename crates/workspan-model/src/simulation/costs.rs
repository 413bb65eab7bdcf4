//! What scheduling costs.

use serde::{Deserialize, Serialize};

use super::CostsSource;
use crate::{BurdenSource, Cost, MachineCosts, Run};

/// Rounds of looking for work in vain after which a worker of rayon falls asleep (rayon-core,
/// `sleep::ROUNDS_UNTIL_SLEEPING`).
const ROUNDS_UNTIL_SLEEPING: f64 = 33.0;

/// What scheduling costs a worker.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SchedulingCosts {
    /// For each task that is offered to thieves, beyond what the strands have of it: a recorded strand already contains
    /// what rayon's `join` and `spawn` cost when nobody steals.
    pub spawn: Cost,
    /// From when a worker looks for a task that there is, or from the push of one to a worker that looks for work, until
    /// it runs.
    pub steal: Cost,
    /// For each attempt to steal from a worker that has nothing, while another one has.
    pub failed_attempt: Cost,
    /// From the end of the last thing that a waiting worker waits for until that goes on.
    pub hand_back: Cost,
    /// In place of `steal` and `hand_back`, of a worker that is asleep.
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

    /// Those of a machine. A look at an empty deque, which is not among what is measured, keeps its default.
    pub fn of(machine: &MachineCosts) -> Self {
        Self {
            hand_back: machine.hand_back.median,
            wake_up: machine.wake_up.median,
            ..Self::default().with_steal(machine.steal.median)
        }
    }

    /// Those in which a steal, and a wake-up, is the burden, and nothing else costs anything: all that is known in events
    /// of a metric that is no time.
    fn of_burden(burden: Cost) -> Self {
        Self {
            wake_up: burden,
            ..Self::FREE.with_steal(burden)
        }
    }

    /// Those that are known of the machine of `run`: where its burden was measured, all are; else the default. Of a metric
    /// that is no time, those that follow from the burden.
    pub fn of_run(run: &Run) -> (Self, CostsSource) {
        if !run.metric.is_time() {
            let burden = Cost::from_nanos(run.burden.shown() as f64);
            return (Self::of_burden(burden), CostsSource::Burden);
        }
        match &run.burden_source {
            Some(BurdenSource::Measured(machine)) => (Self::of(machine), CostsSource::Measured),
            _ => (Self::default(), CostsSource::Typical),
        }
    }

    /// These, with another cost of a steal; how long a worker looks for work in vain follows it.
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
    /// Those of an unknown machine, by orders of magnitude: a steal and a hand-back are some cache misses, a look into an
    /// empty deque is one, a wake-up is a switch of the operating system.
    fn default() -> Self {
        Self {
            hand_back: Cost::from_nanos(200.0),
            failed_attempt: Cost::from_nanos(50.0),
            wake_up: Cost::from_nanos(10_000.0),
            ..Self::FREE.with_steal(Cost::from_nanos(500.0))
        }
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
