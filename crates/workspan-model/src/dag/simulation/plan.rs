//! A dag in a form that can be simulated again and again.

use crate::{Dag, DagTotals, Vertex, VertexId, VertexKind};

/// The shortest length of a parallel piece of a vertex, in seconds: nobody would create shorter
/// tasks.
const MIN_PIECE: f64 = 1e-6;

/// The most pieces of a vertex: as many as the most cores that one can ask for.
const MAX_PIECES: u64 = 4096;

/// The most pieces in all, not counting one per vertex.
const MAX_PIECES_IN_ALL: u64 = 1 << 24;

/// A dag in the form that is simulated: each vertex that contains parallelism is replaced by a
/// fork, pieces and a sync.
#[derive(Debug)]
pub(super) struct Plan {
    /// Ticks of each vertex.
    durations: Vec<u64>,
    /// How many vertices each waits for.
    predecessors: Vec<u32>,
    /// For a sync, the vertex that began its construct; for others, the vertex itself.
    begun_by: Vec<u32>,
    /// Whether each vertex is a [`VertexKind::Spawn`].
    is_spawn: Vec<bool>,
    /// Where the successors of each vertex begin in `successors`; after the last vertex, where its
    /// successors end.
    starts: Vec<u32>,
    successors: Vec<u32>,
    /// The vertex that ends last.
    pub(super) last: u32,
    /// The sums over the vertices as they are simulated.
    pub(super) totals: DagTotals,
}

impl Plan {
    pub(super) fn new(dag: &Dag) -> Self {
        let count = dag.vertices.len();
        let totals = dag.totals_with(&mut Vec::new(), clamped);
        let mut plan = Self {
            durations: Vec::with_capacity(count),
            predecessors: Vec::new(),
            begun_by: Vec::with_capacity(count),
            is_spawn: Vec::with_capacity(count),
            starts: Vec::with_capacity(count + 1),
            successors: Vec::with_capacity(dag.successors.edges().len()),
            last: count as u32 - 1,
            totals,
        };
        let min_piece = min_piece(dag, totals.work as u64);
        let pieces_of = |vertex: &Vertex| Pieces::new(vertex, min_piece);
        let successors = |from: usize| {
            let successors = dag.successors(VertexId(from as u32));
            successors.iter().map(|successor| successor.to().0)
        };
        let mut next_piece = count as u32;
        for (index, vertex) in dag.vertices.iter().enumerate() {
            let is_spawn = vertex.kind == VertexKind::Spawn;
            match pieces_of(vertex) {
                None => plan.add(
                    clamped(vertex).work as u64,
                    vertex.begun_by.0,
                    is_spawn,
                    successors(index),
                ),
                Some(pieces) => {
                    let sync = next_piece + pieces.count;
                    plan.add(0, vertex.begun_by.0, false, next_piece..sync);
                    next_piece = sync + 1;
                }
            }
        }
        for (index, vertex) in dag.vertices.iter().enumerate() {
            let Some(pieces) = pieces_of(vertex) else {
                continue;
            };
            let sync = plan.durations.len() as u32 + pieces.count;
            for ticks in pieces.lengths() {
                let itself = plan.durations.len() as u32;
                plan.add(ticks, itself, false, [sync]);
            }
            let is_spawn = vertex.kind == VertexKind::Spawn;
            plan.add(0, index as u32, is_spawn, successors(index));
            if index + 1 == count {
                plan.last = sync;
            }
        }
        plan.starts.push(plan.successors.len() as u32);
        plan.predecessors = vec![0; plan.durations.len()];
        for &to in &plan.successors {
            plan.predecessors[to as usize] += 1;
        }
        plan
    }

    fn add(
        &mut self,
        duration: u64,
        begun_by: u32,
        is_spawn: bool,
        successors: impl IntoIterator<Item = u32>,
    ) {
        self.durations.push(duration);
        self.begun_by.push(begun_by);
        self.is_spawn.push(is_spawn);
        self.starts.push(self.successors.len() as u32);
        self.successors.extend(successors);
    }

    pub(super) fn vertices(&self) -> usize {
        self.durations.len()
    }

    pub(super) fn duration(&self, vertex: u32) -> u64 {
        self.durations[vertex as usize]
    }

    pub(super) fn successors(&self, vertex: u32) -> &[u32] {
        let [from, to] = [0, 1].map(|next| self.starts[vertex as usize + next] as usize);
        &self.successors[from..to]
    }

    pub(super) fn predecessors(&self) -> &[u32] {
        &self.predecessors
    }

    /// The only successor of `vertex`, if that has no other predecessor.
    pub(super) fn only_successor(&self, vertex: u32) -> Option<u32> {
        match *self.successors(vertex) {
            [only] if self.predecessors[only as usize] == 1 => Some(only),
            _ => None,
        }
    }

    /// For a sync, the vertex that began its construct.
    pub(super) fn begun_by(&self, vertex: u32) -> Option<u32> {
        let begun_by = self.begun_by[vertex as usize];
        (begun_by != vertex).then_some(begun_by)
    }

    pub(super) fn is_spawn(&self, vertex: u32) -> bool {
        self.is_spawn[vertex as usize]
    }
}

/// The vertex as it is simulated: negative times count as 0, and the span is at most the work.
fn clamped(vertex: &Vertex) -> Vertex {
    let work = vertex.work.max(0);
    let span = vertex.span.clamp(0, work);
    Vertex {
        work,
        span,
        burdened_span: span + (vertex.burdened_span - vertex.span).max(0),
        ..*vertex
    }
}

/// The shortest length of a piece in ticks, in a dag of `work` ticks.
fn min_piece(dag: &Dag, work: u64) -> i64 {
    let by_time = (MIN_PIECE * dag.ticks_per_second) as i64;
    let by_number = work.div_ceil(MAX_PIECES_IN_ALL) as i64;
    by_time.max(dag.grain).max(by_number)
}

/// The parallel pieces of a vertex that has more work than span.
struct Pieces {
    work: u64,
    each: u64,
    count: u32,
}

impl Pieces {
    /// The pieces of `vertex`: as long as its span and at least `min` ticks, or longer if they
    /// would be more than [`MAX_PIECES`]. `None` if it runs as one.
    fn new(vertex: &Vertex, min: i64) -> Option<Self> {
        let Vertex { work, span, .. } = clamped(vertex);
        let work = work as u64;
        let each = span.max(min).max(1) as u64;
        let each = each.max(work.div_ceil(MAX_PIECES));
        let count = work.div_ceil(each) as u32;
        (count > 1).then_some(Self { work, each, count })
    }

    /// The length of each piece; the last one has the remainder.
    fn lengths(&self) -> impl Iterator<Item = u64> + use<> {
        let (work, each) = (self.work, self.each);
        (0..u64::from(self.count)).map(move |index| each.min(work - index * each))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DagBuilder;

    #[test]
    fn pieces_are_as_long_as_the_span_and_make_up_the_work() {
        let pieces = |work, span, min| {
            let mut builder = DagBuilder::default();
            builder.vertex(VertexKind::Folded, work, 0);
            let vertex = &mut builder.vertices[0];
            vertex.span = span;
            Pieces::new(vertex, min).map(|pieces| pieces.lengths().collect::<Vec<_>>())
        };
        assert_eq!(pieces(100, 30, 10), Some(vec![30, 30, 30, 10]));
        assert_eq!(pieces(100, 30, 40), Some(vec![40, 40, 20]));
        assert_eq!(pieces(100, 100, 10), None);
        assert_eq!(pieces(100, 30, 100), None);
        assert_eq!(pieces(2, 0, 0), Some(vec![1, 1]));
        assert_eq!(pieces(-5, -7, 1), None);
        // Not so many that they would not fit in memory.
        assert_eq!(pieces(8192, 0, 1), Some(vec![2; 4096]));
        assert_eq!(pieces(i64::MAX, 0, 1).unwrap().len(), 4096);
    }
}
