//! A dag in the form in which it is run again and again.

use crate::{Dag, Vertex, VertexId, VertexKind};

/// A piece of a vertex that runs in parallel is no shorter, in seconds: nobody would make such tasks.
const LEAST_PIECE: f64 = 1e-6;

/// A vertex has no more pieces: as many as the most cores that one can ask for.
const MOST_PIECES: u64 = 4096;

/// There are no more pieces in all, beside one of each vertex.
const MOST_PIECES_IN_ALL: u64 = 1 << 24;

/// A dag in the form in which it is run: a vertex that holds parallelism is replaced by a fork, pieces and a sync.
#[derive(Debug)]
pub(super) struct Plan {
    /// Ticks of each vertex.
    durations: Vec<u64>,
    /// How many vertices each waits for.
    predecessors: Vec<u32>,
    /// Of a sync, the vertex that began its construct; of others, themselves.
    begun_by: Vec<u32>,
    /// Whether each is a [`VertexKind::Spawn`].
    is_spawn: Vec<bool>,
    /// Where the successors of each vertex begin in `successors`, and behind the last one where they end.
    starts: Vec<u32>,
    successors: Vec<u32>,
    /// The vertex that ends last.
    pub(super) last: u32,
    /// Ticks of all vertices.
    pub(super) work: u64,
    /// Ticks of the longest path.
    pub(super) span: u64,
    /// Ticks of the longest path with the burden.
    pub(super) burdened_span: u64,
}

impl Plan {
    pub(super) fn new(dag: &Dag) -> Self {
        let count = dag.vertices.len();
        let all_work: u64 = dag.vertices.iter().map(|vertex| work(vertex) as u64).sum();
        let mut plan = Self {
            durations: Vec::with_capacity(count),
            predecessors: Vec::new(),
            begun_by: Vec::with_capacity(count),
            is_spawn: Vec::with_capacity(count),
            starts: Vec::with_capacity(count + 1),
            successors: Vec::with_capacity(dag.successors.edges().len()),
            last: count as u32 - 1,
            work: all_work,
            span: longest_path(dag, span, 0),
            burdened_span: longest_path(dag, burdened_span, dag.burden),
        };
        let least = least_piece(dag, all_work);
        let pieces_of = |vertex: &Vertex| Pieces::of(vertex, least);
        let successors = |from: usize| {
            let successors = dag.successors(VertexId(from as u32));
            successors.iter().map(|successor| successor.to().0)
        };
        let mut next_piece = count as u32;
        for (index, vertex) in dag.vertices.iter().enumerate() {
            let is_spawn = vertex.kind == VertexKind::Spawn;
            match pieces_of(vertex) {
                None => plan.add(
                    work(vertex) as u64,
                    vertex.begun_by.0,
                    is_spawn,
                    successors(index),
                ),
                Some(pieces) => {
                    let behind = next_piece + pieces.count;
                    plan.add(0, vertex.begun_by.0, false, next_piece..behind);
                    next_piece = behind + 1;
                }
            }
        }
        for (index, vertex) in dag.vertices.iter().enumerate() {
            let Some(pieces) = pieces_of(vertex) else {
                continue;
            };
            let behind = plan.durations.len() as u32 + pieces.count;
            for ticks in pieces.lengths() {
                let itself = plan.durations.len() as u32;
                plan.add(ticks, itself, false, [behind]);
            }
            let is_spawn = vertex.kind == VertexKind::Spawn;
            plan.add(0, index as u32, is_spawn, successors(index));
            if index + 1 == count {
                plan.last = behind;
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

    /// The vertex that alone comes after `vertex`, and only after it.
    pub(super) fn only_successor(&self, vertex: u32) -> Option<u32> {
        match *self.successors(vertex) {
            [only] if self.predecessors[only as usize] == 1 => Some(only),
            _ => None,
        }
    }

    /// Of a sync, the vertex that began its construct.
    pub(super) fn begun_by(&self, vertex: u32) -> Option<u32> {
        let begun_by = self.begun_by[vertex as usize];
        (begun_by != vertex).then_some(begun_by)
    }

    pub(super) fn is_spawn(&self, vertex: u32) -> bool {
        self.is_spawn[vertex as usize]
    }
}

/// The vertex as it is run: time that fell below zero counts as none.
pub(crate) fn as_run(vertex: &Vertex) -> Vertex {
    Vertex {
        work: work(vertex),
        span: span(vertex),
        burdened_span: burdened_span(vertex),
        ..*vertex
    }
}

/// Ticks that a vertex takes one worker.
fn work(vertex: &Vertex) -> i64 {
    vertex.work.max(0)
}

/// Ticks that a vertex takes any number of workers.
fn span(vertex: &Vertex) -> i64 {
    vertex.span.clamp(0, work(vertex))
}

/// The same with the burden within.
fn burdened_span(vertex: &Vertex) -> i64 {
    span(vertex) + (vertex.burdened_span - vertex.span).max(0)
}

/// The longest path, where an edge that can be stolen costs `burden`.
fn longest_path(dag: &Dag, length: impl Fn(&Vertex) -> i64, burden: i64) -> u64 {
    let mut begins = vec![0; dag.vertices.len()];
    let mut longest = 0;
    for (index, vertex) in dag.vertices.iter().enumerate() {
        let end = begins[index] + length(vertex);
        longest = longest.max(end);
        for successor in dag.successors(VertexId(index as u32)) {
            let burden = if successor.is_stealable() { burden } else { 0 };
            let begin = &mut begins[successor.to().index()];
            *begin = (*begin).max(end + burden);
        }
    }
    longest as u64
}

/// How short a piece may be in a dag of so much work.
fn least_piece(dag: &Dag, work: u64) -> i64 {
    let by_time = (LEAST_PIECE * dag.ticks_per_second) as i64;
    let by_number = work.div_ceil(MOST_PIECES_IN_ALL) as i64;
    by_time.max(dag.grain).max(by_number)
}

/// The parallel pieces of a vertex that has more work than span.
struct Pieces {
    work: u64,
    each: u64,
    count: u32,
}

impl Pieces {
    /// Those of `vertex`, of `least` ticks or more and as long as its span, if these are not more than `most`; `None` if it
    /// runs in one.
    fn of(vertex: &Vertex, least: i64) -> Option<Self> {
        let work = work(vertex) as u64;
        let each = span(vertex).max(least).max(1) as u64;
        let each = each.max(work.div_ceil(MOST_PIECES));
        let count = work.div_ceil(each) as u32;
        (count > 1).then_some(Self { work, each, count })
    }

    /// The last one has what is left.
    fn lengths(&self) -> impl Iterator<Item = u64> + use<> {
        let (work, each) = (self.work, self.each);
        (0..u64::from(self.count)).map(move |index| each.min(work - index * each))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StrandRegionId;

    #[test]
    fn pieces_are_as_long_as_the_span_and_make_up_the_work() {
        let pieces = |work, span, least| {
            let vertex = Vertex {
                work,
                span,
                burdened_span: span,
                region: StrandRegionId(0),
                tasks: 0,
                kind: VertexKind::Folded,
                worker: 0,
                begun_by: VertexId(0),
            };
            Pieces::of(&vertex, least).map(|pieces| pieces.lengths().collect::<Vec<_>>())
        };
        assert_eq!(pieces(100, 30, 10), Some(vec![30, 30, 30, 10]));
        assert_eq!(pieces(100, 30, 40), Some(vec![40, 40, 20]));
        assert_eq!(pieces(100, 100, 10), None);
        assert_eq!(pieces(100, 30, 100), None);
        assert_eq!(pieces(2, 0, 0), Some(vec![1, 1]));
        assert_eq!(pieces(-5, -7, 1), None);
        // Not so many that there is no memory for them.
        assert_eq!(pieces(8192, 0, 1), Some(vec![2; 4096]));
        assert_eq!(pieces(i64::MAX, 0, 1).unwrap().len(), 4096);
    }
}
