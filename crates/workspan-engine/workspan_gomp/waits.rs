//! Barriers, and waits for tasks.

use std::ffi::{c_int, c_void};

use crate::abi::{endpoint, sync_region};
use crate::{place, tool};

/// The calling thread waits by `wait`, and executes other tasks meanwhile.
pub(crate) fn around<R>(kind: c_int, code: *const c_void, wait: impl FnOnce() -> R) -> R {
    if !tool::is_on() {
        return wait();
    }
    let place = place::current();
    let region = place::region_of(place);
    let task = place.cast();
    tell! { SYNC_REGION: SyncRegion(kind, endpoint::BEGIN, region, task, code) }
    tell! { SYNC_REGION_WAIT: SyncRegion(kind, endpoint::BEGIN, region, task, code) }
    let result = wait();
    tell! { SYNC_REGION_WAIT: SyncRegion(kind, endpoint::END, region, task, code) }
    tell! { SYNC_REGION: SyncRegion(kind, endpoint::END, region, task, code) }
    result
}

/// # Safety
/// For code that gcc compiles.
#[no_mangle]
pub unsafe extern "C" fn GOMP_barrier() {
    let next = next!(GOMP_barrier: unsafe extern "C" fn());
    // SAFETY: the function has no conditions.
    around(sync_region::BARRIER_EXPLICIT, caller!(), || unsafe {
        next()
    })
}

/// # Safety
/// For code that gcc compiles.
#[no_mangle]
pub unsafe extern "C" fn GOMP_barrier_cancel() -> bool {
    let next = next!(GOMP_barrier_cancel: unsafe extern "C" fn() -> bool);
    // SAFETY: the function has no conditions.
    around(sync_region::BARRIER_EXPLICIT, caller!(), || unsafe {
        next()
    })
}

/// # Safety
/// For code that gcc compiles.
#[no_mangle]
pub unsafe extern "C" fn GOMP_taskwait() {
    let next = next!(GOMP_taskwait: unsafe extern "C" fn());
    // SAFETY: the function has no conditions.
    around(sync_region::TASKWAIT, caller!(), || unsafe { next() })
}

/// # Safety
/// For code that gcc compiles.
#[no_mangle]
pub unsafe extern "C" fn GOMP_taskgroup_start() {
    begin_group(caller!());
}

/// # Safety
/// For code that gcc compiles.
#[no_mangle]
pub unsafe extern "C" fn GOMP_taskgroup_end() {
    end_group(caller!());
}

/// Begins a group of tasks that are awaited together.
pub(crate) fn begin_group(code: *const c_void) {
    let next = next!(GOMP_taskgroup_start: unsafe extern "C" fn());
    // SAFETY: the function has no conditions.
    unsafe { next() };
    if tool::is_on() {
        let place = place::current();
        let (kind, region) = (sync_region::TASKGROUP, place::region_of(place));
        tell! { SYNC_REGION: SyncRegion(kind, endpoint::BEGIN, region, place.cast(), code) }
    }
}

/// Waits for the tasks of the innermost group.
pub(crate) fn end_group(code: *const c_void) {
    let next = next!(GOMP_taskgroup_end: unsafe extern "C" fn());
    if !tool::is_on() {
        // SAFETY: the function has no conditions.
        return unsafe { next() };
    }
    let place = place::current();
    let (kind, region, task) = (
        sync_region::TASKGROUP,
        place::region_of(place),
        place.cast(),
    );
    tell! { SYNC_REGION_WAIT: SyncRegion(kind, endpoint::BEGIN, region, task, code) }
    // SAFETY: the function has no conditions.
    unsafe { next() };
    tell! { SYNC_REGION_WAIT: SyncRegion(kind, endpoint::END, region, task, code) }
    tell! { SYNC_REGION: SyncRegion(kind, endpoint::END, region, task, code) }
}
