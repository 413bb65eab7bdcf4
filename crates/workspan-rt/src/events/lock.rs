//! Locks of the program, and what is done under each.
//!
//! What is done under one lock is done by one thread after the other, so no schedule on any number of cores is shorter
//! than all of it together, whoever does it and in whatever order. It is summed up for each lock and place in ticks of
//! the session's clock: by how much the holder's path grows from the acquisition to the release. So it
//! is as exact as the work is, and in every schedule the same:
//!
//! * Not in it: waiting for another lock meanwhile, which another schedule need not do, and time off the processor.
//! * Nor the tasks that the holder waits for meanwhile: another thread may have run them before the lock was acquired. But one
//!   that it spawns serially runs under the lock in every schedule, wherever that is.
//! * In it: the span of a construct that begins and ends under the lock, as a parallel region does.
//! * Of locks held at once each counts all of its own time. One that its holder acquires again counts once.
//!
//! A thread keeps its sums for itself; they are merged when the profile is written.

use super::construct::Construct;
use crate::clock::{self, Clock};
use crate::frame::Frame;
use crate::thread::{self, with, Thread};
use crate::{serial, session, tree};
use std::collections::{BTreeMap, HashMap};
use std::ops::AddAssign;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Of how many pairs of a lock and a place a thread keeps apart what it has, at most.
const MOST: usize = 4096;

/// How many locks it may hold at once; more are of a program that releases them on other threads.
const MOST_HELD: usize = 256;

/// Who takes longer than this many nanoseconds to get a lock had to wait for it.
const WAIT_NANOS: i64 = 1_000;

/// What was done under a lock, in ticks.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sum {
    pub(crate) held: i64,
    pub(crate) acquisitions: u64,
    /// How many of them had to wait, and how long all took.
    pub(crate) waits: u64,
    pub(crate) waited: i64,
}

impl AddAssign for Sum {
    fn add_assign(&mut self, other: Self) {
        self.held += other.held;
        self.acquisitions += other.acquisitions;
        self.waits += other.waits;
        self.waited += other.waited;
    }
}

/// A lock, and what it was before it was made anew: the program's number for it, and which of those with that number.
type Lock = (u64, usize);

/// The generation of a lock that exists.
const PRESENT: usize = usize::MAX;

/// What a thread has of locks.
#[derive(Default)]
pub(crate) struct Locks {
    /// Those that it holds, in the order of their acquisitions.
    held: Vec<Hold>,
    /// By lock and site.
    sums: BTreeMap<(Lock, u32), Sum>,
    /// By site, of locks that are not kept apart.
    others: BTreeMap<u32, Sum>,
    /// The tree's number of the site of each construct.
    sites: HashMap<u64, u32>,
    /// When it began to wait for the lock that it acquires next.
    wait_began: i64,
    /// How many of the [`Renewals`] it has seen.
    seen: usize,
}

/// A lock that a thread holds.
struct Hold {
    lock: u64,
    site: u32,
    /// How often the holder has acquired it.
    times: u32,
    /// What tells the branch or task that holds it from others, and where its path stood.
    branch: *const (),
    since: i64,
    waits: bool,
    waited: i64,
}

impl Hold {
    /// It ends where the present path of its thread is that of `frame`.
    fn ended(&self, frame: *mut Frame) -> Sum {
        let held = if frame.is_null() || branch_of(frame) != self.branch {
            // Another task has released it: nothing is known of its time.
            0
        } else {
            // SAFETY: the present frame of a thread is alive.
            let depth = unsafe { (*frame).depth };
            depth - self.since
        };
        Sum {
            held: held.max(0),
            acquisitions: 1,
            waits: u64::from(self.waits),
            waited: self.waited,
        }
    }
}

/// What tells the branch or task that `frame`, the present one of a thread, is part of from others.
fn branch_of(frame: *mut Frame) -> *const () {
    // SAFETY: a thread's present frame and its parents are alive.
    unsafe { (*serial::branch_of(frame)).identity() }
}

/// The calling thread begins to wait for a lock: no work until it is [acquired].
pub fn acquire() {
    with(|thread| {
        if thread.is_running() {
            thread.end_ordinary_strand();
        }
        change(thread, |locks| locks.wait_began = time(thread));
    });
}

/// The calling thread has acquired `lock` in `construct`; without [`acquire`] it did not wait. The number tells the lock
/// from all others that exist, as its address does.
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
                hold.waits = waited > session::nanos_to_ticks(WAIT_NANOS);
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

/// A lock is made, which has nothing to do with any of the same number before.
pub fn renewed(lock: u64) {
    // Within the bookkeeping: a copy of the process that writes the profile so far finds no lock taken.
    with(|_| renewals().add(lock));
}

/// The path of `frame`, which `thread` runs, has become longer by `ticks` that others did.
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

/// The thread that holds what `thread` has is gone.
pub(crate) fn forget_held(thread: &Thread) {
    if let Some(mut locks) = thread.locks.take() {
        locks.held.clear();
        thread.locks.set(Some(locks));
    }
}

/// What all threads have: of each lock by site, the one held longest first, and by site what is not told apart by lock.
/// The world is stopped.
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

/// When `thread` was at its last boundary, in ticks, by a clock that goes on while it waits.
fn time(thread: &Thread) -> i64 {
    match thread.settings.get().clock {
        Clock::Thread | Clock::Counter | Clock::Emulated => clock::monotonic_nanos(),
        _ => thread.last.get(),
    }
}

impl Locks {
    fn site(&mut self, construct: &Construct) -> u32 {
        let key = construct.key();
        let site = self.sites.entry(key);
        *site.or_insert_with(|| tree::lock().site(key, || construct.site()))
    }

    /// Says whether the lock was not held yet; then it is the last.
    fn hold(&mut self, lock: u64, site: u32, frame: *mut Frame) -> bool {
        let branch = branch_of(frame);
        if let Some(at) = self.held.iter().rposition(|hold| hold.lock == lock) {
            if ptr::eq(self.held[at].branch, branch) {
                self.held[at].times += 1;
                return false;
            }
            // Another thread has released it.
            self.end(at, ptr::null_mut());
        }
        if self.held.len() == MOST_HELD {
            self.end(0, ptr::null_mut());
        }
        self.held.push(Hold {
            lock,
            site,
            times: 1,
            branch,
            // SAFETY: the present frame of this thread.
            since: unsafe { (*frame).depth },
            waits: false,
            waited: 0,
        });
        true
    }

    fn release(&mut self, lock: u64, frame: *mut Frame) {
        let Some(at) = self.held.iter().rposition(|hold| hold.lock == lock) else {
            return;
        };
        self.held[at].times -= 1;
        if self.held[at].times == 0 {
            self.end(at, frame);
        }
    }

    fn end(&mut self, at: usize, frame: *mut Frame) {
        let hold = self.held.remove(at);
        self.add((hold.lock, PRESENT), hold.site, hold.ended(frame));
    }

    fn add(&mut self, lock: Lock, site: u32, sum: Sum) {
        *self.sums.entry((lock, site)).or_default() += sum;
        if self.sums.len() > MOST {
            self.forget_half();
        }
    }

    /// Keeps apart only the half that was held longest.
    #[cold]
    fn forget_half(&mut self) {
        let mut held: Vec<i64> = self.sums.values().map(|sum| sum.held).collect();
        let (_, &mut median, _) = held.select_nth_unstable(MOST / 2);
        let others = &mut self.others;
        self.sums.retain(|(_, site), sum| {
            let keeps = sum.held > median;
            if !keeps {
                *others.entry(*site).or_default() += *sum;
            }
            keeps
        });
    }

    /// Tells locks that were made since the thread last looked from what was in their places.
    fn catch_up(&mut self) {
        // Relaxed: that a lock was made is ordered before its first acquisition by the program itself, so this thread
        // finds what was added then, if it is about to acquire it.
        if self.seen == ADDED.load(Ordering::Relaxed) {
            return;
        }
        let renewals = renewals();
        let all_before = self.seen < renewals.forgotten;
        if all_before {
            let sums = std::mem::take(&mut self.sums).into_iter();
            for (((lock, generation), site), sum) in sums {
                let generation = generation.min(renewals.forgotten);
                *self.sums.entry(((lock, generation), site)).or_default() += sum;
            }
        }
        let seen = self.seen.max(renewals.forgotten);
        for (index, lock) in (seen..).zip(&renewals.locks[seen - renewals.forgotten..]) {
            self.renew(*lock, index + 1);
        }
        self.seen = renewals.added();
    }

    fn renew(&mut self, lock: u64, generation: usize) {
        let present = (lock, PRESENT);
        let of_lock = self.sums.range((present, 0)..=(present, u32::MAX));
        let sites: Vec<u32> = of_lock.map(|((_, site), _)| *site).collect();
        for site in sites {
            if let Some(sum) = self.sums.remove(&(present, site)) {
                self.sums.insert(((lock, generation), site), sum);
            }
        }
    }
}

/// Locks that were made, in order: the number of one tells for all threads which of the locks of an address it is.
struct Renewals {
    locks: Vec<u64>,
    /// How many were made before those.
    forgotten: usize,
}

/// So many are kept.
const MOST_RENEWALS: usize = 1 << 16;

static RENEWALS: Mutex<Renewals> = Mutex::new(Renewals {
    locks: Vec::new(),
    forgotten: 0,
});

/// What [`Renewals::added`] says.
static ADDED: AtomicUsize = AtomicUsize::new(0);

fn renewals() -> std::sync::MutexGuard<'static, Renewals> {
    RENEWALS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Renewals {
    fn add(&mut self, lock: u64) {
        if self.locks.len() == MOST_RENEWALS {
            self.forgotten = self.added();
            self.locks.clear();
        }
        self.locks.push(lock);
        ADDED.store(self.added(), Ordering::Relaxed);
    }

    fn added(&self) -> usize {
        self.forgotten + self.locks.len()
    }
}
