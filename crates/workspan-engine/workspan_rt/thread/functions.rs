//! What a thread keeps for functions: where their calls lead, as far as it knows.

use crate::tree::Edge;
use std::cell::{Cell, OnceCell};

/// A thread's part of what is known of functions.
#[derive(Default)]
pub(crate) struct Functions {
    /// The lowest address of the thread's stack; 0: not asked for yet.
    pub(crate) stack_start: Cell<usize>,
    pub(crate) calls: OnceCell<Box<[Cell<CachedCall>; CALLS]>>,
}

const CALLS: usize = 1024;

/// Where a call at a node of the call tree leads.
#[derive(Clone, Copy, Default)]
pub(crate) struct CachedCall {
    pub(crate) return_address: usize,
    pub(crate) function: usize,
    pub(crate) node: u32,
    pub(crate) edge: Edge,
}

impl Functions {
    /// Forgets the stack, because the data goes to another thread.
    pub(crate) fn reset(&self) {
        self.stack_start.set(0);
    }

    /// Forgets where calls lead, for a new session.
    pub(crate) fn clear(&self) {
        for call in self.calls.get().into_iter().flat_map(|calls| calls.iter()) {
            call.set(CachedCall::default());
        }
    }

    #[inline]
    pub(crate) fn call(
        &self,
        node: u32,
        return_address: usize,
        function: usize,
    ) -> &Cell<CachedCall> {
        let calls = self.calls.get_or_init(|| {
            let calls: Vec<_> = (0..CALLS).map(|_| Cell::default()).collect();
            match calls.into_boxed_slice().try_into() {
                Ok(calls) => calls,
                Err(_) => unreachable!("as many as the type says"),
            }
        });
        &calls[(key(return_address, function) ^ u64::from(node).wrapping_mul(0x9E37_79B9)) as usize
            % CALLS]
    }
}

/// A key for a call site.
#[inline(always)]
pub(crate) fn key(return_address: usize, function: usize) -> u64 {
    let mixed = (return_address as u64 ^ (function as u64).rotate_left(40))
        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 32)
}
