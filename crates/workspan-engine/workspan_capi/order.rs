//! What the C API has for runtimes whose tasks are not nested: groups that are awaited apart from one another,
//! pieces of a loop that follow others, and calls that another thread runs.

use crate::handles::Handle;
use crate::loops;
use crate::nest::{self, Ended, Inside};
use crate::site::{running, Site};
use crate::tasks::{given, of_c, report_ended};
use std::ffi::c_void;
use std::ptr;
use workspan_rt::events::{Gathering, Task};
use workspan_rt::Kind;

/// A group of tasks that are awaited together. Null with the engine off.
#[no_mangle]
pub extern "C" fn workspan_group_begin() -> *const c_void {
    if workspan_rt::active() {
        let group = Box::into_raw(Box::new(Gathering::new()));
        Handle::give(group, ptr::null()).to_c()
    } else {
        ptr::null()
    }
}

/// The group of a handle; none of null, and of one that has ended, which is reported.
///
/// # Safety
/// `group` is null, or from [`workspan_group_begin`], and does not end as long as the result is
/// used.
unsafe fn group_of_c<'a>(group: *const c_void) -> Option<&'a Gathering> {
    // SAFETY: `group` is null, or from `workspan_group_begin`, which gives handles of this type
    // (`# Safety`).
    let group = unsafe { Handle::<Gathering>::of_c(group) }?.get();
    if group.is_none() {
        nest::misfit(
            &"a group, which has ended before, is used",
            "it is left out",
        );
    }
    // SAFETY: the handle was not given back, and the group does not end as long as the reference
    // lives (`# Safety`), so its box is alive; and a group may be shared.
    group.map(|group| unsafe { &*group })
}

/// The running task spawns another into the group. Null with the engine off.
///
/// # Safety
/// `group` is null, or from [`workspan_group_begin`], and does not end during the call; `site` is
/// null, or a site that lives as long as the program, as [`Site::construct`] has it.
#[no_mangle]
pub unsafe extern "C" fn workspan_group_spawn(
    group: *const c_void,
    site: *const Site,
) -> *const c_void {
    // SAFETY: `group` is null, or from `workspan_group_begin`, and does not end during this call
    // (`# Safety`).
    let Some((group, task)) = (unsafe { group_of_c(group) }).zip(running()) else {
        return ptr::null();
    };
    // SAFETY: `site` is null, or a site that lives as long as the program (`# Safety`).
    let spawned =
        unsafe { Site::construct(site, Kind::Task, |construct| group.spawn(&task, construct)) };
    given(spawned, site)
}

/// The running task goes on after all tasks of the group so far. Call after the wait.
///
/// # Safety
/// `group` is null, or from [`workspan_group_begin`], and does not end during the call.
#[no_mangle]
pub unsafe extern "C" fn workspan_group_wait(group: *const c_void) {
    // SAFETY: `group` is null, or from `workspan_group_begin`, and does not end during this call
    // (`# Safety`).
    if let Some((group, task)) = unsafe { group_of_c(group) }.zip(running()) {
        group.wait(&task);
    }
}

/// The group is awaited no more; its tasks may run on.
///
/// # Safety
/// `group` is null, or from [`workspan_group_begin`], and no other call uses it meanwhile.
#[no_mangle]
pub unsafe extern "C" fn workspan_group_end(group: *const c_void) {
    // SAFETY: `group` is null, or from `workspan_group_begin`, which gives handles of this type
    // (`# Safety`).
    let Some(handle) = (unsafe { Handle::<Gathering>::of_c(group) }) else {
        return;
    };
    match handle.take() {
        // SAFETY: a handle can be taken once, so this is the one pointer to the box that
        // `workspan_group_begin` has made; nobody uses the group meanwhile (`# Safety`).
        Some(group) => drop(unsafe { Box::from_raw(group.cast_mut()) }),
        None => nest::misfit(&"a group, which has ended before, ends", "nothing ends"),
    }
}

/// A piece of the loop, to be begun and ended as a task.
///
/// # Safety
/// `of` is null, or from [`loops::workspan_loop_begin`], and the loop does not end during the call.
#[no_mangle]
pub unsafe extern "C" fn workspan_loop_piece(of: *const c_void) -> *const c_void {
    // SAFETY: `of` is null, or from `workspan_loop_begin`, and does not end meanwhile (`# Safety`).
    match unsafe { loops::of_c(of) } {
        Some((handle, of)) => given(Some(of.pieces.piece()), handle.site()),
        None => ptr::null(),
    }
}

/// Another handle of `task`, which others may then follow. To be given to [`workspan_task_forget`].
///
/// # Safety
/// `task` is null, or was given to C as a task, and does not end during the call.
#[no_mangle]
pub unsafe extern "C" fn workspan_task_keep(task: *const c_void) -> *const c_void {
    // SAFETY: `task` is null, or was given to C as a task, and does not end meanwhile (`# Safety`).
    let Some((handle, kept)) = (unsafe { of_c(task, "is kept") }) else {
        return ptr::null();
    };
    kept.allow_followers();
    given(Some(kept), handle.site())
}

/// Gives a handle back.
///
/// # Safety
/// `kept` is null, or from [`workspan_task_keep`].
#[no_mangle]
pub unsafe extern "C" fn workspan_task_forget(kept: *const c_void) {
    // SAFETY: `kept` is null, or from `workspan_task_keep`, which gives handles of this type
    // (`# Safety`).
    let Some(handle) = (unsafe { Handle::<c_void>::of_c(kept) }) else {
        return;
    };
    match handle.take() {
        // SAFETY: a handle can be taken once, so this is the one count that it had, by
        // `Task::into_raw`.
        Some(raw) => drop(unsafe { Task::from_raw(raw) }),
        None => report_ended(handle, "is forgotten"),
    }
}

/// `task`, which has not begun, begins after `before` has ended, too.
///
/// # Safety
/// Both are null, or were given to C as tasks, `before` by [`workspan_task_keep`]; neither handle
/// is given back during the call.
#[no_mangle]
pub unsafe extern "C" fn workspan_task_after(task: *const c_void, before: *const c_void) {
    // SAFETY: both are null, or were given to C as tasks, and neither is given back meanwhile
    // (`# Safety`).
    let tasks = unsafe { (of_c(task, "follows"), of_c(before, "is followed")) };
    if let (Some((_, task)), Some((_, before))) = tasks {
        task.follow(&before);
    }
}

/// The running task calls what may come to run on another thread, while the calling one waits: to be begun and ended as a
/// task, on whatever thread. Null with the engine off.
///
/// # Safety
/// `site` is null, or a site that lives as long as the program, as [`Site::construct`] has it.
#[no_mangle]
pub unsafe extern "C" fn workspan_call_begin(site: *const Site) -> *const c_void {
    let Some(task) = running() else {
        return ptr::null();
    };
    // SAFETY: `site` is null, or a site that lives as long as the program (`# Safety`).
    let called =
        unsafe { Site::construct(site, Kind::Task, |construct| task.spawn_serially(construct)) };
    let Some(called) = called else {
        return ptr::null();
    };
    let handle = Handle::give(called.clone().into_raw(), site);
    nest::begin(Inside::Call(handle, called));
    handle.to_c()
}

/// The running task, which waited, goes on after the call.
///
/// # Safety
/// `called` is null, or from [`workspan_call_begin`].
#[no_mangle]
pub unsafe extern "C" fn workspan_call_end(called: *const c_void) {
    // SAFETY: `called` is null, or from `workspan_call_begin`, which gives handles of this type
    // (`# Safety`).
    let Some(handle) = (unsafe { Handle::of_c(called) }) else {
        return;
    };
    if let Some(Inside::Call(_, called)) = nest::end(Ended::Call(handle)) {
        if let Some(task) = running() {
            task.continue_after(&called);
        }
    }
}
