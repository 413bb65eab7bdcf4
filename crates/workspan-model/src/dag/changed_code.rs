//! The code that a change applies to.

use super::{Dag, StrandRegionId};
use crate::SampleShare;

/// The code that a change applies to: strand regions, whole or in part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangedCode {
    /// The regions, each only once.
    pub parts: Vec<CodePart>,
    /// The estimate from samples, if they alone show how much of each region the code is.
    pub estimate: Option<CodeEstimate>,
}

/// How much of a strand region is meant. Shares are from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CodePart {
    /// The region.
    pub region: StrandRegionId,
    /// The share of the work of its vertices.
    pub on_work: f64,
    /// The share of their span.
    pub on_span: f64,
}

/// Code that only samples know: a function or lines, with everything that they call in the same
/// task.
///
/// Shares are of all samples of the program, weighted as in [`functions`](crate::functions()).
/// Shares of a region are of the samples at its node of the call tree, and so the same for all
/// strands of the node: samples cannot tell which of them ran the code. Waits are assumed to divide
/// like the running time.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeEstimate {
    /// The full name of the function, or the lines.
    pub meaning: String,
    /// Number of samples on the work, of this code and of others.
    pub samples_on_work: f64,
    /// How many of them are on the critical path. If none are, the shares of the work stand in for
    /// those of the span.
    pub samples_on_span: f64,
    /// The code's share of the work.
    pub on_work: SampleShare,
    /// The code's share of the span.
    pub on_span: SampleShare,
}

impl From<Vec<StrandRegionId>> for ChangedCode {
    /// The given regions as a whole.
    fn from(regions: Vec<StrandRegionId>) -> Self {
        let whole = |region| CodePart {
            region,
            on_work: 1.0,
            on_span: 1.0,
        };
        Self {
            parts: regions.into_iter().map(whole).collect(),
            estimate: None,
        }
    }
}

impl ChangedCode {
    /// For each strand region of `dag`, the share of its span that is meant.
    pub(super) fn shares_of_span(&self, dag: &Dag) -> Vec<f64> {
        let mut shares = vec![0.0; dag.regions.len()];
        for part in &self.parts {
            shares[part.region.index()] = part.on_span;
        }
        shares
    }

    /// The code if it is as small a part of each region as the samples allow: its share of the
    /// program is the lower end of the interval. Returned unchanged if it is not an estimate.
    pub fn at_least(&self) -> Self {
        self.with_shares(|part, whole| {
            if whole.share > 0.0 {
                part * whole.lower / whole.share
            } else {
                part
            }
        })
    }

    /// The same with the upper end of the interval. Even regions in which no sample saw the code
    /// may then be part of it.
    pub fn at_most(&self) -> Self {
        self.with_shares(|part, whole| {
            if whole.share < 1.0 {
                1.0 - (1.0 - part) * (1.0 - whole.upper) / (1.0 - whole.share)
            } else {
                part
            }
        })
    }

    /// Replaces each share of a region by `share` of it and of the share of the whole program.
    fn with_shares(&self, share: impl Fn(f64, SampleShare) -> f64) -> Self {
        let mut code = self.clone();
        if let Some(estimate) = &self.estimate {
            for part in &mut code.parts {
                part.on_work = share(part.on_work, estimate.on_work).clamp(0.0, 1.0);
                part.on_span = share(part.on_span, estimate.on_span).clamp(0.0, 1.0);
            }
        }
        code
    }
}
