//! The task dag of a run: its strands, and which of them had to wait for which.

mod advice;
mod branches;
mod builder;
mod change;
mod check;
mod coarsen;
mod code;
mod critical_path;
mod execution;
mod figures;
mod folded;
mod levelled;
mod phases;
mod query;
mod sampled;
mod shape;
pub(crate) mod simulation;
mod vertex;
mod what_if;
mod width;

use serde::{Deserialize, Serialize};

pub use advice::{Advice, AdviceEnd, AdviceStep, AdvisedCode, Goal, advise, advise_with};
pub use builder::DagBuilder;
pub use change::{Change, ChangedCode, CodeEstimate, CodePart};
pub use check::InvalidDag;
pub use code::{Code, CodeError, CodeRegion, Repeats};
pub use critical_path::{CriticalPath, DagTotals, RegionOnPath};
pub use execution::{Execution, LockLimit};
pub use figures::{CodeOnPath, DagFigures};
pub(crate) use levelled::Levelled;
pub use query::{find_code, find_sites};
pub use shape::DagShape;
pub use vertex::{
    Boundary, Side, StrandRegion, StrandRegionId, Successor, Successors, Vertex, VertexId,
    VertexKind,
};
pub(crate) use what_if::what_if_within;
pub use what_if::{ExpectedSpeedup, SpeedupChange, Until, WhatIf, WhatIfRange, what_if};

/// A task dag. Times are in ticks of the run's clock, so that nothing is rounded.
///
/// The vertices are in an order in which each comes after everything that it waits for. The first
/// is where the program begins, the last where it ends: each vertex lies on a path from the first
/// to the last. [`Dag::check`] checks all of this. Everything in this crate that takes a dag relies
/// on it and may panic otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dag {
    /// Ticks per second.
    pub ticks_per_second: f64,
    /// Finished subtrees of less work, in ticks, were folded into one vertex. 0 if every strand is
    /// there.
    pub grain: i64,
    /// The burden of a stealable edge, in ticks.
    pub burden: i64,
    /// Whether the record ends before the program did. The dag then covers only what came before.
    pub is_truncated: bool,
    /// The strands, and the subtrees that were folded into one vertex each.
    pub vertices: Vec<Vertex>,
    /// What waits for each vertex.
    pub successors: Successors,
    /// The regions of code that vertices belong to, without repetition.
    pub regions: Vec<StrandRegion>,
}

impl Dag {
    /// What waits for `vertex`, in the order in which its worker takes it up. The worker continues
    /// with the first itself and offers the others to thieves.
    pub fn successors(&self, vertex: VertexId) -> &[Successor] {
        self.successors.of(vertex)
    }
}
