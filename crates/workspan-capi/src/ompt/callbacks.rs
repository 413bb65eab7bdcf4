//! What the runtime calls: each function turns an event into calls of the engine.
//!
//! libomp tells some ends late: a worker's end of the last barrier and of its implicit task come when it gets work again, or
//! never. Such an end has no region, and nothing depends on it.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use workspan_rt::events::{At, Construct, Task};
use workspan_rt::Kind;

use super::abi::{self, dependence, endpoint, status, sync_region, Data};
use super::dependences::Access;
use super::region::Region;
use super::task::{Role, TaskState};
use super::taskwait;
use super::tool;
use super::waiting;

/// What is kept at `data`.
///
/// # Safety
///
/// `data` is null or the runtime's place for a task, in which only [`keep`] writes; no other reference to its state is alive.
unsafe fn state<'a>(data: *mut Data) -> Option<&'a mut TaskState> {
    // SAFETY: by the contract, `data` is null or valid, and holds null or a pointer that `keep` made.
    unsafe { data.as_mut()?.pointer.cast::<TaskState>().as_mut() }
}

/// Keeps a state with a task.
///
/// # Safety
///
/// `data` is the runtime's place for a task.
unsafe fn keep<'a>(data: *mut Data, state: TaskState) -> Option<&'a mut TaskState> {
    // SAFETY: by the contract, `data` is valid.
    unsafe { data.as_mut()? }.pointer = Box::into_raw(Box::new(state)).cast();
    // SAFETY: as above.
    unsafe { self::state(data) }
}

/// Takes the state back that is kept with a task which has ended.
///
/// # Safety
///
/// As for [`state`].
unsafe fn take(data: *mut Data) -> Option<Box<TaskState>> {
    // SAFETY: by the contract, `data` is null or valid.
    let data = unsafe { data.as_mut()? };
    let pointer = std::mem::replace(&mut data.pointer, ptr::null_mut());
    // SAFETY: the pointer is null or was made by `keep`, and is now nowhere else.
    (!pointer.is_null()).then(|| unsafe { Box::from_raw(pointer.cast()) })
}

fn construct(kind: Kind, code: usize) -> Construct<'static> {
    Construct {
        kind,
        at: At::Code(code),
    }
}

/// Calls `f` with the task that comes upon a construct, and the construct's code: by what is kept with it, else what the
/// calling thread runs.
fn encountering<R>(
    state: Option<&TaskState>,
    code: *const c_void,
    f: impl FnOnce(&Task, usize) -> Option<R>,
) -> Option<R> {
    match state {
        Some(state) => f(state.running(), state.code(code)),
        None => f(&Task::running()?, code as usize),
    }
}

pub(super) unsafe extern "C" fn parallel_begin(
    encountering_task: *mut Data,
    _frame: *const abi::Frame,
    region: *mut Data,
    threads: c_uint,
    _flags: c_int,
    code: *const c_void,
) {
    // SAFETY: the runtime passes its places for a task and for a region.
    let (parent, place) = unsafe { (state(encountering_task), region.as_mut()) };
    let (Some(parent), Some(place)) = (parent, place) else {
        return;
    };
    let code = parent.code(code);
    let is_inner = parent.role() != Role::Initial;
    if let Some(begun) = Region::begin(parent.running(), code, threads as usize, is_inner) {
        let begun = Box::into_raw(Box::new(begun));
        place.pointer = begun.cast();
        parent.begin_region(begun);
    }
}

pub(super) unsafe extern "C" fn parallel_end(
    // libomp has given the team up by then, and passes what another region has meanwhile, which a thread begins there.
    _region: *mut Data,
    encountering_task: *mut Data,
    _flags: c_int,
    _code: *const c_void,
) {
    // SAFETY: the runtime passes its place for the task that the calling thread goes on with.
    let Some(state) = (unsafe { state(encountering_task) }) else {
        return;
    };
    let region = state.end_region();
    if !region.is_null() {
        // SAFETY: `parallel_begin` made the pointer. All implicit tasks have come to the last barrier, so none refers to it.
        unsafe { Box::from_raw(region) }.end();
        state.set_entered();
    }
}

pub(super) unsafe extern "C" fn implicit_task(
    endpoint: c_int,
    region: *mut Data,
    task: *mut Data,
    threads: c_uint,
    index: c_uint,
    flags: c_int,
) {
    if endpoint == endpoint::BEGIN {
        // SAFETY: the runtime passes its place for a region, or null for the initial task of a thread. The region has not
        // ended, since this task of it only begins.
        let region =
            unsafe { region.as_ref() }.map_or(ptr::null(), |data| data.pointer as *const Region);
        // SAFETY: `parallel_begin` made the pointer.
        let (task_of_engine, role) = match unsafe { region.as_ref() } {
            Some(known) => {
                if index == 0 && flags & abi::task::INITIAL == 0 {
                    workspan_rt::note_pool(threads as usize, false);
                }
                let member = known.member(index as usize);
                let role = Role::Implicit {
                    region,
                    arrived: false,
                    // Each task of a league is a team of its own.
                    threads: match flags & abi::task::INITIAL != 0 {
                        true => 1,
                        false => threads,
                    },
                };
                (Some(member), role)
            }
            None => (Task::running(), Role::Initial),
        };
        if let Some(task_of_engine) = task_of_engine {
            // SAFETY: the runtime passes its place for the new task.
            if let Some(state) = unsafe { keep(task, TaskState::new(task_of_engine, role)) } {
                match role {
                    Role::Initial => state.set_entered(),
                    _ => state.resume(),
                }
            }
        }
        return;
    }
    // SAFETY: the runtime passes its place for the task, or a copy, which is all that is left of the task.
    if let Some(task) = unsafe { task.as_mut() } {
        waiting::end(task);
    }
    // SAFETY: as above.
    if let Some(mut state) = unsafe { take(task) } {
        // A region of one thread has no barrier at its end.
        if state.role() != Role::Initial {
            state.arrive();
        }
    }
}

pub(super) unsafe extern "C" fn sync_region(
    kind: c_int,
    endpoint: c_int,
    region: *mut Data,
    task: *mut Data,
    code: *const c_void,
) {
    let begins = endpoint == endpoint::BEGIN;
    if is_barrier(kind) {
        // Without a region it is the end of the last barrier of one.
        if begins || !region.is_null() {
            // SAFETY: the runtime passes its place for the task that waits, which its thread executes.
            unsafe { barrier(begins, task) };
        }
        return;
    }
    // SAFETY: as above.
    let Some(state) = (unsafe { state(task) }) else {
        return;
    };
    match kind {
        sync_region::TASKWAIT if begins => state.begin_wait(),
        sync_region::TASKWAIT => state.end_wait_for_children(),
        sync_region::TASKGROUP if begins => {
            let code = state.code(code);
            state.begin_group(code);
            state
                .running()
                .begin_scope(Some(&construct(Kind::Taskgroup, code)));
        }
        sync_region::TASKGROUP => {
            state.end_wait();
            state.end_group();
            state.running().end_scope();
        }
        _ => {}
    }
}

fn is_barrier(kind: c_int) -> bool {
    matches!(
        kind,
        sync_region::BARRIER
            | sync_region::BARRIER_IMPLICIT
            | sync_region::BARRIER_EXPLICIT
            | sync_region::BARRIER_IMPLEMENTATION
            | sync_region::BARRIER_IMPLICIT_WORKSHARE
            | sync_region::BARRIER_IMPLICIT_PARALLEL
            | sync_region::BARRIER_TEAMS
    )
}

/// A task comes to a barrier, or goes on after it.
///
/// # Safety
///
/// As for [`state`], of a task that the calling thread executes.
unsafe fn barrier(begins: bool, task: *mut Data) {
    if !begins {
        // SAFETY: by the contract.
        if let Some(place) = unsafe { task.as_mut() } {
            waiting::end(place);
        }
    }
    // SAFETY: by the contract.
    let (Some(state), Some(place)) = (unsafe { (state(task), task.as_mut()) }) else {
        return;
    };
    match (state.role(), begins) {
        (Role::Implicit { threads, .. }, true) => {
            state.arrive();
            // A team of one thread has no other tasks to execute.
            if threads > 1 {
                waiting::begin(place);
            }
        }
        (Role::Implicit { .. }, false) => state.pass(),
        // The team of the code outside of regions has one thread.
        (_, true) => state.begin_wait(),
        (_, false) => {
            state.end_wait();
            state.running().wait_for_all();
            state.forget_dependences();
        }
    }
}

pub(super) unsafe extern "C" fn sync_region_wait(
    kind: c_int,
    endpoint: c_int,
    _region: *mut Data,
    task: *mut Data,
    _code: *const c_void,
) {
    if kind != sync_region::TASKGROUP {
        return;
    }
    // SAFETY: the runtime passes its place for the task that waits, which its thread executes.
    if let Some(state) = unsafe { state(task) } {
        match endpoint == endpoint::BEGIN {
            true => state.begin_wait(),
            false => state.end_wait(),
        }
    }
}

pub(super) unsafe extern "C" fn work(
    kind: c_int,
    endpoint: c_int,
    _region: *mut Data,
    task: *mut Data,
    _count: u64,
    code: *const c_void,
) {
    let kind = match kind {
        abi::work::LOOP
        | abi::work::DISTRIBUTE
        | abi::work::LOOP_STATIC
        | abi::work::LOOP_DYNAMIC
        | abi::work::LOOP_GUIDED
        | abi::work::LOOP_OTHER => Kind::Loop,
        abi::work::SECTIONS => Kind::Sections,
        abi::work::TASKLOOP => {
            tool::expect_taskloops();
            return;
        }
        _ => return,
    };
    // SAFETY: the runtime passes its place for the task that the calling thread executes.
    if let Some(state) = unsafe { state(task) } {
        match endpoint == endpoint::BEGIN {
            true => state.begin_worksharing(&construct(kind, state.code(code))),
            false => state.end_worksharing(),
        }
    }
}

pub(super) unsafe extern "C" fn dispatch(
    _region: *mut Data,
    task: *mut Data,
    kind: c_int,
    _instance: *mut c_void,
) {
    if kind == abi::dispatch::TASKLOOP_CHUNK {
        return;
    }
    // SAFETY: the runtime passes its place for the task that the calling thread executes.
    if let Some(state) = unsafe { state(task) } {
        state.next_piece();
    }
}

/// The runtime's place for the task that creates `new`: the encountering one, but in taskloops. libomp tells of all tasks of one as of
/// children of the task with the loop. Of many, though, most are created by tasks of its own that each halve the loop
/// (`__kmp_taskloop_recur`), while the task with the loop, and its state, may be another thread's.
fn creator(encountering: *mut Data, new: *mut Data) -> *mut Data {
    if !tool::expects_taskloops() {
        return encountering;
    }
    let running = tool::running_task();
    // SAFETY: null, or the runtime's place for the task that the calling thread executes.
    let has_state = unsafe { running.as_ref() }.is_some_and(|place| !place.pointer.is_null());
    // A task that is executed at once is the running one already.
    match has_state && running != new {
        true => running,
        false => encountering,
    }
}

pub(super) unsafe extern "C" fn task_create(
    encountering_task: *mut Data,
    _frame: *const abi::Frame,
    new_task: *mut Data,
    flags: c_int,
    _has_dependences: c_int,
    code: *const c_void,
) {
    let creator = creator(encountering_task, new_task);
    // SAFETY: the runtime's place for the task that the calling thread executes.
    let parent = unsafe { state(creator) };
    let threads = parent.as_ref().map_or(1, |parent| parent.threads());
    let within_final = parent.as_ref().is_some_and(|parent| parent.is_final());
    let undeferred = flags & abi::task::UNDEFERRED != 0
        // In a team of one thread the flag says nothing: all tasks have it.
        && (threads > 1 || within_final || tool::is_running(new_task));
    let role = match flags & abi::task::TASKWAIT != 0 {
        true => Role::Taskwait,
        false => Role::Explicit {
            undeferred,
            is_final: flags & abi::task::FINAL != 0,
            is_tied: flags & abi::task::UNTIED == 0,
            threads,
        },
    };
    let task = encountering(parent.as_deref(), code, |running, code| {
        let construct = construct(Kind::Task, code);
        match undeferred || role == Role::Taskwait {
            true => running.spawn_serially(&construct),
            false => running.spawn(&construct),
        }
    });
    let Some(task) = task else {
        return;
    };
    if let (Role::Taskwait, Some(parent)) = (role, parent) {
        parent.begin_wait();
    }
    let mut state = TaskState::new(task, role);
    state.set_parent(creator);
    if role == Role::Taskwait {
        taskwait::begin(new_task, state);
    } else {
        // SAFETY: the runtime passes its place for the new task.
        unsafe { keep(new_task, state) };
    }
}

pub(super) unsafe extern "C" fn dependences(
    task: *mut Data,
    list: *const abi::Dependence,
    length: c_int,
) {
    if list.is_null() || length <= 0 {
        return;
    }
    // SAFETY: the runtime passes a list of that length.
    let list = unsafe { std::slice::from_raw_parts(list, length as usize) };
    // SAFETY: the runtime passes its place for a task that has just been created, so nothing else knows it.
    match unsafe { state(task) } {
        Some(state) => depend(state, list),
        None => taskwait::with(task, |state| depend(state, list)).unwrap_or(()),
    }
}

/// A task that has just been created depends on a list of places.
fn depend(state: &TaskState, list: &[abi::Dependence]) {
    state.task().allow_followers();
    // SAFETY: the parent creates the task, so the calling thread executes it. It is another one than the task.
    let Some(parent) = (unsafe { self::state(state.parent()) }) else {
        return;
    };
    let everything = list.iter().any(|one| {
        matches!(
            one.kind,
            dependence::OUT_ALL_MEMORY | dependence::INOUT_ALL_MEMORY
        )
    });
    if everything {
        let task = state.task();
        parent
            .dependences()
            .add_everything(task, |before| task.follow(before));
        return;
    }
    let accesses: Vec<_> = list
        .iter()
        .filter_map(|one| {
            let access = match one.kind {
                dependence::IN => Access::Read,
                dependence::OUT | dependence::INOUT => Access::Write,
                dependence::MUTEXINOUTSET => Access::ExclusiveSet,
                dependence::INOUTSET => Access::Set,
                // Of an ordered loop.
                _ => return None,
            };
            Some((one.variable.pointer as usize, access))
        })
        .collect();
    let task = state.task();
    parent
        .dependences()
        .add(task, &accesses, |before| task.follow(before));
}

pub(super) unsafe extern "C" fn task_schedule(prior: *mut Data, why: c_int, next: *mut Data) {
    match why {
        // The event of a detached task occurs while it is executed: its end is its end.
        status::EARLY_FULFILL => return,
        status::LATE_FULFILL => {
            // SAFETY: the runtime passes its place for a task that no thread executes any more.
            drop(unsafe { take(prior) });
            return;
        }
        status::TASKWAIT_COMPLETE => {
            if let Some(mut wait) = taskwait::end(prior) {
                wait.resume();
                wait.end();
                // SAFETY: the parent waits, so it lives, and the calling thread executes it.
                if let Some(parent) = unsafe { state(wait.parent()) } {
                    parent.end_wait();
                    parent.running().continue_after(wait.task());
                }
            }
            return;
        }
        _ => {}
    }
    match why {
        // SAFETY: the runtime passes its places for a task that has ended and for the one that the calling thread executes
        // from now on.
        status::COMPLETE | status::CANCEL => unsafe { end(prior, next) },
        // SAFETY: the same of a task that the thread has executed so far.
        _ => unsafe { suspend(prior, next, why == status::DETACH) },
    }
}

/// The calling thread has executed the task at `prior`, which has ended, and goes on with the one at `next`.
///
/// # Safety
///
/// As for [`state`].
unsafe fn end(prior: *mut Data, next: *mut Data) {
    // SAFETY: the caller's promise. The two differ: one is executed.
    let (ended, next) = unsafe { (take(prior), state(next)) };
    match (ended, next) {
        (Some(ended), Some(next)) => {
            let is_undeferred = matches!(
                ended.role(),
                Role::Explicit {
                    undeferred: true,
                    ..
                }
            );
            // SAFETY: `take` has taken it from the runtime's place.
            let ended = unsafe { TaskState::end_for(Box::into_raw(ended), next) };
            if let Some(ended) = ended.filter(|_| is_undeferred) {
                next.running().continue_after(ended.task());
            }
        }
        // SAFETY: as above.
        (Some(ended), None) => drop(unsafe { TaskState::end_told(Box::into_raw(ended)) }),
        (None, Some(next)) => next.resume(),
        (None, None) => {}
    }
}

/// The calling thread has executed the task at `prior` so far, or to its end if that is `detached`, and goes on with the one
/// at `next`, which may be the same.
///
/// # Safety
///
/// As for [`state`].
unsafe fn suspend(prior: *mut Data, next: *mut Data, detached: bool) {
    // SAFETY: the caller's promise; there is one reference at a time to a state.
    unsafe {
        // What follows a detached task begins when its event has occurred, which is no earlier than its end.
        if detached {
            if let Some(left) = state(prior) {
                left.end();
            }
        } else if !ptr::eq(prior, next) {
            if let (Some(left), Some(next)) = (state(prior), state(next)) {
                return left.suspend_for(next);
            }
            if let Some(left) = state(prior) {
                left.suspend();
            }
        }
        if let Some(next) = state(next) {
            next.resume();
        }
    }
}

pub(super) unsafe extern "C" fn reduction(
    _kind: c_int,
    endpoint: c_int,
    _region: *mut Data,
    task: *mut Data,
    _code: *const c_void,
) {
    // SAFETY: the runtime passes its place for the task that the calling thread executes. What is kept with it at a barrier is
    // what `waiting` has.
    let state = unsafe { state(task).or_else(|| waiting::last().cast::<TaskState>().as_mut()) };
    if let Some(state) = state {
        match endpoint == endpoint::BEGIN {
            true => state.begin_reduction(),
            false => state.end_reduction(),
        }
    }
}
