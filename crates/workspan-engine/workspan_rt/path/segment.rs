//! Paths that several tasks share.
//!
//! A task spawned into a scope may outlive everything around it except the scope, so the path up to
//! its spawn cannot stay on the stack. It is frozen into a [`Segment`]. Segments form a tree of
//! which each task holds one leaf: a *chain* back to the start of the program. Nothing is copied at
//! a spawn, and the log of a path that did not become the longest goes away with the last handle on
//! it.
//!
//! A spawner that runs forever would grow its chain forever. So whenever a chain has doubled in
//! length, [`coalesce`] pours every segment held by its successor alone into that successor. What
//! remains is proportional to the number of tasks alive, at amortised constant cost a segment.
//!
//! # Safety of the shared cells
//!
//! `log` and `parent` of a segment are read or written only
//! 1. by [`coalesce`] and [`Chain::for_each_since`], which hold [`WALK`], or
//! 2. through `&mut Segment`, by whoever took the last handle ([`Drop`]).
//!
//! The two never meet: a walk holds the head of its chain, so every segment that it reaches has a
//! handle left. A segment held by its successor alone cannot gain a handle while `WALK` is held,
//! because its only handle sits in a field that only a walk reads.

use crate::path::log::{Log, Part};
use crate::system::sync::{Arc, Mutex, PoisonError, UnsafeCell};
use std::ptr;

static WALK: Mutex<()> = Mutex::new(());

/// A frozen part of a path, at one node of the call tree.
pub(crate) struct Segment {
    node: u32,
    /// At least the number of segments from here back to the start.
    length: u32,
    /// The length at which to try coalescing next.
    limit: u32,
    log: UnsafeCell<Log>,
    parent: UnsafeCell<Option<Arc<Segment>>>,
}

// SAFETY: `log` and `parent` are touched under `WALK`, or through the `&mut` of whoever took the
// last handle (module, "Safety of the shared cells"); the rest never changes.
unsafe impl Send for Segment {}
// SAFETY: shared access is that of `Send`: under `WALK` alone, of which there is one holder at a
// time.
unsafe impl Sync for Segment {}

impl Drop for Segment {
    /// Frees the rest of the chain in a loop: recursion would need as much stack as the chain is
    /// long.
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

    /// The last segment; null if there is none.
    pub(crate) fn head(&self) -> *const Segment {
        self.head.as_ref().map_or(ptr::null(), Arc::as_ptr)
    }

    /// Whether this is the same chain as `other`, which has a head.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (&self.head, &other.head) {
            (Some(head), Some(other)) => Arc::ptr_eq(head, other),
            _ => false,
        }
    }

    /// The chain extended by one segment: a path of `log` at `node`.
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

    /// As [`Chain::for_each`], for what came after `origin`: a segment of the chain that somebody
    /// else holds too, so that it is not poured into a later one. Null stands for the start of the
    /// program.
    pub(crate) fn for_each_since(&self, origin: *const Segment, mut visit: impl FnMut(u32, Part)) {
        if ptr::eq(self.head(), origin) {
            return;
        }
        let _walk = WALK.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = self.head.as_ref();
        while let Some(segment) = next.filter(|segment| !ptr::eq(Arc::as_ptr(segment), origin)) {
            // SAFETY: `WALK` is held, so nobody else touches the cells, and `self` has a handle on
            // the chain, so no segment of it goes (module, 1).
            let (log, parent) = unsafe { (&*segment.log.get(), &*segment.parent.get()) };
            log.for_each(segment.node, &mut visit);
            next = parent.as_ref();
        }
    }
}

/// Pours every segment behind `head` that is held by its successor alone into that successor.
/// Returns the number of segments left.
fn coalesce(head: Option<&Arc<Segment>>) -> u32 {
    let _walk = WALK.lock().unwrap_or_else(PoisonError::into_inner);
    let mut left = 0;
    let mut next = head.map(Arc::as_ptr);
    while let Some(here) = next {
        left += 1;
        // SAFETY: `here` is on the chain of `head`, which the caller holds, so it is alive. Its
        // cells may be touched because `WALK` is held (module, 1), and no reference into them
        // outlives the turn.
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
    use crate::path::log::Others;

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
