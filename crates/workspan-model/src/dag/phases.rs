//! The phases that a dag goes through one after another.

use super::{Dag, Vertex, VertexId, VertexKind};
use crate::Phases;

impl Dag {
    /// The phases of this dag: each vertex that every path goes through, and what lies between two
    /// of these. They are of a program whose parallelism is at most `parallelism`: its span may be
    /// shorter than the dag's. `None` if the dag is truncated, as what came after its end may run
    /// beside what came before. Takes time proportional to the vertices and edges, and 16 bytes per
    /// vertex meanwhile.
    pub fn phases(&self, parallelism: f64) -> Option<Phases> {
        if self.is_truncated {
            return None;
        }
        let mut starts = Vec::new();
        let totals = self.totals_with(&mut starts, Vertex::clone);
        let mut phases = Phases::default();
        // Where the last phase ended, and the work since then.
        let (mut end, mut work) = (0, 0);
        let mut furthest_successor = 0;
        for (at, vertex) in self.vertices.iter().enumerate() {
            let (start, _) = starts[at];
            // Folding moves the time between spawns to before the first of them.
            let is_uncertain = vertex.kind == VertexKind::Spawn && vertex.work < self.grain;
            if furthest_successor <= at && !is_uncertain {
                phases.add(work, start - end);
                phases.add(vertex.work, vertex.span);
                (end, work) = (start + vertex.span, 0);
            } else {
                work += vertex.work;
            }
            for successor in self.successors(VertexId(at as u32)) {
                furthest_successor = furthest_successor.max(successor.to().index());
            }
        }
        let shortest = totals.work as f64 / parallelism;
        Some(phases.with_excess((totals.span as f64 - shortest).max(0.0)))
    }
}
