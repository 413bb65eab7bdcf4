//! The tool's places for tasks, and which of them the calling thread executes.
//!
//! Where they lie: that of an explicit task with its data, which libgomp keeps until it has ended; that
//! of the first thread's part of a region on the stack of the function that began the region; that of
//! another thread's part with the thread, since it is still needed at the barrier at the region's end,
//! where the thread executes other tasks. Such a thread has one such part at a time, and learns that the
//! barrier is over when it gets another.

use std::cell::{Cell, UnsafeCell};
use std::ffi::{c_int, c_uint};
use std::ptr;

use crate::abi::{self, endpoint, thread, Data};

/// The tool's place for a task.
#[repr(C)]
pub(crate) struct Place {
    pub(crate) data: Data,
    /// The place for the region that the task is in.
    pub(crate) region: *mut Data,
    /// Whether the tasks that it creates are executed at once, as part of it.
    pub(crate) is_final: bool,
}

impl Place {
    pub(crate) const fn new(region: *mut Data) -> Self {
        Self {
            data: Data {
                pointer: ptr::null_mut(),
            },
            region,
            is_final: false,
        }
    }
}

/// The places that stay with a thread.
struct OfThread {
    /// For what it does outside of regions.
    initial: UnsafeCell<Place>,
    /// For its part of a region that another thread has begun, as the thread of that number.
    member: UnsafeCell<Place>,
    number: Cell<c_uint>,
    /// That of the region outside of regions.
    serial: UnsafeCell<Data>,
}

/// A thread that the tool knows.
struct Thread;

impl Drop for Thread {
    fn drop(&mut self) {
        OF_THREAD.with(OfThread::end_member);
        tell! { THREAD_END: ThreadEnd(ptr::null_mut()) }
    }
}

thread_local! {
    static THREAD: Thread = const { Thread };
    static EXECUTED: Cell<*mut Place> = const { Cell::new(ptr::null_mut()) };
    static OF_THREAD: OfThread = const {
        OfThread {
            initial: UnsafeCell::new(Place::new(ptr::null_mut())),
            member: UnsafeCell::new(Place::new(ptr::null_mut())),
            number: Cell::new(0),
            serial: UnsafeCell::new(Data { pointer: ptr::null_mut() }),
        }
    };
}

/// The place of the task that the calling thread executes; null if none is known.
pub(crate) fn executed() -> *mut Place {
    EXECUTED.get()
}

/// The place of the task that the calling thread executes: at its first call, its initial task.
pub(crate) fn current() -> *mut Place {
    let executed = EXECUTED.get();
    match executed.is_null() {
        true => begin_initial(),
        false => executed,
    }
}

/// The calling thread turns to another task.
pub(crate) fn turn_to(place: *mut Place) {
    EXECUTED.set(place);
}

/// The place for the region of a task.
pub(crate) fn region_of(place: *mut Place) -> *mut Data {
    // SAFETY: the calling thread executes the task, so its place is valid (module).
    unsafe { (*place).region }
}

/// The tool learns of the calling thread.
#[cold]
fn begin_thread(kind: c_int) {
    tell! { THREAD_BEGIN: ThreadBegin(kind, ptr::null_mut()) }
}

/// Has the tool learn when the calling thread ends. After what the tool itself keeps with the
/// thread, which ends later then.
pub(crate) fn watch_end() {
    let _ = THREAD.try_with(|_| ());
}

#[cold]
fn begin_initial() -> *mut Place {
    let place = OF_THREAD.with(|own| {
        let place = own.initial.get();
        // SAFETY: only this thread has it, and the tool does not know it yet.
        unsafe { (*place).region = own.serial.get() };
        place
    });
    begin_thread(thread::INITIAL);
    EXECUTED.set(place);
    tell! { IMPLICIT_TASK: ImplicitTask(endpoint::BEGIN, ptr::null_mut(), place.cast(), 1, 0, abi::task::INITIAL) }
    watch_end();
    place
}

/// The place for the calling thread's part, of that number, of a region that another one has begun.
pub(crate) fn of_member(region: *mut Data, number: c_uint) -> *mut Place {
    OF_THREAD.with(|own| {
        let place = own.member.get();
        // SAFETY: only this thread has it.
        let was_used = unsafe { !(*place).region.is_null() };
        match was_used {
            true => own.end_member(),
            false => begin_thread(thread::WORKER),
        }
        own.number.set(number);
        // SAFETY: only this thread has it, and the part that it was for has ended.
        unsafe { *place = Place::new(region) };
        place
    })
}

impl OfThread {
    /// The thread's part of the last region that another one has begun is over, if it had any.
    fn end_member(&self) {
        let place = self.member.get();
        // SAFETY: only this thread has it.
        if unsafe { !(*place).region.is_null() } {
            end_part(place, self.number.get());
        }
    }
}

/// The part of a region that the thread of that number had is over, with the barrier at its end.
pub(crate) fn end_part(place: *mut Place, number: c_uint) {
    tell! { IMPLICIT_TASK: ImplicitTask(endpoint::END, ptr::null_mut(), place.cast(), 0, number, IMPLICIT) }
}

/// `ompt_task_implicit`.
pub(crate) const IMPLICIT: i32 = 2;
