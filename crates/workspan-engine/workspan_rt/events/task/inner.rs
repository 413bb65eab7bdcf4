//! The data of a task.

use crate::events::instance::Instance;
use crate::events::point::Point;
use crate::events::recorded::Recorded;
use crate::events::scope::{Awaiter, Scope};
use crate::path::frame::Frame;
use crate::thread::Thread;
use std::cell::{Cell, UnsafeCell};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

pub(super) const NEW: u8 = 0;
pub(super) const ENTERED: u8 = 1;
pub(super) const LEFT: u8 = 2;
pub(super) const ENDED: u8 = 3;
/// Ended, and its spawner has continued after it.
pub(super) const RETURNED: u8 = 4;

/// Whose path a task's end may lengthen.
pub(super) enum Awaited {
    /// The task that spawned it, or whatever is around that.
    By(Awaiter),
    /// Its spawner alone, which continues once it has ended.
    Serially(Awaiter, Arc<Scope>),
    /// The instance that it is a part of.
    In(Arc<Instance>),
}

/// A task, or the serial code of a thread. A handle: clones refer to the same task.
#[derive(Clone)]
pub struct Task(pub(in crate::events) Arc<Inner>);

/// The data of a task.
///
/// While `state` is [`ENTERED`], all cells belong to the thread whose `task` this is; while it is
/// [`LEFT`] or [`NEW`], to whoever changes it to [`ENTERED`]. The changes of the state order what
/// they wrote: release, and acquire.
pub(crate) struct Inner {
    pub(super) state: AtomicU8,
    /// The account of its path; null before it is entered. If it is the serial code of a thread,
    /// the frame is not the task's own.
    pub(super) frame: Cell<*mut Frame>,
    /// Where the path stands while the task is left: in `frame`, or in the frame of an instance
    /// within it.
    pub(super) present: Cell<*mut Frame>,
    /// The thread that has [turned](Task::turn_to) from it and keeps its lane open in the record,
    /// around what it does meanwhile; the thread then keeps its count of the task. Else null. If it
    /// is another thread, it is only compared.
    pub(super) stays_on: Cell<*const Thread>,
    pub(super) start: UnsafeCell<Point>,
    pub(in crate::events) node: u32,
    pub(super) top: bool,
    pub(super) spawner: *const Thread,
    pub(super) awaited: UnsafeCell<Option<Awaited>>,
    /// Is it the serial code of the thread `spawner`?
    pub(super) is_serial_code: bool,
    /// The instance that it is a part of, for comparison only; null if none.
    pub(super) part_of: *const Instance,
    pub(super) scopes: UnsafeCell<Vec<Open>>,
    /// What must have ended before it begins.
    pub(super) before: OnceLock<Mutex<Vec<Task>>>,
    /// May others follow it? Then its end is kept in `end`.
    pub(super) is_followed: AtomicBool,
    /// Its end, and the hub that leads to in the record.
    pub(super) end: OnceLock<(Point, u64)>,
    pub(in crate::events) recorded: Recorded,
    /// Of a member or piece: what its own strands in the present phase are counted from.
    pub(in crate::events) own_before: Cell<i64>,
    /// Of a member: the barrier that it is at, or else comes to next.
    pub(in crate::events) phase: Cell<usize>,
    pub(in crate::events) is_at_barrier: AtomicBool,
    /// A number that the interface stores with the task.
    pub(super) tag: AtomicUsize,
}

// SAFETY: one thread at a time touches the cells, and the changes of `state` order them (see the
// type); `spawner`, `stays_on` and `part_of` are only compared by other threads.
unsafe impl Send for Inner {}
// SAFETY: through a shared reference the cells are touched by the owner alone that `state` allows
// (see the type); the rest is atomic, locked, or never changes.
unsafe impl Sync for Inner {}

/// A scope of a task, and the frame of its instance, null if it has none.
pub(super) struct Open {
    pub(super) scope: Arc<Scope>,
    pub(super) frame: *mut Frame,
}

impl Inner {
    /// `awaited`: `None` for the serial code of a thread.
    pub(super) fn new(
        start: Point,
        node: u32,
        spawner: *const Thread,
        awaited: Option<Awaited>,
        recorded: Recorded,
    ) -> Self {
        Self {
            state: AtomicU8::new(NEW),
            frame: Cell::new(ptr::null_mut()),
            present: Cell::new(ptr::null_mut()),
            stays_on: Cell::new(ptr::null()),
            start: UnsafeCell::new(start),
            node,
            top: false,
            spawner,
            is_serial_code: awaited.is_none(),
            part_of: match &awaited {
                Some(Awaited::In(instance)) => Arc::as_ptr(instance),
                _ => ptr::null(),
            },
            awaited: UnsafeCell::new(awaited),
            scopes: UnsafeCell::new(Vec::new()),
            before: OnceLock::new(),
            is_followed: AtomicBool::new(false),
            end: OnceLock::new(),
            recorded,
            own_before: Cell::new(0),
            phase: Cell::new(0),
            is_at_barrier: AtomicBool::new(false),
            tag: AtomicUsize::new(0),
        }
    }

    /// Has no thread begun it? The answer says nothing of what another thread does meanwhile.
    pub(super) fn is_new(&self) -> bool {
        self.state.load(Ordering::Relaxed) == NEW
    }

    /// If the task never began: drops what it was to follow, in a loop: recursion would need as
    /// much stack as tasks follow one another.
    fn drop_before(&mut self) {
        let take = |inner: &mut Self| {
            let before = inner.before.take();
            before.map_or_else(Vec::new, |before| {
                before.into_inner().unwrap_or_else(PoisonError::into_inner)
            })
        };
        let mut last = take(self);
        while let Some(task) = last.pop() {
            if let Some(mut inner) = Arc::into_inner(task.0) {
                last.append(&mut take(&mut inner));
            }
        }
    }

    /// Changes the state from one of two to another; false if it is neither.
    pub(super) fn change(&self, from: [u8; 2], to: u8) -> bool {
        // One exchange, whichever of the two it is: an exchange costs as much as a hundred
        // instructions.
        let now = self.state.load(Ordering::Relaxed);
        let change = |now| {
            self.state
                .compare_exchange(now, to, Ordering::AcqRel, Ordering::Relaxed)
        };
        from.contains(&now) && change(now).is_ok()
    }

    /// For the serial code of a thread whose frame is about to go: nobody may enter it again. What
    /// it has not waited for is left to the end of the program.
    ///
    /// # Safety
    /// As [`Inner::leave_scopes`].
    pub(in crate::events) unsafe fn forget(&self) {
        if self.is_serial_code {
            self.state.store(ENDED, Ordering::Relaxed);
            // SAFETY: no other thread touches the cells meanwhile (`# Safety`).
            unsafe { self.leave_scopes() };
        }
    }

    /// Leaves what the task has not waited for to what is around it.
    ///
    /// # Safety
    /// No other thread touches the task's cells meanwhile: the calling thread runs the task, or the
    /// task is that thread's serial code, which no other enters; or the engine is off, or the world
    /// is stopped.
    pub(crate) unsafe fn leave_scopes(&self) {
        // SAFETY: no other thread touches the cells meanwhile (`# Safety`), so the caller owns
        // them.
        for scope in unsafe { self.take_scopes() }.iter().rev() {
            scope.leave();
        }
    }

    /// The program ends in the task: leaves whatever around it has ended to the end of the program.
    ///
    /// # Safety
    /// The world is stopped.
    pub(crate) unsafe fn leave_outwards(&self) {
        // SAFETY: the world is stopped (`# Safety`), so no other thread touches the cells.
        unsafe {
            self.leave_scopes();
            match &*self.awaited.get() {
                Some(Awaited::By(awaiter) | Awaited::Serially(awaiter, _)) => {
                    awaiter.scope.leave_outwards();
                }
                Some(Awaited::In(instance)) => instance.leave_outwards(),
                None => {}
            }
        }
    }

    /// Is the task the one that `thread` runs?
    pub(in crate::events) fn is_run_by(&self, thread: &Thread) -> bool {
        ptr::eq(thread.task.get().cast(), self)
    }

    /// The frame of the task itself, alive from the first entry to the end. Only for the owner of
    /// the task's cells.
    pub(in crate::events) fn own_frame(&self) -> *mut Frame {
        self.frame.get()
    }

    /// Is there a scope already?
    ///
    /// # Safety
    /// As [`Inner::scope`].
    pub(super) unsafe fn has_scope(&self) -> bool {
        // SAFETY: the caller owns the cells (`# Safety`), and the reference ends here.
        !unsafe { &*self.scopes.get() }.is_empty()
    }

    /// The innermost scope, made if there is none.
    ///
    /// # Safety
    /// The caller owns the task's cells (see the type), and holds no reference to the scopes.
    pub(super) unsafe fn scope(&self) -> Arc<Scope> {
        // SAFETY: the caller owns the cells (`# Safety`), so there is no other reference to this
        // one.
        let scopes = unsafe { &mut *self.scopes.get() };
        if scopes.is_empty() {
            // SAFETY: the caller owns the cells (`# Safety`), and nothing here changes this one.
            let scope = match unsafe { &*self.awaited.get() } {
                Some(Awaited::By(around) | Awaited::Serially(around, _)) => {
                    Scope::new(Some(around.clone()))
                }
                Some(Awaited::In(instance)) => instance.scope_of_part(),
                None => Scope::new(None),
            };
            scopes.push(Open {
                scope,
                frame: ptr::null_mut(),
            });
        }
        scopes[scopes.len() - 1].scope.clone()
    }

    /// Takes the list of what must have ended before the task begins.
    pub(super) fn take_before(&self) -> Vec<Task> {
        match self.before.get() {
            Some(before) => {
                std::mem::take(&mut *before.lock().unwrap_or_else(PoisonError::into_inner))
            }
            None => Vec::new(),
        }
    }

    /// Its open scopes.
    ///
    /// # Safety
    /// The caller owns the task's cells as long as the iterator lives, and does not change the
    /// scopes meanwhile.
    pub(in crate::events) unsafe fn scopes(&self) -> impl Iterator<Item = &Scope> {
        // SAFETY: the caller owns the cells, and leaves this one as it is while the iterator lives
        // (`# Safety`).
        let scopes = unsafe { &*self.scopes.get() };
        scopes.iter().map(|open| &*open.scope)
    }

    /// Takes all scopes, which hold what the barrier of the task's phase awaits.
    ///
    /// # Safety
    /// As [`Inner::scope`].
    pub(in crate::events) unsafe fn take_scopes(&self) -> Vec<Arc<Scope>> {
        // SAFETY: the caller owns the cells (`# Safety`), so there is no other reference to this
        // one.
        let scopes = unsafe { &mut *self.scopes.get() };
        std::mem::take(scopes)
            .into_iter()
            .map(|open| open.scope)
            .collect()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.drop_before();
        let frame = self.frame.get();
        if !self.is_serial_code && !frame.is_null() {
            // SAFETY: the frame is one of `Spares::place`, so of a box, and the end of a task takes
            // it out. No thread runs the task, since a thread that does holds it.
            drop(unsafe { Box::from_raw(frame) });
        }
    }
}
