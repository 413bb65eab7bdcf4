//! The size and the shape of a dag.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Dag, VertexId, VertexKind};

/// Counts of a dag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DagShape {
    /// Vertices.
    pub vertices: u64,
    /// Of these, strands that neither create tasks nor wait.
    pub strands: u64,
    /// Strands that end in a `join` or a broadcast.
    pub forks: u64,
    /// Strands that end in a spawn.
    pub spawns: u64,
    /// Strands that begin with a wait.
    pub syncs: u64,
    /// Folded subtrees, or rows of them, whose structure is unknown.
    pub folded: u64,
    /// Edges.
    pub edges: u64,
    /// Of these, those that a thief could take.
    pub stealable: u64,
    /// Of these, those that one did take: another worker continued.
    pub steals: u64,
    /// Workers that ran any vertex.
    pub workers: u64,
    /// The greatest nesting depth of tasks and branches.
    pub depth: u64,
}

impl Dag {
    /// Counts the parts of the dag. Takes time proportional to the vertices and edges, and 4 bytes
    /// per vertex.
    pub fn shape(&self) -> DagShape {
        let mut shape = DagShape {
            vertices: self.vertices.len() as u64,
            edges: self.successors.edges().len() as u64,
            ..DagShape::default()
        };
        let mut workers = BTreeSet::new();
        let mut depths = vec![0_u32; self.vertices.len()];
        for (at, vertex) in self.vertices.iter().enumerate() {
            *match vertex.kind {
                VertexKind::Strand => &mut shape.strands,
                VertexKind::Fork => &mut shape.forks,
                VertexKind::Spawn => &mut shape.spawns,
                VertexKind::Sync => &mut shape.syncs,
                VertexKind::Folded => &mut shape.folded,
            } += 1;
            workers.insert(vertex.worker);
            if vertex.kind == VertexKind::Sync {
                depths[at] = depths[vertex.begun_by.index()];
            }
            shape.depth = shape.depth.max(depths[at].into());
            for successor in self.successors(VertexId(at as u32)) {
                let to = successor.to().index();
                if successor.is_stealable() {
                    shape.stealable += 1;
                    shape.steals += u64::from(self.vertices[to].worker != vertex.worker);
                }
                let is_deeper = vertex.kind == VertexKind::Fork || successor.is_stealable();
                depths[to] = depths[to].max(depths[at] + u32::from(is_deeper));
            }
        }
        shape.workers = workers.len() as u64;
        shape
    }
}
