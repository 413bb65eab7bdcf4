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

use crate::log::{Log, Part};
use crate::sync::{Arc, Mutex, PoisonError, UnsafeCell};
use std::ptr;

static WALK: Mutex<()> = Mutex::new(());

/// A frozen stretch of a path, at one node of the call tree.
pub(crate) struct Segment {
    node: u32,
    /// At least the number of segments from here back.
    length: u32,
    /// Length at which to try and coalesce next.
    limit: u32,
    log: UnsafeCell<Log>,
    parent: UnsafeCell<Option<Arc<Segment>>>,
}

// SAFETY: see the module's argument: the cells are touched under `WALK` or through `&mut`.
unsafe impl Send for Segment {}
// SAFETY: as above.
unsafe impl Sync for Segment {}

impl Drop for Segment {
    /// Frees the rest of the chain in a loop: recursion would need as much stack as the chain is long.
    fn drop(&mut self) {
        let mut next = self.parent.get_mut().take();
        while let Some(segment) = next {
            next = Arc::into_inner(segment).and_then(|mut last| last.parent.get_mut().take());
        }
    }
}

/// A handle on a chain; without a head, on the start of the program.
#[derive(Clone, Default)]
pub(crate) struct Chain {
    pub(crate) head: Option<Arc<Segment>>,
}

const FIRST_LIMIT: u32 = 32;

impl Chain {
    #[inline]
    pub(crate) fn is_some(&self) -> bool {
        self.head.is_some()
    }

    /// The last segment, null without one.
    pub(crate) fn head(&self) -> *const Segment {
        self.head.as_ref().map_or(ptr::null(), Arc::as_ptr)
    }

    /// Is this the same chain as `other`, which has a head?
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (&self.head, &other.head) {
            (Some(head), Some(other)) => Arc::ptr_eq(head, other),
            _ => false,
        }
    }

    /// The chain with one more segment: a path of `log` at `node` after it.
    pub(crate) fn extended(self, node: u32, log: Log) -> Arc<Segment> {
        let (mut length, mut limit) = self
            .head
            .as_ref()
            .map_or((0, 0), |head| (head.length, head.limit));
        if length > limit.max(FIRST_LIMIT) {
            length = coalesce(self.head.as_ref());
            limit = length.saturating_mul(2);
        }
        Arc::new(Segment {
            node,
            length: length + 1,
            limit,
            log: UnsafeCell::new(log),
            parent: UnsafeCell::new(self.head),
        })
    }

    /// Calls `visit(node, part)` for everything on the path.
    pub(crate) fn for_each(&self, visit: impl FnMut(u32, Part)) {
        self.for_each_since(ptr::null(), visit);
    }

    /// The same for what came after `origin`, a segment of the chain that somebody else holds too, so that nothing
    /// pours it into a later one; null stands for the start of the program.
    pub(crate) fn for_each_since(&self, origin: *const Segment, mut visit: impl FnMut(u32, Part)) {
        if ptr::eq(self.head(), origin) {
            return;
        }
        let _walk = WALK.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = self.head.as_ref();
        while let Some(segment) = next.filter(|segment| !ptr::eq(Arc::as_ptr(segment), origin)) {
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
    use crate::log::Others;

    fn log(local: i64) -> Log {
        let part = Part {
            count: 1,
            local,
            ..Part::default()
        };
        Log::new(part, Others::default())
    }

    fn sum(chain: &Chain) -> (u64, i64) {
        let mut sum = (0, 0);
        chain.for_each(|_, part| sum = (sum.0 + part.count, sum.1 + part.local));
        sum
    }

    fn extend(chain: &mut Chain, node: u32, log: Log) {
        chain.head = Some(std::mem::take(chain).extended(node, log));
    }

    #[test]
    fn a_chain_stays_short_when_nobody_holds_its_middle() {
        let rounds = if cfg!(miri) { 500 } else { 100_000 };
        let mut chain = Chain::default();
        for _ in 0..rounds {
            extend(&mut chain, 1, log(2));
        }
        let all = (rounds, 2 * rounds as i64);
        assert_eq!(sum(&chain), all);
        let left = coalesce(chain.head.as_ref());
        assert_eq!((left, sum(&chain)), (1, all));
        assert!(chain.head.unwrap().length <= FIRST_LIMIT + 2);
    }

    #[test]
    fn held_prefixes_keep_what_they_were() {
        let mut chain = Chain::default();
        let mut held = Vec::new();
        let rounds = if cfg!(miri) { 200 } else { 1_000 };
        for i in 0..rounds {
            extend(&mut chain, i % 3, log(1));
            if i % 10 == 0 {
                held.push((u64::from(i) + 1, chain.clone()));
            }
        }
        for (length, prefix) in &held {
            assert_eq!(sum(prefix).0, *length);
        }
        drop(held);
        assert_eq!(sum(&chain).0, u64::from(rounds));
    }

    #[test]
    fn threads_share_extend_and_drop_chains() {
        let rounds = if cfg!(miri) { 60 } else { 5_000 };
        let mut spine = Chain::default();
        std::thread::scope(|scope| {
            for i in 0..8 {
                extend(&mut spine, 0, log(1));
                let mut mine = spine.clone();
                scope.spawn(move || {
                    for _ in 0..rounds {
                        extend(&mut mine, 1, log(1));
                    }
                    assert_eq!(sum(&mine), (i + 1 + rounds, (i + 1 + rounds) as i64));
                });
            }
        });
        assert_eq!(sum(&spine), (8, 8));
    }
}
