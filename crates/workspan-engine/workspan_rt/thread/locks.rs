//! A thread's account of the program's locks.

use crate::path::frame::Frame;
use crate::path::open_frames;
use crate::tree;
use crate::tree::construct::Construct;
use std::collections::{BTreeMap, HashMap};
use std::ops::AddAssign;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The most pairs of a lock and a site for which a thread keeps separate sums.
const MOST: usize = 4096;

/// The most locks it may hold at once; a program with more releases them on other threads.
const MOST_HELD: usize = 256;

/// What was done under a lock, in ticks.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sum {
    pub(crate) held: i64,
    pub(crate) acquisitions: u64,
    /// How many of them had to wait, and how long all of them took together.
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

/// A lock: the program's number for it, and its generation among the locks made with that number.
pub(crate) type Lock = (u64, usize);

/// The generation of a lock that still exists.
pub(crate) const PRESENT: usize = usize::MAX;

/// A thread's account of locks.
#[derive(Default)]
pub(crate) struct Locks {
    /// Those that it holds, in order of acquisition.
    pub(crate) held: Vec<Hold>,
    /// By lock and site.
    pub(crate) sums: BTreeMap<(Lock, u32), Sum>,
    /// By site, of locks without separate sums.
    pub(crate) others: BTreeMap<u32, Sum>,
    /// The tree's number of the site of each construct.
    sites: HashMap<u64, u32>,
    /// When it began to wait for the lock that it acquires next.
    pub(crate) wait_began: i64,
    /// How many of the [`Renewals`] it has seen.
    seen: usize,
}

/// A lock that a thread holds.
pub(crate) struct Hold {
    pub(crate) lock: u64,
    pub(crate) site: u32,
    /// How often the holder has acquired it.
    times: u32,
    /// Identifies the branch or task that holds it; and where its path stood at the acquisition.
    pub(crate) branch: *const (),
    pub(crate) since: i64,
    pub(crate) waits: bool,
    pub(crate) waited: i64,
}

impl Hold {
    /// Ends the hold, with the present path of its thread in `frame`.
    pub(crate) fn ended(&self, frame: *mut Frame) -> Sum {
        let held = if frame.is_null() || branch_of(frame) != self.branch {
            // Another task has released it: how long it was held is unknown.
            0
        } else {
            // SAFETY: callers pass the present frame of the thread whose locks these are, so it is
            // alive; and that thread is in its bookkeeping or stopped, so nobody writes it.
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

/// Identifies the branch or task that `frame`, the present one of a thread, is part of.
pub(crate) fn branch_of(frame: *mut Frame) -> *const () {
    // SAFETY: callers pass the present frame of a thread, so it and its parents are alive, and what
    // makes up a frame's identity never changes.
    unsafe { (*open_frames::branch_of(frame)).identity() }
}

impl Locks {
    /// The thread that holds them is gone.
    pub(crate) fn forget_held(&mut self) {
        self.held.clear();
    }

    pub(crate) fn site(&mut self, construct: &Construct) -> u32 {
        let key = construct.key();
        let site = self.sites.entry(key);
        *site.or_insert_with(|| tree::lock().site(key, || construct.site()))
    }

    /// Returns whether the lock was not held yet; then it is the last in `held`.
    pub(crate) fn hold(&mut self, lock: u64, site: u32, frame: *mut Frame) -> bool {
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
            // SAFETY: callers pass the present frame of this thread, so it is alive, and only this
            // thread writes it.
            since: unsafe { (*frame).depth },
            waits: false,
            waited: 0,
        });
        true
    }

    pub(crate) fn release(&mut self, lock: u64, frame: *mut Frame) {
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

    pub(crate) fn add(&mut self, lock: Lock, site: u32, sum: Sum) {
        *self.sums.entry((lock, site)).or_default() += sum;
        if self.sums.len() > MOST {
            self.forget_half();
        }
    }

    /// Keeps separate sums only for the half that was held longest.
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

    /// Separates locks made since the thread last looked from earlier ones of the same number.
    pub(crate) fn catch_up(&mut self) {
        // Relaxed: the program itself orders the making of a lock before its first acquisition, so
        // this thread sees what was added then, if it is about to acquire that lock.
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

/// Locks that were made, in order: the index of one identifies, for all threads alike, which of the
/// locks of an address it is.
pub(crate) struct Renewals {
    locks: Vec<u64>,
    /// How many were made before those.
    forgotten: usize,
}

/// How many are kept at most.
const MOST_RENEWALS: usize = 1 << 16;

static RENEWALS: Mutex<Renewals> = Mutex::new(Renewals {
    locks: Vec::new(),
    forgotten: 0,
});

/// The value of [`Renewals::added`].
static ADDED: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn renewals() -> std::sync::MutexGuard<'static, Renewals> {
    RENEWALS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Renewals {
    pub(crate) fn add(&mut self, lock: u64) {
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
