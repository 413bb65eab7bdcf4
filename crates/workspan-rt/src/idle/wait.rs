//! What a thread waits for, and when others took it over.
//!
//! A thread that waits for a construct to end (a `join`, a scope) has nothing to do once everything that is left of the
//! construct runs elsewhere. Whether it does is known to whoever took a part of it over, so that one says it here:
//!
//! ```text
//! thief:  taken = its clock;  … the part …;  ended = its clock;  the runtime's latch
//! owner:  before it waits: a look at `taken`, no clock;  the runtime's latch;  another look at `taken`
//! ```
//!
//! Nobody is idle without a thief, so an owner that finds nothing taken goes on without reading a clock. If it finds
//! something, its wait begins then, by its own clock. A steal may come just after the look; then the owner sees it when
//! the wait is over, or when it runs something else in the meantime: `taken` is not what it was at the look
//! ([`Wait::unseen`]). Between a look and that moment the owner does nothing but wait, and it had nothing left to do
//! when the thief began: the wait began with the steal.
//!
//! Both words are times and say nothing about other memory, so all accesses are relaxed. The latch of the runtime
//! orders what the thieves wrote before the owner goes on, and keeps this alive until they have written it.

use crate::sync::{AtomicI64, Ordering};
use std::cell::Cell;

/// Nothing was taken over. No clock stands at 0 when a thief reads it.
const NEVER: i64 = 0;

/// What is known about a construct that a thread waits for. On the stack of the thread that it belongs to.
pub(crate) struct Wait {
    /// When a part of it last began elsewhere.
    taken: AtomicI64,
    /// When such a part last ended.
    ended: AtomicI64,
    /// `taken` at the owner's last look. The owner's alone.
    seen: Cell<i64>,
}

impl Wait {
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Self {
            taken: AtomicI64::new(NEVER),
            ended: AtomicI64::new(NEVER),
            seen: Cell::new(NEVER),
        }
    }

    /// A wait for what runs elsewhere from the beginning.
    pub(crate) const fn elsewhere() -> Self {
        Self {
            taken: AtomicI64::new(NEVER + 1),
            ended: AtomicI64::new(NEVER),
            seen: Cell::new(NEVER + 1),
        }
    }

    /// A thief begins with a part of it.
    pub(crate) fn take(&self, now: i64) {
        self.taken.store(now, Ordering::Relaxed);
    }

    /// A thief has ended its part.
    pub(crate) fn end(&self, now: i64) {
        self.ended.store(now, Ordering::Relaxed);
    }

    /// Has any of it run elsewhere? For the owner.
    #[inline(always)]
    pub(crate) fn is_taken(&self) -> bool {
        self.taken.load(Ordering::Relaxed) != NEVER
    }

    /// Remembers what is taken at this look. For the owner.
    pub(crate) fn look(&self) {
        self.seen.set(self.taken.load(Ordering::Relaxed));
    }

    /// When a part was taken over that the last look did not see. For the owner.
    pub(crate) fn unseen(&self) -> Option<i64> {
        let taken = self.taken.load(Ordering::Relaxed);
        (taken != self.seen.get()).then_some(taken)
    }

    /// When the last part ended, 0 if none has. For the owner, when it goes on.
    pub(crate) fn ended(&self) -> i64 {
        self.ended.load(Ordering::Relaxed)
    }
}
