//! The machine that ran the program.

use serde::{Deserialize, Serialize};

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
