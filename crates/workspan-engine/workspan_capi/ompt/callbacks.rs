//! What the runtime calls: each function turns an event into calls of the engine.
//!
//! libomp tells some ends late: a worker's end of the last barrier and of its implicit task come
//! when it gets work again, or never. Such an end has no region, and nothing depends on it.
//!
//! # Safety of the callbacks
//!
//! They are for the runtime alone, which does as the specification says. Each place that it passes
//! for a task or a region is null or valid, and holds what the tool has put there, at first null.
//! That of a task it passes on the thread that creates, executes or ends the task, so no other
//! thread uses it at the same time; that of a region on the thread that begins it, and then on
//! those that begin its tasks. On one thread, a callback returns before the next is called.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use workspan_rt::events::{At, Construct, Task};
use workspan_rt::Kind;

use super::abi::{self, dependence, endpoint, status, sync_region, Data};
use super::dependences::Access;
use super::region::Region;
use super::running_task::{is_running, running_task};
use super::task::{Role, TaskState};
use super::taskwait;
use super::waiting;

/// What is kept at `data`.
///
/// # Safety
///
/// `data` is null, or the runtime's place for a task, valid and used by no other thread meanwhile.
/// What it holds is null or points at a state that is alive, since nothing else is put there
/// ([`keep`], [`waiting`], the calibration); and no other reference to the state is alive as long
/// as the result.
unsafe fn state<'a>(data: *mut Data) -> Option<&'a mut TaskState> {
    // SAFETY: `data` is null or valid, and this thread's. What it has is null or points at a state
    // that is alive, and to which there is no other reference (`# Safety`).
    unsafe { data.as_mut()?.pointer.cast::<TaskState>().as_mut() }
}

/// Keeps a state with a task.
///
/// # Safety
///
/// `data` is null, or the runtime's place for a new task, valid and used by nobody else meanwhile.
unsafe fn keep<'a>(data: *mut Data, state: TaskState) -> Option<&'a mut TaskState> {
    // SAFETY: `data` is null or valid, and nobody else uses it (`# Safety`).
    unsafe { data.as_mut()? }.pointer = Box::into_raw(Box::new(state)).cast();
    // SAFETY: the state has just been boxed, and nobody else has it.
    unsafe { self::state(data) }
}

/// Takes the state back that is kept with a task which has ended.
///
/// # Safety
///
/// `data` is null, or the runtime's place for a task, valid and used by no other thread meanwhile.
/// What it holds is null or a state that [`keep`] boxed, to which this thread has no reference.
unsafe fn take(data: *mut Data) -> Option<Box<TaskState>> {
    // SAFETY: `data` is null or valid, and nobody else uses it (`# Safety`).
    let data = unsafe { data.as_mut()? };
    let pointer = std::mem::replace(&mut data.pointer, ptr::null_mut());
    // SAFETY: `keep` made what is not null of a box, and the place is empty now, so that it is
    // taken once.
    (!pointer.is_null()).then(|| unsafe { Box::from_raw(pointer.cast()) })
}

fn construct(kind: Kind, code: usize) -> Construct<'static> {
    Construct {
        kind,
        at: At::Code(code),
    }
}

/// Calls `f` with the task that comes upon a construct, and the construct's code: by what is kept
/// with it, else what the calling thread runs.
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

/// # Safety
///
/// For the runtime alone, as the module says.
pub(super) unsafe extern "C" fn parallel_begin(
    encountering_task: *mut Data,
    _frame: *const abi::Frame,
    region: *mut Data,
    threads: c_uint,
    _flags: c_int,
    code: *const c_void,
) {
    // SAFETY: the runtime passes null, or its places for the task that this thread executes and for
    // a region, which are two, and which no other thread uses meanwhile.
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

/// # Safety
///
/// For the runtime alone, as the module says.
pub(super) unsafe extern "C" fn parallel_end(
    // libomp has given the team up by then, and passes what another region has meanwhile, which a
    // thread begins there.
    _region: *mut Data,
    encountering_task: *mut Data,
    _flags: c_int,
    _code: *const c_void,
) {
    // SAFETY: the runtime passes null, or its place for the task that this thread goes on with,
    // which no other thread uses meanwhile.
    let Some(state) = (unsafe { state(encountering_task) }) else {
        return;
    };
    let region = state.end_region();
    if !region.is_null() {
        // SAFETY: `parallel_begin` made the pointer of a box, and `end_region` has taken it out of
        // the state. All implicit tasks have come to the last barrier, so none refers to the region
        // any more.
        unsafe { Box::from_raw(region) }.end();
        state.set_entered();
    }
}

/// # Safety
///
/// For the runtime alone, as the module says.
pub(super) unsafe extern "C" fn implicit_task(
    endpoint: c_int,
    region: *mut Data,
    task: *mut Data,
    threads: c_uint,
    index: c_uint,
    flags: c_int,
) {
    if endpoint == endpoint::BEGIN {
        // SAFETY: the runtime passes null for an initial task, or else its place for a region,
        // which `parallel_begin` wrote before tasks of the region began, and nobody writes while
        // they do.
        let region =
            unsafe { region.as_ref() }.map_or(ptr::null(), |data| data.pointer as *const Region);
        // SAFETY: it is null, or `parallel_begin` made it of a box; the region has not ended, since
        // this task of it only begins.
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
            // SAFETY: the runtime passes null, or its place for the new task, which this thread
            // alone knows.
            if let Some(state) = unsafe { keep(task, TaskState::new(task_of_engine, role)) } {
                match role {
                    Role::Initial => state.set_entered(),
                    _ => state.resume(),
                }
            }
        }
        return;
    }
    // SAFETY: the runtime passes null, its place for the task that this thread ends, or a copy,
    // which is all that is left of the task: no other thread uses either.
    if let Some(task) = unsafe { task.as_mut() } {
        waiting::end(task);
    }
    // SAFETY: it is null, or a place that no other thread uses, of a task that this thread ends; no
    // reference to its state is alive.
    if let Some(mut state) = unsafe { take(task) } {
        // A region of one thread has no barrier at its end.
        if state.role() != Role::Initial {
            state.arrive();
        }
    }
}

/// # Safety
///
/// For the runtime alone, as the module says.
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
            // SAFETY: the runtime passes null, or its place for the task that waits, which this
            // thread executes; no reference to its state is alive.
            unsafe { barrier(begins, task) };
        }
        return;
    }
    // SAFETY: the runtime passes null, or its place for the task that waits, which this thread
    // executes; no reference to its state is alive.
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
/// `task` is as for [`state`], and the calling thread executes the task.
unsafe fn barrier(begins: bool, task: *mut Data) {
    if !begins {
        // SAFETY: `task` is null or valid, and no other thread uses it (`# Safety`).
        if let Some(place) = unsafe { task.as_mut() } {
            waiting::end(place);
        }
    }
    // SAFETY: `task` is null or valid, and no other thread uses it (`# Safety`). The state is not
    // in the place, so that there may be a reference to each.
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

/// # Safety
///
/// For the runtime alone, as the module says.
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
    // SAFETY: the runtime passes null, or its place for the task that waits, which this thread
    // executes; no reference to its state is alive.
    if let Some(state) = unsafe { state(task) } {
        match endpoint == endpoint::BEGIN {
            true => state.begin_wait(),
            false => state.end_wait(),
        }
    }
}

/// # Safety
///
/// For the runtime alone, as the module says.
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
            expect_taskloops();
            return;
        }
        _ => return,
    };
    // SAFETY: the runtime passes null, or its place for the task that this thread executes; no
    // reference to its state is alive.
    if let Some(state) = unsafe { state(task) } {
        match endpoint == endpoint::BEGIN {
            true => state.begin_worksharing(&construct(kind, state.code(code))),
            false => state.end_worksharing(),
        }
    }
}

/// # Safety
///
/// For the runtime alone, as the module says.
pub(super) unsafe extern "C" fn dispatch(
    _region: *mut Data,
    task: *mut Data,
    kind: c_int,
    _instance: *mut c_void,
) {
    if kind == abi::dispatch::TASKLOOP_CHUNK {
        return;
    }
    // SAFETY: the runtime passes null, or its place for the task that this thread executes; no
    // reference to its state is alive.
    if let Some(state) = unsafe { state(task) } {
        state.next_piece();
    }
}

/// Whether the program has come upon a taskloop.
static HAS_TASKLOOPS: AtomicBool = AtomicBool::new(false);

/// From now on tasks may be of taskloops. The threads that create such tasks know of it by the
/// runtime's handing these over.
fn expect_taskloops() {
    HAS_TASKLOOPS.store(true, Ordering::Relaxed);
}

/// Whether tasks may be of taskloops; else nobody has to ask the runtime who creates a task, which
/// would be no part of the calibration.
fn expects_taskloops() -> bool {
    HAS_TASKLOOPS.load(Ordering::Relaxed)
}

/// The runtime's place for the task that creates `new`: the encountering one, but in taskloops.
/// libomp tells of all tasks of one as of children of the task with the loop. Of many, though, most
/// are created by tasks of its own that each halve the loop (`__kmp_taskloop_recur`), while the
/// task with the loop, and its state, may be another thread's.
fn creator(encountering: *mut Data, new: *mut Data) -> *mut Data {
    if !expects_taskloops() {
        return encountering;
    }
    let running = running_task();
    // SAFETY: it is null, or the runtime's place for the task that this thread executes
    // (`running_task`), which no other thread uses.
    let has_state = unsafe { running.as_ref() }.is_some_and(|place| !place.pointer.is_null());
    // A task that is executed at once is the running one already.
    match has_state && running != new {
        true => running,
        false => encountering,
    }
}

/// # Safety
///
/// For the runtime alone, as the module says.
pub(super) unsafe extern "C" fn task_create(
    encountering_task: *mut Data,
    _frame: *const abi::Frame,
    new_task: *mut Data,
    flags: c_int,
    _has_dependences: c_int,
    code: *const c_void,
) {
    let creator = creator(encountering_task, new_task);
    // SAFETY: it is null, or the runtime's place for the task that creates the other, which this
    // thread executes (`creator`); no reference to its state is alive.
    let parent = unsafe { state(creator) };
    let threads = parent.as_ref().map_or(1, |parent| parent.threads());
    let within_final = parent.as_ref().is_some_and(|parent| parent.is_final());
    let undeferred = flags & abi::task::UNDEFERRED != 0
        // In a team of one thread the flag says nothing: all tasks have it.
        && (threads > 1 || within_final || is_running(new_task));
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
        // SAFETY: the runtime passes null, or its place for the new task, which this thread alone
        // knows.
        unsafe { keep(new_task, state) };
    }
}

/// # Safety
///
/// For the runtime alone, as the module says.
pub(super) unsafe extern "C" fn dependences(
    task: *mut Data,
    list: *const abi::Dependence,
    length: c_int,
) {
    if list.is_null() || length <= 0 {
        return;
    }
    // SAFETY: the runtime passes a list of that length, which is not 0, and does not write it
    // during the call.
    let list = unsafe { std::slice::from_raw_parts(list, length as usize) };
    // SAFETY: the runtime passes null, or its place for a task that has just been created, so that
    // this thread alone knows it; no reference to its state is alive.
    match unsafe { state(task) } {
        Some(state) => depend(state, list),
        None => taskwait::with(task, |state| depend(state, list)).unwrap_or(()),
    }
}

/// A task that has just been created depends on a list of places.
fn depend(state: &TaskState, list: &[abi::Dependence]) {
    state.task().allow_followers();
    // SAFETY: the parent creates the task, so it lives, and this thread executes it. It is another
    // one than the task, and no reference to its state is alive.
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

/// # Safety
///
/// For the runtime alone, as the module says.
pub(super) unsafe extern "C" fn task_schedule(prior: *mut Data, why: c_int, next: *mut Data) {
    match why {
        // The event of a detached task occurs while it is executed: its end is its end.
        status::EARLY_FULFILL => return,
        status::LATE_FULFILL => {
            // SAFETY: the runtime passes its place for a task that no thread executes any more, so
            // that nobody else uses it or the state.
            drop(unsafe { take(prior) });
            return;
        }
        status::TASKWAIT_COMPLETE => {
            if let Some(mut wait) = taskwait::end(prior) {
                wait.resume();
                wait.end();
                // SAFETY: the parent has waited for this one, so it lives, and this thread executes
                // it; no reference to its state is alive.
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
        // SAFETY: the runtime passes null, or its places for a task that has ended and for the one
        // that this thread executes from now on, which no other thread uses; no reference to a
        // state is alive.
        status::COMPLETE | status::CANCEL => unsafe { end(prior, next) },
        // SAFETY: the runtime passes null, or its places for the task that this thread has executed
        // so far and for the one that it executes from now on; no reference to a state is alive.
        _ => unsafe { suspend(prior, next, why == status::DETACH) },
    }
}

/// The calling thread has executed the task at `prior`, which has ended, and goes on with the one
/// at `next`.
///
/// # Safety
///
/// `prior` is as for [`take`], and `next`, the place for another task, as for [`state`].
unsafe fn end(prior: *mut Data, next: *mut Data) {
    // SAFETY: no other thread uses the two places (`# Safety`), and they differ, since the one task
    // has ended, and the other goes on.
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
            // SAFETY: `keep` boxed the state, `take` has emptied the runtime's place, and no
            // reference to the state is held.
            let ended = unsafe { TaskState::end_for(Box::into_raw(ended), next) };
            if let Some(ended) = ended.filter(|_| is_undeferred) {
                next.running().continue_after(ended.task());
            }
        }
        // SAFETY: `keep` boxed the state, `take` has emptied the runtime's place, and no reference
        // to the state is held.
        (Some(ended), None) => drop(unsafe { TaskState::end_told(Box::into_raw(ended)) }),
        (None, Some(next)) => next.resume(),
        (None, None) => {}
    }
}

/// The calling thread has executed the task at `prior` so far, or to its end if that is `detached`,
/// and goes on with the one at `next`, which may be the same.
///
/// # Safety
///
/// Both are as for [`state`], and may be one.
unsafe fn suspend(prior: *mut Data, next: *mut Data, detached: bool) {
    // SAFETY: no other thread uses the two places (`# Safety`). Two references are held at once
    // only where the places differ, and else each ends before the next is made.
    unsafe {
        // What follows a detached task begins when its event has occurred, which is no earlier than
        // its end.
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

/// # Safety
///
/// For the runtime alone, as the module says.
pub(super) unsafe extern "C" fn reduction(
    _kind: c_int,
    endpoint: c_int,
    _region: *mut Data,
    task: *mut Data,
    _code: *const c_void,
) {
    // SAFETY: the runtime passes null, or its place for the task that this thread executes, to
    // whose state no reference is alive; or it is that of a task of this thread at a barrier, kept
    // in `waiting` alone.
    let state = unsafe { state(task).or_else(|| waiting::last().cast::<TaskState>().as_mut()) };
    if let Some(state) = state {
        match endpoint == endpoint::BEGIN {
            true => state.begin_reduction(),
            false => state.end_reduction(),
        }
    }
}
