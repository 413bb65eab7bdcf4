//! The dag under construction: vertices in any order, edges in a list.

use rustc_hash::FxHashMap;
use workspan_model::{
    Boundary, NodeId, StrandRegion, StrandRegionId, Successor, Vertex, VertexId, VertexKind,
};

use super::event::Figures;

/// A record must have fewer vertices than this. Connecting lanes adds more, and all of them must fit
/// the numbers of vertices that a [`Successor`] can hold.
const MOST_VERTICES: usize = 1 << 26;

/// A dag whose vertices are in no order.
#[derive(Clone, Default)]
pub(super) struct Draft {
    pub(super) vertices: Vec<Vertex>,
    /// Edges in any order, except that those from one vertex are in the order of its successors.
    pub(super) edges: Vec<(VertexId, Successor)>,
    pub(super) regions: Vec<StrandRegion>,
    known_regions: FxHashMap<StrandRegion, StrandRegionId>,
    /// The region looked up last, which often is the next one, too.
    last_region: Option<(StrandRegion, StrandRegionId)>,
}

/// Index into [`Draft::edges`].
pub(super) type EdgeIndex = usize;

impl Draft {
    /// Adds a vertex, whose region [`Draft::set_region`] sets later.
    pub(super) fn add(&mut self, kind: VertexKind, figures: Figures, worker: u16) -> VertexId {
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

    /// Adds a vertex of no length at `at`.
    pub(super) fn add_empty(
        &mut self,
        kind: VertexKind,
        worker: u16,
        node: u32,
        at: Boundary,
    ) -> VertexId {
        let id = self.add(kind, Figures::default(), worker);
        self.set_region(id, node, at, at);
        id
    }

    /// Sets the code that `vertex` stands for.
    pub(super) fn set_region(&mut self, vertex: VertexId, node: u32, from: Boundary, to: Boundary) {
        let node = NodeId(node);
        let region = StrandRegion { node, from, to };
        self.vertices[vertex.index()].region = self.region_id(region);
    }

    fn region_id(&mut self, region: StrandRegion) -> StrandRegionId {
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

    pub(super) fn add_edge(
        &mut self,
        from: VertexId,
        to: VertexId,
        is_stealable: bool,
    ) -> EdgeIndex {
        self.edges.push((from, Successor::new(to, is_stealable)));
        self.edges.len() - 1
    }

    /// Inserts the vertex `between` into `edge`, which then leads to it. Returns the new edge, from
    /// `between` on.
    pub(super) fn split_edge(&mut self, edge: EdgeIndex, between: VertexId) -> EdgeIndex {
        let (_, successor) = &mut self.edges[edge];
        let to = successor.to();
        *successor = Successor::new(between, successor.is_stealable());
        self.add_edge(between, to, false)
    }

    pub(super) fn vertex(&mut self, id: VertexId) -> &mut Vertex {
        &mut self.vertices[id.index()]
    }

    /// # Errors
    /// When there are too many vertices.
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
