//! How much of its time a worker has worked and waited.

use crate::idle::timeline::Timeline;

/// The account of one worker since the program's start, in ticks. At any moment it either works or
/// waits; each change adds the time since the last one to one of the sums, so that together they
/// are the time that has passed.
#[derive(Debug)]
pub(crate) struct Account {
    /// Time of the last change.
    since: i64,
    waits: bool,
    pub(crate) busy: i64,
    pub(crate) idle: i64,
    pub(crate) scheduling: i64,
    pub(crate) timeline: Timeline,
}

impl Account {
    /// A worker that has waited since `start`.
    pub(crate) fn waiting_since(start: i64) -> Self {
        Self {
            since: start,
            waits: true,
            busy: 0,
            idle: 0,
            scheduling: 0,
            timeline: Timeline::default(),
        }
    }

    /// The worker begins to work. What it waited for became available at `available` (0: just now):
    /// the time from then on counts as scheduling.
    pub(crate) fn work(&mut self, now: i64, available: i64) {
        if !self.waits {
            return;
        }
        let now = now.max(self.since);
        let available = match available {
            0 => now,
            available => available.clamp(self.since, now),
        };
        self.idle += available - self.since;
        self.scheduling += now - available;
        self.timeline.add(self.since, available);
        self.since = now;
        self.waits = false;
    }

    /// The worker has nothing to do.
    pub(crate) fn wait(&mut self, now: i64) {
        if self.waits {
            return;
        }
        let now = now.max(self.since);
        self.busy += now - self.since;
        self.since = now;
        self.waits = true;
    }

    /// Brings the account up to `now`.
    pub(crate) fn bring_to(&mut self, now: i64) {
        if self.waits {
            self.work(now, 0);
            self.waits = true;
        } else {
            self.wait(now);
            self.waits = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_add_up() {
        let mut account = Account::waiting_since(100);
        account.work(150, 0);
        account.wait(180);
        account.wait(190);
        account.work(250, 230);
        account.work(260, 0);
        account.bring_to(300);
        let sums = (account.busy, account.idle, account.scheduling);
        assert_eq!(sums, (30 + 50, 50 + 50, 20));
        account.wait(310);
        account.bring_to(320);
        assert_eq!(account.busy + account.idle + account.scheduling, 220);
        assert_eq!(account.idle, 110);
        let waited = account.timeline.intervals().iter().map(|one| one.waited);
        assert_eq!(waited.sum::<i64>(), 110);
    }

    #[test]
    fn clocks_of_other_threads_are_held_within_the_wait() {
        let mut account = Account::waiting_since(100);
        // Available only after the worker's own clock, and before its wait began.
        account.work(200, 500);
        assert_eq!((account.idle, account.scheduling), (100, 0));
        account.wait(150);
        account.work(260, 120);
        assert_eq!((account.busy, account.idle), (0, 100));
        assert_eq!(account.scheduling, 60);
    }
}
