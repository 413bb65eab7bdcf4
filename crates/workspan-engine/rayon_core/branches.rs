//! The branches of a join that is accounted for.

use crate::FnContext;
use rayon_core_real as real;
use std::cell::UnsafeCell;
use workspan_rt::Fork;

/// The two closures of a call that is accounted for, where it is made. Rayon copies what it is given
/// several times, so it gets no more than where they are.
struct Operands<'a, A, B> {
    fork: &'a Fork,
    left: UnsafeCell<Option<A>>,
    right: UnsafeCell<Option<B>>,
}

// SAFETY: the fork may be shared. While the branches run, each closure is touched by the one thread
// alone that runs its branch, to which it is sent by that. Before and after, by the caller alone: it
// goes on, or unwinds, only when rayon's latch says that the other branch has ended.
unsafe impl<A: Send, B: Send> Sync for Operands<'_, A, B> {}

impl<A, B> Operands<'_, A, B> {
    /// # Safety
    /// Called once at most.
    #[inline(always)]
    unsafe fn run_left<R>(&self, context: real::FnContext) -> R
    where
        A: FnOnce(FnContext) -> R,
    {
        // SAFETY: nobody has taken it yet (`# Safety`).
        let operand = || unsafe { (*self.left.get()).take().unwrap_unchecked() };
        self.fork.left(|| operand()(context.into()))
    }

    /// # Safety
    /// Called once at most.
    #[inline(always)]
    unsafe fn run_right<R>(&self, context: real::FnContext) -> R
    where
        B: FnOnce(FnContext) -> R,
    {
        // SAFETY: nobody has taken it yet (`# Safety`).
        let operand = || unsafe { (*self.right.get()).take().unwrap_unchecked() };
        self.fork.right(|| operand()(context.into()))
    }
}

/// Has rayon run both closures as the branches of `fork`.
#[inline(always)]
pub(crate) fn run<A, B, RA, RB>(fork: &Fork, oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    let operands = Operands {
        fork,
        left: UnsafeCell::new(Some(oper_a)),
        right: UnsafeCell::new(Some(oper_b)),
    };
    real::join_context(
        // SAFETY: rayon knows of the closure only that it may be called once.
        |context| unsafe { operands.run_left(context) },
        // SAFETY: as above.
        |context| unsafe { operands.run_right(context) },
    )
}
