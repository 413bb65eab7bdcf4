//! The sweeps, each with its analysis.
#![allow(dead_code, reason = "each test that has them takes what it needs")]

use std::sync::LazyLock;

use workspan_model::{
    Bandwidth, ExpectedScaling, Factored, RunKind, Scaling, Sweep, bandwidth, factored, scaling,
};
use workspan_report::ScalingReport;

/// A sweep and its analysis.
pub struct Sample {
    pub name: &'static str,
    pub sweep: Sweep,
    pub scaling: Option<Scaling>,
    pub factored: Option<Factored>,
    pub bandwidth: Option<Bandwidth>,
}

impl Sample {
    fn new(name: &'static str, sweep: Sweep, expected: Option<&ExpectedScaling>) -> Self {
        let is_measured = !sweep.measured_threads(RunKind::Plain).is_empty();
        let has_idle = !sweep.measured_threads(RunKind::Idle).is_empty();
        Self {
            name,
            scaling: is_measured.then(|| scaling(&sweep, expected)),
            factored: has_idle.then(|| factored(&sweep).unwrap()),
            bandwidth: bandwidth(&sweep),
            sweep,
        }
    }

    /// The report on the sweep.
    pub fn report(&self) -> ScalingReport<'_> {
        ScalingReport {
            sweep: &self.sweep,
            scaling: self.scaling.as_ref(),
            factored: self.factored.as_ref(),
            bandwidth: self.bandwidth.as_ref(),
        }
    }
}

/// Made once, since the bootstrap of so many figures takes seconds.
pub static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(samples);

fn samples() -> Vec<Sample> {
    let mut copies = super::memcpy();
    copies.runs.retain(|run| run.kind == RunKind::Copy);
    vec![
        Sample::new(
            "cilksort",
            super::cilksort(),
            Some(&super::expected_of_cilksort()),
        ),
        Sample::new(
            "memcpy",
            super::memcpy(),
            Some(&super::expected_of_memcpy()),
        ),
        Sample::new("copies", copies, None),
        Sample::new("bad", super::bad(), None),
        Sample::new("busy", super::busy(), Some(&super::expected_of_memcpy())),
        Sample::new("fine", super::fine(), None),
        Sample::new("tiny", super::tiny(), None),
        Sample::new("serial", super::serial(), None),
    ]
}
