//! How the runtime finds the tool, and which events it tells of.

use std::ffi::{c_char, c_int, c_uint, CStr};
use std::mem;
use std::ptr;

use workspan_rt::events::Task;
use workspan_rt::Mode;

use super::abi::{self, erased, event, registered, Data, Function, StartToolResult};
use super::callbacks;
use super::idle;
use super::image;
use super::mutex;
use super::running_task;
use super::target;
use super::version;
use super::workload;

/// What [`ompt_start_tool`] answers. Only the runtime changes it.
struct Answer(std::cell::UnsafeCell<StartToolResult>);

// SAFETY: the library takes the address of the contents and never touches them; only the runtime
// does, and it asks once, before it has other threads.
unsafe impl Sync for Answer {}

static ANSWER: Answer = Answer(std::cell::UnsafeCell::new(StartToolResult {
    initialize,
    finalize,
    tool_data: Data {
        pointer: ptr::null_mut(),
    },
}));

/// An OpenMP runtime calls this when it starts, to learn whether there is a tool.
///
/// # Safety
///
/// For an OpenMP runtime alone: `runtime_version` is null, or a C string that stays as long as the
/// runtime is loaded.
#[no_mangle]
pub unsafe extern "C" fn ompt_start_tool(
    _omp_version: c_uint,
    runtime_version: *const c_char,
) -> *mut StartToolResult {
    // Where nothing is measured there is no tool, and the program runs as fast as ever.
    if Task::running().is_none() && workspan_rt::mode() != Mode::Idle {
        return ptr::null_mut();
    }
    // SAFETY: the runtime hands over null, or a C string that stays as long as it is loaded
    // (`# Safety`).
    unsafe { version::keep(runtime_version) };
    ANSWER.0.get()
}

/// The runtime has found the tool: has it call a function for each event.
///
/// # Safety
///
/// For the runtime alone: `lookup` is its function that looks others up by their names.
unsafe extern "C" fn initialize(lookup: abi::Lookup, _device: c_int, _data: *mut Data) -> c_int {
    // SAFETY: the name ends in a zero, and the runtime's function of that name has this type;
    // `None` stays `None`.
    let set_callback: Option<abi::SetCallback> =
        unsafe { mem::transmute(lookup(c"ompt_set_callback".as_ptr())) };
    let Some(set_callback) = set_callback else {
        eprintln!(
            "workspan: the OpenMP runtime does not tell of events; nothing of it is measured"
        );
        return 0;
    };
    // SAFETY: the name ends in a zero, and `lookup` is the runtime's (`# Safety`).
    let get_task_info = unsafe { lookup(c"ompt_get_task_info".as_ptr()) };
    if let Some(function) = get_task_info {
        // SAFETY: it is the runtime's function of that name.
        unsafe { running_task::keep(function) };
    }
    // Another tool that stands between passes its own `lookup`, but the runtime's functions.
    let of_runtime = get_task_info.map_or(lookup as usize, |function| function as usize);
    image::keep_of_runtime(of_runtime);
    version::note(of_runtime);
    let (callbacks, wrong): (Vec<_>, _) = match workspan_rt::mode() {
        Mode::Idle => (idle::callbacks().collect(), "Idle time is"),
        _ => (callbacks_of_events().collect(), "Work and span are"),
    };
    let has_releases =
        workspan_rt::mode() == Mode::Idle || !version::is_of_llvm() || mutex::choose_releases();
    let mut missing = Vec::new();
    for (name, event, callback, needed) in callbacks {
        if event == abi::event::MUTEX_RELEASED && !has_releases {
            continue;
        }
        // SAFETY: the event's callback has the type that the specification has for it, and
        // `set_callback` is the runtime's.
        let result = unsafe { set_callback(event, callback) };
        if needed && result < registered::SOMETIMES {
            missing.push(name.to_string_lossy());
        }
    }
    if !missing.is_empty() {
        eprintln!(
            "workspan: the OpenMP runtime does not tell of these events: {}. {wrong} wrong where the program \
             uses them; LLVM's libomp from version 14 on tells of all.",
            missing.join(", ")
        );
    }
    workload::calibrate();
    1
}

/// The runtime ends. The engine writes the profile when the process exits.
///
/// # Safety
///
/// None of its own; it is unsafe because its type is.
unsafe extern "C" fn finalize(_data: *mut Data) {}

/// For each event its name, number, callback, and whether figures are wrong without it.
fn callbacks_of_events() -> impl Iterator<Item = (&'static CStr, c_int, Function, bool)> {
    [
        (
            c"parallel_begin",
            event::PARALLEL_BEGIN,
            erased!(ParallelBegin, callbacks::parallel_begin),
            true,
        ),
        (
            c"parallel_end",
            event::PARALLEL_END,
            erased!(ParallelEnd, callbacks::parallel_end),
            true,
        ),
        (
            c"implicit_task",
            event::IMPLICIT_TASK,
            erased!(ImplicitTask, callbacks::implicit_task),
            true,
        ),
        (
            c"task_create",
            event::TASK_CREATE,
            erased!(TaskCreate, callbacks::task_create),
            true,
        ),
        (
            c"task_schedule",
            event::TASK_SCHEDULE,
            erased!(TaskSchedule, callbacks::task_schedule),
            true,
        ),
        (
            c"sync_region",
            event::SYNC_REGION,
            erased!(SyncRegion, callbacks::sync_region),
            true,
        ),
        (
            c"sync_region_wait",
            event::SYNC_REGION_WAIT,
            erased!(SyncRegion, callbacks::sync_region_wait),
            true,
        ),
        (
            c"reduction",
            event::REDUCTION,
            erased!(SyncRegion, callbacks::reduction),
            false,
        ),
        (
            c"dependences",
            event::DEPENDENCES,
            erased!(Dependences, callbacks::dependences),
            true,
        ),
        (
            c"mutex_acquire",
            event::MUTEX_ACQUIRE,
            erased!(MutexAcquire, mutex::mutex_acquire),
            true,
        ),
        (
            c"mutex_acquired",
            event::MUTEX_ACQUIRED,
            erased!(Mutex, mutex::mutex_acquired),
            true,
        ),
        (
            c"mutex_released",
            event::MUTEX_RELEASED,
            erased!(Mutex, mutex::mutex_released),
            false,
        ),
        (
            c"lock_init",
            event::LOCK_INIT,
            erased!(MutexAcquire, mutex::lock_init),
            false,
        ),
        (
            c"nest_lock",
            event::NEST_LOCK,
            erased!(NestLock, mutex::nest_lock),
            false,
        ),
        (c"work", event::WORK, erased!(Work, callbacks::work), false),
        (
            c"dispatch",
            event::DISPATCH,
            erased!(Dispatch, callbacks::dispatch),
            false,
        ),
        (
            c"target",
            event::TARGET,
            erased!(Target, target::target),
            false,
        ),
        (
            c"target_emi",
            event::TARGET_EMI,
            erased!(TargetEmi, target::target_emi),
            false,
        ),
    ]
    .into_iter()
}
