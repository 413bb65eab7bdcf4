//! Where the burden comes from.

use serde::{Deserialize, Serialize};

use crate::MachineCosts;

/// The burden that Cilkview takes for every machine (§3): instructions, which here stand for as many cycles, too.
pub const CILKVIEW_BURDEN: u64 = 15_000;

/// Where the cost of moving a task comes from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BurdenSource {
    /// It is [`CILKVIEW_BURDEN`].
    Cilkview,
    /// None is known of the profile's metric: it is 0.
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
