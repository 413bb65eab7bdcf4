//! Follows each thread through its events and adds vertices to the dag.
//!
//! Lanes nest in each other, and constructs in lanes. What is open is kept in a list, so that deep
//! recursion in the program causes none here.

use std::collections::BTreeMap;

use workspan_model::{Boundary, VertexId, VertexKind};

use super::draft::{Draft, EdgeIndex};
use super::event::{Awaited, Event, Figures, Origin};
use super::hubs::{Arrival, Departure};
use super::links::{Branch, BranchLane, Ends, Group, Handoff, Links, Point, SplitJoin, Task};
use super::places::Places;

/// What is wrong with an event.
type Problem = String;

/// All threads, and what their events add up to so far.
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
        let mut follower = self.follower(thread);
        while !events.is_empty() {
            let event = Event::next(&mut events).map_err(|error| error.to_string())?;
            follower
                .handle(event)
                .map_err(|problem| format!("{event:?}: {problem}"))?;
        }
        self.draft.check_size()
    }

    /// Ends everything that is open, at the end of the record.
    pub(super) fn finish(&mut self) -> Result<(), Problem> {
        let threads: Vec<u64> = self.threads.keys().copied().collect();
        for thread in threads {
            let mut follower = self.follower(thread);
            while let Some(open) = follower.thread.open.last() {
                match open {
                    Open::Lane { .. } => follower.end_lane()?,
                    Open::Fork(_) => follower.end_open_fork()?,
                    Open::Group { .. } => follower.end_group()?,
                    Open::Handoff { .. } => follower.end_handoff()?,
                }
            }
        }
        self.draft.check_size()
    }

    fn follower(&mut self, thread: u64) -> Follower<'_> {
        Follower {
            thread: self.threads.entry(thread).or_default(),
            worker: u16::try_from(thread).unwrap_or(u16::MAX),
            draft: &mut self.draft,
            links: &mut self.links,
            places: &self.places,
        }
    }
}

/// Where a thread is in its lanes.
#[derive(Default)]
struct Thread {
    cursor: Cursor,
    /// What is open, from the outermost to the innermost.
    open: Vec<Open>,
    marks: Vec<Mark>,
}

/// Where the innermost open lane of a thread has come to.
#[derive(Clone, Copy, Default)]
struct Cursor {
    /// The lane's first vertex.
    head: Option<VertexId>,
    /// The vertex that the next one comes after.
    last: Option<VertexId>,
    /// What `last` holds, if it has not ended.
    state: State,
    /// Whether no vertex was added since the lane or branch began, since a spawn, or since the lane
    /// began to wait. A lane or branch that ends then gets an empty one.
    is_bare: bool,
    /// Whether the edge to the next vertex is stealable: it begins the right branch of a join.
    is_stealable: bool,
    /// The point, as an index into [`Links::points`], at which `last` spawns tasks.
    point: Option<usize>,
    /// Node of `last`, or of the next vertex if `last` has ended.
    node: u32,
    /// Where that vertex begins; `None`: in the body of `node`.
    from: Option<Boundary>,
    at_hub: AtHub,
}

/// Whether a lane has come to a hub.
#[derive(Clone, Copy, Default, PartialEq)]
enum AtHub {
    #[default]
    No,
    /// Its last vertex arrives at a hub. `begins_parts`: in a construct whose parts begin there.
    Arrived { begins_parts: bool },
    /// Its last vertex departs from a hub.
    Departed,
}

/// What the last vertex of a lane holds.
#[derive(Clone, Copy, Default, PartialEq)]
enum State {
    /// The vertex has ended: nothing can be added.
    #[default]
    Ended,
    /// Nothing yet.
    Empty,
    /// A strand, which more ticks can be added to.
    Strand,
    /// A folded piece. `at`: node of the construct that it begins with.
    Folded { at: Option<u32> },
}

/// A lane or construct that is open.
enum Open {
    Lane {
        lane: Lane,
        node: u32,
        /// Where the thread goes on behind it.
        outer: Cursor,
    },
    Fork(Fork),
    Group {
        /// Index into [`Links::groups`].
        group: usize,
        node: u32,
        /// Node at which the lane goes on behind it.
        outer: u32,
    },
    Handoff {
        /// Index into [`Links::handoffs`].
        handoff: usize,
    },
}

/// A join that is open.
#[derive(Clone, Copy)]
struct Fork {
    /// The vertex that ends in the join.
    vertex: VertexId,
    node: u32,
    /// Node at which the lane goes on behind it.
    outer: u32,
    /// The last vertex of the left branch, once it has ended.
    left: Option<VertexId>,
}

/// What began a lane.
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

/// A mark in an open lane.
struct Mark {
    mark: u64,
    /// The length of [`Thread::open`] there.
    depth: usize,
    node: u32,
    /// The edge across the mark, between the vertices before and behind it.
    edge: EdgeIndex,
}

/// Follows one thread through its events.
struct Follower<'a> {
    thread: &'a mut Thread,
    worker: u16,
    draft: &'a mut Draft,
    links: &'a mut Links,
    places: &'a Places,
}

impl Follower<'_> {
    fn handle(&mut self, event: Event) -> Result<(), Problem> {
        match event {
            Event::Left { lane, node } => self.begin(Lane::Left(lane), node)?,
            Event::Right { lane, node } => self.begin(Lane::Right(lane), node)?,
            Event::Body { group, node } => self.begin(Lane::Body(group), node)?,
            Event::Member { group, node, .. } => self.begin(Lane::Member(group), node)?,
            Event::Call { call, node } => self.begin(Lane::Call(call), node)?,
            Event::Root { node } => self.begin(Lane::Root, node)?,
            Event::Own { ticks, node } => self.begin(Lane::Own(ticks), node)?,
            Event::Task {
                point,
                later,
                lane,
                node,
            } => self.begin(Lane::Task { point, later, lane }, node)?,
            Event::Start {
                hub,
                is_stealable,
                node,
                at,
            } => self.start(Lane::Start { hub, is_stealable }, node, at)?,
            Event::Bulk {
                point,
                later,
                node,
                figures,
            } => {
                self.bulk(point, later, node, figures)?;
            }
            Event::Parcel {
                from,
                to,
                node,
                figures,
            } => self.parcel(from, to, node, figures)?,
            Event::Lead { from, to } => self.links.hubs.leads.push((from, to)),
            // All other events need a lane.
            _ if self.thread.open.is_empty() => return Err("it is in no lane".to_owned()),
            Event::Strand { node, ticks } => self.strand(node, ticks)?,
            Event::Folded { node, at, figures } => self.folded(node, at, figures)?,
            Event::Fork { node } => self.fork(node)?,
            Event::Middle => self.middle()?,
            Event::Join { left, right } => self.join(left, right)?,
            Event::Mark { mark } => self.mark(mark),
            Event::LateMiddle { mark, node } => self.late_middle(mark, node)?,
            Event::LaneEnd => self.end_lane()?,
            Event::Group { group, node } => self.group(group, node)?,
            Event::GroupEnd => self.end_group()?,
            Event::Point {
                point,
                awaited,
                node,
            } => self.point(point, awaited, node)?,
            Event::Handoff { call } => self.handoff(call),
            Event::HandoffEnd => self.end_handoff()?,
            Event::Await { lane } => self.await_lane(lane),
            Event::Reach { hub, at } => self.arrive(hub, at)?,
            Event::After { hub, is_stealable } => self.depart(hub, is_stealable),
        }
        Ok(())
    }

    fn cursor(&mut self) -> &mut Cursor {
        &mut self.thread.cursor
    }

    /// Adds a vertex to the lane.
    fn append(&mut self, kind: VertexKind, figures: Figures) -> VertexId {
        let vertex = self.draft.add(kind, figures, self.worker);
        let cursor = &mut self.thread.cursor;
        cursor.head.get_or_insert(vertex);
        if let Some(last) = cursor.last {
            let edge = self.draft.add_edge(last, vertex, cursor.is_stealable);
            if let Some(point) = cursor.point.take() {
                self.links.points[point].edge = Some(edge);
            }
        }
        cursor.last = Some(vertex);
        (cursor.is_bare, cursor.is_stealable) = (false, false);
        cursor.at_hub = AtHub::No;
        vertex
    }

    /// Adds a vertex of no length at `at` to the lane.
    fn append_empty(&mut self, kind: VertexKind, at: Boundary) -> VertexId {
        let vertex = self.append(kind, Figures::default());
        let node = self.cursor().node;
        self.draft.set_region(vertex, node, at, at);
        vertex
    }

    /// Where the last vertex begins, or the next one if that has ended.
    fn from(&self) -> Boundary {
        let cursor = &self.thread.cursor;
        cursor.from.unwrap_or(self.places.body(cursor.node))
    }

    /// Ends the last vertex at `to`, where the next one begins.
    fn close(&mut self, to: Boundary) {
        let from = self.from();
        let cursor = &mut self.thread.cursor;
        if cursor.state != State::Ended {
            let last = cursor.last.expect("it has begun");
            self.draft.set_region(last, cursor.node, from, to);
            cursor.state = State::Ended;
        }
        cursor.from = Some(to);
    }

    /// Makes the lane go on after `last`: the next vertex begins at `from` and runs at `node`.
    fn go_on_after(&mut self, last: VertexId, node: u32, from: Boundary, state: State) {
        let cursor = self.cursor();
        cursor.last = Some(last);
        cursor.state = state;
        cursor.node = node;
        cursor.from = Some(from);
        cursor.is_bare = state == State::Ended;
        cursor.is_stealable = false;
        cursor.point = None;
        cursor.at_hub = AtHub::No;
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
                self.append(VertexKind::Strand, Figures::default());
            }
        }
        let last = self.cursor().last.expect("just added");
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

    /// Where the next piece begins if it is of `node` and begins with a strand.
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
        self.append(VertexKind::Folded, figures);
        (self.cursor().node, self.cursor().state) = (node, State::Folded { at });
        Ok(())
    }

    /// Ends the lane's strand at a construct of `node`. Returns the vertex that ends there, adding
    /// one if necessary; for a construct that `makes_tasks` it is a strand.
    fn end_at_construct(&mut self, node: u32, makes_tasks: bool) -> VertexId {
        let outside = self.places.outside(node);
        self.end_strand(outside, makes_tasks)
    }

    /// Like [`Self::end_at_construct`], for a construct at the boundary `at`.
    fn end_strand(&mut self, at: Boundary, makes_tasks: bool) -> VertexId {
        let state = self.cursor().state;
        self.close(at);
        let last = self.cursor().last.filter(|_| state != State::Ended);
        let is_suitable =
            |kind| kind == VertexKind::Strand || (!makes_tasks && kind != VertexKind::Spawn);
        match last {
            Some(last) if is_suitable(self.draft.vertex(last).kind) => last,
            _ => self.append_empty(VertexKind::Strand, at),
        }
    }

    /// Ends a branch or a lane at `to`. Returns its last vertex.
    fn end_branch(&mut self, to: Boundary) -> VertexId {
        if self.cursor().is_bare {
            self.append(VertexKind::Strand, Figures::default());
            self.cursor().state = State::Empty;
        }
        self.close(to);
        self.cursor().last.expect("a branch has a vertex")
    }

    fn fork(&mut self, node: u32) -> Result<(), Problem> {
        self.places.check(node)?;
        let vertex = self.end_at_construct(node, true);
        self.draft.vertex(vertex).kind = VertexKind::Fork;
        self.thread.open.push(Open::Fork(Fork {
            vertex,
            node,
            outer: self.thread.cursor.node,
            left: None,
        }));
        let left = self.places.left(node);
        self.go_on_after(vertex, node, left, State::Ended);
        Ok(())
    }

    fn is_in_left_branch(&self) -> bool {
        let open = self.thread.open.last();
        matches!(open, Some(Open::Fork(Fork { left: None, .. })))
    }

    fn middle(&mut self) -> Result<(), Problem> {
        let Some(&Open::Fork(fork @ Fork { left: None, .. })) = self.thread.open.last() else {
            return Err("there is no left branch".to_owned());
        };
        let end = self.end_branch(self.places.left(fork.node));
        if let Some(Open::Fork(fork)) = self.thread.open.last_mut() {
            fork.left = Some(end);
        }
        self.begin_right(fork.vertex, fork.node);
        Ok(())
    }

    fn begin_right(&mut self, fork: VertexId, node: u32) {
        let right = self.places.right(node);
        self.go_on_after(fork, node, right, State::Ended);
        self.cursor().is_stealable = true;
    }

    fn join(&mut self, left_lane: u64, right_lane: u64) -> Result<(), Problem> {
        if left_lane == 0 && self.is_in_left_branch() {
            self.middle()?;
        }
        let fork = self.take_fork()?;
        let ran_here = fork.left.is_some() && right_lane == 0;
        if !ran_here && !self.cursor().is_bare {
            return Err("a branch that ran elsewhere ran here, too".to_owned());
        }
        if left_lane != 0 && fork.left.is_some() {
            return Err("the left branch ran twice".to_owned());
        }
        let elsewhere = [left_lane, right_lane].map(Branch::from_name);
        self.end_join(fork, ran_here, elsewhere, None);
        Ok(())
    }

    /// Ends a join that is open at the end of the record. A branch of which nothing ran here may
    /// have run in another lane.
    fn end_open_fork(&mut self) -> Result<(), Problem> {
        if self.is_in_left_branch() && !self.cursor().is_bare {
            self.middle()?;
        }
        let fork = self.take_fork()?;
        let ran_here = fork.left.is_some() && !self.cursor().is_bare;
        let innermost = self.thread.open.iter().rev().find_map(|open| match open {
            Open::Lane { lane, .. } => Some(*lane),
            _ => None,
        });
        let enclosing = match innermost {
            Some(Lane::Left(name) | Lane::Right(name) | Lane::Call(name)) => Some(name),
            _ => None,
        };
        self.end_join(fork, ran_here, [Branch::Unknown; 2], enclosing);
        Ok(())
    }

    fn take_fork(&mut self) -> Result<Fork, Problem> {
        match self.thread.open.pop() {
            Some(Open::Fork(fork)) => Ok(fork),
            _ => Err("there is no join".to_owned()),
        }
    }

    /// Ends a join, whose right branch either `ran_here` or not. `elsewhere`: where the left and
    /// the right branch ran if they did not run here.
    fn end_join(
        &mut self,
        fork: Fork,
        ran_here: bool,
        elsewhere: [Branch; 2],
        enclosing: Option<u64>,
    ) {
        let right = ran_here.then(|| self.end_branch(self.places.right(fork.node)));
        let sync = self.add_sync(fork.vertex);
        let mut branches = elsewhere;
        for (branch, end) in branches.iter_mut().zip([fork.left, right]) {
            if let Some(end) = end {
                self.draft.add_edge(end, sync, false);
                *branch = Branch::Here;
            }
        }
        if branches != [Branch::Here; 2] {
            let [left, right] = branches;
            self.links.joins.push(SplitJoin {
                fork: fork.vertex,
                sync,
                node: fork.node,
                left,
                right,
                enclosing,
            });
        }
        self.go_on_behind(sync, fork.node, fork.outer);
    }

    /// Adds a vertex that waits for what `begun_by` began. It has no edges yet.
    fn add_sync(&mut self, begun_by: VertexId) -> VertexId {
        let sync = self
            .draft
            .add(VertexKind::Sync, Figures::default(), self.worker);
        self.draft.vertex(sync).begun_by = begun_by;
        sync
    }

    /// Makes the lane go on with `sync`, behind the construct of `node`, at the node `outer`.
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
        self.append(VertexKind::Strand, Figures::default());
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

    /// Drops the marks in what has ended.
    fn forget_marks(&mut self) {
        let Thread { open, marks, .. } = &mut *self.thread;
        while marks.pop_if(|mark| mark.depth > open.len()).is_some() {}
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
            // All that is known of its left branch is that it has ended.
            self.fork(node)?;
            return self.middle();
        };
        self.thread.marks.truncate(known + 1);
        let Mark {
            node: outer, edge, ..
        } = self.thread.marks[known];
        // The piece before the mark counts the task of this join, too.
        let before = self.draft.edges[edge].0;
        let tasks = &mut self.draft.vertex(before).tasks;
        *tasks = tasks.saturating_sub(1);
        let outside = self.places.outside(node);
        let vertex = self
            .draft
            .add_empty(VertexKind::Fork, self.worker, outer, outside);
        self.draft.split_edge(edge, vertex);
        let left = self.end_branch(self.places.left(node));
        self.thread.open.push(Open::Fork(Fork {
            vertex,
            node,
            outer,
            left: Some(left),
        }));
        self.begin_right(vertex, node);
        Ok(())
    }

    fn group(&mut self, name: u64, node: u32) -> Result<(), Problem> {
        self.places.check(node)?;
        let kind = self.places.kind(node);
        // Such a construct has no body of its own: it begins by making tasks.
        let begin = self.end_at_construct(node, kind.is_of_threads() || kind.has_pieces());
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
        let sync = self.add_sync(self.links.groups[group].begin);
        self.links.groups[group].sync = Some(sync);
        self.go_on_behind(sync, node, outer);
        Ok(())
    }

    /// # Errors
    /// When the lane ran anything while it waited for other lanes.
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
        let before = self.end_strand(at, false);
        self.links.handoffs.push(Handoff {
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
            .add(VertexKind::Strand, Figures::default(), self.worker);
        self.links.handoffs[handoff].after = Some(after);
        let at = self.places.body(node);
        self.go_on_after(after, node, at, State::Empty);
        self.forget_marks();
        Ok(())
    }

    fn await_lane(&mut self, lane: u64) {
        let node = self.cursor().node;
        let at = self.places.body(node);
        let before = self.end_branch(at);
        let sync = self.add_sync(before);
        self.draft.add_edge(before, sync, false);
        self.links.waits.push((lane, sync));
        self.go_on_after(sync, node, at, State::Empty);
    }

    fn arrive(&mut self, hub: u64, at: Option<u32>) -> Result<(), Problem> {
        let begins_parts = at.is_some();
        let node = self.cursor().node;
        let boundary = match at {
            Some(at) => {
                self.places.check(at)?;
                self.places.outside(at)
            }
            None => self.places.body(node),
        };
        let vertex = match (self.cursor().at_hub, self.cursor().last) {
            (AtHub::Arrived { .. }, Some(last)) => last,
            _ => self.end_strand(boundary, begins_parts),
        };
        self.links.hubs.arrivals.push(Arrival {
            hub,
            vertex,
            begins_parts,
        });
        self.go_on_after(vertex, node, boundary, State::Ended);
        let cursor = self.cursor();
        cursor.is_bare = false;
        cursor.at_hub = AtHub::Arrived { begins_parts };
        Ok(())
    }

    fn depart(&mut self, hub: u64, is_stealable: bool) {
        let node = self.cursor().node;
        let at = self.places.body(node);
        let Cursor {
            at_hub,
            state,
            last,
            ..
        } = self.thread.cursor;
        let vertex = match last {
            Some(last) if at_hub == AtHub::Departed && state == State::Empty => last,
            // No edge connects the two: what runs in the construct comes between.
            Some(before) if at_hub == (AtHub::Arrived { begins_parts: true }) => {
                let sync = self.add_sync(before);
                self.links.hubs.constructs.push((before, sync));
                sync
            }
            Some(_) => {
                let before = self.end_branch(at);
                let sync = self.add_sync(before);
                self.draft.add_edge(before, sync, false);
                sync
            }
            None => self.append(VertexKind::Strand, Figures::default()),
        };
        self.links.hubs.departures.push(Departure {
            hub,
            is_stealable,
            vertex,
            begins_lane: false,
        });
        self.go_on_after(vertex, node, at, State::Empty);
        self.cursor().at_hub = AtHub::Departed;
    }

    /// Begins a lane behind the construct of node `at`, if any.
    fn start(&mut self, lane: Lane, node: u32, at: Option<u32>) -> Result<(), Problem> {
        self.begin(lane, node)?;
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
            Origin::Point { point, later } => self.bulk(point, later, node, figures)?,
            Origin::Hub { hub, is_stealable } => {
                let vertex = self.laneless_piece(node, figures)?;
                self.links.hubs.departures.push(Departure {
                    hub,
                    is_stealable,
                    vertex,
                    begins_lane: true,
                });
                vertex
            }
        };
        self.links.hubs.arrivals.push(Arrival {
            hub: to,
            vertex,
            begins_parts: false,
        });
        Ok(())
    }

    fn point(&mut self, name: u64, awaited: Awaited, node: u32) -> Result<(), Problem> {
        self.places.check(node)?;
        let vertex = self.end_at_construct(node, true);
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

    fn bulk(
        &mut self,
        point: u64,
        later: u64,
        node: u32,
        figures: Figures,
    ) -> Result<VertexId, Problem> {
        let vertex = self.laneless_piece(node, figures)?;
        self.links.tasks.push(Task {
            point,
            later,
            lane: 0,
            node,
            ends: Ends::from_vertex(vertex),
        });
        Ok(vertex)
    }

    /// Adds a vertex for tasks that have no lane.
    fn laneless_piece(&mut self, node: u32, figures: Figures) -> Result<VertexId, Problem> {
        self.places.check(node)?;
        let figures = Figures {
            // The edge to the vertex counts for one of them.
            tasks: figures.tasks.saturating_sub(1),
            ..figures
        };
        let vertex = self.draft.add(VertexKind::Folded, figures, self.worker);
        let body = self.places.body(node);
        self.draft.set_region(vertex, node, body, body);
        Ok(vertex)
    }

    /// Where a lane of `node` begins and ends.
    fn side(&self, lane: Lane, node: u32) -> Boundary {
        match lane {
            Lane::Left(_) => self.places.left(node),
            Lane::Right(_) => self.places.right(node),
            _ => self.places.body(node),
        }
    }

    fn begin(&mut self, lane: Lane, node: u32) -> Result<(), Problem> {
        self.places.check(node)?;
        let begun = Cursor {
            is_bare: true,
            node,
            from: Some(self.side(lane, node)),
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
        let tail = self.end_branch(self.side(lane, node));
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
            Lane::Start { hub, is_stealable } => links.hubs.departures.push(Departure {
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
