//! OMPT, the interface between an OpenMP runtime and a tool, as far as it is used here.
//!
//! From the OpenMP specification, version 5.2, chapter 19; what later or earlier versions have else
//! is marked. Values of C's enumerations are integers here, since a newer runtime may tell values
//! that this file does not know.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// What a tool keeps with a thread, a parallel region or a task. The runtime initialises it with
/// zero.
#[repr(C)]
pub struct Data {
    pub pointer: *mut c_void,
}

/// `ompt_start_tool_result_t`.
#[repr(C)]
pub struct StartToolResult {
    pub initialize: unsafe extern "C" fn(Lookup, c_int, *mut Data) -> c_int,
    pub finalize: unsafe extern "C" fn(*mut Data),
    pub tool_data: Data,
}

/// `ompt_function_lookup_t`: a function of the runtime by its name.
pub type Lookup = unsafe extern "C" fn(*const c_char) -> Option<Function>;
/// Any function: of the runtime or of the tool.
pub type Function = unsafe extern "C" fn();
/// `ompt_set_callback`: a value of [`registered`].
pub type SetCallback = unsafe extern "C" fn(c_int, Function) -> c_int;
/// `ompt_get_task_info`: ancestor level; out: flags, task's data, frame, region's data, number of
/// the thread.
pub type GetTaskInfo = unsafe extern "C" fn(
    c_int,
    *mut c_int,
    *mut *mut Data,
    *mut *mut Frame,
    *mut *mut Data,
    *mut c_int,
) -> c_int;

/// `ompt_frame_t`.
#[repr(C)]
pub struct Frame {
    pub exit_frame: Data,
    pub enter_frame: Data,
    pub exit_frame_flags: c_int,
    pub enter_frame_flags: c_int,
}

/// `ompt_dependence_t`.
#[repr(C)]
pub struct Dependence {
    pub variable: Data,
    pub kind: c_int,
}

/// `ompt_set_result_t`.
pub mod registered {
    use std::ffi::c_int;

    pub const SOMETIMES: c_int = 3;
}

/// `ompt_callbacks_t`.
pub mod event {
    use std::ffi::c_int;

    pub const THREAD_BEGIN: c_int = 1;
    pub const THREAD_END: c_int = 2;
    pub const PARALLEL_BEGIN: c_int = 3;
    pub const PARALLEL_END: c_int = 4;
    pub const TASK_CREATE: c_int = 5;
    pub const TASK_SCHEDULE: c_int = 6;
    pub const IMPLICIT_TASK: c_int = 7;
    pub const TARGET: c_int = 8;
    pub const SYNC_REGION_WAIT: c_int = 16;
    pub const MUTEX_RELEASED: c_int = 17;
    pub const DEPENDENCES: c_int = 18;
    pub const WORK: c_int = 20;
    pub const SYNC_REGION: c_int = 23;
    pub const LOCK_INIT: c_int = 24;
    pub const MUTEX_ACQUIRE: c_int = 26;
    pub const MUTEX_ACQUIRED: c_int = 27;
    pub const NEST_LOCK: c_int = 28;
    pub const REDUCTION: c_int = 31;
    pub const DISPATCH: c_int = 32;
    /// Since 5.1.
    pub const TARGET_EMI: c_int = 33;
}

/// `ompt_thread_t`.
pub mod thread {
    use std::ffi::c_int;

    pub const INITIAL: c_int = 1;
    pub const WORKER: c_int = 2;
}

/// `ompt_scope_endpoint_t`.
pub mod endpoint {
    use std::ffi::c_int;

    pub const BEGIN: c_int = 1;
    pub const END: c_int = 2;
}

/// `ompt_sync_region_t`.
pub mod sync_region {
    use std::ffi::c_int;

    pub const BARRIER: c_int = 1;
    pub const BARRIER_IMPLICIT: c_int = 2;
    pub const BARRIER_EXPLICIT: c_int = 3;
    pub const BARRIER_IMPLEMENTATION: c_int = 4;
    pub const TASKWAIT: c_int = 5;
    pub const TASKGROUP: c_int = 6;
    /// Since 5.1, as the next two.
    pub const BARRIER_IMPLICIT_WORKSHARE: c_int = 8;
    pub const BARRIER_IMPLICIT_PARALLEL: c_int = 9;
    pub const BARRIER_TEAMS: c_int = 10;
}

/// `ompt_work_t`.
pub mod work {
    use std::ffi::c_int;

    pub const LOOP: c_int = 1;
    pub const SECTIONS: c_int = 2;
    pub const DISTRIBUTE: c_int = 6;
    pub const TASKLOOP: c_int = 7;
    /// Since 5.2, as the next three.
    pub const LOOP_STATIC: c_int = 10;
    pub const LOOP_DYNAMIC: c_int = 11;
    pub const LOOP_GUIDED: c_int = 12;
    pub const LOOP_OTHER: c_int = 13;
}

/// `ompt_dispatch_t`.
pub mod dispatch {
    use std::ffi::c_int;

    /// Since 5.2: a piece of a `taskloop`, whose task is told anyway.
    pub const TASKLOOP_CHUNK: c_int = 4;
}

/// `ompt_mutex_t`.
pub mod mutex {
    use std::ffi::c_int;

    pub const TEST_LOCK: c_int = 2;
    pub const TEST_NEST_LOCK: c_int = 4;
    pub const CRITICAL: c_int = 5;
    pub const ATOMIC: c_int = 6;
    pub const ORDERED: c_int = 7;
}

/// `ompt_task_flag_t`.
pub mod task {
    use std::ffi::c_int;

    pub const INITIAL: c_int = 0x1;
    pub const EXPLICIT: c_int = 0x4;
    /// Since 5.1: a `taskwait` with dependences.
    pub const TASKWAIT: c_int = 0x10;
    pub const UNDEFERRED: c_int = 0x0800_0000;
    pub const UNTIED: c_int = 0x1000_0000;
    pub const FINAL: c_int = 0x2000_0000;
}

/// `ompt_task_status_t`.
pub mod status {
    use std::ffi::c_int;

    pub const COMPLETE: c_int = 1;
    pub const CANCEL: c_int = 3;
    pub const DETACH: c_int = 4;
    pub const EARLY_FULFILL: c_int = 5;
    pub const LATE_FULFILL: c_int = 6;
    pub const SWITCH: c_int = 7;
    /// Since 5.1.
    pub const TASKWAIT_COMPLETE: c_int = 8;
}

/// `ompt_dependence_type_t`.
pub mod dependence {
    use std::ffi::c_int;

    pub const IN: c_int = 1;
    pub const OUT: c_int = 2;
    pub const INOUT: c_int = 3;
    pub const MUTEXINOUTSET: c_int = 4;
    /// Since 5.1.
    pub const INOUTSET: c_int = 7;
    /// LLVM's, for `omp_all_memory`, as the next one.
    pub const OUT_ALL_MEMORY: c_int = 34;
    pub const INOUT_ALL_MEMORY: c_int = 35;
}

/// `ompt_callback_thread_begin_t`.
pub type ThreadBegin = unsafe extern "C" fn(c_int, *mut Data);
/// `ompt_callback_thread_end_t`.
pub type ThreadEnd = unsafe extern "C" fn(*mut Data);
/// `ompt_callback_parallel_begin_t`.
pub type ParallelBegin =
    unsafe extern "C" fn(*mut Data, *const Frame, *mut Data, c_uint, c_int, *const c_void);
/// `ompt_callback_parallel_end_t`.
pub type ParallelEnd = unsafe extern "C" fn(*mut Data, *mut Data, c_int, *const c_void);
/// `ompt_callback_implicit_task_t`.
pub type ImplicitTask = unsafe extern "C" fn(c_int, *mut Data, *mut Data, c_uint, c_uint, c_int);
/// `ompt_callback_task_create_t`.
pub type TaskCreate =
    unsafe extern "C" fn(*mut Data, *const Frame, *mut Data, c_int, c_int, *const c_void);
/// `ompt_callback_dependences_t`.
pub type Dependences = unsafe extern "C" fn(*mut Data, *const Dependence, c_int);
/// `ompt_callback_task_schedule_t`.
pub type TaskSchedule = unsafe extern "C" fn(*mut Data, c_int, *mut Data);
/// `ompt_callback_sync_region_t`, also of `sync_region_wait` and `reduction`.
pub type SyncRegion = unsafe extern "C" fn(c_int, c_int, *mut Data, *mut Data, *const c_void);
/// `ompt_callback_work_t`.
pub type Work = unsafe extern "C" fn(c_int, c_int, *mut Data, *mut Data, u64, *const c_void);
/// `ompt_callback_dispatch_t`: the last is a `Data` by value.
pub type Dispatch = unsafe extern "C" fn(*mut Data, *mut Data, c_int, *mut c_void);
/// `ompt_callback_mutex_acquire_t`, also of `lock_init`.
pub type MutexAcquire = unsafe extern "C" fn(c_int, c_uint, c_uint, u64, *const c_void);
/// `ompt_callback_mutex_t`, of `mutex_acquired` and `mutex_released`.
pub type Mutex = unsafe extern "C" fn(c_int, u64, *const c_void);
/// `ompt_callback_nest_lock_t`.
pub type NestLock = unsafe extern "C" fn(c_int, u64, *const c_void);
/// `ompt_callback_target_t`.
pub type Target = unsafe extern "C" fn(c_int, c_int, c_int, *mut Data, u64, *const c_void);
/// `ompt_callback_target_emi_t`.
pub type TargetEmi =
    unsafe extern "C" fn(c_int, c_int, c_int, *mut Data, *mut Data, *mut Data, *const c_void);

/// A callback of one of these types, as any function.
macro_rules! erased {
    ($type:ident, $callback:path) => {{
        let callback: $crate::ompt::abi::$type = $callback;
        // SAFETY: all function pointers have one size. Nobody calls this as a `Function`: the
        // runtime calls it by the type that it has here.
        unsafe {
            std::mem::transmute::<$crate::ompt::abi::$type, $crate::ompt::abi::Function>(callback)
        }
    }};
}
pub(super) use erased;
