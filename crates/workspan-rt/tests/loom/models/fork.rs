//! A right branch that starts on another thread, in a stretch. `fork` depends on the whole engine;
//! this is the part that the two threads share, with the same names, orderings and order of steps.

use crate::sync::check;
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use loom::sync::Arc;
use loom::thread::{spawn, yield_now};
use std::ptr;

/// `Folded`. loom checks each access to the cells.
struct Folded {
    at: UnsafeCell<i64>,
    left: UnsafeCell<i64>,
    apart: AtomicPtr<Apart>,
    /// The runtime's latch.
    latch: AtomicBool,
}

/// `Apart`. Only `right` changes while the branch runs.
struct Apart {
    since: UnsafeCell<i64>,
    origin: UnsafeCell<i64>,
    right: UnsafeCell<i64>,
}

fn get(cell: &UnsafeCell<i64>) -> i64 {
    // SAFETY: loom has checked the access.
    cell.with(|value| unsafe { *value })
}

fn set(cell: &UnsafeCell<i64>, new: i64) {
    // SAFETY: as above.
    cell.with_mut(|value| unsafe { *value = new });
}

/// `Fork::right_frame_apart`, the branch, `BranchEnd` and the runtime's end of the job.
fn thief(folded: &Folded) {
    let at = get(&folded.at);
    let apart = Box::into_raw(Box::new(Apart {
        since: UnsafeCell::new(0),
        origin: UnsafeCell::new(0),
        right: UnsafeCell::new(0),
    }));
    // SAFETY: freed by `owner` after the latch.
    let branch = unsafe { &*apart };
    set(&branch.since, 100);
    set(&branch.origin, at);
    set(&branch.right, get(&branch.origin));
    folded.apart.store(apart, Ordering::Release);
    set(&branch.right, get(&branch.right) + 5);
    folded.latch.store(true, Ordering::Release);
}

/// `Fork::end_left`, `Thread::break_stretch` with `Fork::waiting_at`, the runtime's wait,
/// `Fork::close_folded`.
fn owner(folded: &Folded) {
    let stolen_before_the_end = !folded.apart.load(Ordering::Relaxed).is_null();
    set(&folded.left, get(&folded.at) + 3);
    if !stolen_before_the_end {
        let apart = folded.apart.load(Ordering::Acquire);
        if !apart.is_null() {
            // SAFETY: freed below.
            assert_eq!(get(unsafe { &(*apart).since }), 100);
            set(&folded.left, get(&folded.left) + 1);
        }
    }
    while !folded.latch.load(Ordering::Acquire) {
        yield_now();
    }
    // SAFETY: both branches have ended. Only the owner has the fork now.
    unsafe {
        let apart = folded.apart.unsync_load();
        assert!(!apart.is_null());
        let apart = Box::from_raw(apart);
        assert_eq!((get(&apart.origin), get(&apart.right)), (7, 12));
    }
}

#[test]
fn a_right_branch_is_stolen_in_a_stretch() {
    check(5, || {
        let folded = Arc::new(Folded {
            at: UnsafeCell::new(0),
            left: UnsafeCell::new(0),
            apart: AtomicPtr::new(ptr::null_mut()),
            latch: AtomicBool::new(false),
        });
        // Before the branch is offered to thieves: the runtime's queue orders it.
        set(&folded.at, 7);
        let stealing = spawn({
            let folded = folded.clone();
            move || thief(&folded)
        });
        owner(&folded);
        stealing.join().unwrap();
    });
}
