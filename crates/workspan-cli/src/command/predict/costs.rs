//! Options for the scheduling costs of a simulation.

use anyhow::bail;
use clap::Args;
use workspan_model::{Cost, CostsSource, Profile, SchedulingCosts};

use crate::command::burden::Migration;
use crate::machine_costs;

/// Heading of these options in `--help`.
const HEADING: &str = "Costs (such as 400ns, 1.5us or 900cycles; each can be 0ns. Of a profile that counts events, their number)";

/// The costs that the user gave. Doc comments of the fields are the help texts.
#[derive(Debug, Args)]
pub(super) struct CostOptions {
    /// A steal: from when a task is offered until a worker that looks for work runs it
    #[arg(long, value_name = "TIME", help_heading = HEADING)]
    steal_cost: Option<Migration>,
    /// A look at a worker that has no task, while another one has [default: 50ns]
    #[arg(long, value_name = "TIME", help_heading = HEADING)]
    failed_steal_cost: Option<Migration>,
    /// From the end of a stolen task until the worker that waits for it goes on
    #[arg(long, value_name = "TIME", help_heading = HEADING)]
    hand_back_cost: Option<Migration>,
    /// In place of both, when the worker is asleep, as it is after looking for work for 33 steals' time
    #[arg(long, value_name = "TIME", help_heading = HEADING)]
    wake_up_cost: Option<Migration>,
    /// Offering a task, beyond what the recorded strands already have of it [default: 0ns]
    #[arg(long, value_name = "TIME", help_heading = HEADING)]
    spawn_cost: Option<Migration>,
}

impl CostOptions {
    /// The costs and their source.
    ///
    /// A cost comes from its option if given, else from the profile, else from the costs that were
    /// measured on this machine and kept, else from typical values. It is in nanoseconds, or in
    /// events if the profile counts events. Options must use the same unit; for a profile of time
    /// they can also give cycles, which `ticks_per_second` converts. A single option makes the
    /// source [`CostsSource::Given`].
    ///
    /// # Errors
    /// If an option is in the wrong unit.
    pub(super) fn resolve(
        &self,
        profile: &Profile,
        ticks_per_second: f64,
    ) -> anyhow::Result<(SchedulingCosts, CostsSource)> {
        let metric = &profile.run.metric;
        let (mut costs, mut source) = machine_costs::of_scheduling(&profile.run);
        let mut cost_of = |option: Option<Migration>| {
            let Some(given) = option else {
                return Ok(None);
            };
            let amount = match (given, metric.is_time()) {
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
            // A `Cost` holds events where the profile counts events.
            Ok(Some(Cost::from_nanos(amount)))
        };
        if let Some(steal) = cost_of(self.steal_cost)? {
            costs = costs.with_steal(steal);
        }
        for (cost, option) in [
            (&mut costs.failed_attempt, self.failed_steal_cost),
            (&mut costs.hand_back, self.hand_back_cost),
            (&mut costs.wake_up, self.wake_up_cost),
            (&mut costs.spawn, self.spawn_cost),
        ] {
            if let Some(given) = cost_of(option)? {
                *cost = given;
            }
        }
        Ok((costs, source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_OPTIONS: CostOptions = CostOptions {
        steal_cost: None,
        failed_steal_cost: None,
        hand_back_cost: None,
        wake_up_cost: None,
        spawn_cost: None,
    };

    #[test]
    fn options_override_the_profile() {
        let profile = workspan_model::example::quicksort();
        let options = CostOptions {
            steal_cost: Some(Migration::Cycles(600)),
            wake_up_cost: Some(Migration::Nanos(0)),
            ..NO_OPTIONS
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
    fn costs_are_in_the_unit_of_the_profile() {
        let mut profile = workspan_model::example::quicksort();
        profile.run.metric.name = "instructions".to_owned();
        profile.run.metric.unit = "instructions".to_owned();
        let options = |steal| CostOptions {
            steal_cost: steal,
            ..NO_OPTIONS
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
