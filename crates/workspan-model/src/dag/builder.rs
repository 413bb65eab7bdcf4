//! Dags that are made up.

use super::{
    Boundary, Dag, Side, StrandRegion, StrandRegionId, Successor, Successors, Vertex, VertexId,
    VertexKind,
};
use crate::{NodeId, SiteId};

/// A dag under construction, for examples and tests.
#[derive(Clone, Debug, Default)]
pub struct DagBuilder {
    /// The vertices so far.
    pub vertices: Vec<Vertex>,
    /// The regions so far.
    pub regions: Vec<StrandRegion>,
    edges: Vec<(VertexId, Successor)>,
}

impl DagBuilder {
    /// No vertices yet, and these regions.
    pub fn new(regions: Vec<StrandRegion>) -> Self {
        Self {
            regions,
            ..Self::default()
        }
    }

    /// No vertices yet, and one region: the serial code of the program.
    pub fn of_root() -> Self {
        let at = Boundary {
            site: SiteId::ROOT,
            side: Side::Body,
        };
        Self::new(vec![StrandRegion {
            node: NodeId::ROOT,
            from: at,
            to: at,
        }])
    }

    /// Adds a vertex that takes `ticks`, of the region with the index `region`. A vertex has to be
    /// added after all those that it waits for.
    pub fn vertex(&mut self, kind: VertexKind, ticks: i64, region: usize) -> VertexId {
        let id = VertexId(self.vertices.len() as u32);
        self.vertices.push(Vertex {
            work: ticks,
            span: ticks,
            burdened_span: ticks,
            region: StrandRegionId(region as u32),
            tasks: 0,
            kind,
            worker: 0,
            begun_by: id,
        });
        id
    }

    /// The index of `region`, which is added if it is new.
    pub fn region(&mut self, region: StrandRegion) -> usize {
        let known = self.regions.iter().position(|known| *known == region);
        known.unwrap_or_else(|| {
            self.regions.push(region);
            self.regions.len() - 1
        })
    }

    /// Adds an edge, after those that `from` already has.
    pub fn edge(&mut self, from: VertexId, to: VertexId, is_stealable: bool) {
        self.edges.push((from, Successor::new(to, is_stealable)));
    }

    /// Adds the edges of a `join` whose branches, left and right, have these first and last
    /// vertices.
    pub fn join(&mut self, fork: VertexId, branches: [(VertexId, VertexId); 2], sync: VertexId) {
        let [left, right] = branches;
        self.edge(fork, left.0, false);
        self.edge(fork, right.0, true);
        self.edge(left.1, sync, false);
        self.edge(right.1, sync, false);
        self.vertices[sync.index()].begun_by = fork;
    }

    /// The dag, with ticks of a nanosecond, no grain and no burden.
    pub fn finish(self) -> Dag {
        Dag {
            ticks_per_second: 1e9,
            grain: 0,
            burden: 0,
            is_truncated: false,
            successors: Successors::new(self.vertices.len(), &self.edges),
            vertices: self.vertices,
            regions: self.regions,
        }
    }
}
