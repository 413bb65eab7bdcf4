//! Checks that the parts of a dag fit together.

use super::{Dag, StrandRegion, Vertex, VertexId, VertexKind};

/// The limit of sums of times, in ticks and in nanoseconds: 36 years, which leaves room for what
/// analyses add.
const MAX_TIME: f64 = (1_u64 << 60) as f64;

/// Why a dag is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidDag {
    /// There is no vertex.
    #[error("the dag has no vertex")]
    Empty,
    /// There is not one list of successors per vertex.
    #[error("the dag has {vertices} vertices, and the successors of {lists}")]
    Lists {
        /// Number of vertices.
        vertices: usize,
        /// Number of lists.
        lists: usize,
    },
    /// An edge leads backwards, or to a vertex that does not exist.
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
    /// A region is at a node or a site that does not exist.
    #[error("region {0} of the dag is of an unknown node or site")]
    Place(usize),
    /// A vertex belongs to a region that does not exist.
    #[error("vertex {0} of the dag is of an unknown region")]
    Region(usize),
    /// A sync does not come after the vertex that began its construct, or another vertex was not
    /// begun by itself.
    #[error("vertex {0} of the dag ends what has not begun")]
    Sync(usize),
    /// Sums of its times would overflow.
    #[error("the times of the dag add up to more than 64 bits hold")]
    TooLong,
}

impl Dag {
    /// Checks everything that [`Dag`] promises, and that the regions belong to a profile of `nodes`
    /// nodes and `sites` sites.
    ///
    /// # Errors
    /// The first inconsistency found.
    pub fn check(&self, nodes: usize, sites: usize) -> Result<(), InvalidDag> {
        let vertices = self.vertices.len();
        if vertices == 0 {
            return Err(InvalidDag::Empty);
        }
        if self.successors.vertices() != vertices {
            let lists = self.successors.vertices();
            return Err(InvalidDag::Lists { vertices, lists });
        }
        let is_placed = |region: &StrandRegion| {
            region.node.index() < nodes
                && region.from.site.index() < sites
                && region.to.site.index() < sites
        };
        if let Some(region) = self.regions.iter().position(|region| !is_placed(region)) {
            return Err(InvalidDag::Place(region));
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
            if vertex.region.index() >= self.regions.len() {
                return Err(InvalidDag::Region(from));
            }
            let begun_by = vertex.begun_by.index();
            let is_sync = vertex.kind == VertexKind::Sync;
            if (is_sync && begun_by >= from) || (!is_sync && begun_by != from) {
                return Err(InvalidDag::Sync(from));
            }
        }
        self.check_times()
    }

    /// Checks that no sum of times can overflow, in ticks or in nanoseconds.
    fn check_times(&self) -> Result<(), InvalidDag> {
        let longest = |vertex: &Vertex| {
            let figures = [vertex.work, vertex.span, vertex.burdened_span];
            figures.map(i64::unsigned_abs).into_iter().max()
        };
        let times = self.vertices.iter().filter_map(longest).map(u128::from);
        let burden = u128::from(self.burden.unsigned_abs());
        let ticks = times.sum::<u128>() + burden * self.successors.edges().len() as u128;
        let nanos = ticks as f64 * 1e9 / self.ticks_per_second;
        let fits = ticks < MAX_TIME as u128 && (0.0..MAX_TIME).contains(&nanos);
        if fits {
            Ok(())
        } else {
            Err(InvalidDag::TooLong)
        }
    }
}
