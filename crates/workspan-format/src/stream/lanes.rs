//! From events to vertices: each thread is followed through its lanes.
//!
//! A lane is a path that one thread runs. A thread that waits may run another lane meanwhile, so that lanes lie in each
//! other, and constructs in lanes; what is open is kept in a list, so that no depth of recursion in the program is one
//! here.

use std::collections::BTreeMap;

use workspan_model::{Boundary, VertexId, VertexKind};

use super::draft::{Draft, EdgeIndex};
use super::event::{Awaited, Event, Figures, Origin};
use super::hubs::{Leaving, Reach};
use super::links::{Branch, BranchLane, Ends, ForeignJoin, Group, Links, Point, Serial, Task};
use super::places::Places;

/// What is wrong with an event.
type Problem = String;

/// All threads, and what they have told.
#[derive(Default)]
pub(super) struct Lanes {
    threads: BTreeMap<u64, Thread>,
    pub(super) draft: Draft,
    pub(super) links: Links,
    pub(super) places: Places,
}

impl Lanes {
    /// Follows `thread` through `events`.
    pub(super) fn follow(&mut self, thread: u64, mut events: &[u8]) -> Result<(), Problem> {
        let worker = u16::try_from(thread).unwrap_or(u16::MAX);
        let thread = self.threads.entry(thread).or_default();
        let mut follower = Follower {
            thread,
            worker,
            draft: &mut self.draft,
            links: &mut self.links,
            places: &self.places,
        };
        while !events.is_empty() {
            let event = Event::next(&mut events).map_err(|error| error.to_string())?;
            follower
                .take(event)
                .map_err(|problem| format!("{event:?}: {problem}"))?;
        }
        self.draft.check_size()
    }

    /// Ends what is open.
    pub(super) fn finish(&mut self) -> Result<(), Problem> {
        for (&thread, state) in &mut self.threads {
            let mut follower = Follower {
                thread: state,
                worker: u16::try_from(thread).unwrap_or(u16::MAX),
                draft: &mut self.draft,
                links: &mut self.links,
                places: &self.places,
            };
            while let Some(open) = follower.thread.open.last() {
                match open {
                    Open::Lane { .. } => follower.end_lane()?,
                    Open::Fork { .. } => follower.end_open_fork()?,
                    Open::Group { .. } => follower.end_group()?,
                    Open::Handoff { .. } => follower.end_handoff()?,
                }
            }
        }
        self.draft.check_size()
    }
}

/// Where a thread is.
#[derive(Default)]
struct Thread {
    cursor: Cursor,
    /// What has begun and not ended, from the outside in.
    open: Vec<Open>,
    marks: Vec<Mark>,
}

/// The end of a lane as far as it has been told.
#[derive(Clone, Copy, Default)]
struct Cursor {
    /// The lane's first vertex.
    head: Option<VertexId>,
    /// What the next vertex comes after.
    last: Option<VertexId>,
    /// What may still be added to that.
    state: State,
    /// Whether a vertex has to come before the branch ends: there is none since it began, or since a spawn.
    is_bare: bool,
    /// Whether the next vertex is the task of a fork.
    is_stealable: bool,
    /// The point at which the last vertex spawns tasks.
    point: Option<usize>,
    /// Node of the last vertex, as long as something may be added; else of the next one.
    node: u32,
    /// Where that begins.
    from: Option<Boundary>,
    /// What the last vertex has to do with a hub.
    tie: Tie,
}

/// What the end of a lane has to do with a hub.
#[derive(Clone, Copy, Default, PartialEq)]
enum Tie {
    #[default]
    None,
    /// It has reached one: in a construct whose parts begin there, or not.
    Reached { begins_parts: bool },
    /// It goes on after one.
    After,
}

/// What the last vertex of a lane is.
#[derive(Clone, Copy, Default, PartialEq)]
enum State {
    /// At its end.
    #[default]
    Ended,
    /// Without anything in it.
    Empty,
    /// A strand that may go on.
    Strand,
    /// A piece, and the construct that it began with.
    Folded { at: Option<u32> },
}

/// Something that has begun.
enum Open {
    Lane {
        lane: Lane,
        node: u32,
        /// Where the thread was before.
        outer: Cursor,
    },
    Fork {
        fork: VertexId,
        node: u32,
        outer: u32,
        /// The end of the left branch, when it has ended.
        left: Option<VertexId>,
    },
    Group {
        group: usize,
        node: u32,
        outer: u32,
    },
    Handoff {
        handoff: usize,
    },
}

/// What a lane is to others.
#[derive(Clone, Copy)]
enum Lane {
    Left(u64),
    Right(u64),
    Body(u64),
    Member(u64),
    Task { point: u64, later: u64, lane: u64 },
    Call(u64),
    Root,
    Own(i64),
    Start { hub: u64, is_stealable: bool },
}

/// A place behind which joins may have begun.
struct Mark {
    mark: u64,
    /// How much was open there.
    depth: usize,
    node: u32,
    /// The edge that leads on from there.
    edge: EdgeIndex,
}

/// A thread while it is followed.
struct Follower<'a> {
    thread: &'a mut Thread,
    worker: u16,
    draft: &'a mut Draft,
    links: &'a mut Links,
    places: &'a Places,
}

impl Follower<'_> {
    fn take(&mut self, event: Event) -> Result<(), Problem> {
        match event {
            Event::Left { lane, node } => return self.begin(Lane::Left(lane), node),
            Event::Right { lane, node } => return self.begin(Lane::Right(lane), node),
            Event::Body { group, node } => return self.begin(Lane::Body(group), node),
            Event::Member { group, node, .. } => return self.begin(Lane::Member(group), node),
            Event::Call { call, node } => return self.begin(Lane::Call(call), node),
            Event::Root { node } => return self.begin(Lane::Root, node),
            Event::Own { ticks, node } => return self.begin(Lane::Own(ticks), node),
            Event::Task {
                point,
                later,
                lane,
                node,
            } => return self.begin(Lane::Task { point, later, lane }, node),
            Event::Bulk {
                point,
                later,
                node,
                figures,
            } => return self.bulk(point, later, node, figures),
            Event::Start {
                hub,
                is_stealable,
                node,
                at,
            } => {
                self.begin(Lane::Start { hub, is_stealable }, node)?;
                return self.begin_behind(at);
            }
            Event::Parcel {
                from,
                to,
                node,
                figures,
            } => return self.parcel(from, to, node, figures),
            Event::Lead { from, to } => {
                self.links.hubs.leads.push((from, to));
                return Ok(());
            }
            _ if self.thread.open.is_empty() => return Err("it is in no lane".to_owned()),
            _ => {}
        }
        match event {
            Event::Strand { node, ticks } => self.strand(node, ticks),
            Event::Folded { node, at, figures } => self.folded(node, at, figures),
            Event::Fork { node } => self.fork(node),
            Event::Middle => self.middle(),
            Event::Join { left, right } => self.join(left, right),
            Event::Mark { mark } => {
                self.mark(mark);
                Ok(())
            }
            Event::LateMiddle { mark, node } => self.late_middle(mark, node),
            Event::LaneEnd => self.end_lane(),
            Event::Group { group, node } => self.group(group, node),
            Event::GroupEnd => self.end_group(),
            Event::Point {
                point,
                awaited,
                node,
            } => self.point(point, awaited, node),
            Event::Handoff { call } => {
                self.handoff(call);
                Ok(())
            }
            Event::HandoffEnd => self.end_handoff(),
            Event::Await { lane } => {
                self.wait(lane);
                Ok(())
            }
            Event::Reach { hub, at } => self.reach(hub, at),
            Event::After { hub, is_stealable } => {
                self.after(hub, is_stealable);
                Ok(())
            }
            _ => unreachable!("the beginnings of lanes were told apart above"),
        }
    }

    fn cursor(&mut self) -> &mut Cursor {
        &mut self.thread.cursor
    }

    /// Adds a vertex to the lane.
    fn chain(&mut self, kind: VertexKind, figures: Figures) -> VertexId {
        let vertex = self.draft.begin(kind, figures, self.worker);
        let cursor = &mut self.thread.cursor;
        cursor.head.get_or_insert(vertex);
        if let Some(last) = cursor.last {
            let edge = self.draft.edge(last, vertex, cursor.is_stealable);
            if let Some(point) = cursor.point.take() {
                self.links.points[point].edge = Some(edge);
            }
        }
        cursor.last = Some(vertex);
        (cursor.is_bare, cursor.is_stealable) = (false, false);
        cursor.tie = Tie::None;
        vertex
    }

    /// The same of one that is of no length and lies at `at`.
    fn chain_empty(&mut self, kind: VertexKind, at: Boundary) -> VertexId {
        let vertex = self.chain(kind, Figures::default());
        let node = self.cursor().node;
        self.draft.end(vertex, node, at, at);
        vertex
    }

    /// Where the last vertex begins, or the next one.
    fn from(&self) -> Boundary {
        let cursor = &self.thread.cursor;
        cursor.from.unwrap_or(self.places.body(cursor.node))
    }

    /// Lets the last vertex end at `to`, where the next one begins.
    fn close(&mut self, to: Boundary) {
        let from = self.from();
        let cursor = &mut self.thread.cursor;
        if cursor.state != State::Ended {
            let last = cursor.last.expect("it has begun");
            self.draft.end(last, cursor.node, from, to);
            cursor.state = State::Ended;
        }
        cursor.from = Some(to);
    }

    /// The next vertex comes after `last`, begins at `from` and is of `node`.
    fn go_on_after(&mut self, last: VertexId, node: u32, from: Boundary, state: State) {
        let cursor = self.cursor();
        cursor.last = Some(last);
        cursor.state = state;
        cursor.node = node;
        cursor.from = Some(from);
        cursor.is_bare = state == State::Ended;
        cursor.is_stealable = false;
        cursor.point = None;
        cursor.tie = Tie::None;
    }

    fn strand(&mut self, node: u32, ticks: i64) -> Result<(), Problem> {
        self.places.check(node)?;
        let is_same = node == self.cursor().node;
        match self.cursor().state {
            State::Strand if is_same => {}
            State::Empty => {
                if !is_same {
                    let meeting = self.places.meeting(self.cursor().node, node);
                    self.cursor().from = Some(meeting);
                }
            }
            _ => {
                self.close(self.boundary_before(node));
                self.chain(VertexKind::Strand, Figures::default());
            }
        }
        let last = self.cursor().last.expect("just chained");
        let vertex = self.draft.vertex(last);
        for figure in [
            &mut vertex.work,
            &mut vertex.span,
            &mut vertex.burdened_span,
        ] {
            *figure = figure.saturating_add(ticks);
        }
        (self.cursor().node, self.cursor().state) = (node, State::Strand);
        Ok(())
    }

    /// Where a piece of `node` begins that follows without a construct.
    fn boundary_before(&self, node: u32) -> Boundary {
        let cursor = &self.thread.cursor;
        if cursor.node != node {
            return self.places.meeting(cursor.node, node);
        }
        match cursor.state {
            State::Ended | State::Empty => self.from(),
            State::Folded { at: Some(at) } => self.places.construct(at),
            State::Folded { at: None } | State::Strand => self.places.body(node),
        }
    }

    fn folded(&mut self, node: u32, at: Option<u32>, figures: Figures) -> Result<(), Problem> {
        self.places.check(node)?;
        let boundary = match at {
            Some(at) => {
                self.places.check(at)?;
                self.places.construct(at)
            }
            None => self.boundary_before(node),
        };
        self.close(boundary);
        self.chain(VertexKind::Folded, figures);
        (self.cursor().node, self.cursor().state) = (node, State::Folded { at });
        Ok(())
    }

    /// The vertex with which a construct of `node` begins. One that `makes_tasks` is a strand.
    fn opener(&mut self, node: u32, makes_tasks: bool) -> VertexId {
        let outside = self.places.outside(node);
        self.opener_at(outside, makes_tasks)
    }

    fn opener_at(&mut self, at: Boundary, makes_tasks: bool) -> VertexId {
        let state = self.cursor().state;
        self.close(at);
        let last = self.cursor().last.filter(|_| state != State::Ended);
        let is_suitable =
            |kind| kind == VertexKind::Strand || (!makes_tasks && kind != VertexKind::Spawn);
        match last {
            Some(last) if is_suitable(self.draft.vertex(last).kind) => last,
            _ => self.chain_empty(VertexKind::Strand, at),
        }
    }

    /// Ends a branch or a lane.
    fn end_branch(&mut self, to: Boundary) -> VertexId {
        if self.cursor().is_bare {
            self.chain(VertexKind::Strand, Figures::default());
            self.cursor().state = State::Empty;
        }
        self.close(to);
        self.cursor().last.expect("a branch has a vertex")
    }

    fn fork(&mut self, node: u32) -> Result<(), Problem> {
        self.places.check(node)?;
        let fork = self.opener(node, true);
        self.draft.vertex(fork).kind = VertexKind::Fork;
        let outer = self.cursor().node;
        self.thread.open.push(Open::Fork {
            fork,
            node,
            outer,
            left: None,
        });
        let left = self.places.left(node);
        self.go_on_after(fork, node, left, State::Ended);
        Ok(())
    }

    fn middle(&mut self) -> Result<(), Problem> {
        let Some(&mut Open::Fork {
            fork,
            node,
            left: None,
            ..
        }) = self.thread.open.last_mut()
        else {
            return Err("there is no left branch".to_owned());
        };
        let end = self.end_branch(self.places.left(node));
        if let Some(Open::Fork { left, .. }) = self.thread.open.last_mut() {
            *left = Some(end);
        }
        self.begin_right(fork, node);
        Ok(())
    }

    fn begin_right(&mut self, fork: VertexId, node: u32) {
        let right = self.places.right(node);
        self.go_on_after(fork, node, right, State::Ended);
        self.cursor().is_stealable = true;
    }

    fn join(&mut self, left_lane: u64, right_lane: u64) -> Result<(), Problem> {
        if left_lane == 0 && matches!(self.thread.open.last(), Some(Open::Fork { left: None, .. }))
        {
            self.middle()?;
        }
        let Some(Open::Fork {
            fork,
            node,
            outer,
            left,
        }) = self.thread.open.pop()
        else {
            return Err("there is no join".to_owned());
        };
        let ran_here = left.is_some() && right_lane == 0;
        if !ran_here && !self.cursor().is_bare {
            return Err("a branch that ran elsewhere ran here, too".to_owned());
        }
        if left_lane != 0 && left.is_some() {
            return Err("the left branch ran twice".to_owned());
        }
        let sync = self.sync(fork);
        let right = if ran_here {
            let right = self.end_branch(self.places.right(node));
            self.draft.edge(right, sync, false);
            Branch::Here
        } else {
            Branch::in_lane(right_lane)
        };
        let left = match left {
            Some(left) => {
                self.draft.edge(left, sync, false);
                Branch::Here
            }
            None => Branch::in_lane(left_lane),
        };
        if (left, right) != (Branch::Here, Branch::Here) {
            self.links.joins.push(ForeignJoin {
                fork,
                sync,
                node,
                left,
                right,
                home: None,
            });
        }
        self.go_on_behind(sync, node, outer);
        Ok(())
    }

    /// Ends a join that has not ended. A branch of which nothing ran here may have run elsewhere.
    fn end_open_fork(&mut self) -> Result<(), Problem> {
        if matches!(self.thread.open.last(), Some(Open::Fork { left: None, .. }))
            && !self.cursor().is_bare
        {
            self.middle()?;
        }
        let Some(Open::Fork {
            fork,
            node,
            outer,
            left,
        }) = self.thread.open.pop()
        else {
            return Err("there is no join".to_owned());
        };
        let right = (left.is_some() && !self.cursor().is_bare)
            .then(|| self.end_branch(self.places.right(node)));
        let sync = self.sync(fork);
        let [left, right] = [left, right].map(|end| match end {
            Some(end) => {
                self.draft.edge(end, sync, false);
                Branch::Here
            }
            None => Branch::Unknown,
        });
        let lanes = self.thread.open.iter().rev();
        let mut lanes = lanes.filter_map(|open| match open {
            Open::Lane { lane, .. } => Some(lane),
            _ => None,
        });
        let home = match lanes.next() {
            Some(Lane::Left(name) | Lane::Right(name) | Lane::Call(name)) => Some(*name),
            _ => None,
        };
        self.links.joins.push(ForeignJoin {
            fork,
            sync,
            node,
            left,
            right,
            home,
        });
        self.go_on_behind(sync, node, outer);
        Ok(())
    }

    /// A vertex that waits, for what `begun_by` began.
    fn sync(&mut self, begun_by: VertexId) -> VertexId {
        let sync = self
            .draft
            .begin(VertexKind::Sync, Figures::default(), self.worker);
        self.draft.vertex(sync).begun_by = begun_by;
        sync
    }

    /// Lets the lane go on with `sync` behind the construct of `node`.
    fn go_on_behind(&mut self, sync: VertexId, node: u32, outer: u32) {
        let outside = self.places.outside(node);
        self.go_on_after(sync, outer, outside, State::Empty);
        self.forget_marks();
    }

    fn mark(&mut self, mark: u64) {
        let node = self.cursor().node;
        let boundary = match self.cursor().state {
            State::Folded { at: Some(at) } => self.places.left(at),
            _ => self.places.body(node),
        };
        self.end_branch(boundary);
        self.chain(VertexKind::Strand, Figures::default());
        self.cursor().state = State::Empty;
        let edge = self.draft.edges.len() - 1;
        let depth = self.thread.open.len();
        self.thread.marks.push(Mark {
            mark,
            depth,
            node,
            edge,
        });
    }

    /// Forgets marks in what has ended.
    fn forget_marks(&mut self) {
        let depth = self.thread.open.len();
        while self
            .thread
            .marks
            .last()
            .is_some_and(|mark| mark.depth > depth)
        {
            self.thread.marks.pop();
        }
    }

    fn late_middle(&mut self, mark: u64, node: u32) -> Result<(), Problem> {
        self.places.check(node)?;
        let depth = self.thread.open.len();
        let known = self
            .thread
            .marks
            .iter()
            .rposition(|known| known.mark == mark && known.depth == depth);
        let Some(known) = known else {
            // Nothing is known of its left branch but that it has ended.
            self.fork(node)?;
            return self.middle();
        };
        self.thread.marks.truncate(known + 1);
        let Mark {
            node: outer, edge, ..
        } = self.thread.marks[known];
        // What came before the mark has its tasks counted.
        let before = self.draft.edges[edge].0;
        let tasks = &mut self.draft.vertex(before).tasks;
        *tasks = tasks.saturating_sub(1);
        let outside = self.places.outside(node);
        let fork = self
            .draft
            .empty(VertexKind::Fork, self.worker, outer, outside);
        self.draft.split_edge(edge, fork);
        let left = self.end_branch(self.places.left(node));
        self.thread.open.push(Open::Fork {
            fork,
            node,
            outer,
            left: Some(left),
        });
        self.begin_right(fork, node);
        Ok(())
    }

    fn group(&mut self, name: u64, node: u32) -> Result<(), Problem> {
        self.places.check(node)?;
        let begin = self.opener(node, self.places.kind(node).has_members());
        let outer = self.cursor().node;
        self.links.groups.push(Group {
            name,
            begin,
            sync: None,
        });
        let group = self.links.groups.len() - 1;
        self.thread.open.push(Open::Group { group, node, outer });
        let outside = self.places.outside(node);
        self.go_on_after(begin, outer, outside, State::Ended);
        Ok(())
    }

    fn end_group(&mut self) -> Result<(), Problem> {
        self.check_waited()?;
        let Some(Open::Group { group, node, outer }) = self.thread.open.pop() else {
            return Err("there is no group".to_owned());
        };
        let sync = self.sync(self.links.groups[group].begin);
        self.links.groups[group].sync = Some(sync);
        self.go_on_behind(sync, node, outer);
        Ok(())
    }

    /// A lane does nothing while what it awaits runs in lanes of its own.
    fn check_waited(&self) -> Result<(), Problem> {
        if self.thread.cursor.is_bare {
            Ok(())
        } else {
            Err("the lane went on while it waited".to_owned())
        }
    }

    fn handoff(&mut self, name: u64) {
        let node = self.cursor().node;
        let at = self.places.body(node);
        let before = self.opener_at(at, false);
        self.links.handoffs.push(Serial {
            name,
            before,
            after: None,
        });
        let handoff = self.links.handoffs.len() - 1;
        self.thread.open.push(Open::Handoff { handoff });
        self.go_on_after(before, node, at, State::Ended);
    }

    fn end_handoff(&mut self) -> Result<(), Problem> {
        self.check_waited()?;
        let Some(Open::Handoff { handoff }) = self.thread.open.pop() else {
            return Err("there is no call".to_owned());
        };
        let node = self.cursor().node;
        let after = self
            .draft
            .begin(VertexKind::Strand, Figures::default(), self.worker);
        self.links.handoffs[handoff].after = Some(after);
        let at = self.places.body(node);
        self.go_on_after(after, node, at, State::Empty);
        self.forget_marks();
        Ok(())
    }

    fn wait(&mut self, lane: u64) {
        let node = self.cursor().node;
        let at = self.places.body(node);
        let before = self.end_branch(at);
        let sync = self.sync(before);
        self.draft.edge(before, sync, false);
        self.links.waits.push((lane, sync));
        self.go_on_after(sync, node, at, State::Empty);
    }

    fn reach(&mut self, hub: u64, at: Option<u32>) -> Result<(), Problem> {
        let begins_parts = at.is_some();
        let node = self.cursor().node;
        let boundary = match at {
            Some(at) => {
                self.places.check(at)?;
                self.places.outside(at)
            }
            None => self.places.body(node),
        };
        let vertex = match (self.cursor().tie, self.cursor().last) {
            (Tie::Reached { .. }, Some(last)) => last,
            _ => self.opener_at(boundary, begins_parts),
        };
        self.links.hubs.reaches.push(Reach {
            hub,
            vertex,
            begins_parts,
        });
        self.go_on_after(vertex, node, boundary, State::Ended);
        let cursor = self.cursor();
        cursor.is_bare = false;
        cursor.tie = Tie::Reached { begins_parts };
        Ok(())
    }

    fn after(&mut self, hub: u64, is_stealable: bool) {
        let node = self.cursor().node;
        let at = self.places.body(node);
        let Cursor {
            tie, state, last, ..
        } = self.thread.cursor;
        let vertex = match last {
            Some(last) if tie == Tie::After && state == State::Empty => last,
            // Between the two is what runs in the construct.
            Some(before) if tie == (Tie::Reached { begins_parts: true }) => {
                let sync = self.sync(before);
                self.links.hubs.constructs.push((before, sync));
                sync
            }
            Some(_) => {
                let before = self.end_branch(at);
                let sync = self.sync(before);
                self.draft.edge(before, sync, false);
                sync
            }
            None => self.chain(VertexKind::Strand, Figures::default()),
        };
        self.links.hubs.leavings.push(Leaving {
            hub,
            is_stealable,
            vertex,
            begins_lane: false,
        });
        self.go_on_after(vertex, node, at, State::Empty);
        self.cursor().tie = Tie::After;
    }

    /// Lets the lane that has just begun begin behind the construct of node `at`.
    fn begin_behind(&mut self, at: Option<u32>) -> Result<(), Problem> {
        if let Some(at) = at {
            self.places.check(at)?;
            self.cursor().from = Some(self.places.outside(at));
        }
        Ok(())
    }

    fn parcel(
        &mut self,
        from: Origin,
        to: u64,
        node: u32,
        figures: Figures,
    ) -> Result<(), Problem> {
        let vertex = match from {
            Origin::Point { point, later } => {
                self.bulk(point, later, node, figures)?;
                let task = self.links.tasks.last().expect("just added");
                task.ends.tail
            }
            Origin::Hub { hub, is_stealable } => {
                let vertex = self.folded_apart(node, figures)?;
                self.links.hubs.leavings.push(Leaving {
                    hub,
                    is_stealable,
                    vertex,
                    begins_lane: true,
                });
                vertex
            }
        };
        self.links.hubs.reaches.push(Reach {
            hub: to,
            vertex,
            begins_parts: false,
        });
        Ok(())
    }

    fn point(&mut self, name: u64, awaited: Awaited, node: u32) -> Result<(), Problem> {
        self.places.check(node)?;
        let vertex = self.opener(node, true);
        self.links.points.push(Point {
            name,
            awaited,
            vertex,
            edge: None,
        });
        let point = self.links.points.len() - 1;
        let (own, outside) = (self.cursor().node, self.places.outside(node));
        self.go_on_after(vertex, own, outside, State::Ended);
        self.cursor().point = Some(point);
        Ok(())
    }

    fn bulk(&mut self, point: u64, later: u64, node: u32, figures: Figures) -> Result<(), Problem> {
        let vertex = self.folded_apart(node, figures)?;
        self.links.tasks.push(Task {
            point,
            later,
            lane: 0,
            node,
            ends: Ends {
                head: vertex,
                tail: vertex,
            },
        });
        Ok(())
    }

    /// A vertex for tasks that have no lane.
    fn folded_apart(&mut self, node: u32, figures: Figures) -> Result<VertexId, Problem> {
        self.places.check(node)?;
        let figures = Figures {
            // One is the task of the edge that leads there.
            tasks: figures.tasks.saturating_sub(1),
            ..figures
        };
        let vertex = self.draft.begin(VertexKind::Folded, figures, self.worker);
        let body = self.places.body(node);
        self.draft.end(vertex, node, body, body);
        Ok(vertex)
    }

    fn begin(&mut self, lane: Lane, node: u32) -> Result<(), Problem> {
        self.places.check(node)?;
        let from = match lane {
            Lane::Left(_) => self.places.left(node),
            Lane::Right(_) => self.places.right(node),
            _ => self.places.body(node),
        };
        let begun = Cursor {
            is_bare: true,
            node,
            from: Some(from),
            ..Cursor::default()
        };
        let outer = std::mem::replace(self.cursor(), begun);
        self.thread.open.push(Open::Lane { lane, node, outer });
        Ok(())
    }

    fn end_lane(&mut self) -> Result<(), Problem> {
        let Some(Open::Lane { lane, node, outer }) = self.thread.open.pop() else {
            return Err("a construct is open in the lane".to_owned());
        };
        let tail = self.end_branch(match lane {
            Lane::Left(_) => self.places.left(node),
            Lane::Right(_) => self.places.right(node),
            _ => self.places.body(node),
        });
        let head = self.cursor().head.expect("a branch has a vertex");
        let ends = Ends { head, tail };
        let links = &mut *self.links;
        match lane {
            Lane::Left(name) | Lane::Right(name) => links.lanes.push(BranchLane {
                name,
                node,
                is_left: matches!(lane, Lane::Left(_)),
                ends,
            }),
            Lane::Body(group) => links.bodies.push((group, ends)),
            Lane::Member(group) => links.members.push((group, ends)),
            Lane::Task { point, later, lane } => links.tasks.push(Task {
                point,
                later,
                lane,
                node,
                ends,
            }),
            Lane::Call(call) => links.calls.push((call, ends)),
            Lane::Root if links.root.is_some() => return Err("the program began twice".to_owned()),
            Lane::Root => links.root = Some(ends),
            Lane::Own(ticks) => links.own.push((ticks, ends)),
            Lane::Start { hub, is_stealable } => links.hubs.leavings.push(Leaving {
                hub,
                is_stealable,
                vertex: head,
                begins_lane: true,
            }),
        }
        *self.cursor() = outer;
        self.forget_marks();
        Ok(())
    }
}
