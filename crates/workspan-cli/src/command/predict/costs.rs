//! What scheduling costs in a simulation.

use anyhow::bail;
use clap::Args;
use workspan_model::{Cost, CostsSource, Profile, SchedulingCosts};

use crate::command::burden::Migration;
use crate::machine_costs;

/// Heading of these options in `--help`.
const COSTS: &str = "Costs (such as 400ns, 1.5us or 900cycles; each can be 0ns. Of a profile that counts events, their number)";

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
    /// machine, else typical ones. Of a profile that counts events, these are what costs are given in.
    ///
    /// # Errors
    /// When they are given in something else.
    pub(super) fn resolve(
        &self,
        profile: &Profile,
        ticks_per_second: f64,
    ) -> anyhow::Result<(SchedulingCosts, CostsSource)> {
        let metric = &profile.run.metric;
        let (mut costs, mut source) = machine_costs::of_scheduling(&profile.run);
        let mut given = |option: Option<Migration>| {
            let Some(given) = option else {
                return Ok(None);
            };
            let cost = match (given, metric.is_time()) {
                (Migration::Nanos(nanos), true) => nanos as f64,
                (Migration::Cycles(cycles), true) => cycles as f64 * 1e9 / ticks_per_second,
                (Migration::Events(events), false) => events as f64,
                (_, true) => bail!("a cost such as `400ns` or `900cycles` is expected"),
                (_, false) => bail!(
                    "the profile is of {0}, so that a cost is a number of {0}, such as `900`",
                    metric.unit
                ),
            };
            source = CostsSource::Given;
            Ok(Some(Cost::from_nanos(cost)))
        };
        if let Some(steal) = given(self.steal_cost)? {
            costs = costs.with_steal(steal);
        }
        for (cost, option) in [
            (&mut costs.failed_attempt, self.failed_steal_cost),
            (&mut costs.hand_back, self.hand_back_cost),
            (&mut costs.wake_up, self.wake_up_cost),
            (&mut costs.spawn, self.spawn_cost),
        ] {
            if let Some(given) = given(option)? {
                *cost = given;
            }
        }
        Ok((costs, source))
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
        let (costs, source) = options.resolve(&profile, 2e9).unwrap();
        assert_eq!(source, CostsSource::Given);
        assert_eq!(costs.steal, Cost::from_nanos(300.0));
        assert_eq!(costs.wake_up, Cost::FREE);
        assert_eq!(
            costs.failed_attempt,
            SchedulingCosts::default().failed_attempt
        );
        assert_eq!(costs.sleep_after, Cost::from_nanos(9_900.0));
    }

    #[test]
    fn costs_are_in_what_the_profile_counts() {
        let mut profile = workspan_model::example::quicksort();
        profile.run.metric.name = "instructions".to_owned();
        profile.run.metric.unit = "instructions".to_owned();
        let options = |steal| CostOptions {
            steal_cost: steal,
            failed_steal_cost: None,
            hand_back_cost: None,
            wake_up_cost: None,
            spawn_cost: None,
        };
        let (costs, source) = options(None).resolve(&profile, 1e9).unwrap();
        assert_eq!(source, CostsSource::Burden);
        assert_eq!(
            (costs.steal, costs.wake_up),
            (Cost::from_nanos(7_500.0), costs.steal)
        );
        let given = options(Some(Migration::Events(900)));
        let (costs, source) = given.resolve(&profile, 1e9).unwrap();
        assert_eq!(
            (costs.steal, source),
            (Cost::from_nanos(900.0), CostsSource::Given)
        );
        let time = options(Some(Migration::Nanos(900)));
        assert!(time.resolve(&profile, 1e9).is_err());
        assert!(
            given
                .resolve(&workspan_model::example::quicksort(), 1e9)
                .is_err()
        );
    }
}
