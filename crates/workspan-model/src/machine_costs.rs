//! What rayon's operations cost on a machine.

use serde::{Deserialize, Serialize};

use crate::{Nanos, Quartiles};

/// What rayon's operations cost on an otherwise idle machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineCosts {
    /// From the push of a task until a worker that was looking for work runs it.
    pub steal: Quartiles,
    /// From the end of a stolen task until the worker waiting for it continues.
    pub hand_back: Quartiles,
    /// From the push of a task until a worker that was asleep runs it.
    pub wake_up: Quartiles,
    /// One `join` without a steal.
    pub join: Quartiles,
    /// One task that is spawned into a `scope` and not stolen.
    pub spawn: Quartiles,
    /// One empty `scope`.
    pub scope: Quartiles,
}

impl MachineCosts {
    /// The cost of moving a task to another core and handing its completion back: the scheduler's
    /// part of Cilkview's burden (§3). Moving the task's data is not included.
    pub fn migration(&self) -> Nanos {
        self.steal.median.times(1) + self.hand_back.median.times(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cost;

    #[test]
    fn a_migration_is_a_steal_and_a_hand_back() {
        let cost = |nanos| Quartiles::from_samples(vec![Cost::from_nanos(nanos)]).unwrap();
        let costs = MachineCosts {
            steal: cost(420.0),
            hand_back: cost(160.0),
            wake_up: cost(5_000.0),
            ..MachineCosts::default()
        };
        assert_eq!(costs.migration(), Nanos::from_nanos(580));
    }
}
