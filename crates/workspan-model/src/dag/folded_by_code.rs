//! Smaller dags with the same work and span, for changes of a few pieces of code.

use super::{
    ChangedCode, Dag, StrandRegion, StrandRegionId, Successor, Successors, Vertex, VertexId,
    VertexKind,
};

/// A dag that is folded as by [`Dag::folded`], but into a row of vertices in place of each folded
/// one: one for each piece of code that can change, and one for the rest. Each has the work of its
/// piece in the folded subtree, and its part of the longest path through that subtree.
///
/// So work, span and burdened span stay the same, and a change of a piece reaches all of it. But
/// the figures of the changed dag may be off:
///
/// - Where a change makes another path through a folded subtree the longest, the span is too short
///   by the difference.
/// - Where strands of a piece follow one another in a subtree, the burden of making them parallel
///   counts only once.
/// - Tasks that were spawned one after another are one task, which begins with the last of them and
///   is shorter by the time between the spawns. A change divides what is left of it, where in the
///   original dag another path may be the longest by then. So the span may also be too long, though
///   never longer than before the change.
#[derive(Debug)]
pub(super) struct FoldedByCode<'a> {
    original: &'a Dag,
    /// For each strand region of the original, its piece; for the rest, the number of pieces.
    piece_of: Vec<usize>,
    pieces: usize,
    /// The dag as folded so far.
    folded: Dag,
    /// For each vertex of the original, its vertex in `folded`.
    places: Vec<VertexId>,
}

impl<'a> FoldedByCode<'a> {
    /// Nothing is folded yet. The pieces consist of whole strand regions.
    pub(super) fn new(original: &'a Dag, pieces: &[ChangedCode]) -> Self {
        let mut piece_of = vec![pieces.len(); original.regions.len()];
        for (piece, code) in pieces.iter().enumerate() {
            for part in &code.parts {
                piece_of[part.region.index()] = piece;
            }
        }
        let places = 0..original.vertices.len() as u32;
        Self {
            original,
            piece_of,
            pieces: pieces.len(),
            folded: original.clone(),
            places: places.map(VertexId).collect(),
        }
    }

    /// Folds until at most `most` vertices are left, counting each row as one.
    pub(super) fn fold(&mut self, most: usize) {
        let (folded, after) = self.folded.folded_with_places(most);
        for place in &mut self.places {
            *place = after[place.index()];
        }
        self.folded = folded;
    }

    /// The number of vertices, counting each row as one.
    pub(super) fn rows(&self) -> usize {
        self.folded.vertices.len()
    }

    /// Each piece, as code of the folded dag.
    pub(super) fn pieces(&self) -> impl Iterator<Item = ChangedCode> + use<> {
        (0..self.pieces as u32).map(|piece| vec![StrandRegionId(piece)].into())
    }

    /// The folded dag, with a strand region for each piece and one for the rest.
    pub(super) fn dag(&self) -> Dag {
        let parts = self.parts();
        let kinds = self.pieces + 1;
        let mut vertices: Vec<Vertex> = Vec::new();
        let mut edges: Vec<(VertexId, Successor)> = Vec::new();
        // The first and the last vertex of each row.
        let mut ends: Vec<(VertexId, VertexId)> = Vec::new();
        for (row, whole) in self.folded.vertices.iter().enumerate() {
            let parts = &parts[row * kinds..(row + 1) * kinds];
            let first = VertexId(vertices.len() as u32);
            let parts = parts.iter().enumerate();
            for (piece, part) in parts.filter(|(_, part)| !part.is_empty()) {
                let id = VertexId(vertices.len() as u32);
                if id != first {
                    let before = VertexId(id.0 - 1);
                    vertices[before.index()].kind = VertexKind::Folded;
                    vertices[before.index()].tasks = 0;
                    edges.push((before, Successor::new(id, false)));
                }
                vertices.push(part.vertex(whole, piece, id));
            }
            if vertices.len() == first.index() {
                vertices.push(Part::default().vertex(whole, self.pieces, first));
            }
            let last = VertexId(vertices.len() as u32 - 1);
            if whole.kind == VertexKind::Sync {
                (_, vertices[last.index()].begun_by) = ends[whole.begun_by.index()];
            }
            ends.push((first, last));
        }
        for (row, &(_, last)) in ends.iter().enumerate() {
            for successor in self.folded.successors(VertexId(row as u32)) {
                let (to, _) = ends[successor.to().index()];
                edges.push((last, Successor::new(to, successor.is_stealable())));
            }
        }
        Dag {
            successors: Successors::new(vertices.len(), &edges),
            vertices,
            regions: self.regions(),
            grain: self.original.grain,
            ..self.folded
        }
    }

    /// One strand region for each piece, and one for the rest.
    fn regions(&self) -> Vec<StrandRegion> {
        let original = &self.original.regions;
        let of_piece = |piece: usize| {
            let known = self.piece_of.iter().position(|&of| of == piece);
            original[known.unwrap_or(0)]
        };
        (0..=self.pieces).map(of_piece).collect()
    }

    /// For each vertex of the folded dag, the parts that the pieces have in it, and then that of
    /// the rest.
    fn parts(&self) -> Vec<Part> {
        let kinds = self.pieces + 1;
        let mut parts = vec![Part::default(); self.folded.vertices.len() * kinds];
        let part_of = |at: usize| {
            let piece = self.piece_of[self.original.vertices[at].region.index()];
            self.places[at].index() * kinds + piece
        };
        for (at, vertex) in self.original.vertices.iter().enumerate() {
            parts[part_of(at)].work += vertex.work;
        }
        let (span, burdened) = self.paths_within();
        for (row, whole) in self.folded.vertices.iter().enumerate() {
            span.walk(row, |at, ticks| parts[part_of(at)].span += ticks);
            burdened.walk(row, |at, ticks| parts[part_of(at)].burdened_span += ticks);
            let parts = &mut parts[row * kinds..(row + 1) * kinds];
            // The parts of merged tasks add up to too much: the task that they became is shorter by
            // the time between the spawns.
            let spans = parts.iter_mut().map(|part| &mut part.span);
            adjust_sum(&mut spans.collect::<Vec<_>>(), whole.span);
            let spans = parts.iter_mut().map(|part| &mut part.burdened_span);
            adjust_sum(&mut spans.collect::<Vec<_>>(), whole.burdened_span);
            raise_burdened_spans(parts);
        }
        parts
    }

    /// For each vertex of the folded dag, the longest path through what it stands for, and the
    /// longest burdened one.
    fn paths_within(&self) -> (PathsWithin, PathsWithin) {
        let original = self.original;
        let mut span = PathsWithin::new(original.vertices.len(), self.folded.vertices.len());
        let mut burdened = PathsWithin::new(original.vertices.len(), self.folded.vertices.len());
        for (at, vertex) in original.vertices.iter().enumerate() {
            let row = self.places[at];
            let end = span.add_vertex(at, vertex.span, row.index());
            let burdened_end = burdened.add_vertex(at, vertex.burdened_span, row.index());
            for successor in original.successors(VertexId(at as u32)) {
                let to = successor.to().index();
                if self.places[to] == row {
                    span.add_edge(at, to, end);
                    let burden = successor.burden(original.burden);
                    burdened.add_edge(at, to, burdened_end + burden);
                }
            }
        }
        (span, burdened)
    }
}

/// The part of a piece of code in a folded vertex, in ticks.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    work: i64,
    span: i64,
    burdened_span: i64,
}

impl Part {
    fn is_empty(&self) -> bool {
        (self.work, self.span, self.burdened_span) == (0, 0, 0)
    }

    /// This part of the folded vertex `whole`, as vertex `id`.
    fn vertex(&self, whole: &Vertex, piece: usize, id: VertexId) -> Vertex {
        Vertex {
            work: self.work,
            span: self.span,
            burdened_span: self.burdened_span,
            region: StrandRegionId(piece as u32),
            begun_by: id,
            ..*whole
        }
    }
}

/// Makes `spans` add up to `whole`: if they are too long, each shrinks in proportion, and the
/// largest takes the remainder. Shrinking makes none negative: if a change divided a negative part,
/// the whole would become longer.
fn adjust_sum(spans: &mut [&mut i64], whole: i64) {
    let sum: i64 = spans.iter().map(|span| **span).sum();
    let is_scaled = (0..sum).contains(&whole) && spans.iter().all(|span| **span >= 0);
    if is_scaled {
        for span in &mut *spans {
            **span = (i128::from(**span) * i128::from(whole) / i128::from(sum)) as i64;
        }
    }
    let sum: i64 = spans.iter().map(|span| **span).sum();
    if let Some(largest) = spans.iter_mut().max_by_key(|span| ***span) {
        **largest += whole - sum;
    }
}

/// Raises each burdened span to its span at least, and takes the difference from other parts. It
/// may be too short because the longest path and the longest burdened one may differ.
fn raise_burdened_spans(parts: &mut [Part]) {
    let mut owed = 0;
    for part in &mut *parts {
        let missing = (part.span - part.burdened_span).max(0);
        part.burdened_span += missing;
        owed += missing;
    }
    for part in parts {
        let given = owed.min(part.burdened_span - part.span);
        part.burdened_span -= given;
        owed -= given;
    }
}

/// Longest paths within groups of vertices.
struct PathsWithin {
    /// For each vertex, where it begins and the one before it in its group; a vertex with none
    /// before it begins at 0.
    starts: Vec<(i64, u32)>,
    /// For each vertex, where it ends.
    ends: Vec<i64>,
    /// For each group, the vertex that ends last.
    last: Vec<u32>,
}

/// No vertex.
const NONE: u32 = u32::MAX;

impl PathsWithin {
    fn new(vertices: usize, groups: usize) -> Self {
        Self {
            starts: vec![(0, NONE); vertices],
            ends: vec![0; vertices],
            last: vec![NONE; groups],
        }
    }

    /// Adds vertex `at` to a group and returns where it ends. What it waits for has been added
    /// before.
    fn add_vertex(&mut self, at: usize, ticks: i64, group: usize) -> i64 {
        let end = self.starts[at].0 + ticks;
        self.ends[at] = end;
        let last = &mut self.last[group];
        if *last == NONE || end >= self.ends[*last as usize] {
            *last = at as u32;
        }
        end
    }

    /// Makes `to`, a vertex of the same group, wait for `from` until `end`.
    fn add_edge(&mut self, from: usize, to: usize, end: i64) {
        let start = &mut self.starts[to];
        if start.1 == NONE || end > start.0 {
            *start = (end, from as u32);
        }
    }

    /// Calls `visit` for each vertex on the longest path of a group, with what it adds to the
    /// length.
    fn walk(&self, group: usize, mut visit: impl FnMut(usize, i64)) {
        let mut at = self.last[group];
        while at != NONE {
            let (_, before) = self.starts[at as usize];
            let since = match before {
                NONE => 0,
                before => self.ends[before as usize],
            };
            visit(at as usize, self.ends[at as usize] - since);
            at = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::adjust_sum;

    #[test]
    fn adjusted_parts_add_up_without_becoming_negative() {
        let cases = [
            ([100, 90, 0], 20, [11, 9, 0]),
            ([100, 90, 0], 0, [0, 0, 0]),
            ([100, 90, 0], 200, [110, 90, 0]),
            ([-5, 90, 0], 80, [-5, 85, 0]),
            ([-5, -1, 0], -9, [-5, -1, -3]),
        ];
        for (mut spans, whole, expected) in cases {
            adjust_sum(&mut spans.iter_mut().collect::<Vec<_>>(), whole);
            assert_eq!(spans, expected);
        }
    }
}
