//! What scheduling costs in a simulation.

use clap::Args;
use workspan_model::{Cost, CostsSource, Profile, SchedulingCosts};

use crate::command::burden::Migration;
use crate::machine_costs;

/// Heading of these options in `--help`.
const COSTS: &str = "Costs (such as 400ns, 1.5us or 900cycles; each can be 0ns)";

/// What the user says of the costs.
#[derive(Debug, Args)]
pub(super) struct CostOptions {
    /// A steal: from when a task is offered until a worker that looks for work runs it
    #[arg(long, value_name = "TIME", help_heading = COSTS)]
    steal_cost: Option<Migration>,
    /// A look at a worker that has no task, while another one has [default: 50ns]
    #[arg(long, value_name = "TIME", help_heading = COSTS)]
    failed_steal_cost: Option<Migration>,
    /// From the end of a stolen task until the worker that waits for it goes on
    #[arg(long, value_name = "TIME", help_heading = COSTS)]
    hand_back_cost: Option<Migration>,
    /// In place of both, when the worker is asleep, as it is after looking for work for 33 steals' time
    #[arg(long, value_name = "TIME", help_heading = COSTS)]
    wake_up_cost: Option<Migration>,
    /// Offering a task, beyond what the recorded strands already have of it [default: 0ns]
    #[arg(long, value_name = "TIME", help_heading = COSTS)]
    spawn_cost: Option<Migration>,
}

impl CostOptions {
    /// The costs, and where they come from: from options, else as the profile has them, else as they are kept of this
    /// machine, else typical ones.
    pub(super) fn resolve(
        &self,
        profile: &Profile,
        ticks_per_second: f64,
    ) -> (SchedulingCosts, CostsSource) {
        let (mut costs, mut source) = machine_costs::of_scheduling(&profile.run);
        let mut given = |option: Option<Migration>| {
            let nanos = match option? {
                Migration::Nanos(nanos) => nanos as f64,
                Migration::Cycles(cycles) => cycles as f64 * 1e9 / ticks_per_second,
            };
            source = CostsSource::Given;
            Some(Cost::from_nanos(nanos))
        };
        if let Some(steal) = given(self.steal_cost) {
            costs = costs.with_steal(steal);
        }
        for (cost, option) in [
            (&mut costs.failed_attempt, self.failed_steal_cost),
            (&mut costs.hand_back, self.hand_back_cost),
            (&mut costs.wake_up, self.wake_up_cost),
            (&mut costs.spawn, self.spawn_cost),
        ] {
            if let Some(given) = given(option) {
                *cost = given;
            }
        }
        (costs, source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_go_before_what_the_profile_says() {
        let profile = workspan_model::example::quicksort();
        let options = CostOptions {
            steal_cost: Some(Migration::Cycles(600)),
            failed_steal_cost: None,
            hand_back_cost: None,
            wake_up_cost: Some(Migration::Nanos(0)),
            spawn_cost: None,
        };
        let (costs, source) = options.resolve(&profile, 2e9);
        assert_eq!(source, CostsSource::Given);
        assert_eq!(costs.steal, Cost::from_nanos(300.0));
        assert_eq!(costs.wake_up, Cost::FREE);
        assert_eq!(
            costs.failed_attempt,
            SchedulingCosts::default().failed_attempt
        );
        assert_eq!(costs.sleep_after, Cost::from_nanos(9_900.0));
    }
}
