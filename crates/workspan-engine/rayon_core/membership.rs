//! Which pool a thread works for, and how pools came by their sizes.

use rayon_core_real as real;
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Once;
use workspan_rt::{mode, Mode};

/// How a pool came by its number of threads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    /// Rayon's default: the program is told the assumed number of cores.
    Default,
    /// The program's choice: the program is told the real number.
    Chosen,
}

const OUTSIDE: usize = 0;
const IN_DEFAULT: usize = 1;
const IN_CHOSEN: usize = 2;

thread_local! {
    static MEMBER_OF: Cell<usize> = const { Cell::new(OUTSIDE) };
}

static GLOBAL: AtomicUsize = AtomicUsize::new(OUTSIDE);

/// Notes that the calling thread works for a pool of `size`.
pub(crate) fn join_pool(size: Size) {
    MEMBER_OF.set(if size == Size::Default {
        IN_DEFAULT
    } else {
        IN_CHOSEN
    });
    workspan_rt::become_worker();
}

/// Notes that the calling thread, which runs the program, also works for a pool of `size`.
pub(crate) fn join_pool_in_place(size: Size) {
    join_pool(size);
    if mode() == Mode::Idle {
        workspan_rt::idle::become_worker();
    }
}

/// Notes that the calling thread, which runs the program, also works for the global pool, of
/// `size`.
pub(crate) fn join_global_in_place(size: Size) {
    join_pool_in_place(size);
    if mode() == Mode::Idle {
        tell_idle_of_global();
    }
}

/// Reports the global pool, from one of its threads or from outside of all pools.
pub(crate) fn tell_idle_of_global() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| workspan_rt::idle::note_pool(real::current_num_threads()));
}

/// Notes how the global pool came by its size, and whether the calling thread was made a member of
/// it.
pub(crate) fn note_global(size: Size, is_member: bool) {
    GLOBAL.store(
        if size == Size::Default {
            IN_DEFAULT
        } else {
            IN_CHOSEN
        },
        Ordering::Relaxed,
    );
    // Inside another pool, this would be that one's size.
    if is_member || real::current_thread_index().is_none() {
        note_pool(real::current_num_threads(), size);
    }
}

/// Notes the real size of a pool that begins.
pub(crate) fn note_pool(threads: usize, size: Size) {
    workspan_rt::begin_pool(threads, size == Size::Default);
}

/// Whether the calling thread works for no pool.
#[inline(always)]
pub(crate) fn is_outside() -> bool {
    MEMBER_OF.get() == OUTSIDE
}

/// Whether there is a global pool.
pub(crate) fn has_global() -> bool {
    GLOBAL.load(Ordering::Relaxed) != OUTSIDE
}

/// How the pool to which the calling thread's parallel calls go came by its size.
pub(crate) fn present_pool() -> Size {
    let present = match MEMBER_OF.get() {
        OUTSIDE => GLOBAL.load(Ordering::Relaxed),
        member => member,
    };
    if present == IN_CHOSEN {
        Size::Chosen
    } else {
        Size::Default
    }
}
