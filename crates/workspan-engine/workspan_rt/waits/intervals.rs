//! Sums of intervals.

use std::sync::atomic::{AtomicI64, Ordering};

/// How long something was so, in nanoseconds. Any thread may begin and end an interval: one that is
/// ended while another begins may be lost, and none counts twice, so the sum is never too long.
pub(super) struct Intervals {
    /// When the present one began; 0: there is none.
    began: AtomicI64,
    /// Up to when intervals that were [added](Self::add) count.
    added: AtomicI64,
    total: AtomicI64,
}

impl Intervals {
    pub(super) const fn new() -> Self {
        Self {
            began: AtomicI64::new(0),
            added: AtomicI64::new(0),
            total: AtomicI64::new(0),
        }
    }

    /// An interval begins at `now`, unless one is under way.
    pub(super) fn begin(&self, now: i64) {
        let none = 0;
        let _ = (self.began).compare_exchange(none, now, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The interval under way, if there is one, ends at `now`.
    pub(super) fn end(&self, now: i64) {
        let began = self.began.swap(0, Ordering::Relaxed);
        if began != 0 {
            let length = (now - began).max(0);
            self.total.fetch_add(length, Ordering::Relaxed);
        }
    }

    /// Adds an interval that is over.
    pub(super) fn add(&self, began: i64, ended: i64) {
        let added = self.added.fetch_max(ended, Ordering::Relaxed);
        let length = (ended - began.max(added)).max(0);
        self.total.fetch_add(length, Ordering::Relaxed);
    }

    /// What began at `began` was none.
    pub(super) fn forget(&self, began: i64) {
        let none = 0;
        let _ = (self.began).compare_exchange(began, none, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The sum, with the interval under way up to `now`.
    pub(super) fn sum(&self, now: i64) -> i64 {
        let under_way = match self.began.load(Ordering::Relaxed) {
            0 => 0,
            began => (now - began).max(0),
        };
        self.total.load(Ordering::Relaxed) + under_way
    }

    pub(super) fn clear(&self) {
        for figure in [&self.began, &self.added, &self.total] {
            figure.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_that_overlap_count_once() {
        let sum = Intervals::new();
        sum.begin(10);
        sum.begin(15);
        assert_eq!(sum.sum(20), 10);
        sum.end(30);
        sum.end(40);
        assert_eq!(sum.sum(50), 20);
        sum.begin(60);
        sum.forget(61);
        assert_eq!(sum.sum(70), 30);
        sum.forget(60);
        assert_eq!(sum.sum(70), 20);
        sum.clear();
        assert_eq!(sum.sum(80), 0);
        sum.add(90, 95);
        sum.add(92, 97);
        sum.add(93, 96);
        assert_eq!(sum.sum(100), 7);
    }
}
