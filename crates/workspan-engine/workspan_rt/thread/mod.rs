//! What the engine keeps for each thread of the program.
//!
//! Code here names nothing of the folders below it, but calls four methods of [`Thread`] that they
//! define: `break_stretch`, `close_serial` and `end_suspect_strand` of `constructs`, and
//! `place_samples` of `sampler`.

mod aside;
mod cached_edge;
mod current;
mod edges;
mod frames;
pub(crate) mod functions;
mod guard;
pub(crate) mod locks;
mod paths;
pub(crate) mod recording;
pub(crate) mod regions;
pub(crate) mod samples;
mod strand;

pub(crate) use aside::aside;
pub use current::become_worker;
pub(crate) use current::{count_working, current, for_each, hold_all, stand_in_for, with, AllHeld};
pub(crate) use edges::ASIDE;
pub(crate) use guard::{guarded, guarded_if_free};

use crate::path::frame::{Frame, Spares};
use crate::path::identity::Identity;
use crate::path::log::Others;
use crate::path::spawn_point::Point;
use crate::path::stretch::Stretch;
use crate::record::Recorder;
use crate::stack::own_stack::own_stack_end;
use crate::state::settings::Settings;
use crate::system::presence::Presence;
use crate::system::tally::Tally;
use crate::thread::functions::Functions;
use crate::thread::locks::Locks;
use crate::thread::regions::Regions;
use crate::thread::samples::Samples;
use crate::tree::table::{self, Table};
use cached_edge::{CachedEdge, EDGES};
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicPtr, AtomicUsize, Ordering};
use std::sync::Arc;

/// The engine's data of one thread. Written by that thread alone, inside [`with`] or a stretch.
/// Aligned so that the data of two threads share neither a cache line nor a pair of lines that the
/// processor fetches together.
#[repr(align(128))]
pub(crate) struct Thread {
    /// See [`stop`](crate::state::stop).
    pub(crate) busy: AtomicBool,
    /// The frame of the present strand, or of the construct that the thread waits in. Null outside
    /// any task.
    pub(crate) frame: AtomicPtr<Frame>,
    /// Whether a strand is running, as opposed to the thread waiting in a construct.
    pub(crate) running: AtomicBool,
    /// Time of the last boundary: the start of the present strand, if one is running.
    pub(crate) last: Tally,
    /// The *token*: the stack address at which the present task began on this thread, aligned to a
    /// word; for a branch entered right at its fork, that of the fork. As long as no other boundary
    /// has come, the lowest bits ([`BOUNDARY`]) may say which boundary of the fork or group at that
    /// address the last one is: then the next strand may share its time. [`UNREAD`] says that the
    /// clock has not been read since the fork at that address began.
    at: AtomicUsize,
    pub(crate) table: Table,
    pub(crate) off_processor: Tally,
    /// What strands of the program's own threads waited, which is no work.
    pub(crate) waited: Tally,
    edges: [Cell<CachedEdge>; EDGES],
    epoch: Cell<u64>,
    pub(crate) presence: Presence,
    /// Length of the last strand.
    pub(crate) previous: Cell<i64>,
    /// The frame of a thread that the program started itself.
    own: Cell<*mut Frame>,
    /// Whether this is a thread of the program, on which waits are not work. Set at the start of
    /// each, except the root's.
    pub(crate) is_user_thread: Cell<bool>,
    /// Whether the root ends a strand in order to join a thread that it started. Only within that
    /// one piece of bookkeeping.
    pub(crate) is_joining: Cell<bool>,
    /// Whether this is a thread of the runtime.
    pub(crate) is_worker: Cell<bool>,
    /// The frame that waits here for a call handed to the runtime, or for the end of a thread; null
    /// if none does. Other frames may be above it meanwhile.
    pub(crate) calling: Cell<*mut Frame>,
    /// When the wait began in which it is, if nothing but another thread ends it; 0: there is none.
    pub(crate) waits_since: AtomicI64,
    /// The kernel's number of it.
    pub(crate) kernel_number: AtomicI32,
    /// Whether it is in a wait of any kind that is noted.
    pub(crate) waits: AtomicBool,
    /// Whether the thread runs what has no place in the call tree, as in a calibration.
    pub(crate) is_aside: Cell<bool>,
    /// Whether this is the thread that started the session.
    is_root: AtomicBool,
    /// The session's settings, copied so that the fast path finds them next to everything else.
    pub(crate) settings: Cell<Settings>,
    /// The node whose cell was last asked for, and that cell.
    last_cell: Cell<(u32, *const table::Cell)>,
    /// How often the table was asked for a node other than the last, and how often the tree that
    /// all threads share was asked for an edge.
    pub(crate) transitions: Tally,
    pub(crate) lookups: Tally,
    /// By node: what was on the longest paths of its top instances that ended on this thread.
    paths: Cell<Vec<Others>>,
    /// How many more entries may go there: a credit that instances earn when they end.
    path_credit: Cell<i64>,
    pub(crate) regions: Cell<Regions>,
    pub(crate) functions: Functions,
    pub(crate) spare_frames: Spares,
    pub(crate) stretch: Stretch,
    pub(crate) samples: Samples,
    pub(crate) recorder: Recorder,
    /// The task that the thread runs according to a runtime's events, as a counted reference; null
    /// if there is none. Only [`events`](crate::events) knows its type.
    pub(crate) task: Cell<*const ()>,
    /// The task that stands for the thread's own code, as a counted reference, once it was asked
    /// for.
    pub(crate) serial_code: Cell<*const ()>,
    /// What it knows of the program's locks, once it has acquired one.
    pub(crate) locks: Cell<Option<Box<Locks>>>,
    /// Whether it has left a task and not entered one since: then what it runs is the runtime's.
    pub(crate) is_away: Cell<bool>,
    /// Ticks taken off strands at the events of other runtimes.
    pub(crate) event_cost: Tally,
    /// The end of its stack; 0 until it is asked for.
    stack_end: Cell<usize>,
    /// The last point at which the thread spawned tasks.
    pub(crate) point: Cell<Option<Arc<Point>>>,
    /// The one whose data were made before; set before others can see these, and never changed.
    made_before: Option<&'static Thread>,
}

/// Frame and base of what a thread did before it adopted something else.
pub(crate) type Saved = (*mut Frame, usize);

// SAFETY: the atomics, and `made_before`, which never changes, may be read by anybody. Everything
// else is touched by the one thread that the data is lent to (`with`), or by the writer of the
// profile after it stopped the world, or between two threads that the free list's lock orders.
unsafe impl Sync for Thread {}

// SAFETY: nothing in it belongs to the thread that made it: it is lent to one after another, and
// what is of a thread is then set anew (`reset`).
unsafe impl Send for Thread {}

/// The bits of [`Thread::at`] that identify a boundary.
pub(crate) const BOUNDARY: usize = 3;

/// The bit of [`Thread::at`] that is set as long as the [stretch](crate::path::stretch) is open in
/// which the fork at that address began, unless it is a timed one. Whatever ends the stretch clears
/// it.
pub(crate) const UNREAD: usize = 4;

/// How many entries of paths are free ([`Thread::record_top`]).
const FIRST_CREDIT: i64 = 1 << 16;

impl Thread {
    fn new(made_before: Option<&'static Thread>) -> Self {
        Self {
            busy: AtomicBool::new(false),
            frame: AtomicPtr::new(ptr::null_mut()),
            running: AtomicBool::new(false),
            last: Tally::default(),
            at: AtomicUsize::new(0),
            table: Table::new(),
            off_processor: Tally::default(),
            waited: Tally::default(),
            edges: std::array::from_fn(|_| Cell::default()),
            epoch: Cell::new(0),
            presence: Presence::default(),
            previous: Cell::new(0),
            own: Cell::new(ptr::null_mut()),
            is_user_thread: Cell::new(false),
            is_joining: Cell::new(false),
            is_worker: Cell::new(false),
            calling: Cell::new(ptr::null_mut()),
            waits_since: AtomicI64::new(0),
            kernel_number: AtomicI32::new(0),
            waits: AtomicBool::new(false),
            is_aside: Cell::new(false),
            is_root: AtomicBool::new(false),
            settings: Cell::default(),
            last_cell: Cell::new((0, ptr::null())),
            transitions: Tally::default(),
            lookups: Tally::default(),
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
            event_cost: Tally::default(),
            stack_end: Cell::new(0),
            point: Cell::new(None),
            made_before,
        }
    }

    /// Distinguishes the thread from all others.
    #[inline(always)]
    pub(crate) fn identity(&self) -> Identity {
        Identity::of(ptr::from_ref(self).cast())
    }

    /// Whether this is the thread whose serial code is the root's. Any thread may ask.
    pub(crate) fn is_root(&self) -> bool {
        self.is_root.load(Ordering::Relaxed)
    }

    /// The counts of `node` on this thread.
    #[inline(always)]
    pub(crate) fn cell(&self, node: u32) -> &table::Cell {
        let (last, cell) = self.last_cell.get();
        if last == node && !cell.is_null() {
            // SAFETY: `table` has the cell, which never moves and lives as long as the thread's
            // data.
            return unsafe { &*cell };
        }
        let cell = self.table.cell(node);
        self.transitions.add(1);
        self.last_cell.set((node, cell));
        cell
    }

    /// An address at the end of the thread's stack, 0 if unknown. For the thread itself.
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

    /// The stack address at which the present task began on this thread.
    #[inline(always)]
    pub(crate) fn base(&self) -> usize {
        self.at() & !(BOUNDARY | UNREAD)
    }

    /// Clears the boundary from `at`, which is no longer the last, and ends what is unread.
    #[inline(always)]
    pub(crate) fn leave_boundary(&self) {
        self.set_at(self.base());
    }
}
