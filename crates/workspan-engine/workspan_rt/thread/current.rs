//! The calling thread's data, lent to it from its first call to its end.

use super::cached_edge::CachedEdge;
use super::{guarded, Thread, FIRST_CREDIT};
use crate::clock::{self, own_counter};
use crate::path::frame::Frame;
use crate::stack::own_stack::own_stack_end;
use crate::state::{process, settings, stop};
use crate::system::kernel_thread;
use crate::tree;
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

thread_local! {
    static CURRENT: Cell<*const Thread> = const { Cell::new(ptr::null()) };
    static LEASE: Lease = const { Lease };
}

/// The data of every thread there has been, and whether it is in use. Data of a thread that has
/// ended are lent to another.
static ALL: Mutex<Vec<(&'static Thread, bool)>> = Mutex::new(Vec::new());

/// The data that were made last: the first of a list of all, which a signal handler may walk.
static NEWEST: AtomicPtr<Thread> = AtomicPtr::new(ptr::null_mut());

fn lock_all() -> AllHeld {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The list of all threads' data, locked.
pub(crate) type AllHeld = MutexGuard<'static, Vec<(&'static Thread, bool)>>;

/// Keeps threads from beginning and ending until the guard is dropped.
pub(crate) fn hold_all() -> AllHeld {
    lock_all()
}

/// Calls `visit` with the data of every thread, and whether it is in use.
pub(crate) fn for_each(mut visit: impl FnMut(&'static Thread, bool)) {
    for (thread, in_use) in lock_all().iter() {
        visit(thread, *in_use);
    }
}

/// How many threads run a strand and are in no noted wait, or are in the engine's bookkeeping; no
/// more than `most`. Takes no lock, and looks at a bounded number of threads.
pub(crate) fn count_working(most: usize) -> usize {
    const LOOKED_AT: usize = 1_024;
    // Acquire: what is in the list was made before.
    // SAFETY: null, or data that are never freed.
    let newest = unsafe { NEWEST.load(Ordering::Acquire).as_ref() };
    std::iter::successors(newest, |thread| thread.made_before)
        .take(LOOKED_AT)
        .filter(|thread| thread.is_working())
        .take(most)
        .count()
}

/// Runs the bookkeeping `f` on the calling thread's data, unless the engine is off.
#[inline(always)]
pub(crate) fn with<R>(f: impl FnOnce(&Thread) -> R) -> Option<R> {
    let thread = CURRENT.get();
    if thread.is_null() {
        attach()?;
    }
    // SAFETY: it is not null here, and `attach` sets it to data that are never freed.
    guarded(unsafe { &*CURRENT.get() }, f)
}

/// The calling thread's data; null if it has none.
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
    // Fails when the thread is ending: then it has nothing more to report.
    LEASE.try_with(|_| ()).ok()?;
    let mut all = lock_all();
    let thread = match all.iter_mut().find(|(_, in_use)| !in_use) {
        Some(entry) => {
            entry.1 = true;
            entry.0
        }
        None => {
            // The lock of the list is held: nobody else adds to it.
            // SAFETY: null, or data that are never freed.
            let made_before = unsafe { NEWEST.load(Ordering::Relaxed).as_ref() };
            let thread: &'static Thread = Box::leak(Box::new(Thread::new(made_before)));
            NEWEST.store(ptr::from_ref(thread).cast_mut(), Ordering::Release);
            all.push((thread, true));
            thread
        }
    };
    drop(all);
    thread.reset();
    CURRENT.set(thread);
    Some(())
}

/// Gives back a thread's data when the thread ends.
struct Lease;

impl Drop for Lease {
    fn drop(&mut self) {
        let thread = CURRENT.get();
        // In a child of fork(2), a thread that does not exist there may hold the locks; and nobody
        // asks there for what is given back.
        if thread.is_null() || !process::is_ours() {
            return;
        }
        // SAFETY: it is not null here, and `attach` sets it to data that are never freed.
        let thread = unsafe { &*thread };
        // The main thread's destructors run before the profile is written, which needs the thread's
        // data. It needs those of a thread inside a task that ends the process, too. Of a session
        // that is over, it needs nothing.
        let frame = thread.frame.load(Ordering::Relaxed);
        // Whoever begins the next session clears all threads, and holds the list meanwhile.
        let own = {
            let _all = lock_all();
            thread.own.get()
        };
        let is_in_task = !frame.is_null() && frame != own;
        if stop::mode() != stop::OFF && (thread.is_root() || is_in_task) {
            return;
        }
        guarded(thread, |thread| thread.end_own_frame());
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

/// Tells the engine that the calling thread is one of the runtime's.
pub fn become_worker() {
    with(|thread| thread.is_worker.set(true));
}

/// Runs `f` as if the data of `thread`, which is stopped, were the calling thread's.
pub(crate) fn stand_in_for(thread: &Thread, f: impl FnOnce()) {
    let caller = CURRENT.replace(thread);
    f();
    CURRENT.set(caller);
}

impl Thread {
    /// Prepares the data for the thread that it is lent to. The table is kept: it is summed up at
    /// the end.
    fn reset(&self) {
        self.frame.store(ptr::null_mut(), Ordering::Relaxed);
        self.running.store(false, Ordering::Relaxed);
        self.set_at(0);
        self.is_user_thread.set(false);
        self.is_worker.set(false);
        self.calling.set(ptr::null_mut());
        self.waits_since.store(0, Ordering::Relaxed);
        self.waits.store(false, Ordering::Relaxed);
        let number = kernel_thread::own_number();
        self.kernel_number.store(number, Ordering::Relaxed);
        self.end_task();
        if let Some(mut locks) = self.locks.take() {
            locks.forget_held();
            self.locks.set(Some(locks));
        }
        self.is_away.set(false);
        self.stack_end.set(0);
        self.functions.reset();
        self.stretch.expect_nothing();
        self.settings.set(settings::settings());
        self.last.set(clock::now());
        self.begin_presence();
        // Later, in the middle of an allocation, the C library cannot be asked for it.
        own_stack_end();
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

    pub(crate) fn end_root(&self) {
        if self.is_root.swap(false, Ordering::Relaxed) {
            self.frame.store(ptr::null_mut(), Ordering::Relaxed);
        }
    }

    /// Forgets, for a new session, everything counted, and what the thread did in an earlier one.
    /// The frames of that stay where they are, since what the thread still has to end may point at
    /// them. The engine is off, so the thread is in no bookkeeping.
    pub(crate) fn clear(&self) {
        self.frame.store(ptr::null_mut(), Ordering::Relaxed);
        self.own.set(ptr::null_mut());
        self.running.store(false, Ordering::Relaxed);
        self.calling.set(ptr::null_mut());
        self.waits_since.store(0, Ordering::Relaxed);
        self.waits.store(false, Ordering::Relaxed);
        self.set_at(0);
        self.table.clear();
        self.off_processor.set(0);
        self.waited.set(0);
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

    /// Picks up what has changed in the session since the thread last looked.
    #[inline]
    pub(crate) fn refresh(&self) {
        let epoch = settings::epoch();
        if self.epoch.replace(epoch) != epoch {
            let before = self.settings.replace(settings::settings());
            if before.check_after != self.settings.get().check_after {
                self.begin_presence();
            }
            self.samples.begin(self);
            self.edges.iter().for_each(|e| e.set(CachedEdge::default()));
        }
    }
}
