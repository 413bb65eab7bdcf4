//! How a program is measured.

use serde::{Deserialize, Serialize};

use workspan_model::BurdenSource;

use crate::emulation::Emulation;

/// How the program is measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Measure {
    /// Number of threads that pools of default size report; 0 = the real number.
    pub(crate) assumed_cores: u32,
    /// Whether to run the program without a profile too, on one processor and on all.
    pub(crate) baseline: bool,
    /// Real number of threads of pools of default size; 0 = rayon's default.
    pub(crate) threads: u32,
    /// Name of the metric that is measured for each strand.
    pub(crate) metric: String,
    /// Cost of a migration, as the engine parses it: `15000cycles`, `6250ns`, or a number of events
    /// of the metric.
    pub(crate) burden: String,
    /// Where that cost comes from.
    pub(crate) burden_source: BurdenSource,
    /// The clock to read, such as `tsc` or `monotonic`. Absent: the engine chooses.
    pub(crate) clock: Option<String>,
    /// Whether to read the clock at every boundary, however small the tasks.
    pub(crate) exact: bool,
    /// Grain of the recorded task dag, in nanoseconds or in events of the metric; 0 = every strand.
    /// Absent: record nothing.
    pub(crate) record_grain: Option<u64>,
    /// Largest size of the record, in bytes.
    pub(crate) record_bytes: u64,
    /// Whether the program runs under an emulator that counts instructions.
    pub(crate) emulate: bool,
    /// Whether the emulator nearly stops the program's clock.
    pub(crate) still_clock: bool,
    /// Samples per second of each thread's processor time; 0 = none.
    pub(crate) sample_rate: u32,
    /// After how many seconds a program that stands still ends. Absent: it does not.
    pub(crate) standstill: Option<u32>,
    /// Smallest functions to measure exactly, in bytes of code. Absent: none are measured exactly.
    pub(crate) function_bytes: Option<u32>,
}

impl Measure {
    /// The emulator, if the program is to run under one.
    ///
    /// # Errors
    /// If no emulator that can count is installed.
    pub(crate) fn emulation(&self) -> anyhow::Result<Option<Emulation>> {
        self.emulate
            .then(|| Emulation::find(self.still_clock))
            .transpose()
    }
}
