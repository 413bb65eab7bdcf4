//! What a thread waits for, and when others took it over.
//!
//! A thread that waits for a construct to end (a `join`, a scope) has nothing to do once everything
//! left of the construct runs elsewhere. Whoever took over a part knows that it does, and says so
//! here:
//!
//! ```text
//! thief:  taken = its clock;  … the part …;  ended = its clock;  the runtime's latch
//! owner:  before it waits: a look at `taken`, no clock;  the runtime's latch;
//!         another look at `taken`
//! ```
//!
//! Without a thief nobody is idle, so an owner that finds nothing taken continues without reading a
//! clock. If it finds something taken, its wait begins then, by its own clock. A steal may also
//! come just after the look. The owner sees that when the wait is over, or when it runs something
//! else in the meantime: `taken` is not what it was at the look ([`Wait::unseen`]). Between a look
//! and that moment the owner does nothing but wait, and it had nothing left to do when the thief
//! began: so the wait began with the steal.
//!
//! Both words are times and say nothing about other memory, so all accesses are relaxed. The
//! runtime's latch orders what the thieves wrote before the owner continues, and keeps the [`Wait`]
//! alive until they have written it.

use crate::system::sync::{AtomicI64, Ordering};
use std::cell::Cell;

/// Nothing was taken over. No thief's clock reads 0.
const NEVER: i64 = 0;

/// The state of a construct that a thread waits for, on the stack of that thread.
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

    /// A wait for what runs elsewhere from the start.
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

    /// Has any of it run elsewhere? Only for the owner.
    #[inline(always)]
    pub(crate) fn is_taken(&self) -> bool {
        self.taken.load(Ordering::Relaxed) != NEVER
    }

    /// Remembers what is taken at this look. Only for the owner.
    pub(crate) fn look(&self) {
        self.seen.set(self.taken.load(Ordering::Relaxed));
    }

    /// When a part was taken over since the last look, if one was. Only for the owner.
    pub(crate) fn unseen(&self) -> Option<i64> {
        let taken = self.taken.load(Ordering::Relaxed);
        (taken != self.seen.get()).then_some(taken)
    }

    /// When the last part ended; 0 if none has. Only for the owner, when it continues.
    pub(crate) fn ended(&self) -> i64 {
        self.ended.load(Ordering::Relaxed)
    }
}
