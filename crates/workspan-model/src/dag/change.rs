//! The dag that a program would have if parts of it were changed.

use super::coarsen::{Coarsening, coarsened};
use super::{Dag, StrandRegionId, Vertex};
use crate::{Estimate, SiteId};

/// A change that a programmer might make.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Make code parallel: divide its span by `factor` and keep its work (TaskProf, dissertation
    /// §4.2, Algorithm 10).
    Parallelise {
        /// The code. Where it is only part of a vertex, only that part changes.
        code: ChangedCode,
        /// At least 1.
        factor: f64,
    },
    /// Make code faster: divide both its span and its work by `factor`.
    SpeedUp {
        /// The code. Where it is only part of a vertex, only that part changes.
        code: ChangedCode,
        /// More than 0. Below 1 the code becomes slower.
        factor: f64,
    },
    /// Make tasks coarser: merge tasks of the same site, as a longer loop in each task or a cutoff
    /// in a recursion does.
    Coarsen {
        /// The sites that create the tasks.
        sites: Vec<SiteId>,
        /// How many tasks become one. At least 2.
        factor: u32,
        /// Cost of creating a task, in ticks. Each task that disappears saves this much.
        cost: i64,
    },
}

impl Change {
    /// The code that becomes parallel or faster; `None` for [`Change::Coarsen`].
    pub const fn code(&self) -> Option<&ChangedCode> {
        match self {
            Self::Parallelise { code, .. } | Self::SpeedUp { code, .. } => Some(code),
            Self::Coarsen { .. } => None,
        }
    }

    /// The same change, made to `replace(code)`. [`Change::Coarsen`] stays as it is.
    pub(super) fn with_code(&self, replace: impl FnOnce(&ChangedCode) -> ChangedCode) -> Self {
        let mut change = self.clone();
        if let Self::Parallelise { code, .. } | Self::SpeedUp { code, .. } = &mut change {
            *code = replace(code);
        }
        change
    }
}

impl Dag {
    /// The dag of the program after `changes`, each applied to the result of the one before.
    ///
    /// A vertex of parallel code has more work than span, as a folded one does. Its strand is
    /// halved until there are enough parts, and each halving adds one burden to the burdened span,
    /// because a part has to move to another worker. The burdened span never grows, though: nobody
    /// makes code parallel where that does not pay.
    ///
    /// # Panics
    /// If the dag is invalid, a change names a region that the dag does not have, or the factor of
    /// a [`Change::Coarsen`] is 0.
    pub fn with_changes(&self, changes: &[Change]) -> Self {
        let mut dag = self.clone();
        for change in changes {
            match change {
                Change::Parallelise { code, factor } | Change::SpeedUp { code, factor } => {
                    let mut factors = Factors::none(&dag);
                    factors.multiply(code, *factor);
                    for vertex in &mut dag.vertices {
                        *vertex = match change {
                            Change::SpeedUp { .. } => factors.sped_up(vertex),
                            _ => factors.parallelised(vertex),
                        };
                    }
                }
                Change::Coarsen {
                    sites,
                    factor,
                    cost,
                } => {
                    let coarsening = Coarsening {
                        sites,
                        factor: *factor,
                        cost: *cost,
                    };
                    dag = coarsened(&dag, coarsening);
                }
            }
        }
        dag
    }
}

/// How much the code of each strand region changes.
#[derive(Clone, Debug)]
pub(super) struct Factors {
    regions: Vec<RegionFactors>,
    burden: i64,
}

#[derive(Clone, Copy, Debug)]
struct RegionFactors {
    /// Divisor of the region's work. Counts only where the code becomes faster.
    work: f64,
    /// Divisor of the region's span.
    span: f64,
    /// Divisor of the changed code alone, which may be only part of the region.
    code: f64,
    /// How often a strand is halved to make its parts `code` times shorter.
    halvings: i64,
}

impl Factors {
    /// Factors that change nothing.
    pub(super) fn none(dag: &Dag) -> Self {
        let unchanged = RegionFactors {
            work: 1.0,
            span: 1.0,
            code: 1.0,
            halvings: 0,
        };
        Self {
            regions: vec![unchanged; dag.regions.len()],
            burden: dag.burden,
        }
    }

    /// Changes `code` by `factor`, on top of earlier changes.
    pub(super) fn multiply(&mut self, code: &ChangedCode, factor: f64) {
        for part in &code.parts {
            let region = &mut self.regions[part.region.index()];
            region.work *= overall_factor(factor, part.on_work);
            region.span *= overall_factor(factor, part.on_span);
            if part.on_span > 0.0 {
                region.code *= factor;
                region.halvings = region.code.max(1.0).log2().ceil().min(64.0) as i64;
            }
        }
    }

    /// `vertex` with its code made parallel.
    pub(super) fn parallelised(&self, vertex: &Vertex) -> Vertex {
        let region = self.regions[vertex.region.index()];
        let span = divided(vertex.span, region.span);
        let burdens = vertex.burdened_span - vertex.span;
        let burdened_span = span + burdens + region.halvings * self.burden;
        Vertex {
            span,
            burdened_span: burdened_span.min(vertex.burdened_span).max(span),
            ..*vertex
        }
    }

    /// `vertex` with its code made faster.
    pub(super) fn sped_up(&self, vertex: &Vertex) -> Vertex {
        let region = self.regions[vertex.region.index()];
        let span = divided(vertex.span, region.span);
        Vertex {
            work: divided(vertex.work, region.work),
            span,
            burdened_span: span + (vertex.burdened_span - vertex.span),
            ..*vertex
        }
    }
}

/// The divisor of the whole if a `share` of it is divided by `factor` (G. M. Amdahl, AFIPS 1967).
fn overall_factor(factor: f64, share: f64) -> f64 {
    factor / (factor * (1.0 - share) + share)
}

/// `ticks / factor`, rounded to the nearest tick.
fn divided(ticks: i64, factor: f64) -> i64 {
    if factor == 1.0 {
        return ticks;
    }
    let exact = ticks as f64 / factor;
    // Adding a half and truncating is fast everywhere; `f64::round` is a function call on
    // processors that have no instruction for it.
    (exact + 0.5_f64.copysign(exact)) as i64
}

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
    pub on_work: Estimate<f64>,
    /// The code's share of the span.
    pub on_span: Estimate<f64>,
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
            if whole.value > 0.0 {
                part * whole.low / whole.value
            } else {
                part
            }
        })
    }

    /// The same with the upper end of the interval. Even regions in which no sample saw the code
    /// may then be part of it.
    pub fn at_most(&self) -> Self {
        self.with_shares(|part, whole| {
            if whole.value < 1.0 {
                1.0 - (1.0 - part) * (1.0 - whole.high) / (1.0 - whole.value)
            } else {
                part
            }
        })
    }

    /// Replaces each share of a region by `share` of it and of the share of the whole program.
    fn with_shares(&self, share: impl Fn(f64, Estimate<f64>) -> f64) -> Self {
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
