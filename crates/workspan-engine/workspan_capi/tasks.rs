//! Tasks, and waits for them.

use crate::handles::Handle;
use crate::nest::{self, Ended, Inside};
use crate::site::{running, Shown, Site};
use std::ffi::{c_int, c_void};
use std::ptr;
use workspan_rt::events::Task;
use workspan_rt::Kind;

/// 1 while a profile is taken.
#[no_mangle]
pub extern "C" fn workspan_active() -> c_int {
    c_int::from(workspan_rt::active())
}

/// A handle of `task`, spawned at `site`; null of none.
pub(crate) fn given(task: Option<Task>, site: *const Site) -> *const c_void {
    task.map_or(ptr::null(), |task| {
        Handle::give(task.into_raw(), site).to_c()
    })
}

/// The task of a handle; none of null, and of one that has ended: it is reported that it `does` something then.
///
/// # Safety
/// `task` is null, or was given to C as a task, and its handle is not given back during the call:
/// the task does not end, or is not forgotten.
pub(crate) unsafe fn of_c(task: *const c_void, does: &str) -> Option<(Handle<c_void>, Task)> {
    // SAFETY: `task` is null, or was given to C as a task, all of which have handles of this type
    // (`# Safety`).
    let handle = unsafe { Handle::of_c(task) }?;
    match handle.get() {
        // SAFETY: the handle was not given back, and is not meanwhile (`# Safety`), so the count
        // that it has is not taken back yet.
        Some(raw) => Some((handle, unsafe { Task::borrow_raw(raw) })),
        None => {
            report_ended(handle, does);
            None
        }
    }
}

pub(crate) fn report_ended(task: Handle<c_void>, does: &str) {
    let site = Shown(task.site());
    let what = format_args!("the task of {site}, which has ended before, {does}");
    nest::misfit(&what, "it is left out");
}

/// The running task spawns a child. Null with the engine off.
///
/// # Safety
/// `site` is null, or a site that lives as long as the program, as [`Site::construct`] has it.
#[no_mangle]
pub unsafe extern "C" fn workspan_task_spawn(site: *const Site) -> *const c_void {
    let Some(task) = running() else {
        return ptr::null();
    };
    // SAFETY: `site` is null, or a site that lives as long as the program (`# Safety`).
    let spawned = unsafe { Site::construct(site, Kind::Task, |construct| task.spawn(construct)) };
    given(spawned, site)
}

/// The calling thread runs `task` from here on.
///
/// # Safety
/// `task` is null, or was given to C as a task, and does not end during the call.
#[no_mangle]
pub unsafe extern "C" fn workspan_task_begin(task: *const c_void) {
    // SAFETY: `task` is null, or was given to C as a task, and does not end meanwhile (`# Safety`).
    let Some((handle, task)) = (unsafe { of_c(task, "begins") }) else {
        return;
    };
    if nest::is_open(Ended::Task(handle)) {
        let site = Shown(handle.site());
        let what = format_args!("the task of {site}, which the thread runs, begins");
        return nest::misfit(&what, "it is left out");
    }
    nest::begin(Inside::Task(handle, task));
}

/// The task has ended; the calling thread goes on with what it did before.
///
/// # Safety
/// `task` is null, or was given to C as a task.
#[no_mangle]
pub unsafe extern "C" fn workspan_task_end(task: *const c_void) {
    // SAFETY: `task` is null, or was given to C as a task, all of which have handles of this type
    // (`# Safety`).
    let Some(handle) = (unsafe { Handle::<c_void>::of_c(task) }) else {
        return;
    };
    if handle.get().is_some() || nest::is_open(Ended::Task(handle)) {
        nest::end(Ended::Task(handle));
    } else {
        report_ended(handle, "ends");
    }
}

/// The running task goes on after all children that it has spawned so far.
#[no_mangle]
pub extern "C" fn workspan_sync() {
    if let Some(task) = running() {
        task.wait_for_children();
    }
}

/// Begins a block that awaits all tasks spawned in it.
///
/// # Safety
/// As [`workspan_task_spawn`].
#[no_mangle]
pub unsafe extern "C" fn workspan_scope_begin(site: *const Site) {
    if let Some(task) = running() {
        nest::begin(Inside::Scope(site));
        // SAFETY: `site` is null, or a site that lives as long as the program (`# Safety`).
        unsafe {
            Site::construct(site, Kind::Taskgroup, |construct| {
                task.begin_scope(Some(construct))
            });
        }
    }
}

/// Ends the block: all its tasks have ended.
#[no_mangle]
pub extern "C" fn workspan_scope_end() {
    // What was begun in the block ends before it does, so the task that runs afterwards is the block's.
    if nest::end(Ended::Scope).is_some() {
        if let Some(task) = running() {
            task.end_scope();
        }
    }
}

/// The calling thread waits for its tasks.
#[no_mangle]
pub extern "C" fn workspan_wait_begin() {
    if workspan_rt::active() {
        nest::begin(Inside::Wait);
    }
}

/// The wait is over.
#[no_mangle]
pub extern "C" fn workspan_wait_end() {
    if workspan_rt::active() {
        _ = nest::end(Ended::Wait);
    }
}
