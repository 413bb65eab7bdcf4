//! The tool: whether there is one, and its callbacks.

use std::ffi::{c_char, c_int, c_uint, c_void, CStr};
use std::mem::{transmute, transmute_copy};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};
use std::sync::Once;

use crate::abi::{self, Data, Frame, Function, StartToolResult};
use crate::{next, place};

/// `ompt_start_tool`.
type StartTool = unsafe extern "C" fn(c_uint, *const c_char) -> *mut StartToolResult;

/// The version of OpenMP whose interface this is, by its date: 5.0.
const OPENMP: c_uint = 201_811;

/// What this runtime says of itself.
const RUNTIME: &CStr = c"GCC OMP version: libgomp";

/// `ompt_set_result_t`: such an event is never reported; it always is.
const NEVER: c_int = 1;
const ALWAYS: c_int = 5;

/// What the tool has called for each event.
static CALLBACKS: [AtomicPtr<c_void>; 64] = [const { AtomicPtr::new(ptr::null_mut()) }; 64];

static STATE: AtomicU8 = AtomicU8::new(UNASKED);
const UNASKED: u8 = 0;
const ON: u8 = 1;
const OFF: u8 = 2;

/// Whether there is a tool to tell.
#[inline]
pub(crate) fn is_on() -> bool {
    match STATE.load(Ordering::Acquire) {
        UNASKED => ask(),
        state => state == ON,
    }
}

#[cold]
fn ask() -> bool {
    static ASKED: Once = Once::new();
    ASKED.call_once(|| {
        // LLVM's runtime, which asks for a tool itself, is found here under the name of libgomp's
        // (a link, or preloaded): it alone tells the tool what happens.
        if !next::first(c"__kmpc_fork_call").is_null() {
            STATE.store(OFF, Ordering::Release);
            return;
        }
        let address = next::first(c"ompt_start_tool");
        // SAFETY: it is null, or the address of the function that the specification gives this
        // name and this type.
        let start = unsafe { transmute::<*mut c_void, Option<StartTool>>(address) };
        // SAFETY: the text is a C string that stays.
        let answer = start.map_or(ptr::null_mut(), |start| unsafe {
            start(OPENMP, RUNTIME.as_ptr())
        });
        // SAFETY: the tool gives null, or an answer that stays and that only the runtime changes.
        let is_there = unsafe { answer.as_mut() }.is_some_and(|answer| {
            // SAFETY: the tool is called once, with the function that looks others up.
            unsafe { (answer.initialize)(lookup, 0, &mut answer.tool_data) != 0 }
        });
        let state = if is_there { ON } else { OFF };
        // Release: who sees it sees the callbacks, too.
        STATE.store(state, Ordering::Release);
    });
    STATE.load(Ordering::Acquire) == ON
}

/// A function of this runtime by its name.
unsafe extern "C" fn lookup(name: *const c_char) -> Option<Function> {
    // SAFETY: the tool passes a C string.
    let name = unsafe { CStr::from_ptr(name) };
    // SAFETY: all function pointers have one size, and the tool calls each by the type that the
    // specification gives it.
    unsafe {
        match name.to_bytes() {
            b"ompt_set_callback" => Some(transmute::<abi::SetCallback, Function>(set_callback)),
            b"ompt_get_task_info" => Some(transmute::<abi::GetTaskInfo, Function>(get_task_info)),
            _ => None,
        }
    }
}

unsafe extern "C" fn set_callback(event: c_int, callback: Function) -> c_int {
    const TOLD: [c_int; 17] = [
        abi::event::THREAD_BEGIN,
        abi::event::THREAD_END,
        abi::event::PARALLEL_BEGIN,
        abi::event::PARALLEL_END,
        abi::event::TASK_CREATE,
        abi::event::TASK_SCHEDULE,
        abi::event::IMPLICIT_TASK,
        abi::event::SYNC_REGION_WAIT,
        abi::event::MUTEX_RELEASED,
        abi::event::DEPENDENCES,
        abi::event::WORK,
        abi::event::SYNC_REGION,
        abi::event::LOCK_INIT,
        abi::event::MUTEX_ACQUIRE,
        abi::event::MUTEX_ACQUIRED,
        abi::event::NEST_LOCK,
        abi::event::DISPATCH,
    ];
    if !TOLD.contains(&event) {
        return NEVER;
    }
    CALLBACKS[event as usize].store(callback as *mut c_void, Ordering::Relaxed);
    ALWAYS
}

/// The place of the task that the calling thread executes.
unsafe extern "C" fn get_task_info(
    ancestor: c_int,
    _flags: *mut c_int,
    task: *mut *mut Data,
    _frame: *mut *mut Frame,
    _region: *mut *mut Data,
    _thread: *mut c_int,
) -> c_int {
    let executed = place::executed();
    if ancestor != 0 || executed.is_null() {
        return 0;
    }
    // SAFETY: the tool passes null, or a place to write to.
    if let Some(task) = unsafe { task.as_mut() } {
        *task = executed.cast();
    }
    2
}

/// What the tool wants called for an event; the type is an optional function of the event's type.
pub(crate) fn callback<F>(event: c_int) -> F {
    let callback = CALLBACKS[event as usize].load(Ordering::Relaxed);
    assert_eq!(size_of::<F>(), size_of::<*mut c_void>());
    // SAFETY: null is `None`, and what else is there has the type that the specification gives it.
    unsafe { transmute_copy(&callback) }
}

/// Tells the tool of an event.
macro_rules! tell {
    ($event:ident: $type:ident($($argument:expr),*)) => {
        if let Some(callback) =
            $crate::tool::callback::<Option<$crate::abi::$type>>($crate::abi::event::$event)
        {
            // SAFETY: places for tasks and regions are null or valid, and used by this thread alone
            // as the specification says; see [`place`](crate::place).
            unsafe { callback($($argument),*) }
        }
    };
}
