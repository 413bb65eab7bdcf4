//! What rayon's operations cost on a machine.

use serde::{Deserialize, Serialize};

use crate::{Nanos, Quartiles};

/// What rayon's operations cost on a machine, as measured with nothing else to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineCosts {
    /// From the push of a task until a worker that was looking for work runs it.
    pub steal: Quartiles,
    /// From the end of a stolen task until the worker that waits for it goes on.
    pub hand_back: Quartiles,
    /// From the push of a task until a worker that was asleep runs it.
    pub wake_up: Quartiles,
    /// One `join` of which nothing is stolen.
    pub join: Quartiles,
    /// One task spawned into a `scope` and not stolen.
    pub spawn: Quartiles,
    /// One empty `scope`.
    pub scope: Quartiles,
}

impl MachineCosts {
    /// What it costs to move a task to another core and its end back: Cilkview's burden (§3), as far as the
    /// scheduler goes. What the task's data cost to follow it is not in it.
    pub fn migration(&self) -> Nanos {
        self.steal.median.times(1) + self.hand_back.median.times(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cost;

    #[test]
    fn a_migration_is_a_steal_and_the_way_back() {
        let of = |nanos| Quartiles::of(vec![Cost::from_nanos(nanos)]).unwrap();
        let costs = MachineCosts {
            steal: of(420.0),
            hand_back: of(160.0),
            wake_up: of(5_000.0),
            ..MachineCosts::default()
        };
        assert_eq!(costs.migration(), Nanos::from_nanos(580));
    }
}
