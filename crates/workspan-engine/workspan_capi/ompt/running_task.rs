//! Which task the calling thread executes, as the runtime tells.

use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::abi::{self, Data, Function};

/// `ompt_get_task_info` of the runtime, or 0.
static GET_TASK_INFO: AtomicUsize = AtomicUsize::new(0);

/// Keeps the function that tells. To be called while the runtime gets the tool ready.
///
/// # Safety
///
/// `get_task_info` is the runtime's function `ompt_get_task_info`, and the runtime stays loaded.
pub(super) unsafe fn keep(get_task_info: Function) {
    // Relaxed: the runtime starts other threads after this.
    GET_TASK_INFO.store(get_task_info as usize, Ordering::Relaxed);
}

/// Whether the runtime executes that task already. When a task is created, this tells one that its
/// parent executes at once (`if(0)`) from one that is only queued.
pub(super) fn is_running(task: *mut Data) -> bool {
    let running = running_task();
    !running.is_null() && running == task
}

/// The runtime's place for the task that the calling thread executes; null where that is not known.
pub(super) fn running_task() -> *mut Data {
    let function = GET_TASK_INFO.load(Ordering::Relaxed);
    if function == 0 {
        return ptr::null_mut();
    }
    // SAFETY: it is not 0, so `keep` stored it, and it is the runtime's function of this type.
    let get_task_info: abi::GetTaskInfo = unsafe { mem::transmute(function) };
    let mut running = ptr::null_mut();
    // SAFETY: the function writes what is not null, of which only `running` is passed, and may be
    // called in any callback.
    let found = unsafe {
        get_task_info(
            0,
            ptr::null_mut(),
            &mut running,
            ptr::null_mut(),
            ptr::null_mut(),
            ptr::null_mut(),
        )
    };
    match found {
        0 => ptr::null_mut(),
        _ => running,
    }
}
