//! What the engine costs at OpenMP's events is measured by telling of tasks that do nothing, as the runtime does.

use std::ffi::c_int;
use std::ptr;

use workspan_rt::events::{calibrate_once, Task, Workload};

use super::abi::{self, endpoint, status, sync_region, Data};
use super::callbacks;
use super::task::{Role, TaskState};

/// Measures it once. The calling thread runs none of the runtime's tasks.
pub(super) fn calibrate() {
    calibrate_once(&Workload {
        tasks: |times| {
            with_parent(|parent| {
                tasks(parent, times);
                waits(parent, 1);
            })
        },
        waited_tasks: |times| with_parent(|parent| waited_tasks(parent, times)),
        waits: |times| with_parent(|parent| waits(parent, times)),
        parents: |times| with_parent(|parent| parents(parent, times, 0)),
        waiting_parents: |times| with_parent(|parent| parents(parent, times, 1)),
    });
}

/// Calls `f` with the place of a task that the calling thread executes, as the runtime has one.
fn with_parent(f: impl FnOnce(*mut Data)) {
    let Some(task) = Task::running() else { return };
    let mut state = TaskState::new(task, Role::Initial);
    state.set_entered();
    let mut place = Data {
        pointer: ptr::from_mut(&mut state).cast(),
    };
    f(&mut place);
}

fn create(parent: *mut Data, task: &mut Data) {
    let code = create as *const () as *const _;
    // SAFETY: both are places on this thread's stack, of a task that it executes and of a new one,
    // as the runtime's are.
    unsafe { callbacks::task_create(parent, ptr::null(), task, abi::task::EXPLICIT, 0, code) };
}

fn schedule(prior: *mut Data, why: c_int, next: *mut Data) {
    // SAFETY: both are places on this thread's stack, of tasks that are alive, as the runtime's
    // are.
    unsafe { callbacks::task_schedule(prior, why, next) };
}

fn tasks(parent: *mut Data, times: usize) {
    for _ in 0..times {
        let mut task = Data {
            pointer: ptr::null_mut(),
        };
        create(parent, &mut task);
        schedule(parent, status::SWITCH, &mut task);
        schedule(&mut task, status::COMPLETE, parent);
    }
}

/// Tasks that each have one, and wait so many times.
fn parents(parent: *mut Data, times: usize, waits_of_each: usize) {
    for _ in 0..times {
        let mut task = Data {
            pointer: ptr::null_mut(),
        };
        create(parent, &mut task);
        schedule(parent, status::SWITCH, &mut task);
        tasks(&mut task, 1);
        waits(&mut task, waits_of_each);
        schedule(&mut task, status::COMPLETE, parent);
    }
    waits(parent, 1);
}

fn waited_tasks(parent: *mut Data, times: usize) {
    for _ in 0..times {
        let mut task = Data {
            pointer: ptr::null_mut(),
        };
        create(parent, &mut task);
        taskwait(endpoint::BEGIN, parent);
        schedule(parent, status::SWITCH, &mut task);
        schedule(&mut task, status::COMPLETE, parent);
        taskwait(endpoint::END, parent);
    }
}

fn waits(parent: *mut Data, times: usize) {
    for _ in 0..times {
        taskwait(endpoint::BEGIN, parent);
        taskwait(endpoint::END, parent);
    }
}

fn taskwait(endpoint: c_int, task: *mut Data) {
    let (kind, region, code) = (sync_region::TASKWAIT, ptr::null_mut(), ptr::null());
    // SAFETY: it is a place on this thread's stack, of a task that it executes, as the runtime's
    // are.
    unsafe {
        if endpoint == endpoint::BEGIN {
            callbacks::sync_region(kind, endpoint, region, task, code);
        }
        callbacks::sync_region_wait(kind, endpoint, region, task, code);
        if endpoint == endpoint::END {
            callbacks::sync_region(kind, endpoint, region, task, code);
        }
    }
}
