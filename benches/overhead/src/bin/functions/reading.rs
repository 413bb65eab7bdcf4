//! A figure to be judged.

/// A figure to be judged, in each run.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) gate: String,
    pub(crate) runs: Vec<f64>,
}

impl Reading {
    pub(crate) fn new(gate: impl Into<String>, runs: Vec<f64>) -> Self {
        let gate = gate.into();
        Reading { gate, runs }
    }
}
