//! How much time the runtime's workers wait for work: Acar, Charguéraud and Rainey's I_P (2017, §2.1).
//!
//! A process that was started with `WORKSPAN_IDLE=FILE` writes FILE when it exits (`docs/format.md`). No profile is
//! taken, and where nothing is stolen no clock is read: a `join` costs a few stores to the stack and to the thread's
//! own data. The interface to the runtime tells of
//!
//! * [`Awaited`]: a construct that a thread waits for (`join`, `scope`, `install`, …), and what of it may run elsewhere,
//! * [`task`] and [`handed_over`]: other things that a worker runs,
//! * [`note_pool`] and [`drop_pool`]: the number of workers.
//!
//! One whose threads tell by calls what they do tells of their begin and end, and when they look for work
//! and have found some ([`told`]).
//!
//! **Workers.** A worker works or waits. It waits from the program's start to the first task that it gets, and after each
//! task that its main loop runs unless more are in its own queue; and it waits in a construct whose remaining parts run
//! elsewhere, less what it runs meanwhile (`wait`). Of a wait, the part after what was waited for had ended counts as
//! scheduling: the worker had yet to wake up. Everything else is work, also what the runtime itself does between tasks.
//!
//! **The balance** (Fact 2.7). The P cores of a run that takes T have P·T of time. The main thread, which is no worker,
//! runs the program's serial code on one of them; a worker is idle meanwhile, which is no core's idle time. So with what
//! the main thread ran outside of calls of the pool as *outside*,
//!
//! ```text
//! work = busy time of all workers + outside     idle = waits of all P workers − outside
//! work + scheduling + idle = P·T
//! ```
//!
//! While the main thread runs beside P busy workers (the body of an `in_place_scope`, what follows a `spawn`), there is
//! more work than cores have time for, and *idle* gets less by it: below 0 if nothing else waits. P is the most threads
//! that pools had at any one time. What other threads of the program run is not seen: to this account, their cores idle.
//!
//! **Between threads.** A worker's `Account` is behind a lock, which its own thread takes when it begins and ends a
//! wait, and the writer of the file once. The rest of what this module keeps for a thread is in thread-local cells. What
//! thieves and owners of constructs share is in `wait`.

mod account;
mod output;
mod search;
mod timeline;
pub mod told;
pub(crate) mod wait;

use crate::clock;
use crate::session;
use account::Account;
use search::Search;
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use wait::Wait;

pub(crate) use output::{finish, is_under_way, start};

/// A thread of a pool.
#[derive(Clone, Copy)]
pub struct Worker(&'static Record);

/// What is kept of a worker. Lent again when its thread has ended. On a line of the cache of its own, since others write to it.
#[repr(align(64))]
struct Record {
    account: Mutex<Account>,
    /// What the worker waits for in its main loop: there is no end of it, and others take over what it has spawned.
    main_loop: Wait,
    /// Of a thread that tells by calls.
    search: Search,
}

// SAFETY: a `Wait` has one owner, the thread that the record is lent to; see there for the rest.
unsafe impl Sync for Record {}

impl Record {
    fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Every worker's record, and whether it is lent.
static ALL: Mutex<Vec<(&'static Record, bool)>> = Mutex::new(Vec::new());
/// When the program started.
static START: AtomicI64 = AtomicI64::new(0);
/// Threads of pools, now and at most.
static LIVE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
/// What the main thread runs.
static OUTSIDE: Mutex<Outside> = Mutex::new(Outside {
    since: None,
    sum: 0,
});

/// The main thread's own code.
struct Outside {
    /// When it went on, if it runs.
    since: Option<i64>,
    sum: i64,
}

fn all() -> MutexGuard<'static, Vec<(&'static Record, bool)>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

fn outside_account() -> MutexGuard<'static, Outside> {
    OUTSIDE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Outside {
    fn stop(&mut self, now: i64) {
        if let Some(since) = self.since.take() {
            self.sum += (now - since).max(0);
        }
    }
}

/// What a thread knows of itself.
struct Local {
    record: Cell<Option<&'static Record>>,
    /// What the thread waits for whenever it runs nothing. Null while it runs something.
    waiting: Cell<*const Wait>,
    /// Is a wait under way in the account?
    idles: Cell<bool>,
    /// Is this the main thread, outside of any pool?
    is_outside: Cell<bool>,
}

thread_local! {
    static LOCAL: Local = const {
        Local {
            record: Cell::new(None),
            waiting: Cell::new(ptr::null()),
            idles: Cell::new(false),
            is_outside: Cell::new(false),
        }
    };
    static LEASE: Lease = const { Lease };
}

/// Gives a worker's record back when its thread ends.
struct Lease;

impl Drop for Lease {
    fn drop(&mut self) {
        // In a child of fork(2) a thread that is not there may hold the locks.
        if !session::is_ours() {
            return;
        }
        LOCAL.with(|local| {
            let Some(record) = local.record.take() else {
                return;
            };
            local.waiting.set(ptr::null());
            record
                .account()
                .wait(record.search.idle_since().unwrap_or_else(clock::now));
            record.search.end();
            for entry in all().iter_mut().filter(|(one, _)| ptr::eq(*one, record)) {
                entry.1 = false;
            }
        });
    }
}

/// Makes the calling thread a worker that waits. `None` while the thread ends.
#[cold]
fn enlist(local: &Local) -> Option<&'static Record> {
    LEASE.try_with(|_| ()).ok()?;
    let mut all = all();
    let record = match all.iter_mut().find(|(_, lent)| !lent) {
        Some(entry) => {
            entry.1 = true;
            entry.0
        }
        None => {
            let record: &'static Record = Box::leak(Box::new(Record {
                account: Mutex::new(Account::waiting_since(START.load(Ordering::Relaxed))),
                main_loop: Wait::elsewhere(),
                search: Search::new(),
            }));
            all.push((record, true));
            record
        }
    };
    drop(all);
    local.record.set(Some(record));
    local.waiting.set(&record.main_loop);
    local.idles.set(true);
    Some(record)
}

/// Makes the calling thread, which runs the program, a worker of the pool that it has built.
pub fn become_worker() {
    LOCAL.with(|local| {
        let now = clock::now();
        if local.is_outside.take() {
            outside_account().stop(now);
        }
        if local.record.get().is_some() {
            return;
        }
        if let Some(record) = enlist(local) {
            record.account().work(now, 0);
            local.waiting.set(ptr::null());
            local.idles.set(false);
        }
    });
}

/// The calling thread as a worker, if it has become one by running a task.
#[inline(always)]
pub fn worker() -> Option<Worker> {
    LOCAL.with(|local| local.record.get().map(Worker))
}

/// The time, for [`handed_over`].
pub fn now() -> i64 {
    clock::now()
}

/// Tells of a pool of `threads` threads that begins.
pub fn note_pool(threads: usize) {
    let live = LIVE.fetch_add(threads, Ordering::Relaxed) + threads;
    MOST.fetch_max(live, Ordering::Relaxed);
    crate::signals::watch_once();
}

/// Tells of the end of a pool of `threads` threads.
pub fn drop_pool(threads: usize) {
    LIVE.fetch_sub(threads, Ordering::Relaxed);
}

/// Does the calling worker have tasks in its own queue? The runtime knows.
pub type HasTasks = fn() -> bool;

/// A construct on the stack of the thread that waits for its end. It must outlive all its tasks.
pub struct Awaited {
    wait: Wait,
    owner: Option<Worker>,
}

// SAFETY: tasks on other threads take `&Awaited` to `Awaited::task` alone, which touches the owner's cells on the
// owner's thread only; the rest is atomic or does not change.
unsafe impl Sync for Awaited {}

impl Awaited {
    /// A construct of the calling thread, which is `owner` if it is a worker. Its tasks go to the thread's own queue.
    #[inline(always)]
    pub fn new(owner: Option<Worker>) -> Self {
        Self {
            wait: Wait::new(),
            owner,
        }
    }

    /// As [`Awaited::new`], for tasks that go to other threads.
    pub fn elsewhere(owner: Option<Worker>) -> Self {
        Self {
            wait: Wait::elsewhere(),
            owner,
        }
    }

    /// Some of the construct's tasks go to other threads, which begin with them when they come to it.
    pub fn scatter(&self) {
        self.wait.take(clock::now());
    }

    /// The owner has run what it runs for certain, and waits for the rest: a worker runs that itself, as far as it gets
    /// it.
    #[inline(always)]
    pub fn wait(&self, has_tasks: HasTasks) {
        LOCAL.with(|local| {
            if self.owner.is_none() {
                return leave(local);
            }
            local.waiting.set(&self.wait);
            if self.wait.is_taken() {
                look(local, &self.wait, has_tasks, None);
            }
        });
    }

    /// The owner goes on with the rest itself.
    #[inline(always)]
    pub fn keep(&self) {
        LOCAL.with(|local| local.waiting.set(ptr::null()));
    }

    /// The construct has ended, and its owner goes on after it.
    #[inline(always)]
    pub fn end(&self) {
        if self.owner.is_none() || self.wait.is_taken() {
            self.end_wait();
        } else {
            self.keep();
        }
    }

    #[cold]
    #[inline(never)]
    fn end_wait(&self) {
        LOCAL.with(|local| {
            let Some(Worker(record)) = self.owner else {
                return come_back(local);
            };
            local.waiting.set(ptr::null());
            if local.idles.take() {
                record.account().work(clock::now(), self.wait.ended());
            } else if let Some(since) = self.wait.unseen() {
                let mut account = record.account();
                account.wait(since);
                account.work(clock::now(), self.wait.ended());
            }
        });
    }

    /// Runs `body` as a part of the construct, on whatever thread it has come to. It was spawned by the worker
    /// `spawner`, if by any.
    pub fn task<R>(
        &self,
        spawner: Option<Worker>,
        has_tasks: HasTasks,
        body: impl FnOnce() -> R,
    ) -> R {
        run(Some(self), spawner, 0, has_tasks, body)
    }
}

/// Runs `body` as a task that nobody waits for, or that a construct on another pool's thread does. It was spawned by the
/// worker `spawner`, if by any.
pub fn task<R>(spawner: Option<Worker>, has_tasks: HasTasks, body: impl FnOnce() -> R) -> R {
    run(None, spawner, 0, has_tasks, body)
}

/// Runs `body` as what another thread has handed over to the pool at the time `since`.
pub fn handed_over<R>(since: i64, has_tasks: HasTasks, body: impl FnOnce() -> R) -> R {
    run(None, None, since, has_tasks, body)
}

fn leave(local: &Local) {
    if local.is_outside.get() {
        outside_account().stop(clock::now());
    }
}

fn come_back(local: &Local) {
    if local.is_outside.get() {
        outside_account().since.get_or_insert_with(clock::now);
    }
}

/// A worker has nothing to run but what `wait` waits for, of which something runs elsewhere. `now` is the present time
/// if that is known.
#[cold]
#[inline(never)]
fn look(local: &Local, wait: &Wait, has_tasks: HasTasks, now: Option<i64>) {
    wait.look();
    // What is in the worker's own queue comes next.
    if has_tasks() {
        return;
    }
    if let Some(record) = local.record.get() {
        record.account().wait(now.unwrap_or_else(clock::now));
        local.idles.set(true);
    }
}

/// Ends a task when dropped, also when it unwinds.
struct Running<'a> {
    part_of: Option<&'a Awaited>,
    /// What the thread waited for before.
    waiting: *const Wait,
    has_tasks: HasTasks,
    is_stolen: bool,
}

fn run<R>(
    part_of: Option<&Awaited>,
    spawner: Option<Worker>,
    available: i64,
    has_tasks: HasTasks,
    body: impl FnOnce() -> R,
) -> R {
    let _running =
        LOCAL.with(|local| Running::begin(local, part_of, spawner, available, has_tasks));
    body()
}

impl<'a> Running<'a> {
    fn begin(
        local: &Local,
        part_of: Option<&'a Awaited>,
        spawner: Option<Worker>,
        available: i64,
        has_tasks: HasTasks,
    ) -> Self {
        let record = local.record.get().or_else(|| enlist(local));
        let waiting = local.waiting.replace(ptr::null());
        let mut read = None;
        let mut now = || *read.get_or_insert_with(clock::now);
        // SAFETY: a thread waits for what lies on its own stack, below this call, or in its record.
        let awaited = unsafe { waiting.as_ref() };
        if let Some(record) = record {
            if local.idles.take() {
                record.account().work(now(), available);
            } else if let Some(since) = awaited.and_then(Wait::unseen) {
                let mut account = record.account();
                account.wait(since);
                account.work(now(), available);
            }
        }
        let is_this = |worker: &Worker| record.is_some_and(|record| ptr::eq(worker.0, record));
        if let Some(spawner) = spawner.filter(|spawner| !is_this(spawner)) {
            spawner.0.main_loop.take(now());
        }
        let stolen_from = part_of.filter(|awaited| !awaited.owner.as_ref().is_some_and(is_this));
        if let Some(awaited) = stolen_from {
            awaited.wait.take(now());
        }
        Self {
            part_of,
            waiting,
            has_tasks,
            is_stolen: stolen_from.is_some(),
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut now = None;
        if let (true, Some(awaited)) = (self.is_stolen, self.part_of) {
            awaited.wait.end(*now.insert(clock::now()));
        }
        LOCAL.with(|local| {
            local.waiting.set(self.waiting);
            // SAFETY: as in `begin`.
            let awaited = unsafe { self.waiting.as_ref() };
            if let Some(wait) = awaited.filter(|wait| wait.is_taken()) {
                look(local, wait, self.has_tasks, now);
            }
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
