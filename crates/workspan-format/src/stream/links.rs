//! What ties lanes together: names that one thread has told, and others refer to.
//!
//! A thread tells of its events when it comes to it, so that a name may be told before or after what refers to it. So all
//! is kept in lists until the record has been read, and looked up in them sorted.

use workspan_model::{Boundary, VertexId, VertexKind};

use super::draft::{Draft, EdgeIndex};
use super::event::{Awaited, Figures};
use super::hubs::Hubs;
use super::places::Places;

/// What is wrong with the names.
type Problem = String;

/// The first and the last vertex of a lane.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    pub(super) head: VertexId,
    pub(super) tail: VertexId,
}

/// A branch of a join.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Branch {
    /// Where the join is; it is tied already.
    Here,
    /// In the lane of this name.
    Lane(u64),
    /// It did not run.
    Nowhere,
    /// The record does not tell.
    Unknown,
}

impl Branch {
    /// The branch that ran in the lane `name`, 0 if in none.
    pub(super) const fn in_lane(name: u64) -> Self {
        if name == 0 {
            Self::Nowhere
        } else {
            Self::Lane(name)
        }
    }
}

/// A join of which not all ran in its own lane.
#[derive(Clone, Copy)]
pub(super) struct ForeignJoin {
    pub(super) fork: VertexId,
    pub(super) sync: VertexId,
    pub(super) node: u32,
    pub(super) left: Branch,
    pub(super) right: Branch,
    /// Of one that never ended, the branch or call in whose lane it is.
    pub(super) home: Option<u64>,
}

/// The lane of a branch.
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
    pub(super) begin: VertexId,
    pub(super) sync: Option<VertexId>,
}

/// A call that was handed off: what comes before it and after it.
#[derive(Clone)]
pub(super) struct Serial {
    pub(super) name: u64,
    pub(super) before: VertexId,
    pub(super) after: Option<VertexId>,
}

/// A place where tasks are spawned.
#[derive(Clone)]
pub(super) struct Point {
    pub(super) name: u64,
    pub(super) awaited: Awaited,
    pub(super) vertex: VertexId,
    /// The edge to what the spawner goes on with.
    pub(super) edge: Option<EdgeIndex>,
}

/// A spawned task, or several.
#[derive(Clone)]
pub(super) struct Task {
    pub(super) point: u64,
    pub(super) later: u64,
    pub(super) lane: u64,
    pub(super) node: u32,
    pub(super) ends: Ends,
}

/// All that is to be tied.
#[derive(Clone, Default)]
pub(super) struct Links {
    pub(super) root: Option<Ends>,
    /// Threads of the program that began unseen, so many ticks after it.
    pub(super) own: Vec<(i64, Ends)>,
    pub(super) joins: Vec<ForeignJoin>,
    /// Branches by their names.
    pub(super) lanes: Vec<BranchLane>,
    pub(super) groups: Vec<Group>,
    /// Bodies and members by the names of their groups.
    pub(super) bodies: Vec<(u64, Ends)>,
    pub(super) members: Vec<(u64, Ends)>,
    pub(super) handoffs: Vec<Serial>,
    /// Calls by their names.
    pub(super) calls: Vec<(u64, Ends)>,
    pub(super) points: Vec<Point>,
    pub(super) tasks: Vec<Task>,
    /// Vertices that go on after a lane, by its name.
    pub(super) waits: Vec<(u64, VertexId)>,
    pub(super) hubs: Hubs,
}

impl Links {
    /// Ties everything, and gives back the dag's first vertex. What refers to something that the record does not have, because
    /// it ends early, begins with the program or ends with it.
    pub(super) fn tie(mut self, draft: &mut Draft, places: &Places) -> Result<VertexId, Problem> {
        self.sort()?;
        self.tie_joins(draft, places);
        self.tie_groups(draft);
        self.tie_handoffs(draft);
        self.tie_tasks(draft, places);
        std::mem::take(&mut self.hubs).tie(draft, places.body(0));
        Ok(self.tie_ends(draft, places))
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

    fn tie_joins(&self, draft: &mut Draft, places: &Places) {
        for join in &self.joins {
            let left = places.left(join.node);
            let right = places.right(join.node);
            self.tie_branch(draft, join, join.left, left, false);
            self.tie_branch(draft, join, join.right, right, true);
        }
    }

    fn tie_branch(
        &self,
        draft: &mut Draft,
        join: &ForeignJoin,
        branch: Branch,
        at: Boundary,
        is_stealable: bool,
    ) {
        let known = match branch {
            Branch::Here => return,
            Branch::Lane(name) => found(&self.lanes, name, |lane| lane.name),
            Branch::Nowhere | Branch::Unknown => None,
        };
        let ends = known.map_or_else(
            || {
                let worker = draft.vertex(join.fork).worker;
                let empty = draft.empty(VertexKind::Strand, worker, join.node, at);
                Ends {
                    head: empty,
                    tail: empty,
                }
            },
            |lane| lane.ends,
        );
        draft.edge(join.fork, ends.head, is_stealable);
        draft.edge(ends.tail, join.sync, false);
    }

    fn tie_groups(&self, draft: &mut Draft) {
        let bodies = self.bodies.iter().map(|body| (body, false));
        let members = self.members.iter().map(|member| (member, true));
        let mut has_parts = vec![false; self.groups.len()];
        for ((name, ends), is_member) in bodies.chain(members) {
            let Some(index) = index_of(&self.groups, *name, |group| group.name) else {
                continue;
            };
            has_parts[index] = true;
            let begin = self.groups[index].begin;
            draft.edge(begin, ends.head, is_member);
            if is_member && draft.vertex(begin).kind == VertexKind::Strand {
                draft.vertex(begin).kind = VertexKind::Fork;
            }
            if let Some(sync) = self.groups[index].sync {
                draft.edge(ends.tail, sync, false);
            }
        }
        for (group, _) in self.groups.iter().zip(has_parts).filter(|(_, has)| !has) {
            if let Some(sync) = group.sync {
                draft.edge(group.begin, sync, false);
            }
        }
    }

    fn tie_handoffs(&self, draft: &mut Draft) {
        for handoff in &self.handoffs {
            let call = found(&self.calls, handoff.name, |(name, _)| *name);
            let mut before = handoff.before;
            if let Some((_, ends)) = call {
                draft.edge(before, ends.head, false);
                before = ends.tail;
            }
            if let Some(after) = handoff.after {
                draft.edge(before, after, false);
            }
        }
    }

    fn tie_tasks(&self, draft: &mut Draft, places: &Places) {
        for tasks in self.tasks.chunk_by(|one, next| one.point == next.point) {
            let Some(point) = found(&self.points, tasks[0].point, |point| point.name) else {
                continue;
            };
            let mut spawner = Spawner::at(point);
            for task in tasks {
                let vertex = spawner.vertex_after(task, draft, places);
                draft.edge(vertex, task.ends.head, true);
                if draft.vertex(vertex).kind == VertexKind::Strand {
                    draft.vertex(vertex).kind = VertexKind::Spawn;
                }
                if let Some(sync) = self.awaiting(task, point.awaited) {
                    draft.edge(task.ends.tail, sync, false);
                }
            }
        }
    }

    /// The vertex that waits for `task`; none if that is the end of the program.
    fn awaiting(&self, task: &Task, awaited: Awaited) -> Option<VertexId> {
        match awaited {
            Awaited::AtEnd => None,
            Awaited::Joined => {
                found(&self.waits, task.lane, |(name, _)| *name).map(|(_, sync)| *sync)
            }
            Awaited::InGroup(group) => found(&self.groups, group, |group| group.name)?.sync,
        }
    }

    /// Lets everything begin after the first vertex and end before the last.
    fn tie_ends(&self, draft: &mut Draft, places: &Places) -> VertexId {
        let body = places.body(0);
        let first = self.root.map_or_else(
            || draft.empty(VertexKind::Strand, 0, 0, body),
            |root| root.head,
        );
        for (ticks, ends) in &self.own {
            // As long as the program had run, and nobody's work.
            let figures = Figures {
                work: 0,
                ..Figures::of_strand(*ticks)
            };
            let wait = draft.begin(VertexKind::Strand, figures, 0);
            draft.end(wait, 0, body, body);
            draft.edge(wait, ends.head, false);
        }
        let mut waits = vec![false; draft.vertices.len()];
        let mut is_awaited = waits.clone();
        for (from, to) in &draft.edges {
            is_awaited[from.index()] = true;
            waits[to.to().index()] = true;
        }
        for vertex in without(&waits).filter(|vertex| *vertex != first) {
            draft.edge(first, vertex, false);
            is_awaited[first.index()] = true;
            if draft.vertex(first).kind == VertexKind::Strand {
                draft.vertex(first).kind = VertexKind::Spawn;
            }
        }
        let lasts: Vec<VertexId> = without(&is_awaited).collect();
        if lasts.len() > 1 {
            let end = draft.empty(VertexKind::Sync, 0, 0, body);
            draft.vertex(end).begun_by = first;
            for last in lasts {
                draft.edge(last, end, false);
            }
        }
        first
    }
}

/// Follows the strands of a spawner from a point on.
struct Spawner {
    vertex: VertexId,
    edge: Option<EdgeIndex>,
    /// How far behind the point `vertex` ends.
    done: u64,
}

impl Spawner {
    fn at(point: &Point) -> Self {
        Self {
            vertex: point.vertex,
            edge: point.edge,
            done: 0,
        }
    }

    /// The vertex at whose end `task` is spawned: what comes next is divided there. The tasks of a point are asked for in the
    /// order of their spawns.
    fn vertex_after(&mut self, task: &Task, draft: &mut Draft, places: &Places) -> VertexId {
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
        // The record tells of the strands after a point as one vertex, unless it was written just then.
        let step = step.min(work).min(span);
        if step <= 0 {
            return self.vertex;
        }
        let region = draft.regions[region.index()];
        let outside = places.outside(task.node);
        let figures = Figures::of_strand(step);
        self.vertex = draft.begin(VertexKind::Strand, figures, worker);
        draft.end(self.vertex, region.node.0, region.from, outside);
        draft.end(next, region.node.0, outside, region.to);
        let rest = draft.vertex(next);
        rest.work -= step;
        rest.span -= step;
        rest.burdened_span = rest.burdened_span.saturating_sub(step);
        self.edge = Some(draft.split_edge(edge, self.vertex));
        self.vertex
    }
}

fn without(marks: &[bool]) -> impl Iterator<Item = VertexId> {
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

fn found<T>(sorted: &[T], wanted: u64, name: impl Fn(&T) -> u64) -> Option<&T> {
    index_of(sorted, wanted, name).map(|index| &sorted[index])
}
