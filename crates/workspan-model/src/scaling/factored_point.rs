//! The factored speedups on one number of threads.

use thiserror::Error;

use super::{MissingProcessors, TimeEstimate};
use crate::{Estimate, Nanos};

/// The factored speedups on a number of threads. All are ratios of means: T_s divided by some time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FactoredPoint {
    /// Number of threads P.
    pub threads: u32,
    /// T_P.
    pub time: TimeEstimate,
    /// T_1, or T_1^P.
    pub one: TimeEstimate,
    /// I_P, the idle time of all cores, computed from its share of P · T_P; `None` if it was not
    /// measured.
    pub idle: Option<Estimate<Nanos>>,
    /// I_P − I_1, the idle time beyond that on one thread.
    pub more_idle: Option<Estimate<Nanos>>,
    /// The work inflation F_P = P · T_P − I_P − (T_1 − I_1) (Fact 2.3 and, with scheduling, Fact
    /// 2.8).
    pub inflation: Option<Estimate<Nanos>>,
    /// If tasks are too fine, the share of T_1 that is scheduling, at least. Idle time then points
    /// to the scheduler rather than to a lack of parallelism, which it shows only if tasks cost
    /// little (§2.4).
    pub fine_tasks: Option<f64>,
    /// P · T_s/T_elision (§2.8).
    pub elision: Option<Estimate<f64>>,
    /// P · T_s/T_1.
    pub maximal: Estimate<f64>,
    /// P · T_s/(T_1 + I_P − I_1).
    pub idle_specific: Option<Estimate<f64>>,
    /// P · T_s/(P · T_P − I_P + I_1).
    pub inflation_specific: Option<Estimate<f64>>,
    /// T_s/T_P.
    pub actual: Estimate<f64>,
    /// The cost of measuring: the ratio of the time of the runs whose idle time was measured to
    /// that of plain ones.
    pub measuring: Option<Estimate<f64>>,
    /// Processors that these runs lacked, which shows as work inflation; `None` if that was not
    /// observed.
    pub lacked: Option<MissingProcessors>,
    /// The share of P · T_P that counts as work although the program was on no processor, at least;
    /// `None` if it is below 5%, or if others had the program's processors.
    pub blocked: Option<f64>,
    /// Whether there are more threads than cores.
    pub shares_cores: bool,
}

named! {
    /// One of the curves, from top to bottom if nothing is negative; the idle-time-specific and the
    /// inflation-specific one may be in either order.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FactoredCurve {
        /// P.
        Linear = "linear",
        /// If there were no tasks, no idle time and no inflation.
        Elision = "elision",
        /// If there were no idle time and no inflation.
        Maximal = "maximal",
        /// If there were no inflation.
        IdleSpecific = "idle-time-specific",
        /// If there were no idle time.
        InflationSpecific = "inflation-specific",
        /// As measured.
        Actual = "actual",
    }
}

impl FactoredPoint {
    /// Whether the processors that the runs lacked explain at least half of the work inflation.
    pub fn lacked_explains_inflation(&self) -> bool {
        let available = self.time.mean.value.as_nanos() as f64 * f64::from(self.threads);
        let inflation = self
            .inflation
            .map_or(0.0, |inflation| inflation.value.as_nanos() as f64);
        self.lacked
            .is_some_and(|lacked| lacked.explains(inflation / available))
    }

    /// The speedup of a curve at this point; `None` if what it follows from was not measured.
    pub fn speedup(&self, curve: FactoredCurve) -> Option<Estimate<f64>> {
        match curve {
            FactoredCurve::Linear => Some(Estimate::exactly(f64::from(self.threads))),
            FactoredCurve::Elision => self.elision,
            FactoredCurve::Maximal => Some(self.maximal),
            FactoredCurve::IdleSpecific => self.idle_specific,
            FactoredCurve::InflationSpecific => self.inflation_specific,
            FactoredCurve::Actual => Some(self.actual),
        }
    }
}

/// Why a sweep has no factored speedups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FactoredError {
    /// No run of a sequential program counts.
    #[error(
        "no run of a sequential program to compare with: name one with --baseline 'PROGRAM ARGS', and see that it ends well"
    )]
    NoBaseline,
    /// No run on one thread counts, nor one of T_1^P.
    #[error(
        "no run of the program on one thread: begin --threads at 1, and see that it ends well there"
    )]
    NoOneThread,
    /// No run on several threads counts.
    #[error("no run of the program on any number of threads has ended well")]
    NoRuns,
}
