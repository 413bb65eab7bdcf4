//! The running account of one path: of a branch, of a task, of a scope's body, or of the program itself.

use crate::log::Log;
use crate::segment::{Chain, Segment};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Arc;

/// The account of a path from its frame's start to the present strand.
///
/// A frame belongs to the thread that runs its strands; while that thread waits in a construct, the frame is
/// *blocked*: nobody writes its fields, and the frames of the construct's branches may read them through
/// `parent`. The hand-over in both directions goes through the runtime's own queue and latch, which order
/// the accesses.
///
/// The order of the fields matters for speed: what is added to at every boundary stands apart, since two
/// neighbours would be loaded as one vector right after each was stored, and such a load has to wait.
#[repr(C)]
pub(crate) struct Frame {
    /// Length of the longest path from the start of the program to here, in ticks.
    pub(crate) depth: i64,
    /// Node of the call tree that the strands belong to.
    pub(crate) node: u32,
    /// The same as `depth` with the burden added on every stealable edge; in general that of another path.
    pub(crate) burdened: i64,
    /// Frame whose path this one continues, null at the start of the program.
    pub(crate) parent: *const Frame,
    /// What the path went through since the end of `chain`.
    pub(crate) log: Log,
    /// The part of the path before `log` that other tasks may share. Without a head: the path of `parent`.
    pub(crate) chain: Chain,
    /// `chain` and `log` of a blocked frame in one, set by the first branch that needs them as a chain.
    frozen: AtomicPtr<Segment>,
}

// SAFETY: a frame may be handed to another thread; `parent` is only followed while the frames there are
// blocked, and `frozen` is shared under the protocol of `chain_of_blocked`.
unsafe impl Send for Frame {}

impl Frame {
    /// A frame at `node` that begins a new instance after the path of `parent`.
    ///
    /// # Safety
    /// `parent` must stay in place and blocked as long as the frame lives.
    #[inline]
    pub(crate) unsafe fn after(parent: *const Frame, node: u32, burden: i64) -> Self {
        // SAFETY: the caller's promise.
        let (depth, burdened) = unsafe { ((*parent).depth, (*parent).burdened) };
        let mut frame = Self::at(depth, burdened + burden, node, Chain::default());
        frame.parent = parent;
        frame
    }

    /// A frame at `node` that begins a new instance after the path of `chain`.
    #[inline]
    pub(crate) fn at(depth: i64, burdened: i64, node: u32, chain: Chain) -> Self {
        Self {
            depth,
            burdened,
            node,
            log: Log::of_instance(),
            chain,
            parent: ptr::null(),
            frozen: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Drops `frame` in place; at next to no cost if it owns nothing, which is the common case.
    ///
    /// # Safety
    /// As [`ptr::drop_in_place`].
    #[inline(always)]
    pub(crate) unsafe fn drop_spent(frame: *mut Frame) {
        // SAFETY: the caller's promise.
        unsafe {
            let owns = (*frame).chain.is_some() | (*frame).log.has_others() | !(*frame).frozen.get_mut().is_null();
            if owns {
                ptr::drop_in_place(frame);
            }
        }
    }

    /// Adds a strand of `ticks`.
    #[inline(always)]
    pub(crate) fn add_strand(&mut self, ticks: i64) {
        self.depth += ticks;
        self.burdened += ticks;
        self.log.local += ticks;
    }

    /// Continues after the longest of paths that all began where this frame was blocked: its log and chain
    /// become this one's. The burdened length is the caller's affair.
    #[inline]
    pub(crate) fn continue_after(&mut self, longest: &mut Frame) {
        self.thaw();
        self.depth = longest.depth;
        if longest.chain.is_some() | !longest.frozen.get_mut().is_null() {
            self.continue_chain(longest);
        }
        self.log.append(self.node, longest.node, &mut longest.log);
    }

    #[cold]
    fn continue_chain(&mut self, longest: &mut Frame) {
        longest.thaw();
        self.chain = std::mem::take(&mut longest.chain);
        // The chain of the longest path contains what this frame's log held.
        self.log = Log::default();
    }

    /// Takes over what branches froze while the frame was blocked.
    #[inline]
    pub(crate) fn thaw(&mut self) {
        let frozen = *self.frozen.get_mut();
        if !frozen.is_null() {
            self.thaw_frozen();
        }
    }

    #[cold]
    fn thaw_frozen(&mut self) {
        let frozen = std::mem::replace(self.frozen.get_mut(), ptr::null_mut());
        // SAFETY: the pointer came from `Arc::into_raw` and is taken exactly once: it was replaced by null.
        let frozen = unsafe { Arc::from_raw(frozen) };
        let bounds = self.chain.bounds();
        self.chain = Chain::from_parts(frozen, (bounds.0 + 1, bounds.1));
        self.log = Log::default();
    }

    /// The whole path up to here as a chain that outlives the frame. For the thread that runs the frame.
    ///
    /// # Safety
    /// The parents of the frame must be blocked.
    pub(crate) unsafe fn freeze(&mut self) -> Chain {
        self.thaw();
        if self.log.is_empty() && self.chain.is_some() {
            return self.chain.clone();
        }
        let before = if self.chain.is_some() {
            std::mem::take(&mut self.chain)
        } else {
            // SAFETY: the caller's promise.
            unsafe { chain_of_blocked(self.parent) }
        };
        self.chain = before.extended(self.node, std::mem::take(&mut self.log));
        self.chain.clone()
    }
}

impl Drop for Frame {
    #[inline]
    fn drop(&mut self) {
        if !self.frozen.get_mut().is_null() {
            self.thaw_frozen();
        }
    }
}

/// The whole path up to a blocked frame as a chain.
///
/// Both branches of a fork may come here at once, on two threads. Each builds the segment from fields that
/// nobody writes; the first to store it wins, by a compare-and-swap on `frozen`, and the other drops its own.
///
/// # Safety
/// `frame` is null, or it and its parents are blocked while this runs.
pub(crate) unsafe fn chain_of_blocked(frame: *const Frame) -> Chain {
    // From the frame outwards to the first that is a chain already, then back: a loop, since a recursion
    // would need stack in proportion to the program's.
    let mut outwards = Vec::new();
    let mut next = frame;
    let mut chain = loop {
        if next.is_null() {
            break Chain::default();
        }
        // SAFETY: the caller's promise.
        let here = unsafe { &*next };
        if let Some(chain) = here.frozen_chain() {
            break chain;
        }
        if here.chain.is_some() && here.log.is_empty() {
            break here.chain.clone();
        }
        outwards.push(here);
        if here.chain.is_some() {
            break here.chain.clone();
        }
        next = here.parent;
    };
    while let Some(here) = outwards.pop() {
        let extended = chain.extended(here.node, here.log.clone());
        let segment =
            Arc::into_raw(extended.head.clone().expect("an extended chain has a head")).cast_mut();
        // Release: whoever reads the pointer must see the segment behind it. Acquire on failure: the other
        // branch's segment is read next.
        match here.frozen.compare_exchange(
            ptr::null_mut(),
            segment,
            Ordering::Release,
            Ordering::Acquire,
        ) {
            Ok(_) => chain = extended,
            Err(_) => {
                // SAFETY: `segment` came from `into_raw` above and was not stored.
                drop(unsafe { Arc::from_raw(segment) });
                chain = here
                    .frozen_chain()
                    .expect("only its owner clears it, and the frame is blocked");
            }
        }
    }
    chain
}

impl Frame {
    fn frozen_chain(&self) -> Option<Chain> {
        let frozen = self.frozen.load(Ordering::Acquire);
        if frozen.is_null() {
            return None;
        }
        // SAFETY: the pointer came from `Arc::into_raw`; the frame holds that handle, and does not give it up
        // while it is blocked, which it is for the caller.
        let head = unsafe {
            Arc::increment_strong_count(frozen);
            Arc::from_raw(frozen)
        };
        let (length, limit) = self.chain.bounds();
        Some(Chain::from_parts(head, (length + 1, limit)))
    }
}
