//! Where ended tasks are kept until they are awaited.

use super::hub::{self, Hub};
use super::lock;
use crate::path::frame::Frame;
use crate::path::longest::Longest;
use crate::path::to_end;
use crate::thread::Thread;
use std::ptr;
use std::sync::atomic::{fence, AtomicBool, Ordering};
use std::sync::Arc;

/// Keeps the longest path of ended tasks.
pub(super) type Paths = Longest<Box<Frame>>;

/// The ended tasks of a task, or of a block in it that awaits all tasks spawned within.
///
/// Whoever spawns into the scope holds a handle to it, as does every task to be awaited there. When
/// the last of them lets go, what nobody awaited is left to what is around the scope.
pub(super) struct Scope {
    /// Paths of tasks that the scope's own task spawned since it last waited for them.
    pub(super) children: Paths,
    /// Paths of tasks that others spawned without waiting for them.
    pub(super) descendants: Paths,
    /// In the record: the hubs that those lead to.
    pub(super) children_hub: Hub,
    pub(super) descendants_hub: Hub,
    outer: Option<Awaiter>,
    piece: Option<Piece>,
}

/// The scope belongs to a piece of the task whose scope is around it, so its children are that
/// task's.
struct Piece {
    is_over: AtomicBool,
}

/// What may await a task: a scope, and where the spawner's path stood at the spawn.
#[derive(Clone)]
pub(super) struct Awaiter {
    pub(super) scope: Arc<Scope>,
    /// The frame that spawned, for comparison only, and its own strands on the path so far.
    frame: *const (),
    own: i64,
}

// SAFETY: `frame` is only compared, never followed; the scope may be sent and shared by itself.
unsafe impl Send for Awaiter {}
// SAFETY: `frame` is only compared, never followed; the scope may be sent and shared by itself.
unsafe impl Sync for Awaiter {}

impl Awaiter {
    /// Tasks that `frame` spawns now are awaited in `scope`.
    pub(super) fn here(scope: Arc<Scope>, frame: &Frame) -> Self {
        Self {
            scope,
            frame: frame.identity(),
            own: frame.own().branch,
        }
    }

    /// Notes in `frame`, the path of an ended task, where that task was spawned.
    pub(super) fn mark(&self, frame: &mut Frame) {
        frame.awaited_own = self.own;
        frame.awaited_by = self.frame;
    }
}

impl Scope {
    /// `outer`: what awaits tasks left behind; `None`: the end of the program.
    pub(super) fn new(outer: Option<Awaiter>) -> Arc<Self> {
        Self::within(outer, None)
    }

    /// The scope of a piece of the task that `outer` is a scope of.
    pub(super) fn of_piece(outer: Option<Awaiter>) -> Arc<Self> {
        let piece = Piece {
            is_over: AtomicBool::new(false),
        };
        Self::within(outer, Some(piece))
    }

    fn within(outer: Option<Awaiter>, piece: Option<Piece>) -> Arc<Self> {
        Arc::new(Self {
            children: Longest::new(),
            descendants: Longest::new(),
            children_hub: Hub::new(),
            descendants_hub: Hub::new(),
            outer,
            piece,
        })
    }
}

impl Scope {
    /// The hubs of both, which are given up.
    pub(super) fn take_hubs(&self) -> [u64; 2] {
        [self.children_hub.take(), self.descendants_hub.take()]
    }

    /// Does it hold no path of an ended task?
    pub(super) fn is_empty(&self) -> bool {
        self.children.is_empty() && self.descendants.is_empty()
    }

    /// Has the end of any task been recorded in it since it was last awaited?
    pub(super) fn holds_any(&self) -> bool {
        self.children_hub.known() != 0 || self.descendants_hub.known() != 0
    }

    /// Leaves what nobody awaited to what is around the scope.
    pub(super) fn leave(&self) {
        self.leave_tasks((&self.children, &self.children_hub), self.piece.is_some());
        self.leave_tasks((&self.descendants, &self.descendants_hub), false);
    }

    /// The piece is over: from here on its children are awaited as the outer task's.
    pub(super) fn end_piece(&self) {
        if let Some(piece) = &self.piece {
            piece.is_over.store(true, Ordering::Relaxed);
            self.pass_on();
        }
    }

    /// A child has ended, or a piece. If this is the scope of a piece that is over, passes its
    /// children on to whoever awaits them now. The child adds itself and then looks; whoever ends
    /// the piece says so and then passes on. So one of the two does it, before the task can wait
    /// for the child.
    pub(super) fn pass_on(&self) {
        let mut scope = self;
        while let Some(piece) = &scope.piece {
            // Orders, in each of the two, what it has written before what it reads.
            fence(Ordering::SeqCst);
            let Some(outer) = scope
                .outer
                .as_ref()
                .filter(|_| piece.is_over.load(Ordering::Relaxed))
            else {
                return;
            };
            scope.leave_tasks((&scope.children, &scope.children_hub), true);
            scope = &outer.scope;
        }
    }

    fn leave_tasks(&self, (tasks, hub): (&Paths, &Hub), are_children: bool) {
        let (executed, _) = tasks.take_executed();
        let (path, burdened, open) = tasks.take();
        let Some(outer) = &self.outer else {
            return to_end::leave_to_end(path.map(|path| *path), burdened, open);
        };
        let (around, around_hub) = match are_children {
            true => (&outer.scope.children, &outer.scope.children_hub),
            false => (&outer.scope.descendants, &outer.scope.descendants_hub),
        };
        if hub.known() != 0 {
            hub::lead_from_anywhere(hub, around_hub);
        }
        around.add(executed);
        around.offer_lengths(burdened, open);
        if let Some(mut path) = path {
            outer.mark(&mut path);
            around.offer(path);
        }
    }
}

impl Scope {
    /// [`Scope::leave`], and so on for the scopes around it, up to the end of the program.
    pub(super) fn leave_outwards(&self) {
        let mut scope = self;
        scope.leave();
        while let Some(outer) = &scope.outer {
            scope = &outer.scope;
            scope.leave();
        }
    }
}

impl Drop for Scope {
    /// Drops the scopes around it in a loop: recursion would need as much stack as tasks are
    /// nested.
    fn drop(&mut self) {
        self.leave();
        let mut next = self.outer.take();
        while let Some(outer) = next {
            next = Arc::into_inner(outer.scope).and_then(|mut last| {
                last.leave();
                last.outer.take()
            });
        }
    }
}

/// Counts a wait for tasks in `frame` that is no construct of its own.
pub(super) fn count_wait(thread: &Thread, frame: &mut Frame) {
    frame.executed.syncs += 1;
    thread.cell(frame.node).syncs.add(1);
}

/// Lets `frame`, whose strands `thread` runs, continue after everything in `awaited`, which may
/// have run at any time since it was spawned.
pub(super) fn continue_after(thread: &Thread, frame: &mut Frame, awaited: &Paths) {
    let depth = frame.depth;
    continue_after_serial(thread, frame, awaited);
    lock::leave_out(thread, frame, frame.depth - depth);
}

/// The same for what has run while `frame` waited.
pub(super) fn continue_after_serial(thread: &Thread, frame: &mut Frame, awaited: &Paths) {
    let (executed, _) = awaited.take_executed();
    frame.executed += executed;
    let (longest, burdened, open) = awaited.take();
    let burdened = frame.burdened().max(burdened);
    frame.open.set(frame.open.get().max(open));
    let mut longest = longest;
    if let Some(task) = longest.as_mut().filter(|task| task.depth > frame.depth) {
        let mut own = frame.own();
        // If another frame spawned it, how much of this one's strands lies off the path is unknown.
        let beside = if ptr::eq(task.awaited_by, frame.identity()) {
            (own.branch - task.awaited_own).max(0)
        } else {
            0
        };
        let ended = task.ended();
        frame.continue_after(task, ended);
        frame.add_beside(frame.node, beside);
        thread.cell(frame.node).beside.add(beside);
        own = frame.own();
        own.branch -= beside;
        frame.set_own(own);
    }
    frame.set_burdened(burdened);
    thread.spare_frames.take_back(longest);
}
