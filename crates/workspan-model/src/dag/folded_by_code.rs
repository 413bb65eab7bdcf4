//! Smaller dags of the same work and span, for changes of a few pieces of code.

use super::{
    ChangedCode, Dag, StrandRegion, StrandRegionId, Successor, Successors, Vertex, VertexId,
    VertexKind,
};

/// What is folded into one vertex by [`Dag::folded`], as a row of vertices: one for each piece of code that can change, and one
/// for the rest. Each has the piece's work in what was folded, and its part of the longest path through that.
///
/// So work, span and burdened span stay the same, and a change of a piece finds all of it. But where a change makes another path
/// through a folded subtree the longest, the span of the changed dag is too short by the difference. And of strands of a piece
/// that follow one another in a subtree, the burden of making them parallel is counted once. Tasks that were spawned one after
/// another are one task, which begins with the last of them and is shorter for that: of what is left of it a change takes its share,
/// where in the dag as it was another path may be the longest by then. So with spawned tasks the span of the changed dag may also be
/// too long, though never longer than it was.
#[derive(Debug)]
pub(super) struct FoldedByCode<'a> {
    original: &'a Dag,
    /// Of each strand region of the original the piece that it is of; of the rest, their number.
    piece_of: Vec<usize>,
    pieces: usize,
    /// As folded until now.
    folded: Dag,
    /// Of each vertex of the original, where it is now.
    places: Vec<VertexId>,
}

impl<'a> FoldedByCode<'a> {
    /// Nothing folded yet. Pieces are whole strand regions.
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

    /// Folds until at most `most` vertices are left, rows counting as one.
    pub(super) fn fold(&mut self, most: usize) {
        let (folded, after) = self.folded.folded_with_places(most);
        for place in &mut self.places {
            *place = after[place.index()];
        }
        self.folded = folded;
    }

    /// How many vertices there are, rows counting as one.
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
        // Of each row, its first vertex and its last.
        let mut ends: Vec<(VertexId, VertexId)> = Vec::new();
        for (row, whole) in self.folded.vertices.iter().enumerate() {
            let parts = &parts[row * kinds..(row + 1) * kinds];
            let first = VertexId(vertices.len() as u32);
            let there = parts
                .iter()
                .enumerate()
                .filter(|(_, part)| !part.is_empty());
            for (piece, part) in there {
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
                let begun_by: (VertexId, VertexId) = ends[whole.begun_by.index()];
                vertices[last.index()].begun_by = begun_by.1;
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

    /// A strand region of each piece, and one of the rest.
    fn regions(&self) -> Vec<StrandRegion> {
        let original = &self.original.regions;
        let of_piece = |piece: usize| {
            let known = self.piece_of.iter().position(|&of| of == piece);
            original[known.unwrap_or(0)]
        };
        (0..=self.pieces).map(of_piece).collect()
    }

    /// Of each vertex of the folded dag, the parts that pieces have in it, and that of the rest.
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
            // Tasks that were spawned one after another are one task, which is shorter by the time between the spawns.
            let mut spans: Vec<&mut i64> = parts.iter_mut().map(|part| &mut part.span).collect();
            correct(&mut spans, whole.span);
            let spans = parts.iter_mut().map(|part| &mut part.burdened_span);
            correct(&mut spans.collect::<Vec<_>>(), whole.burdened_span);
            burden_all(parts);
        }
        parts
    }

    /// The longest path within what each vertex of the folded dag stands for, and the longest with the burden.
    fn paths_within(&self) -> (PathsWithin, PathsWithin) {
        let original = self.original;
        let mut span = PathsWithin::new(original.vertices.len(), self.folded.vertices.len());
        let mut burdened = PathsWithin::new(original.vertices.len(), self.folded.vertices.len());
        for (at, vertex) in original.vertices.iter().enumerate() {
            let row = self.places[at];
            let end = span.end(at, vertex.span, row.index());
            let burdened_end = burdened.end(at, vertex.burdened_span, row.index());
            for successor in original.successors(VertexId(at as u32)) {
                let to = successor.to().index();
                if self.places[to] == row {
                    let is_stealable = successor.is_stealable();
                    let burden = if is_stealable { original.burden } else { 0 };
                    span.extend(at, to, end);
                    burdened.extend(at, to, burdened_end + burden);
                }
            }
        }
        (span, burdened)
    }
}

/// The part that a piece of code has in what was folded, in ticks.
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

    /// It as the vertex `id`, of the vertex that is `whole`.
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

/// Makes `spans` add up to `whole`: the largest takes what is missing; where they are too much, each has its share of the whole. None
/// falls below nothing by that: the whole would be longer where a change divides such a part.
fn correct(spans: &mut [&mut i64], whole: i64) {
    let sum: i64 = spans.iter().map(|span| **span).sum();
    let is_share = (0..sum).contains(&whole) && spans.iter().all(|span| **span >= 0);
    if is_share {
        for span in &mut *spans {
            **span = (i128::from(**span) * i128::from(whole) / i128::from(sum)) as i64;
        }
    }
    let sum: i64 = spans.iter().map(|span| **span).sum();
    if let Some(largest) = spans.iter_mut().max_by_key(|span| ***span) {
        **largest += whole - sum;
    }
}

/// Lets no burdened span be less than its span, as it may come out where the two paths differ: others have less for that.
fn burden_all(parts: &mut [Part]) {
    let mut owed = 0;
    for part in &mut *parts {
        let lacks = (part.span - part.burdened_span).max(0);
        part.burdened_span += lacks;
        owed += lacks;
    }
    for part in parts {
        let gives = owed.min(part.burdened_span - part.span);
        part.burdened_span -= gives;
        owed -= gives;
    }
}

/// Longest paths within groups of vertices.
struct PathsWithin {
    /// Of each vertex, where it begins and the one before it in its group; a vertex without one begins at 0.
    starts: Vec<(i64, u32)>,
    /// Of each vertex, where it ends.
    ends: Vec<i64>,
    /// Of each group, the vertex that ends last.
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

    /// Where vertex `at` of a group ends; those that it waits for were told of before.
    fn end(&mut self, at: usize, ticks: i64, group: usize) -> i64 {
        let end = self.starts[at].0 + ticks;
        self.ends[at] = end;
        let last = &mut self.last[group];
        if *last == NONE || end >= self.ends[*last as usize] {
            *last = at as u32;
        }
        end
    }

    /// A vertex of the same group waits for `from` until `end`.
    fn extend(&mut self, from: usize, to: usize, end: i64) {
        let start = &mut self.starts[to];
        if start.1 == NONE || end > start.0 {
            *start = (end, from as u32);
        }
    }

    /// Tells each vertex on the longest path of a group, with what it adds to that.
    fn walk(&self, group: usize, mut tell: impl FnMut(usize, i64)) {
        let mut at = self.last[group];
        while at != NONE {
            let (_, before) = self.starts[at as usize];
            let since = match before {
                NONE => 0,
                before => self.ends[before as usize],
            };
            tell(at as usize, self.ends[at as usize] - since);
            at = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::correct;

    #[test]
    fn corrected_parts_add_up_and_none_falls_below_nothing() {
        let cases = [
            ([100, 90, 0], 20, [11, 9, 0]),
            ([100, 90, 0], 0, [0, 0, 0]),
            ([100, 90, 0], 200, [110, 90, 0]),
            ([-5, 90, 0], 80, [-5, 85, 0]),
            ([-5, -1, 0], -9, [-5, -1, -3]),
        ];
        for (mut spans, whole, expected) in cases {
            correct(&mut spans.iter_mut().collect::<Vec<_>>(), whole);
            assert_eq!(spans, expected);
        }
    }
}
