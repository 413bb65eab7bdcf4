//! The machine that ran the program.

use serde::{Deserialize, Serialize};

use crate::{Estimate, Nanos};

/// The machine that ran the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Machine {
    /// Cores available to the process.
    pub cores: u32,
    /// The processor's name.
    pub processor: Option<String>,
    /// The operating system, such as `linux`.
    pub os: String,
    /// The architecture, such as `x86_64`.
    pub architecture: String,
    /// Rate of the profile's clock. For a clock that counts events it is 10⁹, so that a tick is one
    /// event.
    pub ticks_per_second: f64,
}

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
        self.steal.cost.value.times(1) + self.hand_back.cost.value.times(1)
    }
}

/// A cost that was measured many times: the median, and the interval that holds half of the
/// samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quartiles {
    /// The median, and the quartiles.
    #[serde(flatten, with = "QuartileKeys")]
    pub cost: Estimate<Cost>,
    /// The number of samples.
    pub samples: u64,
}

/// The names that files have for quartiles.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Estimate<Cost>")]
struct QuartileKeys {
    #[serde(rename = "lower")]
    low: Cost,
    #[serde(rename = "median")]
    value: Cost,
    #[serde(rename = "upper")]
    high: Cost,
}

impl Quartiles {
    /// The quartiles of `samples`, each the sample nearest to its rank; `None` without samples.
    pub fn from_samples(mut samples: Vec<Cost>) -> Option<Self> {
        samples.sort_by(|one, other| one.as_nanos().total_cmp(&other.as_nanos()));
        let last = samples.len().checked_sub(1)?;
        let at = |quarters: usize| samples[(last * quarters + 2) / 4];
        Some(Self {
            cost: Estimate {
                value: at(2),
                low: at(1),
                high: at(3),
            },
            samples: samples.len() as u64,
        })
    }
}

/// The burden that Cilkview assumes for every machine (§3), in instructions. Here the same number
/// also stands for cycles.
pub const CILKVIEW_BURDEN: u64 = 15_000;

/// Where the cost of moving a task comes from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BurdenSource {
    /// It is [`CILKVIEW_BURDEN`].
    Cilkview,
    /// No burden is known for the profile's metric: it is 0.
    Unknown,
    /// The user gave it.
    Given,
    /// It was measured on the machine: [`MachineCosts::migration`].
    Measured(MachineCosts),
}

impl BurdenSource {
    /// The name that files use.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Cilkview => "cilkview",
            Self::Unknown => "unknown",
            Self::Given => "given",
            Self::Measured(_) => "measured",
        }
    }
}

/// The average cost of one operation, possibly fractional: in nanoseconds, or in events of the
/// profile's metric.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cost(f64);

impl Cost {
    /// No cost.
    pub const FREE: Self = Self(0.0);

    /// A cost of `nanos` nanoseconds; a negative number or NaN counts as free.
    pub fn from_nanos(nanos: f64) -> Self {
        Self(nanos.max(0.0))
    }

    /// The nanoseconds of one operation.
    pub const fn as_nanos(self) -> f64 {
        self.0
    }

    /// The time of `count` operations.
    pub fn times(self, count: u64) -> Nanos {
        Nanos::from_nanos_f64(self.0 * count as f64)
    }
}

/// Costs measured on the machine before the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// One reading of the clock.
    pub clock_read: Cost,
    /// Rayon's own cost of one `join`, without instrumentation.
    pub join: Cost,
    /// The cost subtracted at each boundary of a `join`.
    pub join_boundary: Cost,
    /// Rayon's own cost of one spawned task, without instrumentation.
    pub spawn: Cost,
    /// The cost subtracted at each boundary of a spawned task.
    pub spawn_boundary: Cost,
    /// Rayon's own cost of one `scope`, without instrumentation.
    pub scope: Cost,
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

#[cfg(test)]
mod quartiles_tests {
    use super::*;

    #[test]
    fn half_of_the_samples_lie_between_the_quartiles() {
        let quartiles = |samples: &[f64]| {
            let samples = samples.iter().copied().map(Cost::from_nanos).collect();
            let Quartiles { cost, samples } = Quartiles::from_samples(samples)?;
            let Estimate { value, low, high } = cost.map(Cost::as_nanos);
            Some((low, value, high, samples))
        };
        assert_eq!(quartiles(&[]), None);
        assert_eq!(quartiles(&[7.0]), Some((7.0, 7.0, 7.0, 1)));
        assert_eq!(
            quartiles(&[5.0, 1.0, 900.0, 2.0, 3.0]),
            Some((2.0, 3.0, 5.0, 5))
        );
    }
}
