//! What the C API has for runtimes whose tasks are not nested: groups that are awaited apart from one another,
//! pieces of a loop that follow others, and calls that another thread runs.

use crate::loops::Running;
use crate::nest::{self, Inside};
use crate::site::{running, Site};
use std::ffi::c_void;
use std::ptr;
use workspan_rt::events::{Gathering, Task};
use workspan_rt::Kind;

/// `task`, spawned at `site`, as C has it.
fn given(task: Option<Task>, site: *const Site) -> *const c_void {
    task.map_or(ptr::null(), |task| {
        task.set_tag(site as usize);
        task.into_raw()
    })
}

/// A group of tasks that are awaited together. Null with the engine off.
#[no_mangle]
pub extern "C" fn workspan_group_begin() -> *mut Gathering {
    if workspan_rt::active() {
        Box::into_raw(Box::new(Gathering::new()))
    } else {
        ptr::null_mut()
    }
}

/// The running task spawns another into the group. Null with the engine off.
///
/// # Safety
/// `group` is from [`workspan_group_begin`] and has not ended; `site` as for the other spawns.
#[no_mangle]
pub unsafe extern "C" fn workspan_group_spawn(
    group: *const Gathering,
    site: *const Site,
) -> *const c_void {
    // SAFETY: the caller's promise.
    let Some((group, task)) = (unsafe { group.as_ref() }).zip(running()) else {
        return ptr::null();
    };
    // SAFETY: as above.
    let spawned =
        unsafe { Site::construct(site, Kind::Task, |construct| group.spawn(&task, construct)) };
    given(spawned, site)
}

/// The running task goes on after all tasks of the group so far. Call after the wait.
///
/// # Safety
/// As of [`workspan_group_spawn`].
#[no_mangle]
pub unsafe extern "C" fn workspan_group_wait(group: *const Gathering) {
    // SAFETY: the caller's promise.
    if let Some((group, task)) = unsafe { group.as_ref() }.zip(running()) {
        group.wait(&task);
    }
}

/// The group is awaited no more; its tasks may run on.
///
/// # Safety
/// As of [`workspan_group_spawn`]; the group is not used after.
#[no_mangle]
pub unsafe extern "C" fn workspan_group_end(group: *mut Gathering) {
    if !group.is_null() {
        // SAFETY: the caller's promise.
        drop(unsafe { Box::from_raw(group) });
    }
}

/// A piece of the loop, to be begun and ended as a task.
///
/// # Safety
/// `of` is null, or a loop that has not ended.
#[no_mangle]
pub unsafe extern "C" fn workspan_loop_piece(of: *const Running) -> *const c_void {
    // SAFETY: the caller's promise.
    match unsafe { of.as_ref() } {
        Some(of) => given(Some(of.pieces.piece()), of.site),
        None => ptr::null(),
    }
}

/// Another handle of `task`, which others may then follow. To be given to [`workspan_task_forget`].
///
/// # Safety
/// `task` is a task that has not ended, or a handle from here.
#[no_mangle]
pub unsafe extern "C" fn workspan_task_keep(task: *const c_void) -> *const c_void {
    if task.is_null() {
        return task;
    }
    // SAFETY: the caller's promise.
    let kept = unsafe { Task::borrow_raw(task) };
    kept.allow_followers();
    kept.into_raw()
}

/// Gives a handle back.
///
/// # Safety
/// `kept` is from [`workspan_task_keep`], and not used after.
#[no_mangle]
pub unsafe extern "C" fn workspan_task_forget(kept: *const c_void) {
    if !kept.is_null() {
        // SAFETY: the caller's promise.
        drop(unsafe { Task::from_raw(kept) });
    }
}

/// `task`, which has not begun, begins after `before` has ended, too.
///
/// # Safety
/// `before` is from [`workspan_task_keep`]; both are handles that are not given back yet.
#[no_mangle]
pub unsafe extern "C" fn workspan_task_after(task: *const c_void, before: *const c_void) {
    if !task.is_null() && !before.is_null() {
        // SAFETY: the caller's promise.
        unsafe { Task::borrow_raw(task).follow(&Task::borrow_raw(before)) };
    }
}

/// The running task calls what may come to run on another thread, while the calling one waits: to be begun and ended as a
/// task, on whatever thread. Null with the engine off.
///
/// # Safety
/// `site` as for the spawns.
#[no_mangle]
pub unsafe extern "C" fn workspan_call_begin(site: *const Site) -> *const c_void {
    let Some(task) = running() else {
        return ptr::null();
    };
    // SAFETY: the caller's promise.
    let called =
        unsafe { Site::construct(site, Kind::Task, |construct| task.spawn_serially(construct)) };
    let Some(called) = called else {
        return ptr::null();
    };
    nest::begin(Inside::Wait);
    // The task's end takes a handle, the call's end the other.
    let _ = given(Some(called.clone()), site);
    called.into_raw()
}

/// The running task, which waited, goes on after the call.
///
/// # Safety
/// `called` is from [`workspan_call_begin`], by the same thread, and has ended; it is not used after.
#[no_mangle]
pub unsafe extern "C" fn workspan_call_end(called: *const c_void) {
    if called.is_null() {
        return;
    }
    nest::end(&Inside::Wait);
    // SAFETY: the caller's promise.
    let called = unsafe { Task::from_raw(called) };
    if let Some(task) = running() {
        task.continue_after(&called);
    }
}
