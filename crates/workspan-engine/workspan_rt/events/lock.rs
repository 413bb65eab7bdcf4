//! Locks of the program, and what is done under each.
//!
//! Threads hold a lock one after another, so no schedule, on any number of cores, is shorter than
//! everything done under one lock together, whoever does it and in whatever order. It is summed for
//! each lock and site in ticks of the session's clock, as the growth of the holder's path from
//! acquisition to release. So it is as exact as the work, and the same in every schedule:
//!
//! * Excluded: waiting for another lock meanwhile, which another schedule need not do, and time off
//!   the processor.
//! * Excluded: tasks that the holder waits for meanwhile, since another thread may have run them
//!   before the lock was acquired. But a task that it spawns serially runs under the lock in every
//!   schedule, on whatever thread.
//! * Included: the span of a construct that begins and ends under the lock, such as a parallel
//!   region.
//! * Of several locks held at once, each counts all of its own time. A lock that its holder
//!   acquires again counts once.
//!
//! A thread keeps its own sums; they are merged when the profile is written.

pub(crate) use crate::thread::locks::Sum;

use crate::clock::{self, Clock};
use crate::path::frame::Frame;
use crate::thread::locks::{branch_of, renewals, Lock, Locks, PRESENT};
use crate::thread::{self, with, Thread};
use crate::tree::construct::Construct;
use std::collections::{BTreeMap, HashMap};
use std::ptr;

/// An acquisition that takes longer than this many nanoseconds counts as a wait.
const WAIT_NANOS: i64 = 1_000;

/// The calling thread begins to wait for a lock: no work until it has [acquired] it.
pub fn acquire() {
    with(|thread| {
        if thread.is_running() {
            thread.end_ordinary_strand();
        }
        change(thread, |locks| locks.wait_began = time(thread));
    });
}

/// The calling thread has acquired `lock` in `construct`; without a preceding [`acquire`] it did
/// not wait. The number identifies the lock among all that exist, as its address does.
pub fn acquired(lock: u64, construct: &Construct) {
    with(|thread| {
        let frame = thread.present();
        if frame.is_null() {
            return;
        }
        let has_waited = !thread.is_running();
        if !has_waited {
            thread.end_ordinary_strand();
        }
        let is_first = change(thread, |locks| {
            locks.catch_up();
            let site = locks.site(construct);
            locks.hold(lock, site, frame)
        });
        if !has_waited {
            thread.continue_strand();
            return thread.begin_strand_here();
        }
        thread.start_strand_after_wait();
        change(thread, |locks| {
            let waited = time(thread) - locks.wait_began;
            if let Some(hold) = locks.held.last_mut().filter(|_| is_first) {
                hold.waited = waited;
                hold.waits = waited > clock::nanos_to_ticks(WAIT_NANOS);
            }
        });
    });
}

/// The calling thread has released `lock`.
pub fn released(lock: u64) {
    with(|thread| {
        let was_running = thread.is_running();
        if was_running {
            thread.end_ordinary_strand();
        }
        change(thread, |locks| locks.release(lock, thread.present()));
        if was_running {
            thread.continue_strand();
            thread.begin_strand_here();
        }
    });
}

/// A lock is made, unrelated to any earlier one of the same number.
pub fn renewed(lock: u64) {
    // Within the bookkeeping, so that a copy of the process, made to write the profile so far,
    // finds the mutex free.
    with(|_| renewals().add(lock));
}

/// The path of `frame`, which `thread` runs, has grown by `ticks` that others did: they do not
/// count as done under the locks held.
pub(super) fn leave_out(thread: &Thread, frame: *mut Frame, ticks: i64) {
    if let Some(mut locks) = thread.locks.take() {
        if !locks.held.is_empty() {
            let branch = branch_of(frame);
            let holds = locks.held.iter_mut();
            holds
                .filter(|hold| ptr::eq(hold.branch, branch))
                .for_each(|hold| hold.since += ticks);
        }
        thread.locks.set(Some(locks));
    }
}

/// What all threads have: for each lock its sums by site, the lock held longest first; and by site,
/// the sums of locks that are not kept separate. The world is stopped.
pub(crate) fn all() -> (Vec<BTreeMap<u32, Sum>>, BTreeMap<u32, Sum>) {
    let mut by_lock: HashMap<Lock, BTreeMap<u32, Sum>> = HashMap::new();
    let mut others: BTreeMap<u32, Sum> = BTreeMap::new();
    thread::for_each(|thread, _| {
        change(thread, |locks| {
            locks.catch_up();
            let frame = thread.present();
            for hold in std::mem::take(&mut locks.held) {
                locks.add((hold.lock, PRESENT), hold.site, hold.ended(frame));
            }
            for (&(lock, site), &sum) in &locks.sums {
                *by_lock.entry(lock).or_default().entry(site).or_default() += sum;
            }
            for (&site, &sum) in &locks.others {
                *others.entry(site).or_default() += sum;
            }
        });
    });
    let held = |sites: &BTreeMap<u32, Sum>| sites.values().map(|sum| sum.held).sum::<i64>();
    let mut locks: Vec<_> = by_lock.into_iter().collect();
    locks.sort_by_key(|(lock, sites)| (std::cmp::Reverse(held(sites)), *lock));
    (locks.into_iter().map(|(_, sites)| sites).collect(), others)
}

fn change<R>(thread: &Thread, f: impl FnOnce(&mut Locks) -> R) -> R {
    let mut locks = thread.locks.take().unwrap_or_default();
    let result = f(&mut locks);
    thread.locks.set(Some(locks));
    result
}

/// When `thread` was at its last boundary, in ticks, by a clock that runs on while it waits.
fn time(thread: &Thread) -> i64 {
    match thread.settings.get().clock {
        Clock::Thread | Clock::Counter | Clock::Emulated => clock::monotonic_nanos(),
        _ => thread.last.get(),
    }
}
