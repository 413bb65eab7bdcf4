//! The code that a change is about.

use super::{Dag, StrandRegionId};
use crate::SampleShare;

/// The code that a change is about: strand regions, whole or in part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangedCode {
    /// Each region once.
    pub parts: Vec<CodePart>,
    /// What samples say of the code, where they alone tell how much of a region it is.
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

/// Code that is known by samples: a function or lines, with all that they call in the same task.
///
/// Shares are of the samples of whole programs, weighed as in [`functions`](crate::functions). Those of a region are of
/// the samples at its node of the call tree, and so the same for all strands of a node: where one strand runs the
/// code and another does not, samples cannot tell. Waits are taken to divide like the running time.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeEstimate {
    /// The function, by its whole name, or the lines.
    pub meaning: String,
    /// How many samples there are on the work, of this code and of others.
    pub samples_on_work: f64,
    /// How many of them are on the critical path. None: the shares on the work stand for those on the span.
    pub samples_on_span: f64,
    /// The code's share of the work.
    pub on_work: SampleShare,
    /// The code's share of the span.
    pub on_span: SampleShare,
}

impl From<Vec<StrandRegionId>> for ChangedCode {
    /// The whole of regions.
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
    /// Of each strand region of `dag`, the share of the span that is meant.
    pub(super) fn shares_of_span(&self, dag: &Dag) -> Vec<f64> {
        let mut shares = vec![0.0; dag.regions.len()];
        for part in &self.parts {
            shares[part.region.index()] = part.on_span;
        }
        shares
    }

    /// The code were it as little of each region as samples allow: its share of the program is the lower end of the
    /// interval. What is no estimate stays.
    pub fn at_least(&self) -> Self {
        self.with_shares(|part, of| match of.share > 0.0 {
            true => part * of.lower / of.share,
            false => part,
        })
    }

    /// The same with the upper end; regions in which no sample has seen the code may then be it in part, too.
    pub fn at_most(&self) -> Self {
        self.with_shares(|part, of| match of.share < 1.0 {
            true => 1.0 - (1.0 - part) * (1.0 - of.upper) / (1.0 - of.share),
            false => part,
        })
    }

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
