//! What is kept with a task: implicit, explicit, or the initial one of a thread.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;

use workspan_rt::events::{Construct, Task};

use super::abi::Data;
use super::dependences::Dependences;
use super::entrance::Entrance;
use super::image;
use super::region::Region;
use super::worksharing::Worksharing;

thread_local! {
    /// The task that the thread has entered.
    static ENTERED: Cell<*mut TaskState> = const { Cell::new(ptr::null_mut()) };
}

/// The number of the region that the calling thread runs a part of, if that is inside another.
pub(super) fn inner_region() -> Option<u64> {
    // SAFETY: it is null, or a state that this thread has entered, which nobody frees until this
    // thread leaves it (`entrance`), and whose role only this thread changes.
    match unsafe { ENTERED.get().as_ref() }?.role {
        // SAFETY: the task has not come to the last barrier of its region, since it is being run,
        // so the region is alive.
        Role::Implicit { region, .. } => unsafe { &*region }.inner_number(),
        _ => None,
    }
}

/// A task of the program. Only the thread that executes it, or creates it, comes here.
pub(super) struct TaskState {
    task: Task,
    role: Role,
    /// Has a thread entered it, or a piece of it?
    entrance: Entrance,
    /// Its thread waits, at a barrier or for tasks: none of that is work, and it executes other tasks meanwhile.
    waits: bool,
    worksharing: Option<Worksharing>,
    /// Of how many worksharing constructs of its region it has had a share.
    shares: usize,
    /// Of its children.
    dependences: Option<Box<Dependences<Task>>>,
    /// The codes that have begun its open task groups, the innermost last.
    groups: Vec<usize>,
    /// The region that it has come upon, and that has not ended.
    region: *mut Region,
    /// The runtime's place for the task that has created it; valid as long as that waits for it, or creates it.
    parent: *mut Data,
}

/// What kind of task it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The code of a thread outside of parallel regions.
    Initial,
    /// One thread's part of a parallel region.
    Implicit {
        /// As long as the task has not come to the barrier at the end of the region, the region lives.
        region: *const Region,
        /// It has come to a barrier, and not gone on.
        arrived: bool,
        /// The team's number of threads.
        threads: u32,
    },
    Explicit {
        /// Its parent goes on only when it has ended.
        undeferred: bool,
        /// Its descendants are part of it.
        is_final: bool,
        /// Only the thread that begins it goes on with it.
        is_tied: bool,
        /// The number of threads of its team.
        threads: u32,
    },
    /// A `taskwait` with dependences: a task without code that its parent waits for.
    Taskwait,
}

impl Drop for TaskState {
    fn drop(&mut self) {
        // An initial task may end while its thread runs it.
        if ptr::eq(ENTERED.get(), self) {
            ENTERED.set(ptr::null_mut());
        }
    }
}

impl TaskState {
    pub fn new(task: Task, role: Role) -> Self {
        Self {
            task,
            role,
            entrance: Entrance::default(),
            waits: false,
            worksharing: None,
            shares: 0,
            dependences: None,
            groups: Vec::new(),
            region: ptr::null_mut(),
            parent: ptr::null_mut(),
        }
    }

    pub fn set_parent(&mut self, parent: *mut Data) {
        self.parent = parent;
    }

    /// Where its parent is kept: valid while that creates the task or waits for it alone.
    pub fn parent(&self) -> *mut Data {
        self.parent
    }

    pub fn role(&self) -> Role {
        self.role
    }

    /// The task itself.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// What its thread runs: the task, or a piece of a worksharing construct.
    pub fn running(&self) -> &Task {
        match &self.worksharing {
            Some(worksharing) => worksharing.piece(),
            None => &self.task,
        }
    }

    /// Number of threads of the task's team.
    pub fn threads(&self) -> u32 {
        match self.role {
            Role::Implicit { threads, .. } | Role::Explicit { threads, .. } => threads,
            Role::Initial | Role::Taskwait => 1,
        }
    }

    /// Whether tasks created in it are part of it.
    pub fn is_final(&self) -> bool {
        matches!(self.role, Role::Explicit { is_final: true, .. })
    }

    /// The dependences among its children.
    pub fn dependences(&mut self) -> &mut Dependences<Task> {
        self.dependences.get_or_insert_with(Box::default)
    }

    /// It has waited for all its children, so what is created from here on comes after them anyway; but not what other pieces
    /// create of a construct that it is in.
    pub fn forget_dependences(&mut self) {
        if self.worksharing.is_none() {
            self.dependences = None;
        }
    }

    /// It begins a task group, at that code.
    pub fn begin_group(&mut self, code: usize) {
        self.groups.push(code);
    }

    /// It has waited for all tasks of the innermost group.
    pub fn end_group(&mut self) {
        self.groups.pop();
    }

    /// The code of a construct that the task comes upon, from what the runtime says: null in some places, and in others an
    /// address inside itself.
    pub fn code(&self, told: *const c_void) -> usize {
        let known = match self.role {
            // SAFETY: a task comes upon constructs before it comes to the last barrier of its
            // region, so that is alive.
            Role::Implicit { region, .. } if told.is_null() => Some(unsafe { &*region }.code()),
            _ if image::is_of_runtime(told as usize) => self.groups.last().copied(),
            _ => None,
        };
        known.unwrap_or(told as usize)
    }

    /// The task is the one that its thread runs.
    pub fn set_entered(&mut self) {
        self.entrance.enter();
        ENTERED.set(self);
    }

    /// It has come upon a region, which goes on in other tasks.
    pub fn begin_region(&mut self, region: *mut Region) {
        self.region = region;
        self.take_entered();
    }

    /// The region that it has come upon is over. Null if there was none.
    pub fn end_region(&mut self) -> *mut Region {
        std::mem::replace(&mut self.region, ptr::null_mut())
    }

    /// The thread runs it no longer. Tells whether it did.
    fn take_entered(&mut self) -> bool {
        // Another thread that has left it untold is yet to see what became of it.
        if !self.is_entered_here() {
            return false;
        }
        ENTERED.set(ptr::null_mut());
        self.entrance.take()
    }

    /// The thread begins the task, or goes on with it.
    pub fn resume(&mut self) {
        if self.is_ready() {
            self.suspend_other();
            self.running().enter();
            self.set_entered();
        }
    }

    /// The thread leaves the task that it runs without having told so.
    fn suspend_other(&self) {
        // libomp does not tell that a thread leaves the task which it went on with between two parts of an untied one.
        let other = ENTERED.get();
        if !other.is_null() {
            // SAFETY: this thread has entered the other one, so it is not freed yet, and it is not
            // this one, which is not entered. No other reference is alive: the callbacks hold one
            // at a time.
            unsafe { Self::leave_untold(other) };
        }
    }

    /// The thread has left the task that it has entered, and was not told so.
    ///
    /// # Safety
    ///
    /// `task` was boxed, and is the one that the calling thread has entered; no reference to it is
    /// alive on this thread.
    unsafe fn leave_untold(task: *mut Self) {
        // SAFETY: this thread has entered it (`# Safety`), so whoever is told of the end does not
        // free it, but may look at it meanwhile: hence a shared reference.
        let state = unsafe { &*task };
        if !state.entrance.is_ended() {
            ENTERED.set(ptr::null_mut());
            state.running().leave();
            // From here on another thread may enter the task, or free it, unless it has ended meanwhile.
            if !state.entrance.leave() {
                return;
            }
        }
        // SAFETY: the task has ended, and who was told so has left it to this thread (`entrance`),
        // which is the last to have it; `keep` made it of a box.
        let mut ended = unsafe { Box::from_raw(task) };
        ended.end();
    }

    /// The task has ended, as the calling thread is told; another may have it entered, and have left it untold. That ends it
    /// when it turns to another. Gives the task back if it has ended now.
    ///
    /// # Safety
    ///
    /// `ended` was boxed, and the runtime's place for the task has it no more; no reference to it
    /// is alive on this thread, which alone is told of the end, once.
    pub unsafe fn end_told(ended: *mut Self) -> Option<Box<Self>> {
        // SAFETY: it was boxed (`# Safety`), and another thread, which may look at it meanwhile,
        // frees it only after this one has made its mark at the entrance: hence a shared reference.
        let state = unsafe { &*ended };
        if !state.is_entered_here() && state.entrance.is_left_at_end() {
            return None;
        }
        // SAFETY: this thread has entered it, or no thread has, so that none comes to it any more;
        // it was boxed (`# Safety`).
        let mut ended = unsafe { Box::from_raw(ended) };
        ended.end();
        Some(ended)
    }

    /// The same, and the calling thread goes on with `next`.
    ///
    /// # Safety
    ///
    /// As for [`Self::end_told`].
    pub unsafe fn end_for(ended: *mut Self, next: &mut Self) -> Option<Box<Self>> {
        // SAFETY: it was boxed, and is not freed before this thread has made its mark at the
        // entrance (`# Safety`).
        if !unsafe { &*ended }.is_entered_here() || !next.is_ready() {
            // SAFETY: what is asked of `ended` is the same here (`# Safety`).
            let ended = unsafe { Self::end_told(ended) };
            next.resume();
            return ended;
        }
        // SAFETY: it was boxed (`# Safety`), and this thread has entered it, so no other comes to
        // it any more.
        let mut ended = unsafe { Box::from_raw(ended) };
        ended.entrance.take();
        ended.task.end_and_turn_to(next.running());
        next.set_entered();
        Some(ended)
    }

    /// The thread turns to another task.
    pub fn suspend(&mut self) {
        if self.take_entered() {
            self.running().leave();
        }
    }
    /// Has any thread entered it?
    fn is_entered(&self) -> bool {
        self.entrance.is_entered()
    }

    /// Has the calling thread entered it?
    fn is_entered_here(&self) -> bool {
        self.is_entered() && ptr::eq(ENTERED.get(), self)
    }

    /// The thread turns to `next`, from this task.
    pub fn suspend_for(&mut self, next: &mut Self) {
        if !self.is_entered() || !self.is_tied() || !next.is_ready() {
            self.suspend();
            return next.resume();
        }
        self.entrance.take();
        self.running().turn_to(next.running());
        next.set_entered();
    }

    /// The task has ended. One that the runtime has discarded never began.
    pub fn end(&mut self) {
        if self.take_entered() {
            self.task.end();
        }
    }

    /// Does only the thread that begins it go on with it?
    fn is_tied(&self) -> bool {
        !matches!(self.role, Role::Explicit { is_tied: false, .. })
    }

    /// Does the thread go on with it when it comes to it?
    fn is_ready(&self) -> bool {
        !self.waits && !self.is_entered()
    }

    /// The thread begins to wait.
    pub fn begin_wait(&mut self) {
        self.suspend();
        self.waits = true;
    }

    /// The thread goes on after it has waited.
    pub fn end_wait(&mut self) {
        self.waits = false;
        self.resume();
    }

    /// The thread goes on after it has waited for the task's children.
    pub fn end_wait_for_children(&mut self) {
        self.waits = false;
        if self.is_entered() {
            self.running().wait_for_children();
        } else {
            self.suspend_other();
            self.running().enter_after_children();
            self.set_entered();
        }
        self.forget_dependences();
    }

    /// It comes upon a loop or sections.
    pub fn begin_worksharing(&mut self, construct: &Construct<'_>) {
        self.end_worksharing();
        let region = match self.role {
            // SAFETY: a task comes upon constructs before it comes to the last barrier of its
            // region, so that is alive.
            Role::Implicit { region, .. } => Some(unsafe { &*region }),
            _ => None,
        };
        self.worksharing = Worksharing::begin(&self.task, region, self.shares, construct);
        self.shares += 1;
    }

    /// It gets a piece of a loop or of sections.
    pub fn next_piece(&mut self) {
        if let Some(worksharing) = &mut self.worksharing {
            worksharing.next_piece();
        }
    }

    /// It has executed its part of a loop or of sections. A runtime does not tell so where they are cancelled.
    pub fn end_worksharing(&mut self) {
        if let Some(worksharing) = self.worksharing.take() {
            worksharing.end();
        }
    }

    /// It comes to a barrier of its region.
    pub fn arrive(&mut self) {
        self.end_worksharing();
        if let Role::Implicit {
            region,
            arrived: arrived @ false,
            ..
        } = &mut self.role
        {
            // SAFETY: the region lives until all its implicit tasks have come to its last barrier,
            // and this one had not.
            unsafe { &**region }.arrive(&self.task);
            *arrived = true;
            self.take_entered();
            self.waits = true;
        }
    }

    /// It goes on after a barrier inside its region.
    pub fn pass(&mut self) {
        if let Role::Implicit {
            region,
            arrived: arrived @ true,
            ..
        } = &mut self.role
        {
            // SAFETY: the end of the last barrier has no region and is left out (`sync_region`), so
            // this is another one, and the region has not ended.
            unsafe { &**region }.pass(&self.task);
            *arrived = false;
            self.waits = false;
            self.forget_dependences();
            self.set_entered();
        }
    }

    /// While it waits at a barrier, its thread combines what others have of a reduction: that is work of its own.
    pub fn begin_reduction(&mut self) {
        if matches!(self.role, Role::Implicit { arrived: true, .. }) && !self.is_entered() {
            self.task.enter();
            self.set_entered();
        }
    }

    /// The thread has combined two parts.
    pub fn end_reduction(&mut self) {
        if let Role::Implicit {
            region,
            arrived: true,
            ..
        } = self.role
        {
            if self.take_entered() {
                // SAFETY: no task goes on after the barrier before all parts are combined, so the
                // region has not ended.
                unsafe { &*region }.arrive(&self.task);
            }
        }
    }
}
