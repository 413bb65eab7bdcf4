//! Smaller dags with the same work and span.

use std::collections::HashMap;

use super::{
    Dag, StrandRegion, StrandRegionId, Successor, Successors, Vertex, VertexId, VertexKind,
};

/// The factor by which the grain grows from one attempt to the next.
const GROWTH: f64 = 1.25;

impl Dag {
    /// This dag with subtrees folded, small ones before large ones, until it has at most `most`
    /// vertices; 0 counts as 1. Work, span, burdened span and tasks stay the same.
    ///
    /// Folds constructs with everything that runs in them, strands and folded subtrees in a row,
    /// and tasks that are spawned one after another for the same sync. If the dag stays too large,
    /// because its tasks wait for one another as in no fork-join program, it becomes a single
    /// vertex.
    ///
    /// The grain of the result is the limit of the folding: only what has less work was folded.
    pub fn folded(&self, most: usize) -> Self {
        let most = most.max(1);
        let mut dag = self.clone();
        let work: f64 = self
            .vertices
            .iter()
            .map(|vertex| vertex.work.max(0) as f64)
            .sum();
        let mut grain = (work / most as f64 / 16.0).max(self.grain as f64).max(1.0);
        while dag.vertices.len() > most {
            if grain > GROWTH * work + GROWTH {
                dag = Folding::new(&dag).merge_all();
                break;
            }
            let below = grain.ceil() as i64;
            dag = Folding::new(&dag).merge_constructs(below);
            dag = Folding::new(&dag).merge_rows(below);
            dag = Folding::new(&dag).merge_spawns(below);
            dag.grain = below;
            grain *= GROWTH;
        }
        dag.remove_unused_regions();
        dag
    }

    /// Removes the regions that no vertex belongs to. The others keep their order.
    fn remove_unused_regions(&mut self) {
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

/// A dag whose vertices are being merged.
///
/// Merged vertices go to a head, the first of them. A head waits for no later vertex than before,
/// so the heads stay in order.
struct Folding<'a> {
    dag: &'a Dag,
    /// For each vertex, the head that it goes to.
    heads: Vec<usize>,
    /// For each head, the vertex whose successors it takes over.
    tails: Vec<usize>,
    /// The vertices. Only the heads will be kept.
    vertices: Vec<Vertex>,
    regions: Vec<StrandRegion>,
    known_regions: HashMap<StrandRegion, StrandRegionId>,
}

impl<'a> Folding<'a> {
    fn new(dag: &'a Dag) -> Self {
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

    /// Merges everything into one vertex.
    fn merge_all(mut self) -> Dag {
        self.merge(0, self.heads.len() - 1);
        self.finish()
    }

    /// Merges each construct of less work than `grain` into one vertex, the largest such ones.
    fn merge_constructs(mut self, grain: i64) -> Dag {
        let ends = ends_of_constructs(self.dag, grain);
        let mut at = 0;
        while at < ends.len() {
            if ends[at] > at {
                self.merge(at, ends[at]);
            }
            at = ends[at] + 1;
        }
        self.finish()
    }

    /// Merges the vertices from `first` to `last`. Edges enter them only at the first and leave
    /// them only at the last.
    fn merge(&mut self, first: usize, last: usize) {
        let dag = self.dag;
        let totals = dag.walk(
            first..last + 1,
            &mut Vec::new(),
            Vertex::clone,
            |_, _, _| (),
        );
        self.vertices[first] = Vertex {
            kind: VertexKind::Folded,
            work: totals.work,
            span: totals.span,
            burdened_span: totals.burdened_span,
            tasks: totals.tasks.min(u32::MAX.into()) as u32,
            ..dag.vertices[first]
        };
        self.vertices[first].region = self.region_between(first, last);
        self.heads[first..=last].fill(first);
        self.tails[first] = last;
    }

    /// The region from where vertex `first` begins to where vertex `last` ends.
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

    /// Merges strands and folded subtrees in a row into one vertex, as long as they have less work
    /// than `grain` together. The last of them may spawn tasks.
    fn merge_rows(mut self, grain: i64) -> Dag {
        let waits = self.dag.successors.in_degrees();
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

    /// Appends `next` to the merged vertex of `head`.
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

    /// Merges tasks of one vertex each that are spawned one after another for the same sync into
    /// one task, and their spawns into one vertex, as long as each of the two has less work than
    /// `grain`. The task then begins with the last of the spawns, and is shorter by the time
    /// between them. Tasks are not merged if the burden between the spawns would make its burdened
    /// span shorter than its span.
    fn merge_spawns(mut self, grain: i64) -> Dag {
        let waits = self.dag.successors.in_degrees();
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

    /// The dag of the heads.
    fn finish(self) -> Dag {
        let Self {
            dag,
            heads,
            tails,
            vertices,
            regions,
            ..
        } = self;
        let head_ids = || (0..heads.len()).filter(|&at| heads[at] == at);
        let mut number = VertexId(0);
        let mut numbers = vec![number; heads.len()];
        for at in head_ids() {
            numbers[at] = number;
            number.0 += 1;
        }
        let number_of = |at: VertexId| numbers[heads[at.index()]];
        let mut edges: Vec<(VertexId, Successor)> = Vec::new();
        for head in head_ids() {
            for successor in dag.successors(VertexId(tails[head] as u32)) {
                let to = Successor::new(number_of(successor.to()), successor.is_stealable());
                edges.push((numbers[head], to));
            }
        }
        let kept = head_ids().map(|at| {
            let vertex = vertices[at];
            let begun_by = match vertex.kind {
                VertexKind::Sync => number_of(vertex.begun_by),
                _ => numbers[at],
            };
            Vertex { begun_by, ..vertex }
        });
        let vertices: Vec<Vertex> = kept.collect();
        Dag {
            successors: Successors::new(vertices.len(), &edges),
            vertices,
            regions,
            ..*dag
        }
    }
}

/// The only successor of `at`, if no thief can take it.
fn only_successor(dag: &Dag, at: usize) -> Option<usize> {
    match dag.successors(VertexId(at as u32)) {
        [only] if !only.is_stealable() => Some(only.to().index()),
        _ => None,
    }
}

/// A spawn of a task that is a single vertex.
struct SpawnedLeaf {
    /// What the spawner continues with.
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

/// For each vertex, the end of the largest construct of less work than `grain` that it begins; the
/// vertex itself if it begins none. A construct counts only if edges enter it only where it begins
/// and leave it only where it ends, and its vertices are consecutive.
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
    // The vertices so far, as consecutive stretches.
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
            stretch = before.followed_by(stretch);
        }
        let is_closed = vertex.kind == VertexKind::Sync
            && stretch.first == begin + 1
            && stretch.earliest >= begin
            && stretch.latest.max(latest[begin]) <= at;
        if is_closed && stretch.work + dag.vertices[begin].work < grain {
            ends[begin] = at;
        }
        stretch.latest = stretch.latest.max(latest[at]);
        stretches.push(stretch);
    }
    ends
}

/// Consecutive vertices.
struct Stretch {
    first: usize,
    /// The first vertex that one of them waits for.
    earliest: usize,
    /// The last vertex that waits for one of them.
    latest: usize,
    work: i64,
}

impl Stretch {
    fn followed_by(self, next: Self) -> Self {
        Self {
            first: self.first,
            earliest: self.earliest.min(next.earliest),
            latest: self.latest.max(next.latest),
            work: self.work + next.work,
        }
    }
}
