//! What it cost to measure the program.

use crate::{EngineCount, Nanos, Profile, Totals};

/// What the engine cost.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineCost {
    /// The engine's counts of its own operations, in the order in which it reported them.
    pub counts: Vec<EngineCount>,
    /// Boundaries between strands per task created, if both are known.
    pub boundaries_per_task: Option<f64>,
    /// Readings of the clock per boundary, if both are known.
    pub clock_reads_per_boundary: Option<f64>,
    /// The engine's own cost, which was subtracted from the strands.
    pub own_cost: Nanos,
    /// `own_cost` as a share of the work that remains.
    pub own_cost_share: f64,
}

/// What the engine cost in the run of `profile`.
pub fn engine_cost(profile: &Profile, totals: &Totals) -> EngineCost {
    let count = |name| profile.count_of_engine(name).map(|count| count as f64);
    let boundaries = count("boundaries");
    let own_cost = profile.run.own_cost;
    EngineCost {
        counts: profile.engine.clone(),
        boundaries_per_task: ratio(boundaries, Some(totals.spawns as f64)),
        clock_reads_per_boundary: ratio(count("clock_reads"), boundaries),
        own_cost,
        own_cost_share: own_cost.share_of(totals.work.time()),
    }
}

/// How a program of rayon uses its pools, as far as it was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pools {
    /// Whether iterators asked a pool for its threads, as those do that may be cut.
    pub asked_for_threads: bool,
    /// The threads of the pool for which iterators were cut, if the program chose them.
    pub own: Option<u32>,
    /// Pools that the program built.
    pub built: u64,
    /// Calls that a thread of a pool ran while their caller, outside of it, waited.
    pub installed: u64,
    /// Those that a thread of another pool waited for.
    pub between: u64,
}

impl Profile {
    /// How the program uses pools of rayon.
    pub(crate) fn pools(&self) -> Pools {
        let count = |name| self.count_of_engine(name).map_or(0, i64::unsigned_abs);
        let asked = ["asked_chosen_pool", "asked_default_pool"];
        Pools {
            asked_for_threads: asked.iter().any(|name| count(name) > 0),
            own: self.own_pool(),
            built: count("pools"),
            installed: count("installed"),
            between: count("installed_between_pools"),
        }
    }

    /// How many threads ran anything, if the engine counted them.
    pub fn threads_that_ran(&self) -> Option<u64> {
        u64::try_from(self.count_of_engine("threads")?).ok()
    }

    /// The threads of the program's own pool, if no other was asked for its threads: iterators were
    /// cut for them.
    pub(crate) fn own_pool(&self) -> Option<u32> {
        let chosen = self.count_of_engine("asked_chosen_pool")?;
        let is_only = chosen > 0 && self.count_of_engine("asked_default_pool") == Some(0);
        u32::try_from(chosen).ok().filter(|_| is_only)
    }

    /// The engine's count of this name, if it reported one.
    pub(crate) fn count_of_engine(&self, name: &str) -> Option<i64> {
        let count = self.engine.iter().find(|count| count.name == name)?;
        Some(count.value)
    }
}

fn ratio(part: Option<f64>, whole: Option<f64>) -> Option<f64> {
    let whole = whole.filter(|&whole| whole > 0.0)?;
    Some(part?.max(0.0) / whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{analyse, example};

    fn cost_with(counts: &[(&str, i64)]) -> EngineCost {
        let mut profile = example::quicksort();
        profile.engine = counts
            .iter()
            .map(|&(name, value)| EngineCount {
                name: name.to_owned(),
                value,
            })
            .collect();
        analyse(&profile).engine
    }

    #[test]
    fn ratios_are_those_of_the_counts() {
        // The quicksort has 587,213 tasks.
        let cost = cost_with(&[("clock_reads", 880_819), ("boundaries", 1_761_639)]);
        assert_eq!(cost.boundaries_per_task, Some(3.0));
        let reads = cost.clock_reads_per_boundary.unwrap();
        assert!((reads - 0.5).abs() < 1e-6, "{reads}");
        // 35.2 ms subtracted, 1060 ms of work left.
        assert!((cost.own_cost_share - 0.033_207).abs() < 1e-6);
        assert_eq!(cost.counts[0].name, "clock_reads");
    }

    #[test]
    fn missing_counts_give_no_ratio() {
        for counts in [
            &[][..],
            &[("boundaries", 0), ("clock_reads", 7)],
            &[("clock_reads", 7)],
        ] {
            let cost = cost_with(counts);
            assert_eq!(cost.clock_reads_per_boundary, None, "{counts:?}");
        }
        assert_eq!(cost_with(&[]).boundaries_per_task, None);
    }
}
