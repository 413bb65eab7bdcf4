//! What a calibration has found.

/// Costs in ticks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calibration {
    /// One reading of the clock.
    pub(crate) clock_read: f64,
    /// One join, spawn and scope of the runtime alone.
    pub(crate) join: f64,
    pub(crate) spawn: f64,
    pub(crate) scope: f64,
    /// What the engine adds to a strand at a boundary other than a spawn.
    pub(crate) boundary: f64,
    /// The same where functions are measured.
    pub(crate) ordinary_boundary: f64,
    /// What it adds to a strand at a spawn.
    pub(crate) spawn_boundary: f64,
    /// What it adds at a boundary without a reading of the clock.
    pub(crate) unread_boundary: f64,
    /// What it adds, beyond that, to a fork without readings of the clock that leads to another
    /// node.
    pub(crate) crossing: f64,
    /// How long measuring these took, in nanoseconds.
    pub(crate) nanos: i64,
}

impl Calibration {
    pub(crate) fn named(&self) -> [(&'static str, f64); 6] {
        [
            ("clock_read", self.clock_read),
            ("join", self.join),
            ("spawn", self.spawn),
            ("scope", self.scope),
            ("join_boundary", self.boundary),
            ("spawn_boundary", self.spawn_boundary),
        ]
    }
}
