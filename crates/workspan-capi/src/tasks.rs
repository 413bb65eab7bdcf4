//! Tasks, and waits for them.

use crate::nest::{self, Inside};
use crate::site::{running, Site};
use std::ffi::{c_int, c_void};
use std::ptr;
use workspan_rt::events::Task;
use workspan_rt::Kind;

/// 1 while a profile is taken.
#[no_mangle]
pub extern "C" fn workspan_active() -> c_int {
    c_int::from(workspan_rt::active())
}

/// The running task spawns a child. Null with the engine off.
///
/// # Safety
/// `site` is null or lives as long as the program.
#[no_mangle]
pub unsafe extern "C" fn workspan_task_spawn(site: *const Site) -> *const c_void {
    let Some(task) = running() else {
        return ptr::null();
    };
    // SAFETY: the caller's promise.
    let spawned = unsafe { Site::construct(site, Kind::Task, |construct| task.spawn(construct)) };
    spawned.map_or(ptr::null(), |task| {
        task.set_tag(site as usize);
        task.into_raw()
    })
}

/// The calling thread runs `task` from here on.
///
/// # Safety
/// `task` is null, or a task that has not ended.
#[no_mangle]
pub unsafe extern "C" fn workspan_task_begin(task: *const c_void) {
    if !task.is_null() {
        // SAFETY: the caller's promise.
        nest::begin(Inside::Task(unsafe { Task::borrow_raw(task) }));
    }
}

/// The task has ended; the calling thread goes on with what it did before.
///
/// # Safety
/// `task` is null, or a task that has not ended, which is not used after.
#[no_mangle]
pub unsafe extern "C" fn workspan_task_end(task: *const c_void) {
    if !task.is_null() {
        // SAFETY: the caller's promise.
        nest::end(&Inside::Task(unsafe { Task::from_raw(task) }));
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
        // SAFETY: the caller's promise.
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
    if let Some(task) = running() {
        task.end_scope();
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
        nest::end(&Inside::Wait);
    }
}
