//! How much time the runtime's workers wait for work: Acar, Charguéraud and Rainey's I_P (2017,
//! §2.1).
//!
//! A process started with `WORKSPAN_IDLE=FILE` writes FILE when it exits (`docs/format.md`). No
//! profile is taken, and where nothing is stolen no clock is read: a `join` costs a few stores to
//! the stack and to the thread's own data. The interface to the runtime reports
//!
//! * [`Awaited`]: a construct that a thread waits for (`join`, `scope`, `install`, …), and which
//!   parts of it may run elsewhere,
//! * [`task`] and [`handed_over`]: other things that a worker runs,
//! * [`note_pool`] and [`drop_pool`]: the number of workers.
//!
//! For a runtime whose threads report what they do by calls, it reports instead when they start and
//! end, when they look for work, and when they have found some ([`told`]).
//!
//! **Workers.** A worker works or waits. It waits from the program's start to the first task it
//! gets, and after each task that its main loop runs unless its own queue holds more; and it waits
//! in a construct whose remaining parts run elsewhere, except for what it runs meanwhile (`wait`).
//! The part of a wait after what was waited for had ended counts as scheduling: the worker had yet
//! to wake up. Everything else is work, including what the runtime itself does between tasks.
//!
//! **The balance** (Fact 2.7). The P cores of a run that takes T have P·T of time. The main thread,
//! which is no worker, runs the program's serial code on one of them; a worker is idle meanwhile,
//! but no core is. So, with *outside* for what the main thread ran outside of calls of the pool,
//!
//! ```text
//! work = busy time of all workers + outside     idle = waits of all P workers − outside
//! work + scheduling + idle = P·T
//! ```
//!
//! While the main thread runs in addition to P busy workers (the body of an `in_place_scope`, what
//! follows a `spawn`), there is more work than the cores have time for, and *idle* shrinks by it:
//! below 0 if nothing else waits. P is the most threads that pools had at any one time. What other
//! threads of the program run is not seen: to this account, their cores idle.
//!
//! **Between threads.** A worker's `Account` is behind a lock, which its own thread takes when it
//! begins and ends a wait, and the writer of the file once. Everything else this module keeps for a
//! thread is in thread-local cells. What thieves and owners of constructs share is in `wait`.

mod account;
mod output;
mod records;
mod search;
mod timeline;
pub mod told;
pub(crate) mod wait;

use crate::clock;
use crate::state::process;
use account::Account;
use records::{all, outside_account, Local, Record, LIVE, LOCAL, MOST, START};
use search::Search;
use std::ptr;
use std::sync::atomic::Ordering;
use std::sync::Mutex;
use wait::Wait;

pub(crate) use output::{finish, is_under_way, start};

/// A thread of a pool.
#[derive(Clone, Copy)]
pub struct Worker(&'static Record);

thread_local! {
    static LEASE: Lease = const { Lease };
}

/// Returns a worker's record when its thread ends.
struct Lease;

impl Drop for Lease {
    fn drop(&mut self) {
        // In a child of fork(2), the locks may be held by a thread that does not exist there.
        if !process::is_ours() {
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

/// Makes the calling thread a waiting worker. `None` while the thread ends.
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

/// Reports that a pool of `threads` threads begins.
pub fn note_pool(threads: usize) {
    let live = LIVE.fetch_add(threads, Ordering::Relaxed) + threads;
    MOST.fetch_max(live, Ordering::Relaxed);
    crate::state::watch::begin();
}

/// Reports that a pool of `threads` threads ends.
pub fn drop_pool(threads: usize) {
    LIVE.fetch_sub(threads, Ordering::Relaxed);
}

/// Does the calling worker have tasks in its own queue? Answered by the runtime.
pub type HasTasks = fn() -> bool;

/// A construct on the stack of the thread that waits for its end. It must outlive all its tasks.
pub struct Awaited {
    wait: Wait,
    owner: Option<Worker>,
}

// SAFETY: other threads come to it by `task` and `scatter` alone, which touch nothing but atomics
// and what never changes; the one cell, `seen` of the wait, is touched on the owner's thread.
unsafe impl Sync for Awaited {}

impl Awaited {
    /// A construct of the calling thread, which is `owner` if it is a worker. The construct's tasks
    /// go to the thread's own queue.
    #[inline(always)]
    pub fn new(owner: Option<Worker>) -> Self {
        Self {
            wait: Wait::new(),
            owner,
        }
    }

    /// [`Awaited::new`] for tasks that go to other threads.
    pub fn elsewhere(owner: Option<Worker>) -> Self {
        Self {
            wait: Wait::elsewhere(),
            owner,
        }
    }

    /// Some of the construct's tasks go to other threads, which begin them when they get to it.
    pub fn scatter(&self) {
        self.wait.take(clock::now());
    }

    /// The owner has run the part that is certainly its own, and waits for the rest; if it is a
    /// worker, it runs whatever it can get of that itself.
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

    /// The owner runs the rest itself.
    #[inline(always)]
    pub fn keep(&self) {
        LOCAL.with(|local| local.waiting.set(ptr::null()));
    }

    /// The construct has ended, and its owner continues after it.
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

    /// Runs `body` as a part of the construct, on whatever thread it ended up on. `spawner`: the
    /// worker that spawned it, if any.
    pub fn task<R>(
        &self,
        spawner: Option<Worker>,
        has_tasks: HasTasks,
        body: impl FnOnce() -> R,
    ) -> R {
        run(Some(self), spawner, 0, has_tasks, body)
    }
}

/// Runs `body` as a task that nobody waits for, or that a construct on a thread of another pool
/// waits for. `spawner`: the worker that spawned it, if any.
pub fn task<R>(spawner: Option<Worker>, has_tasks: HasTasks, body: impl FnOnce() -> R) -> R {
    run(None, spawner, 0, has_tasks, body)
}

/// Runs `body`, which another thread handed over to the pool at time `since`.
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

/// A worker has nothing to run but what `wait` waits for, some of which runs elsewhere. `now` is
/// the present time, if known.
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

/// Ends a task when dropped, also by unwinding.
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
        // SAFETY: null, or what this thread waits for: a construct further down on its own stack,
        // which has not ended (`Awaited::end` resets the pointer), or the main loop in its record,
        // which is leaked.
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
            // SAFETY: what the thread waited for when the task began cannot have ended since, as it
            // lies further down on the same stack or in the thread's record; or there was nothing,
            // and it is null.
            let awaited = unsafe { self.waiting.as_ref() };
            if let Some(wait) = awaited.filter(|wait| wait.is_taken()) {
                look(local, wait, self.has_tasks, now);
            }
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
