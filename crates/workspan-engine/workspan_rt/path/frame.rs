//! The running account of one path: that of a branch, of a task, of a scope's body, or of the
//! program itself.
//!
//! An *instance* is one execution of a construct. Its *own* strands are those of its own code,
//! outside the instances nested in it. Own strands that do not lie on the longest path through
//! their instance are *beside* the path, or off it.

use crate::path::executed::Executed;
use crate::path::log::{Log, Others, Part};
use crate::path::segment::{Chain, Segment};
use crate::system::sync::{Arc, AtomicPtr, Ordering};
use crate::system::tally::Tally;
use std::cell::Cell;
use std::marker::PhantomPinned;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The account of a path from its frame's start to the current strand.
///
/// A frame belongs to the thread that runs its strands. While that thread waits in a construct, the
/// frame is *blocked*: nobody writes its fields, and the frames of the construct's branches may
/// read them through `parent`. The hand-over goes through the runtime's own queue and latch in both
/// directions, and these order the accesses.
///
/// The left branch of a folded fork runs in the parent's frame, and a thief may read that frame
/// meanwhile: the fields that never change (`node`, `role`, `parent`, `begin`), and `open`, an
/// atomic ([`Frame::as_it_was`]). So `&mut Frame` must not claim that nobody else reads. The marker
/// `_read_by_thieves` withdraws that claim, as it does for self-referential futures: such a
/// reference is neither `noalias` to LLVM nor unique to Miri. All other fields are the frame's
/// thread's alone.
///
/// The end of a strand adds to one number, `depth`; whatever else changes with it is kept as a
/// difference. The order of the fields matters for speed, too: two neighbours that change at every
/// boundary would be loaded as one vector right after each was stored, and such a load has to wait.
#[repr(C)]
pub(crate) struct Frame {
    /// Length of the longest path from the start of the program to here, in ticks.
    pub(crate) depth: i64,
    /// Node of the call tree that the strands belong to.
    pub(crate) node: u32,
    pub(crate) role: Role,
    /// Whether the frame is the whole of a top instance ([`crate::tree`]): one that no other
    /// instance of its site contains.
    pub(crate) top: bool,
    /// Whether its instance goes on in another frame.
    pub(crate) interrupted: bool,
    /// How much longer than `depth` the longest path is with the burden added on every stealable
    /// edge; in general that is a different path.
    ahead: i64,
    /// The frame whose path this one continues. Null at the start of the program, and where `chain`
    /// holds the path up to here, as for tasks.
    pub(crate) parent: *const Frame,
    /// Depth at the frame's start.
    begin: i64,
    /// Depth at the end of `chain`, or at the frame's start without one. The path since then is the
    /// frame's log, `depth - base` ticks.
    base: i64,
    /// The part of the log that is of other nodes. The rest is of the frame's own node.
    others: Others,
    /// Instances of the frame's own node that began on the path since `base`.
    count: u64,
    /// Own strands: those of the current branch, and those of the frame's node that are off the
    /// path since `base`. Those of forks made in the branch are left out, even if they use this
    /// frame.
    own: Own,
    /// What was done since the frame's start, including in the branches and tasks that its
    /// constructs have awaited.
    pub(crate) executed: Executed,
    /// For a task: ticks of own strands of the instance that awaits it, on the path up to the
    /// task's spawn.
    pub(crate) awaited_own: i64,
    /// For a task: the ticks of strands at `spawner` between the end of its chain and its spawn. They
    /// are on the path, but in no log yet ([`Frame::begin_at_chain`]).
    pub(crate) since_chain: u32,
    pub(crate) spawner: u32,
    /// For a running task: the group that awaits it, null if none does. For an ended task of a
    /// runtime's events: the identity of the frame that spawned it. Only the group's own module
    /// follows the pointer.
    pub(crate) awaited_by: *const (),
    /// For a function call: the stack address of its return address; else 0.
    pub(crate) slot: usize,
    /// For a function call that the compiler's hooks report: what else identifies it.
    pub(crate) hooked: Hooked,
    /// For a serial instance: the position in the thread's record where it began. For a thread of
    /// the program that has ended: the name of its lane there. Else 0.
    pub(crate) recorded: u64,
    /// Distinguishes a frame on the heap from others that were at its address before; else 0.
    pub(crate) serial: u64,
    /// How much, at most, of a path up to here was timed in stretches ([`crate::path::stretch`]):
    /// the uncertainty of the span. A thief reads it while the left branch runs, and any value
    /// since the fork will do.
    pub(crate) open: Tally,
    /// The part of the path before `base`, which other tasks may share. Without a head: the path of
    /// `parent`.
    chain: Chain,
    /// The whole path of a blocked frame as a chain; set by the first branch that needs it.
    frozen: AtomicPtr<Segment>,
    _read_by_thieves: PhantomPinned,
}

/// Distinguishes calls whose frames are at the same place on the stack: the lower halves of
/// addresses.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Hooked {
    pub(crate) function: u32,
    /// The return address.
    pub(crate) from: u32,
    /// Where the entry hook was called.
    pub(crate) code: u32,
}

impl Hooked {
    pub(crate) const NONE: Self = Self {
        function: 0,
        from: 0,
        code: 0,
    };
}

/// Unused heap places for frames: each function call takes one and gives it back.
pub(crate) struct Spares {
    first: Cell<*mut Spare>,
    /// How many there are.
    count: Cell<usize>,
    /// The next serial number, and the first that is not this thread's to hand out.
    serials: Cell<(u64, u64)>,
}

/// How many places a thread keeps at most. It may be given places that other threads allocated, and
/// need not ever use them.
const SPARES: usize = 1024;

/// The first serial number that no thread has taken.
static SERIALS: AtomicU64 = AtomicU64::new(1);

/// How many serial numbers a thread takes at once.
const SERIALS_AT_ONCE: u64 = 1 << 20;

/// The content of an unused place.
struct Spare {
    next: *mut Spare,
}

impl Spares {
    pub(crate) const fn new() -> Self {
        Self {
            first: Cell::new(ptr::null_mut()),
            count: Cell::new(0),
            serials: Cell::new((0, 0)),
        }
    }

    /// Puts a frame into a place, to be returned with [`Spares::give_back`].
    #[inline]
    pub(crate) fn place(&self, mut frame: Frame) -> *mut Frame {
        frame.serial = self.serial();
        let spare = self.first.get();
        if spare.is_null() {
            return Box::into_raw(Box::new(frame));
        }
        // SAFETY: a place in the list is of a box that once had a frame, so large enough and
        // aligned for one; it has a spare in it, and it is nobody else's (`keep`).
        unsafe {
            self.first.set((*spare).next);
            self.count.set(self.count.get() - 1);
            let place = spare.cast::<Frame>();
            place.write(frame);
            place
        }
    }

    /// A serial number for a frame whose place does not come from here.
    #[inline]
    pub(crate) fn serial(&self) -> u64 {
        let (mut next, mut end) = self.serials.get();
        if next == end {
            // Relaxed: nothing but the number is communicated.
            next = SERIALS.fetch_add(SERIALS_AT_ONCE, Relaxed);
            end = next + SERIALS_AT_ONCE;
        }
        self.serials.set((next + 1, end));
        next
    }

    /// Keeps a place that no longer holds a frame.
    ///
    /// # Safety
    /// The place is from [`Spares::place`], and nobody looks at it any more.
    #[inline]
    unsafe fn keep(&self, place: *mut Frame) {
        if self.count.get() >= SPARES {
            // SAFETY: a place is of a box of a frame (`Spares::place`), nobody has it any more
            // (`# Safety`), and as `MaybeUninit` nothing in it is dropped.
            drop(unsafe { Box::from_raw(place.cast::<MaybeUninit<Frame>>()) });
            return;
        }
        self.count.set(self.count.get() + 1);
        let spare = place.cast::<Spare>();
        // SAFETY: nobody looks at the place any more (`# Safety`); a frame is larger than a spare,
        // and no less aligned.
        unsafe {
            spare.write(Spare {
                next: self.first.get(),
            });
        }
        self.first.set(spare);
    }

    /// Drops a frame and keeps its place.
    ///
    /// # Safety
    /// The frame is from [`Spares::place`], and nobody looks at it any more.
    #[inline]
    pub(crate) unsafe fn give_back(&self, frame: *mut Frame) {
        // SAFETY: the frame is from `place`, and nobody looks at it any more (`# Safety`), so it
        // may be dropped, and then its place be kept.
        unsafe {
            Frame::drop_spent(frame);
            self.keep(frame);
        }
    }

    /// As [`Spares::give_back`], for a frame that nobody else has.
    pub(crate) fn take_back(&self, frame: Option<Box<Frame>>) {
        if let Some(frame) = frame {
            // SAFETY: a box is what `place` makes, and this is the only pointer to it.
            unsafe { self.give_back(Box::into_raw(frame)) }
        }
    }
}

/// What a frame stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A branch of a construct, a task, or the program.
    Branch,
    /// Its parent's path, continued at another node without an instance of its own.
    Continues,
    /// An instance that runs in place on its parent's path ([`crate::constructs::serial`]).
    Serial,
    /// As `Serial`, for a region that the program names ([`crate::constructs::region`]).
    Region,
}

/// Where the path stands in a frame that owns nothing ([`Frame::owns`]).
#[derive(Clone, Copy, Default)]
pub(crate) struct Position {
    pub(crate) depth: i64,
    pub(crate) ahead: i64,
    pub(crate) count: u64,
}

/// The own strands of instances of a path's node, as far as they are known: not in a stretch,
/// unless it is timed.
#[derive(Clone, Copy, Default)]
pub(crate) struct Own {
    /// Ticks of strands of the current branch.
    pub(crate) branch: i64,
    /// Ticks of own strands off the path, of the instances that ended on it.
    pub(crate) beside: i64,
}

impl Own {
    /// The value after a fork whose branches began at `self` and ended at `longer` and `shorter`.
    /// Also returns the ticks of the fork's own strands off its longest path.
    pub(crate) fn after_fork(self, longer: Self, shorter: Self) -> (Self, i64) {
        let after = Self {
            branch: self.branch,
            beside: longer.beside + shorter.branch,
        };
        (after, shorter.branch)
    }

    /// The value where a branch begins.
    pub(crate) fn of_branch(self) -> Self {
        Self { branch: 0, ..self }
    }
}

impl Position {
    #[inline(always)]
    pub(crate) fn burdened(self) -> i64 {
        self.depth + self.ahead
    }

    /// The longer of the two paths; `other` if they are equally long.
    #[inline(always)]
    pub(crate) fn longer(self, other: Self) -> Self {
        if self.depth > other.depth {
            self
        } else {
            other
        }
    }
}

// SAFETY: one thread at a time has a frame, and hands it on as a whole. `parent` is followed only
// while the frames there are blocked, and `frozen` is shared as `chain_of_blocked` tells.
unsafe impl Send for Frame {}

impl Frame {
    /// A frame at `node` that begins a new instance after the path of `parent`.
    ///
    /// # Safety
    /// `parent` must stay in place and blocked as long as the frame lives.
    #[inline]
    pub(crate) unsafe fn after(parent: *const Frame, node: u32, burden: i64) -> Self {
        // SAFETY: the parent is alive and blocked (`# Safety`), so nobody writes these fields.
        let (depth, ahead, open) =
            unsafe { ((*parent).depth, (*parent).ahead, (*parent).open.get()) };
        Self {
            depth,
            node,
            role: Role::Branch,
            top: false,
            interrupted: false,
            ahead: ahead + burden,
            parent,
            begin: depth,
            base: depth,
            others: Others::default(),
            count: 1,
            own: Own::default(),
            executed: Executed::default(),
            awaited_own: 0,
            since_chain: 0,
            spawner: 0,
            awaited_by: ptr::null(),
            slot: 0,
            hooked: Hooked::NONE,
            recorded: 0,
            serial: 0,
            open: Tally::new(open),
            chain: Chain::default(),
            frozen: AtomicPtr::new(ptr::null_mut()),
            _read_by_thieves: PhantomPinned,
        }
    }

    /// A frame that continues the path of `parent` at `node`.
    ///
    /// # Safety
    /// As [`Frame::after`].
    pub(crate) unsafe fn continuing(parent: *const Frame, node: u32) -> Self {
        // SAFETY: the parent stays in place and blocked as long as the frame lives (`# Safety`).
        let mut frame = unsafe { Self::after(parent, node, 0) };
        frame.role = Role::Continues;
        frame.count = 0;
        frame
    }

    /// Turns a new frame into one that continues an instance begun earlier.
    pub(crate) fn begin_again(&mut self) {
        self.count = 0;
    }

    /// Continues where `continuing`, a frame that continued this one, has ended.
    pub(crate) fn take_over(&mut self, continuing: &mut Frame) {
        let burdened = continuing.burdened();
        let open = continuing.open.get();
        if continuing.owns() || !continuing.log_is_empty() {
            self.continue_after(continuing, Part::default());
        }
        self.own.branch += continuing.own.branch;
        self.executed += continuing.executed;
        self.set_burdened(burdened);
        self.open.set(open);
    }

    /// Attributes part of the frame's log to `node`: the instances and ticks in it are no longer
    /// the frame's own.
    pub(crate) fn hand_over(&mut self, node: u32, part: Part) {
        self.count -= part.count;
        self.others.add(node, part);
    }

    /// Adds ticks of own strands off the path, of instances of `node`.
    pub(crate) fn add_beside(&mut self, node: u32, beside: i64) {
        if node == self.node {
            self.own.beside += beside;
        } else if beside != 0 {
            let part = Part {
                beside,
                ..Part::default()
            };
            self.others.add(node, part);
        }
    }

    /// Adds a top instance of `node` that ends here.
    pub(crate) fn add_top(&mut self, node: u32, work: i64) {
        let part = Part {
            top_count: 1,
            top_work: work,
            ..Part::default()
        };
        self.others.add(node, part);
    }

    /// Places samples of `stack` on the path.
    pub(crate) fn add_samples(&mut self, stack: u32, weight: u64) {
        self.others.add_samples(stack, weight);
    }

    /// A frame at `node` that begins a new instance after the path of `chain`, which is `depth`
    /// ticks long.
    pub(crate) fn at(depth: i64, burdened: i64, open: i64, node: u32, chain: Chain) -> Self {
        Self {
            depth,
            node,
            role: Role::Branch,
            top: false,
            interrupted: false,
            ahead: burdened - depth,
            parent: ptr::null(),
            begin: depth,
            base: depth,
            others: Others::default(),
            count: 1,
            own: Own::default(),
            executed: Executed::default(),
            awaited_own: 0,
            since_chain: 0,
            spawner: 0,
            awaited_by: ptr::null(),
            slot: 0,
            hooked: Hooked::NONE,
            recorded: 0,
            serial: 0,
            open: Tally::new(open),
            chain,
            frozen: AtomicPtr::new(ptr::null_mut()),
            _read_by_thieves: PhantomPinned,
        }
    }

    /// Distinguishes the frame from all others, past and present, except those on the stack that
    /// are gone.
    pub(crate) fn identity(&self) -> *const () {
        match self.serial {
            0 => ptr::from_ref(self).cast(),
            // Odd, unlike any frame's address.
            serial => (2 * serial as usize + 1) as *const (),
        }
    }

    /// The burdened length of the path, in ticks.
    #[inline(always)]
    pub(crate) fn burdened(&self) -> i64 {
        self.depth + self.ahead
    }

    #[inline(always)]
    pub(crate) fn set_burdened(&mut self, burdened: i64) {
        self.ahead = burdened - self.depth;
    }

    /// Whether the frame holds more of its path than numbers: a chain, frozen or not, or a log of
    /// other nodes.
    #[inline(always)]
    pub(crate) fn owns(&mut self) -> bool {
        self.chain.is_some() | self.others.is_some() | !self.frozen.get_mut().is_null()
    }

    /// Drops `frame` in place, at next to no cost if it owns nothing, which is the common case.
    ///
    /// # Safety
    /// As [`ptr::drop_in_place`].
    #[inline(always)]
    pub(crate) unsafe fn drop_spent(frame: *mut Frame) {
        // SAFETY: the frame is alive, nobody else refers to it, and it is not used any more
        // (`# Safety`).
        unsafe {
            if (*frame).owns() {
                ptr::drop_in_place(frame);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn position(&self) -> Position {
        Position {
            depth: self.depth,
            ahead: self.ahead,
            count: self.count,
        }
    }

    /// Puts a frame that owns nothing at `position`, where it was before or which a branch in it
    /// has reached.
    #[inline(always)]
    pub(crate) fn set_position(&mut self, position: Position) {
        self.depth = position.depth;
        self.ahead = position.ahead;
        self.count = position.count;
    }

    /// Moves out what a branch has left in the frame. The frame is then as it was at `position`,
    /// when it owned nothing, except that `open` keeps its present value. What never changes is not
    /// touched: a thief may be reading it.
    pub(crate) fn put_aside(&mut self, position: Position) -> Self {
        // SAFETY: `self` is a reference, so the frame is alive.
        let mut aside = unsafe { Self::as_it_was(self, position) };
        self.exchange(&mut aside);
        aside
    }

    /// Exchanges the paths of two frames that continue the same path at the same node. What was
    /// done in each (`executed`) stays.
    pub(crate) fn exchange(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.depth, &mut other.depth);
        std::mem::swap(&mut self.ahead, &mut other.ahead);
        std::mem::swap(&mut self.base, &mut other.base);
        std::mem::swap(&mut self.others, &mut other.others);
        std::mem::swap(&mut self.count, &mut other.count);
        std::mem::swap(&mut self.own, &mut other.own);
        std::mem::swap(&mut self.chain, &mut other.chain);
        std::mem::swap(self.frozen.get_mut(), other.frozen.get_mut());
    }

    /// The frame as it was at `position`, when it owned nothing, but with the present value of
    /// `open` and without its own strands.
    ///
    /// # Safety
    /// `frame` must be alive. Another thread may be running its strands: only what never changes or
    /// may be read at any time is read.
    pub(crate) unsafe fn as_it_was(frame: *const Frame, position: Position) -> Self {
        // SAFETY: the frame is alive (`# Safety`). What is read never changes or is an atomic, and
        // no reference to the whole is made, so a thread that runs its strands may write the rest.
        let (node, role, parent, begin, open) = unsafe {
            (
                ptr::addr_of!((*frame).node).read(),
                ptr::addr_of!((*frame).role).read(),
                ptr::addr_of!((*frame).parent).read(),
                ptr::addr_of!((*frame).begin).read(),
                (*ptr::addr_of!((*frame).open)).get(),
            )
        };
        Self {
            depth: position.depth,
            node,
            role,
            top: false,
            interrupted: false,
            ahead: position.ahead,
            parent,
            begin,
            base: begin,
            others: Others::default(),
            count: position.count,
            own: Own::default(),
            executed: Executed::default(),
            awaited_own: 0,
            since_chain: 0,
            spawner: 0,
            awaited_by: ptr::null(),
            slot: 0,
            hooked: Hooked::NONE,
            recorded: 0,
            serial: 0,
            open: Tally::new(open),
            chain: Chain::default(),
            frozen: AtomicPtr::new(ptr::null_mut()),
            _read_by_thieves: PhantomPinned,
        }
    }

    /// Adds a strand of `ticks`.
    #[inline(always)]
    pub(crate) fn add_strand(&mut self, ticks: i64) {
        self.depth += ticks;
        self.own.branch += ticks;
        self.executed.work += ticks;
    }

    /// Adds to the path alone, not to the work.
    #[inline(always)]
    pub(crate) fn lengthen(&mut self, ticks: i64) {
        self.depth += ticks;
    }

    #[inline(always)]
    pub(crate) fn own(&self) -> Own {
        self.own
    }

    #[inline(always)]
    pub(crate) fn set_own(&mut self, own: Own) {
        self.own = own;
    }

    /// Continues after the longest of several paths that all began where this frame was blocked:
    /// its log and chain become this one's. `ended` is what else the instance that ends with it
    /// leaves on the path. The burdened length is up to the caller.
    #[inline(always)]
    pub(crate) fn continue_after(&mut self, longest: &mut Frame, ended: Part) {
        self.thaw();
        if longest.chain.is_some() | !longest.frozen.get_mut().is_null() {
            self.continue_chain(longest);
        }
        self.depth = longest.depth;
        if self.node == longest.node {
            self.count += longest.count;
            self.own.beside += longest.own.beside + ended.beside;
            if longest.others.is_some() {
                self.others.append(&mut longest.others);
            }
        } else {
            let mut part = longest.part();
            part += ended;
            self.others.add(longest.node, part);
            self.others.append(&mut longest.others);
        }
    }

    /// Ticks of the frame's own node on the path since `base`.
    fn local(&self) -> i64 {
        self.depth - self.base - self.others.ticks()
    }

    /// What the log has of the frame's own node.
    fn part(&self) -> Part {
        Part {
            count: self.count,
            local: self.local(),
            beside: self.own.beside,
            ..Part::default()
        }
    }

    /// Puts what a task's spawner did between the end of the task's chain and the spawn into the log.
    pub(crate) fn begin_at_chain(&mut self) {
        let ticks = i64::from(std::mem::take(&mut self.since_chain));
        if ticks > 0 {
            self.base -= ticks;
            let part = Part {
                local: ticks,
                ..Part::default()
            };
            self.others.add(self.spawner, part);
        }
    }

    /// Calls `visit(node, part)` for everything on the path since `origin`, where the frame's
    /// instance began: the head of the chain of its parent or of its spawner, null if that has
    /// none.
    pub(crate) fn for_each_since(
        &mut self,
        origin: *const Segment,
        mut visit: impl FnMut(u32, Part),
    ) {
        self.thaw();
        if self.chain.is_some() {
            self.chain.for_each_since(origin, &mut visit);
        }
        visit(self.node, self.part());
        self.others.for_each(visit);
    }

    /// The number of entries in the log.
    pub(crate) fn entries(&self) -> usize {
        1 + self.others.len()
    }

    /// The head of the chain that is the path of this blocked frame, null if it has none: the
    /// chains of its branches start there.
    pub(crate) fn origin(&mut self) -> *const Segment {
        let frozen = *self.frozen.get_mut();
        if frozen.is_null() {
            self.chain.head()
        } else {
            frozen
        }
    }

    /// What the frame's instance leaves on the path besides its log, once it has ended; the frame
    /// must be the whole of it.
    pub(crate) fn ended(&self) -> Part {
        Part {
            top_count: u64::from(self.top && !self.interrupted),
            top_work: if self.top { self.executed.work } else { 0 },
            ..Part::default()
        }
    }

    /// Continues at the end of `chain`, a path that contains all of this one or replaces it.
    pub(crate) fn go_on_at(&mut self, depth: i64, burdened: i64, open: i64, chain: Chain) {
        self.thaw();
        self.chain = chain;
        self.depth = depth;
        self.set_burdened(burdened);
        self.open.set(open);
        self.begin_log(depth);
    }

    /// Begins a new log here: what the old one held is in the chain now.
    fn begin_log(&mut self, base: i64) {
        self.base = base;
        self.count = 0;
        self.own.beside = 0;
        self.others = Others::default();
    }

    #[cold]
    fn continue_chain(&mut self, longest: &mut Frame) {
        longest.thaw();
        self.chain = std::mem::take(&mut longest.chain);
        // The chain of the longest path contains what this frame's log held.
        self.begin_log(longest.base);
    }

    /// Takes over the chain that branches froze while the frame was blocked.
    #[inline(always)]
    fn thaw(&mut self) {
        if !self.frozen.get_mut().is_null() {
            self.thaw_frozen();
        }
    }

    #[cold]
    fn thaw_frozen(&mut self) {
        let frozen = std::mem::replace(self.frozen.get_mut(), ptr::null_mut());
        // SAFETY: the pointer came from `Arc::into_raw`, and null has just taken its place: it is
        // taken once.
        self.chain.head = Some(unsafe { Arc::from_raw(frozen) });
        // The depth of a blocked frame does not change, so this is the depth at which it was
        // frozen.
        self.begin_log(self.depth);
    }

    /// The log in a form that can be frozen.
    fn log(&self) -> Log {
        Log::new(self.part(), self.others.clone())
    }

    /// Whether the path up to here consists of `chain` and strands of the frame's own node.
    pub(crate) fn continues(&mut self, chain: &Chain) -> bool {
        self.count == 0
            && self.own.beside == 0
            && !self.others.is_some()
            && self.frozen.get_mut().is_null()
            && self.chain.is(chain)
    }

    fn log_is_empty(&self) -> bool {
        self.depth == self.base && self.count == 0 && self.own.beside == 0 && !self.others.is_some()
    }

    /// The whole path up to here as a chain that outlives the frame. For the thread that runs the
    /// frame.
    ///
    /// # Safety
    /// The parents of the frame must be blocked while this runs.
    pub(crate) unsafe fn freeze(&mut self) -> Chain {
        self.thaw();
        self.begin_at_chain();
        if self.log_is_empty() && self.chain.is_some() {
            return self.chain.clone();
        }
        let before = if self.chain.is_some() {
            std::mem::take(&mut self.chain)
        } else {
            // SAFETY: the parents are blocked (`# Safety`).
            unsafe { chain_of_blocked(self.parent) }
        };
        let part = self.part();
        let log = Log::new(part, std::mem::take(&mut self.others));
        self.chain.head = Some(before.extended(self.node, log));
        self.begin_log(self.depth);
        self.chain.clone()
    }
}

impl Drop for Frame {
    #[inline]
    fn drop(&mut self) {
        if !self.frozen.get_mut().is_null() {
            self.thaw_frozen();
        }
    }
}

/// The whole path up to a blocked frame as a chain.
///
/// Both branches of a fork may get here at once, on two threads. Each builds the segment from
/// fields that nobody writes. The first to store it wins, by a compare-and-swap on `frozen`; the
/// other drops its own.
///
/// # Safety
/// `frame` is null, or it and its parents are blocked while this runs.
pub(crate) unsafe fn chain_of_blocked(frame: *const Frame) -> Chain {
    // From the frame outwards to the first that already has a chain, then back. A loop, since
    // recursion would need stack in proportion to the program's.
    let mut outwards = Vec::new();
    let mut next = frame;
    let mut chain = loop {
        if next.is_null() {
            break Chain::default();
        }
        // SAFETY: the frame and its parents are blocked while this runs (`# Safety`), so they are
        // alive, and nobody writes them but for `frozen`, an atomic.
        let here = unsafe { &*next };
        if let Some(chain) = here.frozen_chain() {
            break chain;
        }
        if here.chain.is_some() && here.log_is_empty() {
            break here.chain.clone();
        }
        outwards.push(here);
        if here.chain.is_some() {
            break here.chain.clone();
        }
        next = here.parent;
    };
    while let Some(here) = outwards.pop() {
        let segment = Arc::into_raw(chain.extended(here.node, here.log())).cast_mut();
        // Release: whoever reads the pointer must see the segment behind it. On failure, the other
        // branch's segment is read next, with Acquire.
        let stored = here.frozen.compare_exchange(
            ptr::null_mut(),
            segment,
            Ordering::Release,
            Ordering::Relaxed,
        );
        if stored.is_err() {
            // SAFETY: `segment` came from `Arc::into_raw` above and was not stored, so nobody else
            // has it.
            drop(unsafe { Arc::from_raw(segment) });
        }
        chain = here
            .frozen_chain()
            .expect("stored above or by the other branch, and not taken while blocked");
    }
    chain
}

impl Frame {
    fn frozen_chain(&self) -> Option<Chain> {
        let frozen = self.frozen.load(Ordering::Acquire);
        if frozen.is_null() {
            return None;
        }
        // SAFETY: the pointer came from `Arc::into_raw`. The frame has that handle, and does not
        // give it up while it is blocked, as it is for whoever asks.
        let head = unsafe {
            Arc::increment_strong_count(frozen);
            Arc::from_raw(frozen)
        };
        Some(Chain { head: Some(head) })
    }
}
