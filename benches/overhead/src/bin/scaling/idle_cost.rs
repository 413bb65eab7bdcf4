//! What measuring idle time costs.

/// What measuring the idle time of a program costs.
pub(crate) struct IdleCost {
    pub(crate) program: &'static str,
    /// Whether its tasks are so short that a few nanoseconds each matter.
    pub(crate) has_tiny_tasks: bool,
    pub(crate) threads: u32,
    /// Seconds of the plain build.
    pub(crate) plain: f64,
    /// For each pair of runs, the time of the build that can be measured, without measuring, over
    /// that of the plain build.
    pub(crate) build: Vec<f64>,
    /// For each pair of runs of the same build, the time with idle time measured over that without.
    pub(crate) measuring: Vec<f64>,
}
