//! Where the burden comes from.

use serde::{Deserialize, Serialize};

use crate::MachineCosts;

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
