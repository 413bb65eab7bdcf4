//! A worker's search for work, where the runtime reports by calls what its threads do.
//!
//! A thread that waits at a barrier or for tasks executes tasks meanwhile. Whether it idled shows
//! in what it finds:
//!
//! * a task that it created itself was in its own queue all the time, unless it had to wait for
//!   other tasks: fetching it is scheduling, not idle time;
//! * anything else, a task of another thread or the end of the wait, it has waited for since it
//!   began to look.
//!
//! A wait for children alone ends at once unless another thread has executed one of them, or still
//! does. So that such waits need not read the clock, a worker counts which of its tasks others
//! execute:
//!
//! ```text
//! thief:  last = its clock; begun += 1; running += 1;  … the task …;  running -= 1;
//!         the runtime's counter of children
//! owner:  before it waits: a look at `running` and `begun`;  the runtime's counter;
//!         another look at `begun`
//! ```
//!
//! If something runs elsewhere at the first look, the wait began then. If nothing did, but `begun`
//! has changed in the end, the owner had nothing left to run when a thief last began: the wait
//! began there.
//!
//! All accesses are relaxed. What the owner has to see of a thief was written before the task
//! ended, and is ordered by the counter of children, from which the owner knows of that end.
//! `since` and `seen` belong to the owner. The writer of the file reads them when the process
//! exits, at worst while the owner is about to change them: that is a moment more or less.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// `since` of a worker that runs something.
const NOT: i64 = 0;
/// `since` of a worker that waits for children of which none runs elsewhere.
const UNLESS_TAKEN: i64 = -1;

/// The state of a worker's search.
pub(super) struct Search {
    /// When it began to look for work, [`NOT`] or [`UNLESS_TAKEN`].
    since: AtomicI64,
    /// `begun` when it began to look.
    seen: AtomicU64,
    /// How many of its tasks others have begun.
    begun: AtomicU64,
    /// How many of them have not ended.
    running: AtomicI64,
    /// When the last one began.
    last: AtomicI64,
}

impl Search {
    pub(super) const fn new() -> Self {
        Self {
            since: AtomicI64::new(NOT),
            seen: AtomicU64::new(0),
            begun: AtomicU64::new(0),
            running: AtomicI64::new(0),
            last: AtomicI64::new(0),
        }
    }

    /// The worker looks for work, unless it does already.
    pub(super) fn begin(&self, now: impl FnOnce() -> i64) {
        if self.since.load(Ordering::Relaxed) == NOT {
            self.since.store(now(), Ordering::Relaxed);
        }
    }

    /// The worker waits for children.
    pub(super) fn begin_for_children(&self, now: impl FnOnce() -> i64) {
        let begun = self.begun.load(Ordering::Relaxed);
        if self.running.load(Ordering::Relaxed) > 0 {
            return self.begin(now);
        }
        self.seen.store(begun, Ordering::Relaxed);
        self.since.store(UNLESS_TAKEN, Ordering::Relaxed);
    }

    /// Since when the worker has had nothing to do, if it looks for work.
    pub(super) fn idle_since(&self) -> Option<i64> {
        match self.since.load(Ordering::Relaxed) {
            NOT => None,
            UNLESS_TAKEN => {
                let begun = self.begun.load(Ordering::Relaxed);
                let is_taken = begun != self.seen.load(Ordering::Relaxed);
                is_taken.then(|| self.last.load(Ordering::Relaxed))
            }
            since => Some(since),
        }
    }

    /// The worker resumes.
    pub(super) fn end(&self) {
        self.since.store(NOT, Ordering::Relaxed);
    }

    /// Another worker begins with a task of this one.
    pub(super) fn take(&self, now: i64) {
        self.last.store(now, Ordering::Relaxed);
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.running.fetch_add(1, Ordering::Relaxed);
    }

    /// A task that was taken has ended.
    pub(super) fn give_back(&self) {
        self.running.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_that_the_worker_executes_itself_are_not_waited_for() {
        let search = Search::new();
        search.begin_for_children(|| panic!("no clock is read"));
        assert_eq!(search.idle_since(), None);
        search.end();
        assert_eq!(search.idle_since(), None);
    }

    #[test]
    fn children_elsewhere_are_waited_for_from_the_look_or_their_begin_on() {
        let search = Search::new();
        search.take(50);
        search.begin_for_children(|| 70);
        assert_eq!(search.idle_since(), Some(70));
        search.end();
        search.give_back();
        search.begin_for_children(|| panic!("no clock is read"));
        search.take(90);
        assert_eq!(search.idle_since(), Some(90));
        search.give_back();
        assert_eq!(search.idle_since(), Some(90));
    }

    #[test]
    fn a_search_begins_once() {
        let search = Search::new();
        search.begin(|| 10);
        search.begin(|| panic!("it has begun"));
        assert_eq!(search.idle_since(), Some(10));
    }
}
