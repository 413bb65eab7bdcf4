//! The figures of a sweep.

use workspan_model::{
    Bandwidth, ExpectedScaling, Factored, FactoredError, RunKind, Scaling, Sweep, bandwidth,
    factored, scaling,
};
use workspan_report::ScalingReport;

/// The figures of a sweep: those that it measured the runs for.
pub(crate) struct Figures {
    scaling: Option<Scaling>,
    factored: Option<Result<Factored, FactoredError>>,
    bandwidth: Option<Bandwidth>,
}

impl Figures {
    /// The figures of `sweep`, compared with what was `expected` of it.
    pub(crate) fn new(sweep: &Sweep, expected: Option<&ExpectedScaling>) -> Self {
        let measured = |kind| !sweep.measured_threads(kind).is_empty();
        Self {
            scaling: measured(RunKind::Plain).then(|| scaling(sweep, expected)),
            factored: measured(RunKind::Idle).then(|| factored(sweep)),
            bandwidth: bandwidth(sweep),
        }
    }

    pub(crate) fn report<'a>(&'a self, sweep: &'a Sweep) -> ScalingReport<'a> {
        let factored = self.factored.as_ref();
        ScalingReport {
            sweep,
            scaling: self.scaling.as_ref(),
            factored: factored.and_then(|factored| factored.as_ref().ok()),
            bandwidth: self.bandwidth.as_ref(),
        }
    }

    /// The measured speedups.
    pub(crate) const fn scaling(&self) -> Option<&Scaling> {
        self.scaling.as_ref()
    }

    /// Why there are no factored speedups although they were measured.
    pub(crate) fn not_factored(&self) -> Option<&FactoredError> {
        self.factored.as_ref()?.as_ref().err()
    }
}
