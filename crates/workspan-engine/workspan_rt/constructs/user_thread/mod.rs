//! Threads that the program starts itself are tasks of the root, and joining one is a sync.
//!
//! The engine interposes the C library's `pthread_create` and `pthread_join`, through which the
//! standard library starts and joins threads, and the joins that may give up
//! (`pthread_timedjoin_np` and its like). A started thread continues the path of its starter. It is
//! awaited by the thread that joins it, or at the latest by the end of the program.
//!
//! Other ways to wait for a thread (`std::thread::scope`, a channel) cannot be seen as such. What
//! can be seen is that a thread of the program waited, and that one which it started has ended, or
//! is joined at the end of that strand: the wait is taken to be for that one. If it was for
//! something else, or came before a computation that the other thread did not wait for, the path is
//! too short by at most the wait. So on these threads, unlike in tasks of the runtime, time spent
//! waiting is not work; it is reported separately.

mod ended;

pub(crate) use ended::{any_ended, await_ended, end, offer_ended};

use crate::constructs::task::Task;
use crate::state::{stop, under_way};
use crate::system::c_function::CFunction;
use crate::thread::{become_worker, with, Thread};
use crate::tree::call::{Call, Kind};
use crate::waits;
use ended::await_where;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Names of the threads that the root has started and not joined yet. The name of a thread that
/// nobody joins stays until another thread has it.
static STARTED_BY_ROOT: Mutex<Vec<usize>> = Mutex::new(Vec::new());

thread_local! {
    static UNOBSERVED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `start`, whose threads belong to the runtime and are no tasks of the program.
pub fn start_unobserved<R>(start: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            UNOBSERVED.set(self.0);
        }
    }
    let _restore = Restore(UNOBSERVED.replace(true));
    start()
}

/// Recognises the start routines of a runtime's own threads by their addresses, if anything does.
static IS_RUNTIME: OnceLock<fn(usize) -> bool> = OnceLock::new();

/// Makes threads a runtime's own, and no tasks of the program, if `is_runtime` recognises the
/// address of their start routine. Call before the program runs.
pub fn tell_runtime_threads(is_runtime: fn(usize) -> bool) {
    let _ = IS_RUNTIME.set(is_runtime);
}

/// Drops what is left of an earlier session.
pub(crate) fn forget() {
    ended::forget();
    PATIENCE.store(PATIENCE_AT_FIRST.as_nanos() as u64, Ordering::Relaxed);
    started_by_root().clear();
}

fn started_by_root() -> std::sync::MutexGuard<'static, Vec<usize>> {
    STARTED_BY_ROOT
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Removes a name from the list of threads that the root has started. Was it there?
fn take_started_by_root(name: usize) -> bool {
    let mut started = started_by_root();
    let place = started.iter().position(|other| *other == name);
    place.map(|place| started.swap_remove(place)).is_some()
}

/// How long the root may still wait in this session for threads that do not end, in nanoseconds.
static PATIENCE: AtomicU64 = AtomicU64::new(0);
const PATIENCE_AT_FIRST: Duration = Duration::from_millis(50);

/// Waits shortly for the end of `other`, a thread of the program that has just woken the root: a
/// scope (`std::thread::scope`) lets its caller go on before its last thread has quite ended.
pub(crate) fn await_end(other: &Thread) {
    const LONGEST: Duration = Duration::from_millis(5);
    let began = Instant::now();
    let limit = LONGEST.min(Duration::from_nanos(PATIENCE.load(Ordering::Relaxed)));
    while other.is_running() {
        let waited = began.elapsed();
        if waited >= limit {
            // Only the root waits here.
            let left = Duration::from_nanos(PATIENCE.load(Ordering::Relaxed)) - limit;
            PATIENCE.store(left.as_nanos() as u64, Ordering::Relaxed);
            return;
        }
        std::thread::yield_now();
    }
}

type Start = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;
type Create = unsafe extern "C" fn(*mut usize, *const c_void, Start, *mut c_void) -> c_int;
type Join = unsafe extern "C" fn(usize, *mut *mut c_void) -> c_int;
type TimedJoin = unsafe extern "C" fn(usize, *mut *mut c_void, *const c_void) -> c_int;
type ClockJoin = unsafe extern "C" fn(usize, *mut *mut c_void, c_int, *const c_void) -> c_int;

static CREATE: CFunction = CFunction::new(c"pthread_create");
static JOIN: CFunction = CFunction::new(c"pthread_join");
static TRY_JOIN: CFunction = CFunction::new(c"pthread_tryjoin_np");
static TIMED_JOIN: CFunction = CFunction::new(c"pthread_timedjoin_np");
static CLOCK_JOIN: CFunction = CFunction::new(c"pthread_clockjoin_np");

/// What a started thread is to run, and its account.
struct Launch {
    start: Start,
    argument: *mut c_void,
    task: Task,
}

/// Starts a thread as a task of the program.
///
/// # Safety
/// As pthread_create(3).
#[no_mangle]
pub unsafe extern "C" fn pthread_create(
    thread: *mut usize,
    attributes: *const c_void,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: the address is that of the C library's function of this name, whose type this is.
    let create = unsafe { std::mem::transmute::<*mut c_void, Create>(CREATE.address()) };
    let is_on = stop::mode() == stop::ON;
    if is_on && IS_RUNTIME.get().is_some_and(|is| is(start as usize)) {
        let launch = Box::into_raw(Box::new((start, argument)));
        // SAFETY: `attributes` and `thread` are as pthread_create(3) wants them (`# Safety`).
        // `run_worker` takes `launch`, and runs once if the call succeeds; if not, it never runs,
        // and the box is still ours.
        unsafe {
            let result = create(thread, attributes, run_worker, launch.cast());
            if result != 0 {
                drop(Box::from_raw(launch));
            }
            return result;
        }
    }
    let observed = is_on && !UNOBSERVED.get();
    let task = observed.then(|| {
        under_way::settle_rate_once();
        Task::thread(Call::new::<Launch>(Kind::Thread, Location::caller()))
    });
    let Some(task) = task.flatten() else {
        // SAFETY: the arguments are as pthread_create(3) wants them (`# Safety`), and go on
        // unchanged.
        return unsafe { create(thread, attributes, start, argument) };
    };
    let launch = Box::into_raw(Box::new(Launch {
        start,
        argument,
        task,
    }));
    // SAFETY: `attributes` and `thread` are as pthread_create(3) wants them (`# Safety`).
    // `run_launch` takes `launch`, and runs once if the call succeeds; if not, it never runs, and
    // the box is still ours.
    unsafe {
        let result = create(thread, attributes, run_launch, launch.cast());
        if result != 0 {
            drop(Box::from_raw(launch));
        } else if with(|this| this.is_root()) == Some(true) {
            let mut started = started_by_root();
            if !started.contains(&*thread) {
                started.push(*thread);
            }
        }
        result
    }
}

/// Runs a thread of a runtime's own.
///
/// # Safety
/// For [`pthread_create`] alone: `launch` is a box of a start routine and its argument, and is used
/// once.
unsafe extern "C-unwind" fn run_worker(launch: *mut c_void) -> *mut c_void {
    // SAFETY: `pthread_create` made it of a box of this type, for this one call (`# Safety`).
    let (start, argument) = *unsafe { Box::from_raw(launch.cast::<(Start, *mut c_void)>()) };
    become_worker();
    // SAFETY: the runtime has asked pthread_create(3) to call this with this argument on a new
    // thread.
    unsafe { start(argument) }
}

/// Runs a thread that is a task of the program.
///
/// # Safety
/// For [`pthread_create`] alone: `launch` is a box of a [`Launch`], and is used once.
unsafe extern "C-unwind" fn run_launch(launch: *mut c_void) -> *mut c_void {
    // SAFETY: `pthread_create` made it of a box of this type, for this one call (`# Safety`).
    let launch = unsafe { Box::from_raw(launch.cast::<Launch>()) };
    let Launch {
        start,
        argument,
        task,
    } = *launch;
    // SAFETY: the program has asked pthread_create(3) to call this with this argument on a new
    // thread.
    task.run(|| unsafe { start(argument) })
}

/// Waits for a thread, which is nobody's work, and continues after the longer of both paths.
///
/// # Safety
/// As pthread_join(3).
#[no_mangle]
pub unsafe extern "C" fn pthread_join(thread: usize, result: *mut *mut c_void) -> c_int {
    // SAFETY: the address is that of the C library's function of this name, whose type this is.
    let join = unsafe { std::mem::transmute::<*mut c_void, Join>(JOIN.address()) };
    // SAFETY: the arguments are as pthread_join(3) wants them (`# Safety`), and go on unchanged.
    let join = || unsafe { join(thread, result) };
    join_by(thread, || waits::for_thread(join))
}

/// [`pthread_join`] without waiting.
///
/// # Safety
/// As pthread_tryjoin_np(3).
#[no_mangle]
pub unsafe extern "C" fn pthread_tryjoin_np(thread: usize, result: *mut *mut c_void) -> c_int {
    // SAFETY: the address is that of the C library's function of this name, whose type this is.
    let join = unsafe { std::mem::transmute::<*mut c_void, Join>(TRY_JOIN.address()) };
    // SAFETY: the arguments are as pthread_tryjoin_np(3) wants them (`# Safety`), and go on
    // unchanged.
    join_by(thread, || unsafe { join(thread, result) })
}

/// [`pthread_join`] up to a moment of the real-time clock.
///
/// # Safety
/// As pthread_timedjoin_np(3).
#[no_mangle]
pub unsafe extern "C" fn pthread_timedjoin_np(
    thread: usize,
    result: *mut *mut c_void,
    until: *const c_void,
) -> c_int {
    // SAFETY: the address is that of the C library's function of this name, whose type this is.
    let join = unsafe { std::mem::transmute::<*mut c_void, TimedJoin>(TIMED_JOIN.address()) };
    // SAFETY: the arguments are as pthread_timedjoin_np(3) wants them (`# Safety`), and go on
    // unchanged.
    join_by(thread, || unsafe { join(thread, result, until) })
}

/// [`pthread_join`] up to a moment of a clock.
///
/// # Safety
/// As pthread_clockjoin_np(3).
#[no_mangle]
pub unsafe extern "C" fn pthread_clockjoin_np(
    thread: usize,
    result: *mut *mut c_void,
    clock: c_int,
    until: *const c_void,
) -> c_int {
    // glibc has it from 2.31 on, and whoever looks for it by name finds this one.
    const ENOSYS: c_int = 38;
    let Some(address) = CLOCK_JOIN.find() else {
        return ENOSYS;
    };
    // SAFETY: the address is that of the C library's function of this name, whose type this is.
    let join = unsafe { std::mem::transmute::<*mut c_void, ClockJoin>(address.as_ptr()) };
    // SAFETY: the arguments are as pthread_clockjoin_np(3) wants them (`# Safety`), and go on
    // unchanged.
    join_by(thread, || unsafe { join(thread, result, clock, until) })
}

/// Lets `join` wait for a thread, and continues after that thread if it has ended.
fn join_by(thread: usize, join: impl FnOnce() -> c_int) -> c_int {
    if stop::mode() != stop::ON || UNOBSERVED.get() {
        return join();
    }
    let is_started_by_root = take_started_by_root(thread);
    let end_strand = |this: &Thread| {
        this.is_joining.set(is_started_by_root);
        let ticks = this.end_ordinary_strand();
        this.is_joining.set(false);
        ticks
    };
    let joined = crate::constructs::handoff::pause_after(end_strand, join);
    if joined == 0 {
        with(|this| {
            this.end_ordinary_strand();
            // SAFETY: the present frame is alive, and only this thread, which runs its strands,
            // writes it.
            let frame = unsafe { &mut *this.frame() };
            await_where(frame, this, |other| other.name == thread);
            this.continue_strand();
        });
    } else if is_started_by_root {
        // It has not ended yet, and another join may follow.
        started_by_root().push(thread);
    }
    joined
}
