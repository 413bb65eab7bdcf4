//! Paths that several tasks share.
//!
//! A task spawned into a scope may outlive everything around it but the scope, so the path up to its spawn
//! cannot stay on the stack. It is frozen into a [`Segment`], and segments form a tree of which each task
//! holds one leaf: a *chain* back to the start of the program. Nothing is copied at a spawn, and the log of
//! a path that did not become the longest disappears with the last handle on it.
//!
//! A spawner that goes on for ever would grow its chain for ever. So once a chain has doubled since the last
//! time, [`coalesce`] pours every segment that nobody but its successor holds into that successor. What
//! remains is proportional to the tasks that are alive, at amortised constant cost a segment.
//!
//! # Safety of the shared cells
//!
//! `log` and `parent` of a segment are read or written only
//! 1. by [`coalesce`] and [`visit`], which hold [`WALK`], or
//! 2. through `&mut Segment`, by whoever took the last handle ([`Drop`]).
//!
//! The two never meet: a walk holds the head of its chain, so every segment it reaches has a handle left.
//! A segment that only its successor holds cannot gain a handle while `WALK` is held, because the one
//! handle there is sits in a field that only a walk reads.

use crate::log::Log;
use std::cell::UnsafeCell;
use std::sync::{Arc, Mutex, PoisonError};

static WALK: Mutex<()> = Mutex::new(());

/// A frozen stretch of a path, at one node of the call tree.
pub(crate) struct Segment {
    node: u32,
    log: UnsafeCell<Log>,
    parent: UnsafeCell<Option<Arc<Segment>>>,
}

// SAFETY: see the module's argument: the cells are touched under `WALK` or through `&mut`.
unsafe impl Send for Segment {}
// SAFETY: as above.
unsafe impl Sync for Segment {}

impl Segment {
    pub(crate) fn new(parent: Option<Arc<Segment>>, node: u32, log: Log) -> Arc<Self> {
        Arc::new(Self {
            node,
            log: UnsafeCell::new(log),
            parent: UnsafeCell::new(parent),
        })
    }
}

impl Drop for Segment {
    /// Frees the rest of the chain in a loop: recursion would need as much stack as the chain is long.
    fn drop(&mut self) {
        let mut next = self.parent.get_mut().take();
        while let Some(segment) = next {
            next = Arc::into_inner(segment).and_then(|mut last| last.parent.get_mut().take());
        }
    }
}

/// A handle on a chain, with what is needed to know when to shorten it.
#[derive(Clone, Default)]
pub(crate) struct Chain {
    pub(crate) head: Option<Arc<Segment>>,
    /// At least the number of segments from the head back.
    length: u32,
    /// Length at which to try and coalesce next.
    limit: u32,
}

const FIRST_LIMIT: u32 = 32;

impl Chain {
    #[inline]
    pub(crate) fn is_some(&self) -> bool {
        self.head.is_some()
    }

    /// The chain with one more segment: a path of `log` at `node` after it.
    pub(crate) fn extended(self, node: u32, log: Log) -> Chain {
        let length = self.length + 1;
        let mut chain = Chain {
            head: Some(Segment::new(self.head, node, log)),
            length,
            limit: self.limit.max(FIRST_LIMIT),
        };
        if length > chain.limit {
            chain.length = coalesce(chain.head.as_ref());
            chain.limit = chain.length.saturating_mul(2).max(FIRST_LIMIT);
        }
        chain
    }

    /// Takes the handle apart, for a place that can hold only a pointer.
    pub(crate) fn bounds(&self) -> (u32, u32) {
        (self.length, self.limit)
    }

    pub(crate) fn from_parts(head: Arc<Segment>, (length, limit): (u32, u32)) -> Self {
        Self {
            head: Some(head),
            length,
            limit,
        }
    }

    /// Calls `visit(node, count, local)` for everything on the path.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(u32, u64, i64)) {
        let _walk = WALK.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = self.head.as_ref();
        while let Some(segment) = next {
            // SAFETY: `WALK` is held (module argument, 1).
            let (log, parent) = unsafe { (&*segment.log.get(), &*segment.parent.get()) };
            log.for_each(segment.node, &mut visit);
            next = parent.as_ref();
        }
    }
}

/// Pours every segment behind `head` that only its successor holds into the successor; the number of
/// segments left.
fn coalesce(head: Option<&Arc<Segment>>) -> u32 {
    let _walk = WALK.lock().unwrap_or_else(PoisonError::into_inner);
    let mut left = 0;
    let mut next = head.map(Arc::as_ptr);
    while let Some(here) = next {
        left += 1;
        // SAFETY: `here` is on the chain of `head`, which the caller holds, so it is alive; its cells may
        // be touched because `WALK` is held (module argument, 1). No reference into them outlives the turn.
        unsafe {
            let segment = &*here;
            let parent = &mut *segment.parent.get();
            while let Some(behind) = parent.take() {
                match Arc::try_unwrap(behind) {
                    Ok(mut alone) => {
                        *parent = alone.parent.get_mut().take();
                        (*segment.log.get()).append(segment.node, alone.node, alone.log.get_mut());
                    }
                    Err(shared) => {
                        *parent = Some(shared);
                        break;
                    }
                }
            }
            next = parent.as_ref().map(Arc::as_ptr);
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(local: i64) -> Log {
        let mut log = Log::of_instance();
        log.local = local;
        log
    }

    fn sum(chain: &Chain) -> (u64, i64) {
        let mut sum = (0, 0);
        chain.for_each(|_, count, local| sum = (sum.0 + count, sum.1 + local));
        sum
    }

    #[test]
    fn a_chain_stays_short_when_nobody_holds_its_middle() {
        let mut chain = Chain::default();
        for _ in 0..100_000 {
            chain = chain.extended(1, log(2));
        }
        assert_eq!(sum(&chain), (100_000, 200_000));
        assert!(chain.length <= FIRST_LIMIT + 1, "{}", chain.length);
    }

    #[test]
    fn held_prefixes_keep_what_they_were() {
        let mut chain = Chain::default();
        let mut held = Vec::new();
        for i in 0..1_000 {
            chain = chain.extended(i % 3, log(1));
            if i % 10 == 0 {
                held.push((u64::from(i) + 1, chain.clone()));
            }
        }
        for (length, prefix) in &held {
            assert_eq!(sum(prefix).0, *length);
        }
        drop(held);
        assert_eq!(sum(&chain).0, 1_000);
    }

    #[test]
    fn threads_share_extend_and_drop_chains() {
        let rounds = if cfg!(miri) { 60 } else { 5_000 };
        let mut spine = Chain::default();
        std::thread::scope(|scope| {
            for i in 0..8 {
                spine = spine.clone().extended(0, log(1));
                let mut mine = spine.clone();
                scope.spawn(move || {
                    for _ in 0..rounds {
                        mine = mine.clone().extended(1, log(1));
                    }
                    assert_eq!(sum(&mine), (i + 1 + rounds, (i + 1 + rounds) as i64));
                });
            }
        });
        assert_eq!(sum(&spine), (8, 8));
    }
}
