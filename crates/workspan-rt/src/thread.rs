//! What the engine keeps for each thread of the program.

use crate::call::{Call, Kind};
use crate::fork::Fork;
use crate::frame::{Frame, Role, Spares};
use crate::functions::Functions;
use crate::log::{Log, Others, Part};
use crate::processor::{processor_time, Absence, Presence};
use crate::record::{Item, Recorder};
use crate::region::Regions;
use crate::sampler::{self, Samples};
use crate::segment::{Chain, Segment};
use crate::serial;
use crate::session::{self, Settings};
use crate::stretch::{Measured, Stretch};
use crate::table::{self, Counter, Table};
use crate::task::Point;
use crate::tree::{self, Edge};
use crate::{clock, log, stack, stop, user_thread};
use std::cell::Cell;
use std::panic::Location;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The engine's data of one thread. Written by that thread alone, inside [`with`] or a stretch. Two threads' data share
/// no line of the cache, nor a pair of lines that the processor fetches together.
#[repr(align(128))]
pub(crate) struct Thread {
    /// See [`stop`].
    pub(crate) busy: AtomicBool,
    /// Frame of the present strand, or of the construct that the thread waits in. Null outside any task.
    pub(crate) frame: AtomicPtr<Frame>,
    /// Is a strand running, as opposed to waiting in a construct?
    pub(crate) running: AtomicBool,
    /// Time of the last boundary: start of the present strand, if one is running.
    pub(crate) last: Counter,
    /// Stack address at which the present task began on this thread, of a word. In its lowest bits ([`BOUNDARY`])
    /// may be which boundary of a fork or group at that address the one at `last` is, while no other has come: then
    /// the next strand may share its time.
    at: AtomicUsize,
    pub(crate) table: Table,
    pub(crate) off_processor: Counter,
    edges: [Cell<CachedEdge>; EDGES],
    epoch: Cell<u64>,
    pub(crate) presence: Presence,
    /// Length of the last strand.
    previous: Cell<i64>,
    /// The frame of a thread that the program started itself.
    own: Cell<*mut Frame>,
    /// Is this a thread of the program, on which waits are no work? Told of all but the root's by their start.
    pub(crate) is_user_thread: Cell<bool>,
    /// Is this a thread of the runtime?
    pub(crate) is_worker: Cell<bool>,
    /// Does the thread run what has no place in the call tree?
    pub(crate) is_aside: Cell<bool>,
    /// Is this the thread that started the session?
    is_root: AtomicBool,
    /// The session's settings, copied so that the fast path finds them beside the rest.
    pub(crate) settings: Cell<Settings>,
    /// The cell of the node last asked for.
    last_cell: Cell<(u32, *const table::Cell)>,
    /// How often the table was asked for another node than before, and the tree that all threads share for an edge.
    pub(crate) transitions: Counter,
    pub(crate) lookups: Counter,
    /// By node: what the longest paths of its top instances that ended here went through.
    paths: Cell<Vec<Others>>,
    /// How many more entries may go there for what has been done.
    path_credit: Cell<i64>,
    pub(crate) regions: Cell<Regions>,
    pub(crate) functions: Functions,
    pub(crate) spare_frames: Spares,
    pub(crate) stretch: Stretch,
    pub(crate) samples: Samples,
    pub(crate) recorder: Recorder,
    /// The last point at which the thread spawned tasks.
    pub(crate) point: Cell<Option<Arc<Point>>>,
}

/// Frame and base of what a thread did before it adopted something else.
pub(crate) type Saved = (*mut Frame, usize);

// SAFETY: the atomics may be read by anybody. Everything else is touched by the one thread that the data
// is lent to (`with`), or by the writer of the profile after it stopped the world, or between two threads
// that the free list's lock orders.
unsafe impl Sync for Thread {}
// SAFETY: as above.
unsafe impl Send for Thread {}

/// The bits of [`Thread::at`] that tell of a boundary.
pub(crate) const BOUNDARY: usize = 3;

/// How many entries of paths the end of an instance may cost in the long run, and how many are free.
const ENTRIES_AN_INSTANCE: i64 = 8;
const FIRST_CREDIT: i64 = 1 << 16;

const EDGES: usize = 512;

#[derive(Clone, Copy, Default)]
struct CachedEdge {
    node: u32,
    call: u64,
    edge: Edge,
    /// The stack tells where this call leads: look further.
    by_stack: bool,
}

thread_local! {
    static CURRENT: Cell<*const Thread> = const { Cell::new(ptr::null()) };
    static LEASE: Lease = const { Lease };
}

/// Every thread's data, ever. An entry whose thread has ended is lent again.
static ALL: Mutex<Vec<(&'static Thread, bool)>> = Mutex::new(Vec::new());

fn lock_all() -> std::sync::MutexGuard<'static, Vec<(&'static Thread, bool)>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `visit` with the data of every thread, and whether it is in use.
pub(crate) fn for_each(mut visit: impl FnMut(&'static Thread, bool)) {
    for (thread, in_use) in lock_all().iter() {
        visit(thread, *in_use);
    }
}

/// Runs the bookkeeping `f` on the calling thread's data, unless the engine is off.
#[inline(always)]
pub(crate) fn with<R>(f: impl FnOnce(&Thread) -> R) -> Option<R> {
    let thread = CURRENT.get();
    if thread.is_null() {
        attach()?;
    }
    // SAFETY: set by `attach` to data that is never freed.
    stop::guarded(unsafe { &*CURRENT.get() }, f)
}

/// The calling thread's data, if it has any.
#[inline(always)]
pub(crate) fn current() -> *const Thread {
    CURRENT.get()
}

#[cold]
#[inline(never)]
fn attach() -> Option<()> {
    if stop::mode() != stop::ON {
        return None;
    }
    // Fails when the thread is ending: then it has nothing more to tell.
    LEASE.try_with(|_| ()).ok()?;
    let mut all = lock_all();
    let thread = match all.iter_mut().find(|(_, in_use)| !in_use) {
        Some(entry) => {
            entry.1 = true;
            entry.0
        }
        None => {
            let thread: &'static Thread = Box::leak(Box::new(Thread::new()));
            all.push((thread, true));
            thread
        }
    };
    drop(all);
    thread.reset();
    CURRENT.set(thread);
    Some(())
}

/// Gives a thread's data back when the thread ends.
struct Lease;

impl Drop for Lease {
    fn drop(&mut self) {
        let thread = CURRENT.get();
        if thread.is_null() {
            return;
        }
        // SAFETY: as in `with`.
        let thread = unsafe { &*thread };
        // The main thread's destructors run before the profile is written; its data is needed for that.
        // So is that of a thread inside a task that ends the process.
        let frame = thread.frame.load(Ordering::Relaxed);
        if thread.is_root() || (!frame.is_null() && frame != thread.own.get()) {
            return;
        }
        stop::guarded(thread, |thread| thread.end_own_frame());
        thread.presence.end();
        thread.samples.end();
        thread.point.set(None);
        CURRENT.set(ptr::null());
        for entry in lock_all().iter_mut().filter(|(t, _)| ptr::eq(*t, thread)) {
            entry.1 = false;
        }
    }
}

impl Thread {
    fn new() -> Self {
        Self {
            busy: AtomicBool::new(false),
            frame: AtomicPtr::new(ptr::null_mut()),
            running: AtomicBool::new(false),
            last: Counter::default(),
            at: AtomicUsize::new(0),
            table: Table::new(),
            off_processor: Counter::default(),
            edges: std::array::from_fn(|_| Cell::default()),
            epoch: Cell::new(0),
            presence: Presence::default(),
            previous: Cell::new(0),
            own: Cell::new(ptr::null_mut()),
            is_user_thread: Cell::new(false),
            is_worker: Cell::new(false),
            is_aside: Cell::new(false),
            is_root: AtomicBool::new(false),
            settings: Cell::default(),
            last_cell: Cell::new((0, ptr::null())),
            transitions: Counter::default(),
            lookups: Counter::default(),
            paths: Cell::default(),
            path_credit: Cell::new(FIRST_CREDIT),
            regions: Cell::default(),
            functions: Functions::default(),
            spare_frames: Spares::new(),
            stretch: Stretch::default(),
            samples: Samples::default(),
            recorder: Recorder::new(),
            point: Cell::new(None),
        }
    }

    /// Prepares the data for the thread that it is lent to. The table goes on: it is summed at the end.
    fn reset(&self) {
        self.frame.store(ptr::null_mut(), Ordering::Relaxed);
        self.running.store(false, Ordering::Relaxed);
        self.set_at(0);
        self.is_user_thread.set(false);
        self.is_worker.set(false);
        self.functions.reset();
        self.stretch.expect_nothing();
        self.settings.set(session::settings());
        self.last.set(clock::now());
        self.begin_presence();
        self.samples.begin(self);
    }

    fn begin_presence(&self) {
        let settings = self.settings.get();
        self.presence
            .begin(settings.check_after, settings.grain > 0);
    }

    /// Makes this the thread whose serial code is the root's.
    pub(crate) fn begin_root(&self, root: *mut Frame) {
        self.is_root.store(true, Ordering::Relaxed);
        self.cell(tree::ROOT).count.add(1);
        self.adopt(root, own_stack_end());
        self.start_strand_after_wait();
        if self.records() {
            self.record_root(tree::ROOT);
        }
    }

    /// Is this the thread whose serial code is the root's? May be asked by any thread.
    pub(crate) fn is_root(&self) -> bool {
        self.is_root.load(Ordering::Relaxed)
    }

    pub(crate) fn end_root(&self) {
        if self.is_root.swap(false, Ordering::Relaxed) {
            self.frame.store(ptr::null_mut(), Ordering::Relaxed);
        }
    }

    /// The counts of `node` on this thread.
    #[inline(always)]
    pub(crate) fn cell(&self, node: u32) -> &table::Cell {
        let (last, cell) = self.last_cell.get();
        if last == node && !cell.is_null() {
            // SAFETY: cells never move, and live as long as the thread's data.
            return unsafe { &*cell };
        }
        let cell = self.table.cell(node);
        self.transitions.add(1);
        self.last_cell.set((node, cell));
        cell
    }

    /// Forgets everything counted, for a new session.
    pub(crate) fn clear(&self) {
        self.table.clear();
        self.off_processor.set(0);
        self.transitions.set(0);
        self.lookups.set(0);
        self.paths.take();
        self.path_credit.set(FIRST_CREDIT);
        self.regions.take();
        self.functions.clear();
        self.presence.readings.set(0);
        self.leave_boundary();
        self.stretch.clear();
        self.samples.clear();
        self.recorder.clear();
        self.point.set(None);
    }

    /// Does the running strand belong to the program, so that a construct can begin here? On a thread of the
    /// runtime, what runs outside tasks (handlers, destructors) has no account: its frame, if any, is that of a
    /// branch which may be running elsewhere.
    #[inline(always)]
    pub(crate) fn begins_here(&self) -> bool {
        self.running.load(Ordering::Relaxed) || self.begins_anew()
    }

    #[cold]
    #[inline(never)]
    fn begins_anew(&self) -> bool {
        !self.is_worker.get() && self.frame.load(Ordering::Relaxed).is_null()
    }

    /// The frame of the present strand. A thread that has none was started by the program itself: it is a
    /// task of the root from here on.
    #[inline(always)]
    pub(crate) fn frame(&self) -> *mut Frame {
        let frame = self.frame.load(Ordering::Relaxed);
        if frame.is_null() {
            return self.begin_own_frame();
        }
        frame
    }

    #[cold]
    #[inline(never)]
    fn begin_own_frame(&self) -> *mut Frame {
        let call = Call::new::<Thread>(Kind::Thread, Location::caller());
        let edge = self.enter(tree::ROOT, &call);
        self.cell(edge.node).count.add(1);
        // What the thread did before it first called is its processor time so far. Where the root was when it
        // started the thread is not known; now, less that time, is the latest that it can have been.
        let ran = session::nanos_to_ticks(processor_time());
        let depth = (session::elapsed() - ran).max(0);
        let part = Part {
            local: depth,
            ..Part::default()
        };
        let head = Some(Chain::default().extended(tree::ROOT, Log::new(part, Others::default())));
        let chain = Chain { head };
        let frame = Box::into_raw(Box::new(Frame::at(depth, depth, 0, edge.node, chain)));
        self.own.set(frame);
        self.set_at(own_stack_end());
        self.frame.store(frame, Ordering::Relaxed);
        // SAFETY: just made.
        unsafe { (*frame).add_strand(ran) };
        self.cell(edge.node).local.add(ran);
        if self.records() {
            self.record(Item::Own {
                ticks: depth,
                node: edge.node,
            });
            self.record_strand(edge.node, ran, 0);
        }
        self.start_strand_after_wait();
        frame
    }

    fn end_own_frame(&self) {
        let frame = self.own.replace(ptr::null_mut());
        if frame.is_null() {
            return;
        }
        self.end_strand_if_any(0);
        if self.records() {
            self.record_lane_end(0);
        }
        self.frame.store(ptr::null_mut(), Ordering::Relaxed);
        // SAFETY: made by `begin_own_frame`, taken out of `own` above, and no longer the present frame.
        let frame = unsafe { *Box::from_raw(frame) };
        session::offer_to_end(frame);
    }

    /// Ends the running strand at this moment and starts the next boundary there. `cost` is what the engine
    /// itself spent in the strand. Gives back its length, the greatest there is if that was not measured.
    #[inline(always)]
    pub(crate) fn end_strand(&self, cost: i64) -> i64 {
        if self.stretch.is_open() {
            return self.break_stretch(cost);
        }
        let frame = self.frame();
        let settings = self.settings.get();
        let now = clock::now_of(settings.clock);
        let ticks = now - self.last.get() - cost;
        self.last.set(now);
        self.leave_boundary();
        self.running.store(false, Ordering::Relaxed);
        // SAFETY: the present frame is alive, and this thread runs its strands.
        let frame = unsafe { &mut *frame };
        if self.presence.is_due(ticks, now) {
            return self.end_suspect_strand(now, ticks, frame);
        }
        self.previous.set(ticks);
        frame.add_strand(ticks);
        let mut correction = 0;
        if ticks < settings.unsure {
            correction = self
                .stretch
                .usual(frame.node)
                .map_or(0, |usual| usual - ticks);
            frame.lengthen(correction);
            frame.open.add(correction.abs());
        }
        self.cell(frame.node).local.add(ticks);
        if self.records() {
            self.record_strand(frame.node, ticks, correction);
        }
        if self.samples.any() {
            sampler::place(self, frame, 1.0);
        }
        ticks
    }

    /// Ends the running strand at any boundary but a spawn; as [`Thread::end_strand`].
    #[inline(always)]
    pub(crate) fn end_ordinary_strand(&self) -> i64 {
        self.end_strand(self.settings.get().ordinary_cost)
    }

    /// Ends a strand at a boundary in a stretch, and starts the next one there. Gives back its length; `None` if the
    /// stretch must be broken off here instead.
    #[inline(always)]
    pub(crate) fn end_strand_in_stretch(&self) -> Option<i64> {
        let taken = self.stretch.taken_strand();
        if taken.is_some() {
            return taken;
        }
        if self.samples.any() {
            return None;
        }
        let settings = self.settings.get();
        let now = clock::now_of(settings.clock);
        let mut ticks = now - self.last.get() - settings.boundary_cost;
        self.last.set(now);
        if self.presence.is_due(ticks, now) {
            // Unlike the rest, the account of the thread's presence is not for two to touch: the writer of the profile
            // may be about to.
            let present = stop::guarded(self, |thread| thread.present_part(now, ticks));
            ticks = present.unwrap_or(ticks);
        }
        self.stretch.add_own(ticks);
        Some(ticks)
    }

    /// At the end of a left branch in a stretch: if the right one is stolen, the thread waits from here on.
    #[inline(always)]
    pub(crate) fn wait_if_stolen(&self) {
        if self.stretch.taken_strand().is_none() {
            self.running.store(false, Ordering::Relaxed);
        }
    }

    /// Ends the open stretch in which every strand was measured. `cost` is as in [`Thread::end_strand`].
    #[cold]
    #[inline(never)]
    fn end_timed_stretch(&self, cost: i64) -> i64 {
        let now = clock::now_of(self.settings.get().clock);
        let mut ticks = 0;
        if self.running.load(Ordering::Relaxed) {
            ticks = now - self.last.get() - cost;
            if self.presence.is_due(ticks, now) {
                ticks = self.present_part(now, ticks);
            }
        }
        self.last.set(now);
        self.leave_boundary();
        self.running.store(false, Ordering::Relaxed);
        let stretch = &self.stretch;
        stretch.end_strand(ticks);
        stretch.add_own(ticks);
        // SAFETY: the present frame is alive, and this thread runs its strands, or is stopped. In a stretch the frame
        // is not touched.
        let frame = unsafe { &mut *self.present() };
        frame.set_position(stretch.position());
        frame.set_own(stretch.own());
        frame.effort.add_forks(stretch.begun());
        frame.effort.work += stretch.work.get();
        let cell = self.cell(frame.node);
        cell.count.add(stretch.begun());
        cell.local.add(stretch.work.get());
        cell.beside.add(stretch.lost());
        stretch.end_timed();
        self.previous.set(ticks);
        // All of the last strand, whose boundary breaks the stretch.
        if self.samples.any() {
            sampler::place(self, frame, 1.0);
        }
        ticks
    }

    /// What of a strand of `ticks` its thread was on the processor or waiting of its own will. For threads of the
    /// runtime, whose waits count.
    #[cold]
    #[inline(never)]
    fn present_part(&self, now: i64, ticks: i64) -> i64 {
        // SAFETY: the present frame is alive; what is read of it never changes.
        let node = unsafe { (*self.present()).node };
        let Absence {
            queued, blocked, ..
        } = self.absence(now, ticks, self.previous.get());
        self.off_processor.add(queued);
        self.cell(node).blocked.add(blocked);
        ticks - queued
    }

    /// Ends the open stretch with its branch, at this moment.
    pub(crate) fn close_stretch(&self) {
        let now = clock::now_of(self.settings.get().clock);
        self.stretch.end_strand(self.stretch.usual_strand());
        // SAFETY: the present frame is alive, and this thread runs its strands.
        let frame = unsafe { &mut *self.present() };
        let boundary_cost = self.settings.get().boundary_cost;
        let measured = self.end_stretch(now, boundary_cost, frame);
        frame.lengthen(self.stretch.close(&measured));
        self.share_path(frame);
        self.share_samples(frame, &measured);
        if self.records() {
            self.record_stretch(&measured, frame.node, frame.position());
        }
        // This took longer than the usual boundary, of whose cost about half comes after the reading of the clock.
        let now = clock::now_of(self.settings.get().clock);
        self.last.set(now - boundary_cost / 2);
    }

    /// Ends the open stretch where its branch has not ended. `cost` is what the engine itself spent since the last
    /// boundary.
    #[cold]
    #[inline(never)]
    fn break_stretch(&self, cost: i64) -> i64 {
        if self.stretch.is_timed() {
            return self.end_timed_stretch(cost);
        }
        let now = clock::now_of(self.settings.get().clock);
        // SAFETY: the present frame is alive, and this thread runs its strands, or is stopped. In a stretch the
        // frame is not touched.
        let frame = unsafe { &mut *self.present() };
        let is_own = ptr::eq(self, current());
        // SAFETY: this thread is in a stretch, and so alive is what it is at.
        let waiting = unsafe { is_own.then(|| Fork::waiting_at(self.at())).flatten() };
        let opener = self.stretch.opener.get();
        self.stretch.broken.add(1);
        match waiting {
            // The left branch has ended in the stretch, and since then the thread has waited.
            Some(mut waiting) => {
                let until = waiting.since.clamp(self.last.get(), now);
                let measured = self.end_stretch(until, 0, frame);
                waiting.left.depth += measured.excess();
                if self.records() {
                    self.record_stretch(&measured, frame.node, *waiting.left);
                }
                if self.samples.any() {
                    // SAFETY: the frame is alive.
                    let mut left = unsafe { Frame::as_it_was(frame, *waiting.left) };
                    left.set_own(frame.own());
                    self.share_samples(&mut left, &measured);
                    waiting.put_aside(left);
                }
            }
            None => {
                self.stretch.end_strand(self.stretch.usual_strand());
                let measured = self.end_stretch(now, cost, frame);
                // At the end of the program another thread may be waiting: that is no strand.
                frame.lengthen(if is_own { measured.excess() } else { 0 });
                self.share_path(frame);
                self.share_samples(frame, &measured);
                if self.records() {
                    self.record_stretch(&measured, frame.node, frame.position());
                }
                if is_own {
                    self.stand_at(frame, self.stretch.node());
                }
            }
        }
        if self.records() {
            self.record_broken_stretch(opener);
        }
        self.stretch.expect_nothing();
        i64::MAX
    }

    /// Ends the open stretch at `now`, and adds it to the work. Its path goes on in `frame`.
    fn end_stretch(&self, now: i64, cost: i64, frame: &mut Frame) -> Measured {
        let settings = self.settings.get();
        let unread_cost = self.stretch.unread_boundaries() * settings.unread_cost;
        let mut ticks = (now - self.last.get() - cost - unread_cost).max(0);
        self.last.set(now);
        self.leave_boundary();
        self.running.store(false, Ordering::Relaxed);
        let cell = self.cell(self.stretch.node());
        if self.presence.is_due(ticks - self.stretch.taken(), now) {
            let Absence {
                queued,
                blocked,
                open,
            } = self.absence(now, ticks, self.stretch.taken());
            frame.open.add(open);
            self.off_processor.add(queued);
            cell.blocked.add(blocked);
            ticks -= queued;
        }
        frame.set_position(self.stretch.position());
        let mut rest = ticks;
        for share in self.stretch.shares() {
            let cell = self.cell(share.node);
            let ticks = share.of_ticks(ticks);
            cell.count.add(share.forks);
            cell.local.add(ticks);
            cell.beside.add(share.beside(ticks));
            frame.effort.add_forks(share.forks);
            rest -= ticks;
        }
        frame.effort.work += ticks;
        self.cell(self.stretch.node()).local.add(rest);
        let measured = self.stretch.end(ticks, settings.grain);
        frame.open.add(measured.open());
        measured
    }

    /// Shares what the stretch that has ended added to the path of `frame` among the nodes that it went through, by their
    /// parts of its strands and instances.
    fn share_path(&self, frame: &mut Frame) {
        let begin = self.stretch.begin();
        let end = frame.position();
        for share in self.stretch.shares() {
            let part = share.of_path(end.count - begin.count, end.depth - begin.depth);
            if share.node != frame.node {
                frame.hand_over(share.node, part);
            } else {
                frame.add_beside(share.node, part.beside);
            }
        }
    }

    /// Places the samples that fell in the stretch which has ended, and of which the path of `frame` now has its part.
    fn share_samples(&self, frame: &mut Frame, measured: &Measured) {
        if self.samples.any() {
            let path = frame.depth - self.stretch.begin().depth;
            sampler::place(self, frame, measured.share_of(path));
        }
    }

    /// See [`Thread::at`].
    #[inline(always)]
    pub(crate) fn at(&self) -> usize {
        self.at.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(crate) fn set_at(&self, at: usize) {
        self.at.store(at, Ordering::Relaxed);
    }

    /// Stack address at which the present task began on this thread.
    #[inline(always)]
    pub(crate) fn base(&self) -> usize {
        self.at() & !BOUNDARY
    }

    /// The last boundary is no longer the one that `at` told of.
    #[inline(always)]
    pub(crate) fn leave_boundary(&self) {
        self.set_at(self.base());
    }

    /// The frame of the present strand, of a thread that has one.
    #[inline(always)]
    pub(crate) fn present(&self) -> *mut Frame {
        self.frame.load(Ordering::Relaxed)
    }

    /// Ends the running strand, if this thread has one at all; as [`Thread::end_strand`].
    pub(crate) fn end_strand_if_any(&self, cost: i64) -> bool {
        let any = self.running.load(Ordering::Relaxed);
        if any {
            self.end_strand(cost);
        }
        any
    }

    /// Ends a strand that may hold time in which the thread was not on the processor. Gives back the rest.
    #[cold]
    #[inline(never)]
    fn end_suspect_strand(&self, now: i64, ticks: i64, frame: &mut Frame) -> i64 {
        let Absence {
            queued,
            blocked,
            open,
        } = {
            let usual = self.stretch.usual(frame.node);
            self.absence(now, ticks, usual.unwrap_or(self.previous.get()))
        };
        frame.open.add(open);
        self.off_processor.add(queued);
        // A task that waits holds its worker, so its wait counts. A thread of the program may wait for others,
        // and the root does if one that it started has ended meanwhile.
        let for_others =
            self.is_user_thread.get() || (self.is_root() && user_thread::any_ended(self));
        let cell = self.cell(frame.node);
        let ticks = if for_others {
            ticks - queued - blocked
        } else {
            cell.blocked.add(blocked);
            ticks - queued
        };
        cell.local.add(ticks);
        frame.add_strand(ticks);
        if self.records() {
            self.record_strand(frame.node, ticks, 0);
        }
        self.previous.set(ticks);
        if self.samples.any() {
            sampler::place(self, frame, 1.0);
        }
        if for_others && blocked > 0 && ptr::eq(self, current()) {
            user_thread::await_ended(frame, self);
        }
        ticks
    }

    /// For how much of a strand of `ticks` up to `now` the thread was not on the processor, where strands usually take
    /// `usual`. What it takes to find out is no part of the next strand.
    fn absence(&self, now: i64, ticks: i64, usual: i64) -> Absence {
        if !ptr::eq(self, current()) {
            return self.presence.absence_seen_by_another(now, ticks);
        }
        let absence = self.presence.absence(now, ticks, usual, self.samples.any());
        self.last.set(clock::now());
        absence
    }

    /// Puts the last boundary at this moment.
    #[inline]
    fn resume_after_wait(&self) {
        if self.stretch.is_open() {
            self.break_stretch(0);
        }
        self.stretch.expect_nothing();
        self.refresh();
        let now = clock::now();
        let read = self.presence.read_after_wait(now - self.last.get());
        self.last.set(if read { clock::now() } else { now });
    }

    /// Starts the next strand: at the last boundary if that was `at`, else now.
    #[inline(always)]
    pub(crate) fn start_strand(&self, at: usize) {
        if self.at() != at {
            self.resume_after_wait();
        }
        self.running.store(true, Ordering::Relaxed);
    }

    /// Starts the next strand now, after a wait or on a thread that did something else before.
    #[inline]
    pub(crate) fn start_strand_after_wait(&self) {
        self.resume_after_wait();
        self.running.store(true, Ordering::Relaxed);
    }

    /// Lets the present strand begin at this moment: what came before was the engine's work.
    pub(crate) fn begin_strand_here(&self) {
        self.last.set(clock::now());
    }

    /// Is a strand running, as opposed to waiting in a construct?
    #[inline(always)]
    pub(crate) fn is_running(&self) -> bool {
        self.running.load(Ordering::Relaxed)
    }

    /// Starts the next strand at the boundary that has just ended one.
    #[inline]
    pub(crate) fn continue_strand(&self) {
        self.running.store(true, Ordering::Relaxed);
    }

    /// Makes `frame` the present one; gives back what [`Thread::restore`] needs.
    #[inline(always)]
    pub(crate) fn adopt(&self, frame: *mut Frame, base: usize) -> Saved {
        let saved = (self.present(), self.base());
        self.frame.store(frame, Ordering::Relaxed);
        self.set_at(base);
        saved
    }

    #[inline(always)]
    pub(crate) fn restore(&self, (frame, base): Saved) {
        self.frame.store(frame, Ordering::Relaxed);
        self.set_at(base);
    }

    /// Takes up what has changed in the session since the thread last looked.
    #[inline]
    pub(crate) fn refresh(&self) {
        let epoch = session::epoch();
        if self.epoch.replace(epoch) != epoch {
            let before = self.settings.replace(session::settings());
            if before.check_after != self.settings.get().check_after {
                self.begin_presence();
            }
            self.samples.begin(self);
            self.edges.iter().for_each(|e| e.set(CachedEdge::default()));
        }
    }

    /// Where `call`, made at `node`, leads in the call tree.
    #[inline(always)]
    pub(crate) fn enter(&self, node: u32, call: &Call) -> Edge {
        let slot = &self.edges[slot(node, call.key)];
        let cached = slot.get();
        if cached.call == call.key
            && cached.node == node
            && !cached.by_stack
            && self.epoch.get() == session::epoch()
        {
            return cached.edge;
        }
        self.enter_slowly(node, call)
    }

    /// Where every `call` made at `node` leads, if this thread knows and need not look at the stack.
    pub(crate) fn known_edge(&self, node: u32, call: &Call) -> Option<Edge> {
        let cached = self.edges[slot(node, call.key)].get();
        let is_known = cached.call == call.key
            && cached.node == node
            && !cached.by_stack
            && self.epoch.get() == session::epoch();
        is_known.then_some(cached.edge)
    }

    /// Counts an instance of `node` that no other of its site contains and that has ended, with a path of `ticks`: that
    /// of `longest` since `origin` ([`Frame::for_each_since`]).
    pub(crate) fn record_top(
        &self,
        node: u32,
        ticks: i64,
        longest: &mut Frame,
        origin: *const Segment,
    ) {
        self.count_top(node, ticks);
        // An instance may end in many others, each of which would go through all of its path again. So there is a
        // budget of some entries an instance; what is beyond it is missing, as the sum of the entries tells.
        let credit = self.path_credit.get() + ENTRIES_AN_INSTANCE;
        if credit < longest.entries() as i64 {
            return self.path_credit.set(credit);
        }
        let mut entries = 0;
        longest.for_each_since(origin, |on_path, part| {
            entries += 1;
            self.add_to_paths(node, on_path, part);
        });
        self.path_credit.set(credit - entries);
    }

    /// The same of an instance whose path stayed at its node.
    pub(crate) fn record_top_at(&self, node: u32, path: Part) {
        self.count_top(node, path.local);
        self.add_to_paths(node, node, path);
    }

    fn count_top(&self, node: u32, ticks: i64) {
        let cell = self.cell(node);
        cell.top_count.add(1);
        cell.top_span.add(ticks);
    }

    fn add_to_paths(&self, node: u32, on_path: u32, part: Part) {
        if log::stack_of(on_path).is_some() {
            return;
        }
        let mut paths = self.paths.take();
        if paths.len() <= node as usize {
            paths.resize_with(node as usize + 1, Others::default);
        }
        paths[node as usize].add(on_path, part);
        self.paths.set(paths);
    }

    /// Forgets what was counted of `node`, the last that there is.
    pub(crate) fn forget_all_of(&self, node: u32) {
        self.cell(node).set_values(Default::default());
        let mut paths = self.paths.take();
        paths.truncate(node as usize);
        self.paths.set(paths);
    }

    /// Calls `visit(node, on_path, part)` for all that the longest paths of top instances went through. The world is
    /// stopped.
    pub(crate) fn for_each_on_paths(&self, mut visit: impl FnMut(u32, u32, Part)) {
        let paths = self.paths.take();
        for (node, path) in (0..).zip(&paths) {
            path.for_each(|on_path, part| visit(node, on_path, part));
        }
        self.paths.set(paths);
    }

    /// Makes the path of `frame`, which is this thread's, go on at `node`: in the frame itself if that is its node.
    pub(crate) fn stand_at(&self, frame: *mut Frame, node: u32) {
        // SAFETY: the caller's frame is alive, and stays in place and blocked until `come_back_to` has freed this one.
        let present = unsafe {
            if (*frame).node == node {
                frame
            } else {
                self.spare_frames.place(Frame::continuing(frame, node))
            }
        };
        self.frame.store(present, Ordering::Relaxed);
    }

    /// Makes `frame` the present one, in which the path goes on that frames made by [`Thread::stand_at`] continued, and
    /// those of serial instances that nobody ended.
    pub(crate) fn come_back_to(&self, frame: *mut Frame) {
        loop {
            let present = self.present();
            if present == frame || present.is_null() {
                return;
            }
            // SAFETY: a thread's present frame is alive.
            let role = unsafe { (*present).role };
            if role == Role::Branch {
                return;
            }
            // SAFETY: as above.
            let ended = unsafe { &mut *present };
            let parent = ended.parent.cast_mut();
            self.frame.store(parent, Ordering::Relaxed);
            // SAFETY: the parent was blocked for the frame that continued it, and is this thread's.
            let parent = unsafe { &mut *parent };
            match role {
                Role::Serial | Role::Region => serial::close(self, parent, ended),
                _ => parent.take_over(ended),
            }
            // SAFETY: put there by `stand_at` or `serial::enter`, and no longer the present one.
            unsafe { self.spare_frames.give_back(present) };
        }
    }

    /// Where entering the serial site of `key` from `node` leads; `make` describes the site if it is new.
    #[inline]
    pub(crate) fn enter_serial(
        &self,
        node: u32,
        key: u64,
        make: impl FnOnce() -> tree::Site,
    ) -> Edge {
        let slot = &self.edges[slot(node, key)];
        let cached = slot.get();
        if cached.call == key && cached.node == node && self.epoch.get() == session::epoch() {
            return cached.edge;
        }
        self.lookups.add(1);
        self.refresh();
        let edge = if self.is_aside.get() {
            edge_aside(node)
        } else {
            tree::lock().enter_serial(node, key, make)
        };
        slot.set(CachedEdge {
            node,
            call: key,
            edge,
            by_stack: false,
        });
        self.begin_strand_here();
        edge
    }

    /// Looks the edge up in the tree that all threads share. What that takes is no part of the next strand.
    #[inline(never)]
    fn enter_slowly(&self, node: u32, call: &Call) -> Edge {
        self.lookups.add(1);
        let edge = self.look_up(node, call);
        self.begin_strand_here();
        edge
    }

    fn look_up(&self, node: u32, call: &Call) -> Edge {
        self.refresh();
        if self.is_aside.get() {
            let edge = edge_aside(node);
            self.edges[slot(node, call.key)].set(CachedEdge {
                node,
                call: call.key,
                edge,
                by_stack: false,
            });
            return edge;
        }
        let slot_of_call = &self.edges[slot(node, call.key)];
        let cached = slot_of_call.get();
        let known = cached.call == call.key && cached.node == node;
        let by_stack = if known {
            cached.by_stack
        } else {
            tree::lock().needs_stack(node, call)
        };
        if !by_stack {
            let limit = self.base();
            let edge = tree::lock().enter(node, call, 0, || stack::addresses(limit));
            slot_of_call.set(CachedEdge {
                node,
                call: call.key,
                edge,
                by_stack,
            });
            return edge;
        }
        slot_of_call.set(CachedEdge {
            node,
            call: call.key,
            edge: Edge::default(),
            by_stack,
        });
        let limit = self.base();
        let stack_key = stack::key(limit);
        let key = call.key ^ stack_key;
        // A slot of its own beside the call's, which only says that the stack is needed.
        let slot = &self.edges[slot(node, key) ^ 1];
        let cached = slot.get();
        if cached.call == key && cached.node == node && !ptr::eq(slot, slot_of_call) {
            return cached.edge;
        }
        let edge = tree::lock().enter(node, call, stack_key, || stack::addresses(limit));
        if !ptr::eq(slot, slot_of_call) {
            slot.set(CachedEdge {
                node,
                call: key,
                edge,
                by_stack: false,
            });
        }
        edge
    }
}

/// Two nodes for constructs that are measured themselves.
pub(crate) const ASIDE: [u32; 2] = [tree::ROOT + 1, tree::ROOT + 2];

/// Where such a construct leads: nowhere from the root, and from one of the two nodes to the other.
fn edge_aside(node: u32) -> Edge {
    let to = match ASIDE.iter().position(|aside| *aside == node) {
        Some(which) => ASIDE[1 - which],
        None => node,
    };
    Edge {
        node: to,
        top: false,
    }
}

#[inline(always)]
fn slot(node: u32, call: u64) -> usize {
    ((call ^ u64::from(node).wrapping_mul(0x9E37_79B9)).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 40)
        as usize
        % EDGES
}

/// An address at the end of the calling thread's stack, 0 if that is not known.
pub(crate) fn own_stack_end() -> usize {
    own_stack().1
}

/// The lowest address of the calling thread's stack, and the one after its highest; twice 0 if that is not known.
pub(crate) fn own_stack() -> (usize, usize) {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        use std::ffi::{c_int, c_void};
        // pthread_attr_t is 56 bytes on x86-64 and 64 on aarch64, and holds longs.
        #[repr(C, align(16))]
        struct Attributes([u8; 256]);
        extern "C" {
            fn pthread_self() -> usize;
            fn pthread_getattr_np(thread: usize, attributes: *mut Attributes) -> c_int;
            fn pthread_attr_getstack(
                attributes: *const Attributes,
                start: *mut *mut c_void,
                size: *mut usize,
            ) -> c_int;
            fn pthread_attr_destroy(attributes: *mut Attributes) -> c_int;
        }
        let mut attributes = Attributes([0; 256]);
        let (mut start, mut size) = (ptr::null_mut(), 0);
        // SAFETY: the attributes' buffer is larger than the C library's type and outlives the calls; it is
        // destroyed once, after it was filled.
        unsafe {
            if pthread_getattr_np(pthread_self(), &mut attributes) != 0 {
                return (0, 0);
            }
            let failed = pthread_attr_getstack(&attributes, &mut start, &mut size) != 0;
            pthread_attr_destroy(&mut attributes);
            if failed {
                (0, 0)
            } else {
                (start as usize, start as usize + size)
            }
        }
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    (0, 0)
}

/// Tells the engine that the calling thread is one of the runtime's.
pub fn become_worker() {
    with(|thread| thread.is_worker.set(true));
}
