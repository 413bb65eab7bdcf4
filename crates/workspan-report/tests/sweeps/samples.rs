//! The sweeps, each with what follows from it.
#![allow(dead_code, reason = "each test that has them takes what it needs")]

use std::sync::LazyLock;

use workspan_model::{
    Bandwidth, ExpectedScaling, Factored, RunKind, Scaling, Sweep, bandwidth, factored, scaling,
};
use workspan_report::ScalingReport;

/// A sweep and what follows from it.
pub struct Sample {
    pub name: &'static str,
    pub sweep: Sweep,
    pub scaling: Option<Scaling>,
    pub factored: Option<Factored>,
    pub bandwidth: Option<Bandwidth>,
}

impl Sample {
    fn of(name: &'static str, sweep: Sweep, expected: Option<&ExpectedScaling>) -> Self {
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

    /// What there is to print of it.
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
        Sample::of(
            "cilksort",
            super::cilksort(),
            Some(&super::expected_of_cilksort()),
        ),
        Sample::of(
            "memcpy",
            super::memcpy(),
            Some(&super::expected_of_memcpy()),
        ),
        Sample::of("copies", copies, None),
        Sample::of("bad", super::bad(), None),
        Sample::of("busy", super::busy(), Some(&super::expected_of_memcpy())),
        Sample::of("fine", super::fine(), None),
        Sample::of("tiny", super::tiny(), None),
        Sample::of("serial", super::serial(), None),
    ]
}
