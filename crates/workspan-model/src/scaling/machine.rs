//! The machine of a sweep, and conditions that make its figures less certain.

use serde::{Deserialize, Serialize};

/// The machine that a sweep ran on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SweepMachine {
    /// Logical processors available to a run; if something else started the runs, the most of any
    /// run.
    pub cores: u32,
    /// Physical cores among them, if known: fewer than `cores` with hyper-threading.
    #[serde(default)]
    pub physical_cores: Option<u32>,
    /// Sockets that they are on, if known.
    #[serde(default)]
    pub sockets: Option<u32>,
    /// The processor's name.
    #[serde(default)]
    pub processor: Option<String>,
    /// The operating system, such as `linux`.
    pub os: String,
    /// The architecture, such as `x86_64`.
    pub architecture: String,
    /// The conditions found that make measurements less certain.
    #[serde(default)]
    pub conditions: Vec<Condition>,
}

/// What makes measurements less certain: the practices recommended by Cilkview §4 that were not
/// followed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// Other programs were running just before the sweep began.
    Busy {
        /// How many processors they kept busy, on average.
        processors: f64,
    },
    /// Other virtual machines used this one's processors just before the sweep began.
    Stolen {
        /// How many of them, on average.
        processors: f64,
    },
    /// The clock rate of the processor follows the load, under this governor.
    ClockVaries {
        /// Its name.
        governor: String,
    },
    /// A few busy cores run at a higher clock rate than many.
    Boost,
    /// Logical processors share physical cores.
    HyperThreads,
    /// The machine is virtual, and other machines may use its cores, too.
    Virtual,
    /// The machine was running on battery.
    Battery,
}

impl SweepMachine {
    /// Whether this many threads, or copies of a program, have a logical processor each.
    pub const fn has_cores_for(&self, threads: u32) -> bool {
        threads <= self.cores
    }

    /// Whether this many have a physical core each, as far as is known.
    pub fn has_physical_cores_for(&self, threads: u32) -> bool {
        threads <= self.physical_cores.unwrap_or(self.cores)
    }
}
