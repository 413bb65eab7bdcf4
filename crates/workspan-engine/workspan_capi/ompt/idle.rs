//! Events while nothing but the threads' idle time is measured.
//!
//! A thread looks for work where it waits, at a barrier or for tasks, and between parallel regions. What is known of a task is
//! one word, in the runtime's place for it; nothing is allocated.
//!
//! The callbacks are for the runtime alone, as those of [`callbacks`](super::callbacks).

use std::ffi::{c_int, c_uint, c_void, CStr};

use workspan_rt::idle::{self, told, Worker};

use super::abi::{self, endpoint, erased, event, status, sync_region, thread, Data, Function};
use super::running_task::running_task;

/// What is kept with a task: the worker that has created an explicit one, and in its lowest bits what the task does.
struct Word<'a>(&'a mut Data);

/// It waits, and its thread executes other tasks meanwhile.
const WAITS: usize = 1;
/// It waits for its children alone.
const WAITS_FOR_CHILDREN: usize = 2;
/// Another thread than that which has created it executes it, or something else will end it.
const IS_TAKEN: usize = 4;
/// It has dependences: it is in no queue before those are fulfilled.
const IS_DEPENDENT: usize = 8;
const FLAGS: usize = WAITS | WAITS_FOR_CHILDREN | IS_TAKEN | IS_DEPENDENT;

impl Word<'_> {
    /// That of a task, if there is one.
    ///
    /// # Safety
    /// `data` is null, or the runtime's place for a task that the calling thread executes, creates
    /// or ends, valid and used by nobody else as long as the word is used.
    unsafe fn of(data: *mut Data) -> Option<Self> {
        // SAFETY: `data` is null or valid, and nobody else uses it as long as the word is used
        // (`# Safety`).
        unsafe { data.as_mut() }.map(Self)
    }

    fn bits(&self) -> usize {
        self.0.pointer as usize
    }

    fn has(&self, bit: usize) -> bool {
        self.bits() & bit != 0
    }

    fn set(&mut self, bits: usize) {
        self.0.pointer = (self.bits() | bits) as *mut c_void;
    }

    fn clear(&mut self, bits: usize) {
        self.0.pointer = (self.bits() & !bits) as *mut c_void;
    }

    fn set_creator(&mut self, creator: Worker) {
        self.0.pointer = creator.into_raw().cast_mut();
    }

    /// None of an implicit task.
    fn creator(&self) -> Option<Worker> {
        let pointer = (self.bits() & !FLAGS) as *const c_void;
        // SAFETY: without the flags it is null, or what `set_creator` has from `into_raw`. The
        // place of a `taskwait` has another pointer (`task_create`), but the runtime executes no
        // such task, so it is not asked here.
        (!pointer.is_null()).then(|| unsafe { Worker::from_raw(pointer) })
    }

    /// Its thread looks for work if the task waits; otherwise the task goes on, or begins.
    fn resume(&mut self) {
        match (self.has(WAITS), self.has(WAITS_FOR_CHILDREN)) {
            (false, _) if self.has(IS_TAKEN) => told::find(),
            (false, _) => match self.creator() {
                Some(creator) => {
                    if told::begin_task(creator, self.has(IS_DEPENDENT)) {
                        self.set(IS_TAKEN);
                    }
                }
                None => told::find(),
            },
            (true, true) => told::look_for_children(),
            (true, false) => told::look(),
        }
    }

    fn begin_wait(&mut self, bits: usize) {
        self.set(bits);
        self.resume();
    }

    fn end_wait(&mut self) {
        self.clear(WAITS | WAITS_FOR_CHILDREN);
        told::find();
    }

    /// It goes on without a thread.
    fn detach(&mut self) {
        if let Some(creator) = self.creator().filter(|_| !self.has(IS_TAKEN)) {
            creator.take();
            self.set(IS_TAKEN);
        }
    }

    fn end(&mut self) {
        if let Some(creator) = self.creator().filter(|_| self.has(IS_TAKEN)) {
            creator.give_back();
        }
        self.0.pointer = std::ptr::null_mut();
    }
}

/// # Safety
/// None of its own; it is unsafe because its type is.
unsafe extern "C" fn thread_begin(kind: c_int, _thread: *mut Data) {
    match kind {
        thread::INITIAL => told::begin_thread(true),
        thread::WORKER => told::begin_thread(false),
        // One that helps with target regions.
        _ => {}
    }
}

/// # Safety
/// None of its own; it is unsafe because its type is.
unsafe extern "C" fn thread_end(_thread: *mut Data) {
    if idle::worker().is_some() {
        told::end_thread();
    }
}

/// # Safety
/// For the runtime alone, as the module says.
unsafe extern "C" fn implicit_task(
    endpoint: c_int,
    _region: *mut Data,
    task: *mut Data,
    _threads: c_uint,
    index: c_uint,
    flags: c_int,
) {
    if endpoint == endpoint::BEGIN {
        // SAFETY: the runtime passes null, or its place for the task that begins, which this thread
        // alone uses.
        if let Some(task) = unsafe { Word::of(task) } {
            task.0.pointer = std::ptr::null_mut();
        }
        told::find();
    } else if index != 0 && flags & abi::task::INITIAL == 0 {
        // The first thread of a team goes on after the region; the others have nothing to do.
        told::look();
    }
}

/// # Safety
/// For the runtime alone, as the module says.
unsafe extern "C" fn sync_region_wait(
    kind: c_int,
    endpoint: c_int,
    _region: *mut Data,
    task: *mut Data,
    _code: *const c_void,
) {
    let task = match kind {
        // LLVM's runtime passes a copy.
        sync_region::TASKGROUP => running_task(),
        _ => task,
    };
    // SAFETY: it is null, or the runtime's place for the task that waits, which this thread
    // executes. Of the end of a team's last barrier it is a copy, which is all that is left of the
    // task.
    let Some(mut task) = (unsafe { Word::of(task) }) else {
        return;
    };
    match (endpoint, kind) {
        (endpoint::BEGIN, sync_region::TASKWAIT) => task.begin_wait(WAITS | WAITS_FOR_CHILDREN),
        (endpoint::BEGIN, _) => task.begin_wait(WAITS),
        _ => task.end_wait(),
    }
}

/// # Safety
/// For the runtime alone, as the module says.
unsafe extern "C" fn task_create(
    encountering_task: *mut Data,
    _frame: *const abi::Frame,
    new_task: *mut Data,
    flags: c_int,
    has_dependences: c_int,
    _code: *const c_void,
) {
    // SAFETY: the runtime passes null, or its place for the new task, which this thread alone
    // knows.
    let (Some(mut new), Some(creator)) = (unsafe { Word::of(new_task) }, idle::worker()) else {
        return;
    };
    new.set_creator(creator);
    if has_dependences != 0 {
        new.set(IS_DEPENDENT);
    }
    if flags & abi::task::TASKWAIT != 0 {
        new.0.pointer = encountering_task.cast();
        // SAFETY: the runtime passes null, or its place for the task that this thread executes,
        // which is another one than the new task.
        if let Some(mut waiting) = unsafe { Word::of(encountering_task) } {
            waiting.begin_wait(WAITS | WAITS_FOR_CHILDREN);
        }
    }
}

/// # Safety
/// For the runtime alone, as the module says.
unsafe extern "C" fn task_schedule(prior: *mut Data, why: c_int, next: *mut Data) {
    // SAFETY: the runtime passes null, or its place for the task that this thread has executed. It
    // may be the next one's, too: this word is not used any more when that is made.
    let prior = unsafe { Word::of(prior) };
    match (why, prior) {
        (status::TASKWAIT_COMPLETE, Some(wait)) => {
            let parent = wait.0.pointer.cast();
            wait.0.pointer = std::ptr::null_mut();
            // SAFETY: `task_create` has put it there: the place of a task that waits, so it is
            // valid, and that this thread executes. It is another one than `wait`.
            if let Some(mut parent) = unsafe { Word::of(parent) } {
                parent.end_wait();
            }
            return;
        }
        (status::EARLY_FULFILL, _) => return,
        (status::LATE_FULFILL, Some(mut ended)) => return ended.end(),
        (status::COMPLETE | status::CANCEL, Some(mut ended)) => ended.end(),
        (status::DETACH, Some(mut left)) => left.detach(),
        _ => {}
    }
    // SAFETY: the runtime passes null, or its place for the task that this thread executes from now
    // on; the word of the other is not used any more.
    if let Some(mut next) = unsafe { Word::of(next) } {
        next.resume();
    }
}

/// For each event its name, number, callback, and whether figures are wrong without it.
pub(super) fn callbacks() -> impl Iterator<Item = (&'static CStr, c_int, Function, bool)> {
    [
        (
            c"thread_begin",
            event::THREAD_BEGIN,
            erased!(ThreadBegin, thread_begin),
            true,
        ),
        (
            c"thread_end",
            event::THREAD_END,
            erased!(ThreadEnd, thread_end),
            true,
        ),
        (
            c"implicit_task",
            event::IMPLICIT_TASK,
            erased!(ImplicitTask, implicit_task),
            true,
        ),
        (
            c"sync_region_wait",
            event::SYNC_REGION_WAIT,
            erased!(SyncRegion, sync_region_wait),
            true,
        ),
        (
            c"task_create",
            event::TASK_CREATE,
            erased!(TaskCreate, task_create),
            true,
        ),
        (
            c"task_schedule",
            event::TASK_SCHEDULE,
            erased!(TaskSchedule, task_schedule),
            true,
        ),
    ]
    .into_iter()
}
