//! What the engine keeps for each thread of the program.

mod edges;
mod frames;
mod own_stack;
mod paths;
mod strand;
mod stretches;

pub(crate) use edges::ASIDE;
pub(crate) use own_stack::{own_stack, own_stack_end, own_stack_limit};

use crate::clock;
use crate::events::lock::{self, Locks};
use crate::events::{self, Inner};
use crate::frame::{Frame, Spares};
use crate::functions::Functions;
use crate::log::Others;
use crate::processor::Presence;
use crate::record::Recorder;
use crate::region::Regions;
use crate::sampler::Samples;
use crate::session::{self, Settings};
use crate::stretch::Stretch;
use crate::table::{self, Counter, Table};
use crate::task::Point;
use crate::{own_counter, stop, tree};
use edges::{CachedEdge, EDGES};
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    /// Does the root end a strand to join a thread that it started? Only within that one piece of bookkeeping.
    pub(crate) is_joining: Cell<bool>,
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
    /// The task that a runtime's events say it runs, held; null if none.
    pub(crate) task: Cell<*const Inner>,
    /// The one that stands for the thread's own code, held, once it was asked for.
    pub(crate) serial_code: Cell<*const Inner>,
    /// What it has of the program's locks, once it has acquired one.
    pub(crate) locks: Cell<Option<Box<Locks>>>,
    /// Has it left a task, and not entered one since? Then what it runs is the runtime's.
    pub(crate) is_away: Cell<bool>,
    /// Ticks taken off strands at the events of other runtimes.
    pub(crate) event_cost: Counter,
    /// The end of its stack; 0: not asked for.
    stack_end: Cell<usize>,
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

const FIRST_CREDIT: i64 = 1 << 16;

thread_local! {
    static CURRENT: Cell<*const Thread> = const { Cell::new(ptr::null()) };
    static LEASE: Lease = const { Lease };
}

/// Every thread's data, ever. An entry whose thread has ended is lent again.
static ALL: Mutex<Vec<(&'static Thread, bool)>> = Mutex::new(Vec::new());

fn lock_all() -> AllHeld {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The list of all threads' data, held.
pub(crate) type AllHeld = MutexGuard<'static, Vec<(&'static Thread, bool)>>;

/// Lets no thread begin or end until the guard goes.
pub(crate) fn hold_all() -> AllHeld {
    lock_all()
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
        // In a child of fork(2) a thread that is not there may hold the locks, and nobody asks for what is given back.
        if thread.is_null() || !session::is_ours() {
            return;
        }
        // SAFETY: as in `with`.
        let thread = unsafe { &*thread };
        // The main thread's destructors run before the profile is written; its data is needed for that.
        // So is that of a thread inside a task that ends the process. Of a session that is over, nothing is.
        let frame = thread.frame.load(Ordering::Relaxed);
        // Whoever begins the next session clears all threads, and holds the list for that.
        let own = {
            let _all = lock_all();
            thread.own.get()
        };
        let is_in_task = !frame.is_null() && frame != own;
        if stop::mode() != stop::OFF && (thread.is_root() || is_in_task) {
            return;
        }
        stop::guarded(thread, |thread| thread.end_own_frame());
        thread.presence.end();
        thread.samples.end();
        own_counter::close();
        CURRENT.set(ptr::null());
        let mut all = lock_all();
        let point = thread.point.take();
        for entry in all.iter_mut().filter(|(t, _)| ptr::eq(*t, thread)) {
            entry.1 = false;
        }
        drop(all);
        drop(point);
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
            is_joining: Cell::new(false),
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
            task: Cell::new(ptr::null()),
            serial_code: Cell::new(ptr::null()),
            locks: Cell::new(None),
            is_away: Cell::new(false),
            event_cost: Counter::default(),
            stack_end: Cell::new(0),
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
        self.end_task();
        lock::forget_held(self);
        self.is_away.set(false);
        self.stack_end.set(0);
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
        if clock::chosen().is_real_time() {
            self.presence.prepare();
        }
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

    /// Forgets everything counted, for a new session, and what the thread did in one before: the frames of that stay where
    /// they are, since what it still has to end may point at them. The engine is off, so the thread is in no bookkeeping.
    pub(crate) fn clear(&self) {
        self.frame.store(ptr::null_mut(), Ordering::Relaxed);
        self.own.set(ptr::null_mut());
        self.running.store(false, Ordering::Relaxed);
        self.set_at(0);
        self.table.clear();
        self.off_processor.set(0);
        self.transitions.set(0);
        self.lookups.set(0);
        self.event_cost.set(0);
        self.paths.take();
        self.path_credit.set(FIRST_CREDIT);
        self.regions.take();
        self.functions.clear();
        self.presence.readings.set(0);
        self.leave_boundary();
        self.stretch.clear();
        self.samples.clear();
        self.recorder.clear();
        self.end_task();
        self.locks.set(None);
        self.is_away.set(false);
        self.point.set(None);
    }

    /// Leaves what the thread's tasks have not waited for to the end of the program. The world is stopped, and the caller, its
    /// writer, stands in for the thread: what the record is still to have goes there.
    pub(crate) fn leave_tasks_to_end(&self) {
        let caller = CURRENT.replace(self);
        let was_busy = self.busy.swap(true, Ordering::Relaxed);
        for held in [&self.task, &self.serial_code] {
            let task = held.get();
            if !task.is_null() {
                // SAFETY: held by this thread, which is stopped.
                unsafe { (*task).leave_outwards() };
            }
        }
        self.busy.store(was_busy, Ordering::Relaxed);
        CURRENT.set(caller);
    }

    /// What a runtime's events said to run here runs no longer: its frame is about to go.
    pub(crate) fn end_task(&self) {
        for held in [&self.task, &self.serial_code] {
            let task = held.replace(ptr::null());
            if !task.is_null() {
                // SAFETY: held by this thread.
                unsafe { events::forget(task) };
            }
        }
    }

    /// An address at the end of the thread's stack, 0 if that is not known. For the thread itself.
    #[inline]
    pub(crate) fn stack_end(&self) -> usize {
        if self.stack_end.get() == 0 {
            self.stack_end.set(own_stack_end());
        }
        self.stack_end.get()
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
}

/// Tells the engine that the calling thread is one of the runtime's.
pub fn become_worker() {
    with(|thread| thread.is_worker.set(true));
}
