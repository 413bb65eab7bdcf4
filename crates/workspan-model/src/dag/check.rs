//! Whether the parts of a dag fit together.

use super::{Dag, VertexId, VertexKind};

/// Why a dag makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidDag {
    /// A dag has at least one vertex.
    #[error("the dag has no vertex")]
    Empty,
    /// The lists of successors are not those of the vertices.
    #[error("the dag has {vertices} vertices, and the successors of {lists}")]
    Lists {
        /// Vertices that there are.
        vertices: usize,
        /// Vertices that have a list.
        lists: usize,
    },
    /// An edge leads backwards, or nowhere.
    #[error("vertex {from} of the dag has vertex {to} for a successor")]
    Edge {
        /// Where it comes from.
        from: usize,
        /// Where it leads.
        to: usize,
    },
    /// A vertex other than the first waits for nothing.
    #[error("vertex {0} of the dag waits for nothing")]
    Unreachable(usize),
    /// Nothing waits for a vertex other than the last.
    #[error("nothing waits for vertex {0} of the dag")]
    DeadEnd(usize),
    /// A vertex is of a region that there is not.
    #[error("vertex {0} of the dag is of an unknown region")]
    Region(usize),
    /// A sync does not come after what began its construct.
    #[error("vertex {0} of the dag ends what has not begun")]
    Sync(usize),
}

impl Dag {
    /// Whether the dag is what [`Dag`] says of it, and its regions are of a profile of `nodes` nodes and `sites` sites.
    ///
    /// # Errors
    /// The first thing found that does not fit.
    pub fn check(&self, nodes: usize, sites: usize) -> Result<(), InvalidDag> {
        let vertices = self.vertices.len();
        if vertices == 0 {
            return Err(InvalidDag::Empty);
        }
        if self.successors.vertices() != vertices {
            let lists = self.successors.vertices();
            return Err(InvalidDag::Lists { vertices, lists });
        }
        let mut is_reached = vec![false; vertices];
        is_reached[0] = true;
        for (from, vertex) in self.vertices.iter().enumerate() {
            if !is_reached[from] {
                return Err(InvalidDag::Unreachable(from));
            }
            let successors = self.successors(VertexId(from as u32));
            if successors.is_empty() && from + 1 != vertices {
                return Err(InvalidDag::DeadEnd(from));
            }
            for successor in successors {
                let to = successor.to().index();
                if to <= from || to >= vertices {
                    return Err(InvalidDag::Edge { from, to });
                }
                is_reached[to] = true;
            }
            let region = self.regions.get(vertex.region.index());
            let fits = region.is_some_and(|region| {
                region.node.index() < nodes
                    && region.from.site.index() < sites
                    && region.to.site.index() < sites
            });
            if !fits {
                return Err(InvalidDag::Region(from));
            }
            let begun_by = vertex.begun_by.index();
            let is_sync = vertex.kind == VertexKind::Sync;
            if (is_sync && begun_by >= from) || (!is_sync && begun_by != from) {
                return Err(InvalidDag::Sync(from));
            }
        }
        Ok(())
    }
}
