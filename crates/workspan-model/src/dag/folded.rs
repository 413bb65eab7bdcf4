//! Smaller dags of the same work and span.

use std::collections::HashMap;

use super::{
    Dag, StrandRegion, StrandRegionId, Successor, Successors, Vertex, VertexId, VertexKind,
};

/// By how much the grain grows from one attempt to the next.
const GROWTH: f64 = 1.25;

impl Dag {
    /// This dag with subtrees folded, small ones before large ones, until it has at most `most` vertices; 0 counts as 1. Its
    /// work, its span, its burdened span and its tasks stay the same.
    ///
    /// Folded are constructs with all that runs in them, strands and pieces that follow one another, and tasks that are
    /// spawned one after another for the same sync. A dag of which that leaves too much, since its tasks wait for each
    /// other as in no program of forks and joins, becomes one vertex.
    ///
    /// The grain of the result says what was folded: what is of less work.
    pub fn folded(&self, most: usize) -> Self {
        let (mut dag, _) = self.folded_with_places(most);
        dag.forget_unused_regions();
        dag
    }

    /// The same with all regions, and of each vertex the one that it has become part of.
    pub(super) fn folded_with_places(&self, most: usize) -> (Self, Vec<VertexId>) {
        let most = most.max(1);
        let mut dag = self.clone();
        let work: f64 = self
            .vertices
            .iter()
            .map(|vertex| vertex.work.max(0) as f64)
            .sum();
        let mut grain = (work / most as f64 / 16.0).max(self.grain as f64).max(1.0);
        let mut passes = Vec::new();
        while dag.vertices.len() > most {
            let mut pass = |fold: &dyn Fn(Folding<'_>) -> (Self, Vec<VertexId>)| {
                let (folded, places) = fold(Folding::of(&dag));
                passes.push(places);
                dag = folded;
            };
            if grain > GROWTH * work + GROWTH {
                pass(&|folding| folding.whole());
                break;
            }
            let below = grain.ceil() as i64;
            pass(&|folding| folding.constructs(below));
            pass(&|folding| folding.rows(below));
            pass(&|folding| folding.spawned(below));
            dag.grain = below;
            grain *= GROWTH;
        }
        let unchanged: Vec<VertexId> = (0..dag.vertices.len() as u32).map(VertexId).collect();
        let places = passes.iter().rev().fold(unchanged, |after, pass| {
            let place = |before: &VertexId| after[before.index()];
            pass.iter().map(place).collect()
        });
        (dag, places)
    }

    /// Leaves out the regions that no vertex is of; the others keep their order.
    fn forget_unused_regions(&mut self) {
        let mut is_used = vec![false; self.regions.len()];
        for vertex in &self.vertices {
            is_used[vertex.region.index()] = true;
        }
        let mut next = 0;
        let mut numbers = Vec::with_capacity(is_used.len());
        for is_used in &is_used {
            numbers.push(StrandRegionId(next));
            next += u32::from(*is_used);
        }
        for vertex in &mut self.vertices {
            vertex.region = numbers[vertex.region.index()];
        }
        let mut is_used = is_used.into_iter();
        self.regions.retain(|_| is_used.next() == Some(true));
    }
}

/// A dag of which vertices are put together.
///
/// Those that become one go to a head, the first of them, which waits for no later vertex than before. So the heads stay in
/// order.
struct Folding<'a> {
    dag: &'a Dag,
    /// Of each vertex, the head that it goes to.
    heads: Vec<usize>,
    /// Of each head, the vertex whose successors it has.
    tails: Vec<usize>,
    /// The vertices, of which the heads will be left.
    vertices: Vec<Vertex>,
    regions: Vec<StrandRegion>,
    known_regions: HashMap<StrandRegion, StrandRegionId>,
}

impl<'a> Folding<'a> {
    fn of(dag: &'a Dag) -> Self {
        let regions = (0..).map(StrandRegionId).zip(&dag.regions);
        Self {
            dag,
            heads: (0..dag.vertices.len()).collect(),
            tails: (0..dag.vertices.len()).collect(),
            vertices: dag.vertices.clone(),
            regions: dag.regions.clone(),
            known_regions: regions.map(|(id, region)| (*region, id)).collect(),
        }
    }

    /// Everything as one vertex.
    fn whole(mut self) -> (Dag, Vec<VertexId>) {
        self.join(0, self.heads.len() - 1);
        self.finish()
    }

    /// Constructs of less work than `grain` as one vertex each, as large ones as there are.
    fn constructs(mut self, grain: i64) -> (Dag, Vec<VertexId>) {
        let ends = ends_of_constructs(self.dag, grain);
        let mut at = 0;
        while at < ends.len() {
            if ends[at] > at {
                self.join(at, ends[at]);
            }
            at = ends[at] + 1;
        }
        self.finish()
    }

    /// Puts all from `first` to `last` together. Nothing enters them but at the first, and nothing leaves but at the last.
    fn join(&mut self, first: usize, last: usize) {
        let dag = self.dag;
        let mut starts = vec![(i64::MIN, i64::MIN); last - first + 1];
        starts[0] = (0, 0);
        let mut whole = Vertex {
            kind: VertexKind::Folded,
            work: 0,
            tasks: 0,
            ..dag.vertices[first]
        };
        for at in first..=last {
            let vertex = &dag.vertices[at];
            whole.work += vertex.work;
            whole.tasks = whole.tasks.saturating_add(vertex.tasks);
            let (start, burdened_start) = starts[at - first];
            whole.span = start + vertex.span;
            whole.burdened_span = burdened_start + vertex.burdened_span;
            for successor in dag
                .successors(VertexId(at as u32))
                .iter()
                .filter(|_| at < last)
            {
                let is_stealable = successor.is_stealable();
                whole.tasks = whole.tasks.saturating_add(u32::from(is_stealable));
                let burden = if is_stealable { dag.burden } else { 0 };
                let next = &mut starts[successor.to().index() - first];
                next.0 = next.0.max(whole.span);
                next.1 = next.1.max(whole.burdened_span + burden);
            }
        }
        self.vertices[first] = whole;
        self.vertices[first].region = self.region_between(first, last);
        self.heads[first..=last].fill(first);
        self.tails[first] = last;
    }

    /// The region from where one vertex begins to where another one ends.
    fn region_between(&mut self, first: usize, last: usize) -> StrandRegionId {
        let [first, last] = [first, last].map(|at| self.vertices[at].region.index());
        let region = StrandRegion {
            to: self.regions[last].to,
            ..self.regions[first]
        };
        let next = StrandRegionId(self.regions.len() as u32);
        let id = *self.known_regions.entry(region).or_insert(next);
        if id == next {
            self.regions.push(region);
        }
        id
    }

    /// Strands and pieces that follow one another as one vertex, as long as they are of less work than `grain` together; the
    /// last may spawn tasks.
    fn rows(mut self, grain: i64) -> (Dag, Vec<VertexId>) {
        let waits = waits(self.dag);
        for at in 0..self.heads.len() {
            let Some(next) = only_successor(self.dag, at) else {
                continue;
            };
            let this = &self.dag.vertices[next];
            let kind = match (self.dag.vertices[at].kind, this.kind) {
                (VertexKind::Strand | VertexKind::Folded, VertexKind::Spawn) => VertexKind::Spawn,
                (
                    VertexKind::Strand | VertexKind::Folded,
                    VertexKind::Strand | VertexKind::Folded,
                ) => VertexKind::Folded,
                _ => continue,
            };
            let head = self.heads[at];
            if waits[next] == 1 && self.vertices[head].work + this.work < grain {
                self.append(head, next);
                self.vertices[head].kind = kind;
            }
        }
        self.finish()
    }

    /// Lets the vertex of `head` go on with `next`.
    fn append(&mut self, head: usize, next: usize) {
        let this = &self.dag.vertices[next];
        let whole = &mut self.vertices[head];
        whole.work += this.work;
        whole.span += this.span;
        whole.burdened_span += this.burdened_span;
        whole.tasks = whole.tasks.saturating_add(this.tasks);
        self.vertices[head].region = self.region_between(head, next);
        self.heads[next] = head;
        self.tails[head] = next;
    }

    /// Tasks of one vertex that are spawned one after another for the same sync as one task, and their spawns as one, each
    /// as long as they are of less work than `grain` together. The task then begins with the last of the spawns, and is
    /// shorter for that; not where the burden between the spawns would make its burdened span the shorter one.
    fn spawned(mut self, grain: i64) -> (Dag, Vec<VertexId>) {
        let waits = waits(self.dag);
        for at in 0..self.heads.len() {
            let Some(SpawnedLeaf { next, task, sync }) = spawned_leaf(self.dag, &waits, at) else {
                continue;
            };
            let Some(later) = spawned_leaf(self.dag, &waits, next) else {
                continue;
            };
            let (head, task_head) = (self.heads[at], self.heads[task]);
            let [this, last] = [next, later.task].map(|at| self.dag.vertices[at]);
            let is_small =
                |head: usize, added: Vertex| self.vertices[head].work + added.work < grain;
            let is_together = waits[next] == 1 && later.sync == sync;
            if !is_together || !is_small(head, this) || !is_small(task_head, last) {
                continue;
            }
            let whole = &self.vertices[task_head];
            let span = (whole.span - this.span).max(last.span);
            let burdened_span = (whole.burdened_span - this.burdened_span).max(last.burdened_span);
            if burdened_span < span {
                continue;
            }
            self.append(head, next);
            let whole = &mut self.vertices[task_head];
            whole.kind = VertexKind::Folded;
            whole.work += last.work;
            whole.span = span;
            whole.burdened_span = burdened_span;
            whole.tasks = whole.tasks.saturating_add(last.tasks).saturating_add(1);
            self.heads[later.task] = task_head;
        }
        self.finish()
    }

    /// The dag of the heads, and the place in it of each vertex.
    fn finish(self) -> (Dag, Vec<VertexId>) {
        let Self {
            dag,
            heads,
            tails,
            vertices,
            regions,
            ..
        } = self;
        let mut number = VertexId(0);
        let mut numbers = vec![number; heads.len()];
        for at in (0..heads.len()).filter(|&at| heads[at] == at) {
            numbers[at] = number;
            number.0 += 1;
        }
        let number_of = |at: VertexId| numbers[heads[at.index()]];
        let mut edges: Vec<(VertexId, Successor)> = Vec::new();
        for head in (0..heads.len()).filter(|&at| heads[at] == at) {
            for successor in dag.successors(VertexId(tails[head] as u32)) {
                let to = Successor::new(number_of(successor.to()), successor.is_stealable());
                edges.push((numbers[head], to));
            }
        }
        let kept = (0..heads.len()).filter(|&at| heads[at] == at).map(|at| {
            let vertex = vertices[at];
            let begun_by = match vertex.kind {
                VertexKind::Sync => number_of(vertex.begun_by),
                _ => numbers[at],
            };
            Vertex { begun_by, ..vertex }
        });
        let vertices: Vec<Vertex> = kept.collect();
        let places = heads.iter().map(|&head| numbers[head]).collect();
        let folded = Dag {
            successors: Successors::new(vertices.len(), &edges),
            vertices,
            regions,
            ..*dag
        };
        (folded, places)
    }
}

/// How many edges lead to each vertex.
fn waits(dag: &Dag) -> Vec<u32> {
    let mut waits = vec![0; dag.vertices.len()];
    for successor in dag.successors.edges() {
        waits[successor.to().index()] += 1;
    }
    waits
}

/// The vertex that alone comes after `at`, on the same worker.
fn only_successor(dag: &Dag, at: usize) -> Option<usize> {
    match dag.successors(VertexId(at as u32)) {
        [only] if !only.is_stealable() => Some(only.to().index()),
        _ => None,
    }
}

/// A spawn of one task, which is one vertex.
struct SpawnedLeaf {
    /// What the spawner goes on with.
    next: usize,
    task: usize,
    /// What waits for the task.
    sync: usize,
}

fn spawned_leaf(dag: &Dag, waits: &[u32], at: usize) -> Option<SpawnedLeaf> {
    let &[next, task] = dag.successors(VertexId(at as u32)) else {
        return None;
    };
    let is_spawn = dag.vertices[at].kind == VertexKind::Spawn && task.is_stealable();
    let (next, task) = (next.to().index(), task.to().index());
    let sync = only_successor(dag, task)?;
    let kind = dag.vertices[task].kind;
    let is_piece = matches!(kind, VertexKind::Strand | VertexKind::Folded);
    (is_spawn && is_piece && waits[task] == 1).then_some(SpawnedLeaf { next, task, sync })
}

/// Of each vertex the end of the largest construct of less work than `grain` that it begins; itself if it begins none. A
/// construct counts only if nothing enters it but where it begins, nothing leaves it but where it ends, and its
/// vertices stand in a row.
fn ends_of_constructs(dag: &Dag, grain: i64) -> Vec<usize> {
    let count = dag.vertices.len();
    let mut ends: Vec<usize> = (0..count).collect();
    let mut earliest = ends.clone();
    let mut latest = ends.clone();
    for (at, latest) in latest.iter_mut().enumerate() {
        for successor in dag.successors(VertexId(at as u32)) {
            let to = successor.to().index();
            earliest[to] = earliest[to].min(at);
            *latest = (*latest).max(to);
        }
    }
    // What has been looked at, in stretches that follow one another.
    let mut stretches: Vec<Stretch> = Vec::new();
    for (at, vertex) in dag.vertices.iter().enumerate() {
        let begin = vertex.begun_by.index();
        let mut stretch = Stretch {
            first: at,
            earliest: earliest[at],
            latest: 0,
            work: vertex.work,
        };
        while let Some(before) = stretches.pop_if(|before| before.first > begin) {
            stretch = before.and(stretch);
        }
        let is_apart = vertex.kind == VertexKind::Sync
            && stretch.first == begin + 1
            && stretch.earliest >= begin
            && stretch.latest.max(latest[begin]) <= at;
        if is_apart && stretch.work + dag.vertices[begin].work < grain {
            ends[begin] = at;
        }
        stretch.latest = stretch.latest.max(latest[at]);
        stretches.push(stretch);
    }
    ends
}

/// Vertices in a row.
struct Stretch {
    first: usize,
    /// The first vertex that one of them waits for.
    earliest: usize,
    /// The last vertex that waits for one of them.
    latest: usize,
    work: i64,
}

impl Stretch {
    fn and(self, next: Self) -> Self {
        Self {
            first: self.first,
            earliest: self.earliest.min(next.earliest),
            latest: self.latest.max(next.latest),
            work: self.work + next.work,
        }
    }
}
