//! The dag while it is put together: vertices in any order, edges in a list.

use rustc_hash::FxHashMap;
use workspan_model::{
    Boundary, NodeId, StrandRegion, StrandRegionId, Successor, Vertex, VertexId, VertexKind,
};

use super::event::Figures;

/// More vertices cannot be numbered, with those that tying them together adds.
const MOST_VERTICES: usize = 1 << 26;

/// A dag whose vertices have no order yet.
#[derive(Clone, Default)]
pub(super) struct Draft {
    pub(super) vertices: Vec<Vertex>,
    /// The edges of one vertex stand in the order of its successors.
    pub(super) edges: Vec<(VertexId, Successor)>,
    pub(super) regions: Vec<StrandRegion>,
    known_regions: FxHashMap<StrandRegion, StrandRegionId>,
    /// The region asked for last: it is often the next one, too.
    last_region: Option<(StrandRegion, StrandRegionId)>,
}

/// Index into [`Draft::edges`].
pub(super) type EdgeIndex = usize;

impl Draft {
    /// A vertex of a region that is told later ([`Draft::end`]).
    pub(super) fn begin(&mut self, kind: VertexKind, figures: Figures, worker: u16) -> VertexId {
        let id = VertexId(self.vertices.len() as u32);
        self.vertices.push(Vertex {
            work: figures.work,
            span: figures.span,
            burdened_span: figures.burdened_span,
            region: StrandRegionId(0),
            tasks: figures.tasks,
            kind,
            worker,
            begun_by: id,
        });
        id
    }

    /// A vertex of no length.
    pub(super) fn empty(
        &mut self,
        kind: VertexKind,
        worker: u16,
        node: u32,
        at: Boundary,
    ) -> VertexId {
        let id = self.begin(kind, Figures::default(), worker);
        self.end(id, node, at, at);
        id
    }

    /// Says what code `vertex` is of.
    pub(super) fn end(&mut self, vertex: VertexId, node: u32, from: Boundary, to: Boundary) {
        let node = NodeId(node);
        let region = StrandRegion { node, from, to };
        self.vertices[vertex.index()].region = self.region(region);
    }

    fn region(&mut self, region: StrandRegion) -> StrandRegionId {
        match self.last_region {
            Some((last, id)) if last == region => return id,
            _ => {}
        }
        let next = StrandRegionId(self.regions.len() as u32);
        let id = *self.known_regions.entry(region).or_insert(next);
        if id == next {
            self.regions.push(region);
        }
        self.last_region = Some((region, id));
        id
    }

    pub(super) fn edge(&mut self, from: VertexId, to: VertexId, is_stealable: bool) -> EdgeIndex {
        self.edges.push((from, Successor::new(to, is_stealable)));
        self.edges.len() - 1
    }

    /// Puts `between` into an edge, which leads there from now on; gives back the edge from there on.
    pub(super) fn split_edge(&mut self, edge: EdgeIndex, between: VertexId) -> EdgeIndex {
        let (_, successor) = &mut self.edges[edge];
        let to = successor.to();
        *successor = Successor::new(between, successor.is_stealable());
        self.edge(between, to, false)
    }

    pub(super) fn vertex(&mut self, id: VertexId) -> &mut Vertex {
        &mut self.vertices[id.index()]
    }

    /// # Errors
    /// When there is no room for more vertices.
    pub(super) fn check_size(&self) -> Result<(), String> {
        if self.vertices.len() < MOST_VERTICES {
            Ok(())
        } else {
            Err(format!(
                "more than {MOST_VERTICES} vertices: record with a larger --grain"
            ))
        }
    }
}
