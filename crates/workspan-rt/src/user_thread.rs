//! Threads that the program starts itself are tasks of the root, and joining one is a sync.
//!
//! The engine stands before the C library's `pthread_create` and `pthread_join`, through which the standard
//! library starts and joins threads, and before the joins that may give up (`pthread_timedjoin_np` and its like). A started thread continues the path of its starter. It is awaited by the
//! thread that joins it, and at the latest by the end of the program.
//!
//! Other ways to wait for a thread (`std::thread::scope`, a channel) cannot be seen as such. What can be seen is
//! that a thread of the program waited, and that one which it started has ended, or is what it joins at the end of that
//! strand: the wait is taken to be for that. If it was for something else, or came before a computation that the other
//! thread did not wait for, the path is too short by at most the wait.
//! So on these threads, unlike in tasks of the runtime, time spent waiting is not work; it is shown apart.

use crate::call::{Call, Kind};
use crate::frame::Frame;
use crate::record::Item;
use crate::task::Task;
use crate::thread::{become_worker, with, Thread};
use crate::{session, stop};
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::panic::Location;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Threads that have ended and were not awaited yet.
static ENDED: Mutex<Vec<Ended>> = Mutex::new(Vec::new());

/// Names of the threads that the root has started and not joined yet; of one that nobody joins, until another has its name.
static STARTED_BY_ROOT: Mutex<Vec<usize>> = Mutex::new(Vec::new());

thread_local! {
    static UNOBSERVED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `start`, whose threads are the runtime's own and no tasks of the program.
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

/// Tells which start routines are of threads that are a runtime's own, if anything does.
static IS_RUNTIME: OnceLock<fn(usize) -> bool> = OnceLock::new();

/// Lets threads be a runtime's own, and no tasks of the program, whose start routine `is_runtime` tells by its address.
/// Before the program runs.
pub fn tell_runtime_threads(is_runtime: fn(usize) -> bool) {
    let _ = IS_RUNTIME.set(is_runtime);
}

/// A thread that has ended.
struct Ended {
    /// The C library's name for it; 0 once that has gone to another thread.
    name: usize,
    /// Who started it.
    starter: *const Thread,
    frame: Frame,
}

// SAFETY: the starter is only compared; for the frame see there.
unsafe impl Send for Ended {}

/// Keeps the path of the calling thread, which ends.
pub(crate) fn end(frame: Frame, starter: *const Thread) {
    let name = this_thread();
    let mut ended = lock();
    // A thread that nobody joined has left its name to this one. Its path stays, under no name.
    ended
        .iter_mut()
        .filter(|other| other.name == name)
        .for_each(|other| other.name = 0);
    ended.push(Ended {
        name,
        starter,
        frame,
    });
    // Of paths without a name only the longest matters, at the end of the program.
    let nameless = if ended.len() > 64 {
        take_where(&mut ended, |other| other.name == 0)
    } else {
        Vec::new()
    };
    drop(ended);
    nameless
        .into_iter()
        .for_each(|other| session::offer_to_end(other.frame));
}

/// Has a thread ended that `starter` started and nobody has joined yet?
pub(crate) fn any_ended(starter: &Thread) -> bool {
    lock().iter().any(|other| ptr::eq(other.starter, starter))
}

/// Lets `frame` of thread `starter` continue after every thread that it started and that has ended.
pub(crate) fn await_ended(frame: &mut Frame, starter: &Thread) {
    await_where(frame, starter, |other| ptr::eq(other.starter, starter));
}

/// Lets the end of the program await every thread that has ended.
pub(crate) fn offer_ended() {
    let ended = take_where(&mut lock(), |_| true);
    ended
        .into_iter()
        .for_each(|other| session::offer_to_end(other.frame));
}

/// Drops what is left of an earlier session.
pub(crate) fn forget() {
    lock().clear();
    started_by_root().clear();
}

fn started_by_root() -> std::sync::MutexGuard<'static, Vec<usize>> {
    STARTED_BY_ROOT
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Takes a name off the list of those that the root has started. Was it there?
fn take_started_by_root(name: usize) -> bool {
    let mut started = started_by_root();
    let place = started.iter().position(|other| *other == name);
    place.map(|place| started.swap_remove(place)).is_some()
}

/// Lets `frame`, whose strands `this` thread runs, continue after the ended threads that `which` tells.
fn await_where(frame: &mut Frame, this: &Thread, which: impl Fn(&Ended) -> bool) {
    let awaited = take_where(&mut lock(), which);
    for mut other in awaited {
        if this.records() {
            let lane = other.frame.recorded;
            this.record_end_elsewhere(Item::Await { lane });
        }
        let burdened = frame.burdened().max(other.frame.burdened());
        frame.open.set(frame.open.get().max(other.frame.open.get()));
        if other.frame.depth > frame.depth {
            let ended = other.frame.ended();
            frame.continue_after(&mut other.frame, ended);
        }
        frame.set_burdened(burdened);
    }
}

fn take_where(ended: &mut Vec<Ended>, which: impl Fn(&Ended) -> bool) -> Vec<Ended> {
    let (taken, left) = ended.drain(..).partition(which);
    *ended = left;
    taken
}

fn lock() -> std::sync::MutexGuard<'static, Vec<Ended>> {
    ENDED.lock().unwrap_or_else(PoisonError::into_inner)
}

type Start = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;
type Create = unsafe extern "C" fn(*mut usize, *const c_void, Start, *mut c_void) -> c_int;
type Join = unsafe extern "C" fn(usize, *mut *mut c_void) -> c_int;
type TimedJoin = unsafe extern "C" fn(usize, *mut *mut c_void, *const c_void) -> c_int;
type ClockJoin = unsafe extern "C" fn(usize, *mut *mut c_void, c_int, *const c_void) -> c_int;

extern "C" {
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn pthread_self() -> usize;
}

fn this_thread() -> usize {
    // SAFETY: has no precondition.
    unsafe { pthread_self() }
}

/// A function of the C library that this module stands before, looked up once.
struct Next {
    name: &'static std::ffi::CStr,
    address: AtomicPtr<c_void>,
}

impl Next {
    const fn new(name: &'static std::ffi::CStr) -> Self {
        Self {
            name,
            address: AtomicPtr::new(ptr::null_mut()),
        }
    }

    fn find(&self) -> Option<NonNull<c_void>> {
        const RTLD_NEXT: *mut c_void = usize::MAX as *mut c_void;
        let mut address = self.address.load(Ordering::Relaxed);
        if address.is_null() {
            // SAFETY: the name is a C string; RTLD_NEXT asks for the definition after this one.
            address = unsafe { dlsym(RTLD_NEXT, self.name.as_ptr()) };
            self.address.store(address, Ordering::Relaxed);
        }
        NonNull::new(address)
    }

    fn address(&self) -> *mut c_void {
        let Some(address) = self.find() else {
            // A panic would end the program as well, but not say so in C.
            crate::message::say(format_args!("the C library has no {:?}", self.name));
            std::process::abort();
        };
        address.as_ptr()
    }
}

static CREATE: Next = Next::new(c"pthread_create");
static JOIN: Next = Next::new(c"pthread_join");
static TRY_JOIN: Next = Next::new(c"pthread_tryjoin_np");
static TIMED_JOIN: Next = Next::new(c"pthread_timedjoin_np");
static CLOCK_JOIN: Next = Next::new(c"pthread_clockjoin_np");

/// What a started thread is to run, and its account.
struct Launch {
    start: Start,
    argument: *mut c_void,
    task: Task,
}

/// Starts a thread, as a task of the program.
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
    // SAFETY: the address is that of the C library's function of this type.
    let create = unsafe { std::mem::transmute::<*mut c_void, Create>(CREATE.address()) };
    let is_on = stop::mode() == stop::ON;
    if is_on && IS_RUNTIME.get().is_some_and(|is| is(start as usize)) {
        let launch = Box::into_raw(Box::new((start, argument)));
        // SAFETY: as below.
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
        session::settle_rate_once();
        Task::thread(Call::new::<Launch>(Kind::Thread, Location::caller()))
    });
    let Some(task) = task.flatten() else {
        // SAFETY: the caller's promise.
        return unsafe { create(thread, attributes, start, argument) };
    };
    let launch = Box::into_raw(Box::new(Launch {
        start,
        argument,
        task,
    }));
    // SAFETY: the caller's promise for what it gave; `launch` is taken by `run_launch`, which runs once if the
    // call succeeds and never if it fails.
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

unsafe extern "C-unwind" fn run_worker(launch: *mut c_void) -> *mut c_void {
    // SAFETY: made by `pthread_create` above from a box, for this one call.
    let (start, argument) = *unsafe { Box::from_raw(launch.cast::<(Start, *mut c_void)>()) };
    become_worker();
    // SAFETY: what the runtime asked for.
    unsafe { start(argument) }
}

unsafe extern "C-unwind" fn run_launch(launch: *mut c_void) -> *mut c_void {
    // SAFETY: made by `pthread_create` above from a box, for this one call.
    let launch = unsafe { Box::from_raw(launch.cast::<Launch>()) };
    let Launch {
        start,
        argument,
        task,
    } = *launch;
    // SAFETY: what the program asked for.
    task.run(|| unsafe { start(argument) })
}

/// Waits for a thread, which is nobody's work, and goes on after the longer of both paths.
///
/// # Safety
/// As pthread_join(3).
#[no_mangle]
pub unsafe extern "C" fn pthread_join(thread: usize, result: *mut *mut c_void) -> c_int {
    // SAFETY: the address is that of the C library's function of this type.
    let join = unsafe { std::mem::transmute::<*mut c_void, Join>(JOIN.address()) };
    // SAFETY: what the program asked for.
    join_by(thread, || unsafe { join(thread, result) })
}

/// As [`pthread_join`], but does not wait.
///
/// # Safety
/// As pthread_tryjoin_np(3).
#[no_mangle]
pub unsafe extern "C" fn pthread_tryjoin_np(thread: usize, result: *mut *mut c_void) -> c_int {
    // SAFETY: the address is that of the C library's function of this type.
    let join = unsafe { std::mem::transmute::<*mut c_void, Join>(TRY_JOIN.address()) };
    // SAFETY: what the program asked for.
    join_by(thread, || unsafe { join(thread, result) })
}

/// As [`pthread_join`], up to a moment of the real-time clock.
///
/// # Safety
/// As pthread_timedjoin_np(3).
#[no_mangle]
pub unsafe extern "C" fn pthread_timedjoin_np(
    thread: usize,
    result: *mut *mut c_void,
    until: *const c_void,
) -> c_int {
    // SAFETY: the address is that of the C library's function of this type.
    let join = unsafe { std::mem::transmute::<*mut c_void, TimedJoin>(TIMED_JOIN.address()) };
    // SAFETY: what the program asked for.
    join_by(thread, || unsafe { join(thread, result, until) })
}

/// As [`pthread_join`], up to a moment of a clock.
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
    // glibc has it from 2.31 on, and whoever asks for it by name finds this one.
    const ENOSYS: c_int = 38;
    let Some(address) = CLOCK_JOIN.find() else {
        return ENOSYS;
    };
    // SAFETY: the address is that of the C library's function of this type.
    let join = unsafe { std::mem::transmute::<*mut c_void, ClockJoin>(address.as_ptr()) };
    // SAFETY: what the program asked for.
    join_by(thread, || unsafe { join(thread, result, clock, until) })
}

/// Has `join` wait for a thread, and goes on after it if it has ended.
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
    let joined = crate::handoff::pause_after(end_strand, join);
    if joined == 0 {
        with(|this| {
            this.end_ordinary_strand();
            // SAFETY: the present frame of this thread, which runs its strands.
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
