//! What a session is started with.

use crate::clock::metric::Metric;
use crate::clock::Clock;
use crate::state::calibrated::Calibration;
use crate::state::recording::Recording;

/// The configuration that a session is started with.
#[derive(Clone, Debug)]
pub struct Config {
    /// What is measured of strands.
    pub metric: Metric,
    /// The clock that strands are measured with.
    pub clock: Clock,
    /// Why `clock` is not the time-stamp counter, if that was wanted.
    pub clock_note: Option<String>,
    /// The burden of a stealable edge.
    pub burden: Burden,
    /// The number of cores to report in pools of default size; 0: the real number.
    pub assumed_cores: usize,
    /// The number of threads of pools of default size; 0: the runtime's own default.
    pub threads: usize,
    /// Branches of forks that are expected to take less than this many nanoseconds (with a virtual
    /// clock, ticks) may be timed as a whole; 0: the clock is read at every boundary.
    pub grain: i64,
    /// How many forks of a node each thread measures one by one before it times any as a whole. At
    /// least 8, from which the lengths of strands are known.
    pub measured_forks: i32,
    /// How many instances of each region are reported one by one.
    pub instances: u64,
    /// How many samples to take per second of each thread's processor time; 0: none. With a virtual
    /// clock: whether there are any.
    pub sample_rate: u32,
    /// Where and how the task dag is recorded; `None`: it is not.
    pub recording: Option<Recording>,
    /// What the engine costs under a virtual clock, on which it cannot be measured.
    pub virtual_cost: VirtualCost,
}

/// What the engine spends under a virtual clock, in its ticks, and takes off strands. A reading
/// moves the clock. The rest of a boundary's cost is for the test to spend, by
/// [`advance`](crate::clock::advance), in the strand that ends there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VirtualCost {
    /// A reading of the clock.
    pub reading: i64,
    /// A boundary other than a spawn, besides the reading.
    pub boundary: i64,
    /// A spawn, besides the reading.
    pub spawn: i64,
    /// Whether the cost is to be measured, as with other clocks. Then readings are all that
    /// costs anything.
    pub is_measured: bool,
}

impl VirtualCost {
    /// What a calibration would have measured.
    pub(crate) fn calibration(self) -> Calibration {
        if self.is_measured {
            return Calibration::default();
        }
        let boundary = (self.reading + self.boundary) as f64;
        Calibration {
            clock_read: self.reading as f64,
            boundary,
            ordinary_boundary: boundary,
            spawn_boundary: (self.reading + self.spawn) as f64,
            unread_boundary: self.boundary as f64,
            ..Calibration::default()
        }
    }
}

/// The cost of migrating a stolen task (Cilkview §3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Burden {
    /// Ticks of the time-stamp counter; with a virtual clock, its ticks.
    Cycles(i64),
    /// Nanoseconds.
    Nanos(i64),
    /// Ticks of the session's clock: events of its metric.
    Ticks(i64),
}

impl Config {
    /// What [`Config::grain`] is unless the environment asks for exact timing.
    pub const GRAIN: i64 = 8_000;
}

impl Default for Config {
    fn default() -> Self {
        Self {
            metric: Metric::time(),
            clock: Clock::Monotonic,
            clock_note: None,
            burden: DEFAULT_BURDEN,
            assumed_cores: 0,
            threads: 0,
            grain: 0,
            measured_forks: DEFAULT_MEASURED_FORKS,
            instances: DEFAULT_INSTANCES,
            sample_rate: 0,
            recording: None,
            virtual_cost: VirtualCost::default(),
        }
    }
}

/// What [`Config::instances`] is unless the environment says otherwise.
pub(crate) const DEFAULT_INSTANCES: u64 = 1_000;

/// What [`Config::measured_forks`] is in a profiled program.
pub(crate) const DEFAULT_MEASURED_FORKS: i32 = 64;

/// Cilkview's figure (§3): 15,000 instructions, taken as cycles.
pub(crate) const DEFAULT_BURDEN: Burden = Burden::Cycles(15_000);
