//! Connects lanes by the names that their events give and refer to.
//!
//! Threads write their events at different times, so a name may be read before or after an event
//! that refers to it. Everything is therefore kept in lists until the whole record has been read,
//! and then looked up in them by name.

use workspan_model::{Boundary, VertexId, VertexKind};

use super::draft::{Draft, EdgeIndex};
use super::event::{Awaited, Figures};
use super::hubs::Hubs;
use super::places::Places;

/// What is wrong with the links.
type Problem = String;

/// The first and the last vertex of a lane.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    pub(super) head: VertexId,
    pub(super) tail: VertexId,
}

impl Ends {
    /// Those of a lane with a single vertex.
    pub(super) const fn from_vertex(vertex: VertexId) -> Self {
        Self {
            head: vertex,
            tail: vertex,
        }
    }
}

/// A branch of a join.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Branch {
    /// In the lane of the join. Its edges are in the draft already.
    Here,
    /// In the lane of this name.
    Lane(u64),
    /// It did not run.
    Nowhere,
    /// Not in the record.
    Unknown,
}

impl Branch {
    /// The branch whose lane an event names; 0: none.
    pub(super) const fn from_name(name: u64) -> Self {
        if name == 0 {
            Self::Nowhere
        } else {
            Self::Lane(name)
        }
    }
}

/// A join with a branch that did not run in the lane of the join.
#[derive(Clone, Copy)]
pub(super) struct SplitJoin {
    pub(super) fork: VertexId,
    pub(super) sync: VertexId,
    pub(super) node: u32,
    pub(super) left: Branch,
    pub(super) right: Branch,
    /// Name of the branch or call in whose lane the join is; `None` if it ended, or the lane is
    /// another.
    pub(super) enclosing: Option<u64>,
}

/// The lane of a branch of a join.
#[derive(Clone, Copy)]
pub(super) struct BranchLane {
    pub(super) name: u64,
    pub(super) node: u32,
    pub(super) is_left: bool,
    pub(super) ends: Ends,
}

/// A scope or a broadcast.
#[derive(Clone)]
pub(super) struct Group {
    pub(super) name: u64,
    /// The vertex that ends in the construct.
    pub(super) begin: VertexId,
    pub(super) sync: Option<VertexId>,
}

/// A handoff: the vertices before and behind the call.
#[derive(Clone)]
pub(super) struct Handoff {
    pub(super) name: u64,
    pub(super) before: VertexId,
    pub(super) after: Option<VertexId>,
}

/// A point: `vertex` ends there.
#[derive(Clone)]
pub(super) struct Point {
    pub(super) name: u64,
    pub(super) awaited: Awaited,
    pub(super) vertex: VertexId,
    /// The edge from `vertex` to what the spawner goes on with.
    pub(super) edge: Option<EdgeIndex>,
}

/// A spawned task, or a bulk of them.
#[derive(Clone)]
pub(super) struct Task {
    pub(super) point: u64,
    pub(super) later: u64,
    /// Name of the task's lane; 0: it has none.
    pub(super) lane: u64,
    pub(super) node: u32,
    pub(super) ends: Ends,
}

/// Everything by which lanes are connected.
#[derive(Clone, Default)]
pub(super) struct Links {
    pub(super) root: Option<Ends>,
    /// The lanes of threads that the program started unseen, each with its start in ticks after the
    /// program's.
    pub(super) own: Vec<(i64, Ends)>,
    pub(super) joins: Vec<SplitJoin>,
    pub(super) lanes: Vec<BranchLane>,
    pub(super) groups: Vec<Group>,
    /// Bodies of scopes, and tasks of broadcasts, by the names of their groups.
    pub(super) bodies: Vec<(u64, Ends)>,
    pub(super) members: Vec<(u64, Ends)>,
    pub(super) handoffs: Vec<Handoff>,
    /// Calls by their names.
    pub(super) calls: Vec<(u64, Ends)>,
    pub(super) points: Vec<Point>,
    pub(super) tasks: Vec<Task>,
    /// Vertices that wait for the end of a lane, by its name.
    pub(super) waits: Vec<(u64, VertexId)>,
    pub(super) hubs: Hubs,
}

impl Links {
    /// Adds the edges between lanes, and returns the first vertex of the dag. Where the target of a
    /// link is not in the record, because that ends early, a lane begins or ends with the program.
    pub(super) fn connect(
        mut self,
        draft: &mut Draft,
        places: &Places,
    ) -> Result<VertexId, Problem> {
        self.sort()?;
        self.connect_joins(draft, places);
        self.connect_groups(draft);
        self.connect_handoffs(draft);
        self.connect_tasks(draft, places);
        std::mem::take(&mut self.hubs).connect(draft, places.body(0));
        Ok(self.connect_ends(draft, places))
    }

    fn sort(&mut self) -> Result<(), Problem> {
        sort_by_name(&mut self.lanes, |lane| lane.name)?;
        sort_by_name(&mut self.groups, |group| group.name)?;
        sort_by_name(&mut self.bodies, |(name, _)| *name)?;
        sort_by_name(&mut self.handoffs, |handoff| handoff.name)?;
        sort_by_name(&mut self.calls, |(name, _)| *name)?;
        sort_by_name(&mut self.points, |point| point.name)?;
        self.waits.sort_by_key(|(name, _)| *name);
        self.members.sort_by_key(|(name, _)| *name);
        self.tasks.sort_by_key(|task| (task.point, task.later));
        Ok(())
    }

    fn connect_joins(&self, draft: &mut Draft, places: &Places) {
        for join in &self.joins {
            let left = places.left(join.node);
            let right = places.right(join.node);
            self.connect_branch(draft, join, join.left, left, false);
            self.connect_branch(draft, join, join.right, right, true);
        }
    }

    fn connect_branch(
        &self,
        draft: &mut Draft,
        join: &SplitJoin,
        branch: Branch,
        at: Boundary,
        is_stealable: bool,
    ) {
        let known = match branch {
            Branch::Here => return,
            Branch::Lane(name) => find(&self.lanes, name, |lane| lane.name),
            Branch::Nowhere | Branch::Unknown => None,
        };
        let ends = known.map_or_else(
            || {
                let worker = draft.vertex(join.fork).worker;
                let empty = draft.add_empty(VertexKind::Strand, worker, join.node, at);
                Ends::from_vertex(empty)
            },
            |lane| lane.ends,
        );
        draft.add_edge(join.fork, ends.head, is_stealable);
        draft.add_edge(ends.tail, join.sync, false);
    }

    fn connect_groups(&self, draft: &mut Draft) {
        let bodies = self.bodies.iter().map(|body| (body, false));
        let members = self.members.iter().map(|member| (member, true));
        let mut has_parts = vec![false; self.groups.len()];
        for ((name, ends), is_member) in bodies.chain(members) {
            let Some(index) = index_of(&self.groups, *name, |group| group.name) else {
                continue;
            };
            has_parts[index] = true;
            let begin = self.groups[index].begin;
            draft.add_edge(begin, ends.head, is_member);
            if is_member && draft.vertex(begin).kind == VertexKind::Strand {
                draft.vertex(begin).kind = VertexKind::Fork;
            }
            if let Some(sync) = self.groups[index].sync {
                draft.add_edge(ends.tail, sync, false);
            }
        }
        for (group, _) in self.groups.iter().zip(has_parts).filter(|(_, has)| !has) {
            if let Some(sync) = group.sync {
                draft.add_edge(group.begin, sync, false);
            }
        }
    }

    fn connect_handoffs(&self, draft: &mut Draft) {
        for handoff in &self.handoffs {
            let call = find(&self.calls, handoff.name, |(name, _)| *name);
            let mut before = handoff.before;
            if let Some((_, ends)) = call {
                draft.add_edge(before, ends.head, false);
                before = ends.tail;
            }
            if let Some(after) = handoff.after {
                draft.add_edge(before, after, false);
            }
        }
    }

    fn connect_tasks(&self, draft: &mut Draft, places: &Places) {
        for tasks in self.tasks.chunk_by(|one, next| one.point == next.point) {
            let Some(point) = find(&self.points, tasks[0].point, |point| point.name) else {
                continue;
            };
            let mut spawner = Spawner::new(point);
            for task in tasks {
                let vertex = spawner.vertex_before(task, draft, places);
                draft.add_edge(vertex, task.ends.head, true);
                if draft.vertex(vertex).kind == VertexKind::Strand {
                    draft.vertex(vertex).kind = VertexKind::Spawn;
                }
                if let Some(sync) = self.awaiting(task, point.awaited) {
                    draft.add_edge(task.ends.tail, sync, false);
                }
            }
        }
    }

    /// The vertex that waits for `task`; `None`: the end of the program.
    fn awaiting(&self, task: &Task, awaited: Awaited) -> Option<VertexId> {
        match awaited {
            Awaited::AtEnd => None,
            Awaited::Joined => {
                find(&self.waits, task.lane, |(name, _)| *name).map(|(_, sync)| *sync)
            }
            Awaited::InGroup(group) => find(&self.groups, group, |group| group.name)?.sync,
        }
    }

    /// Makes everything begin after the first vertex, which it returns, and end before the last.
    fn connect_ends(&self, draft: &mut Draft, places: &Places) -> VertexId {
        let body = places.body(0);
        let first = self.root.map_or_else(
            || draft.add_empty(VertexKind::Strand, 0, 0, body),
            |root| root.head,
        );
        for (ticks, ends) in &self.own {
            // The path is as long as the program had run, but this is no work.
            let figures = Figures {
                work: 0,
                ..Figures::strand(*ticks)
            };
            let wait = draft.add(VertexKind::Strand, figures, 0);
            draft.set_region(wait, 0, body, body);
            draft.add_edge(wait, ends.head, false);
        }
        let mut waits = vec![false; draft.vertices.len()];
        let mut is_awaited = waits.clone();
        for (from, to) in &draft.edges {
            is_awaited[from.index()] = true;
            waits[to.to().index()] = true;
        }
        for vertex in unmarked(&waits).filter(|vertex| *vertex != first) {
            draft.add_edge(first, vertex, false);
            is_awaited[first.index()] = true;
            if draft.vertex(first).kind == VertexKind::Strand {
                draft.vertex(first).kind = VertexKind::Spawn;
            }
        }
        let unawaited: Vec<VertexId> = unmarked(&is_awaited).collect();
        if unawaited.len() > 1 {
            let end = draft.add_empty(VertexKind::Sync, 0, 0, body);
            draft.vertex(end).begun_by = first;
            for last in unawaited {
                draft.add_edge(last, end, false);
            }
        }
        first
    }
}

/// Follows the strands of a spawner from a point on, and splits them where tasks are spawned.
struct Spawner {
    vertex: VertexId,
    edge: Option<EdgeIndex>,
    /// How many ticks after the point `vertex` ends.
    done: u64,
}

impl Spawner {
    fn new(point: &Point) -> Self {
        Self {
            vertex: point.vertex,
            edge: point.edge,
            done: 0,
        }
    }

    /// The vertex at whose end `task` is spawned. Splits the spawner's next vertex there if
    /// necessary. To be called for the tasks of a point in the order of their spawns.
    fn vertex_before(&mut self, task: &Task, draft: &mut Draft, places: &Places) -> VertexId {
        let step = i64::try_from(task.later - self.done).unwrap_or(i64::MAX);
        self.done = task.later;
        let Some(edge) = self.edge else {
            return self.vertex;
        };
        let next = draft.edges[edge].1.to();
        let &mut workspan_model::Vertex {
            work,
            span,
            region,
            worker,
            ..
        } = draft.vertex(next);
        // The strands after a point are one vertex, unless the engine wrote its record just then.
        let step = step.min(work).min(span);
        if step <= 0 {
            return self.vertex;
        }
        let region = draft.regions[region.index()];
        let outside = places.outside(task.node);
        let figures = Figures::strand(step);
        self.vertex = draft.add(VertexKind::Strand, figures, worker);
        draft.set_region(self.vertex, region.node.0, region.from, outside);
        draft.set_region(next, region.node.0, outside, region.to);
        let rest = draft.vertex(next);
        rest.work -= step;
        rest.span -= step;
        rest.burdened_span = rest.burdened_span.saturating_sub(step);
        self.edge = Some(draft.split_edge(edge, self.vertex));
        self.vertex
    }
}

fn unmarked(marks: &[bool]) -> impl Iterator<Item = VertexId> {
    let unmarked = marks
        .iter()
        .enumerate()
        .filter(|(_, is_marked)| !**is_marked);
    unmarked.map(|(index, _)| VertexId(index as u32))
}

fn sort_by_name<T>(list: &mut [T], name: impl Fn(&T) -> u64) -> Result<(), Problem> {
    list.sort_by_key(&name);
    match list
        .windows(2)
        .find(|pair| name(&pair[0]) == name(&pair[1]))
    {
        Some(pair) => Err(format!("two are named {}", name(&pair[0]))),
        None => Ok(()),
    }
}

fn index_of<T>(sorted: &[T], wanted: u64, name: impl Fn(&T) -> u64) -> Option<usize> {
    sorted.binary_search_by_key(&wanted, name).ok()
}

fn find<T>(sorted: &[T], wanted: u64, name: impl Fn(&T) -> u64) -> Option<&T> {
    index_of(sorted, wanted, name).map(|index| &sorted[index])
}
