//! Counters of instructions, one for each thread.

use crate::abi::{self, Block};
use std::cell::UnsafeCell;
use std::ffi::{c_uint, c_void};

/// More than a process may have on usual systems; their pages are touched only where a thread counts.
const THREADS: usize = 1 << 16;

/// No two on one line of the cache.
#[repr(align(64))]
struct Counter(UnsafeCell<u64>);

// SAFETY: a counter is written on behalf of the one thread that has its number, and read by the
// program on that same thread.
unsafe impl Sync for Counter {}

static COUNTERS: [Counter; THREADS] = [const { Counter(UnsafeCell::new(0)) }; THREADS];

/// A thread begins to count; it may have the number of one that has ended. Ends the process if there are too many to count for.
pub(crate) fn begin(thread: c_uint) {
    let Some(counter) = COUNTERS.get(thread as usize) else {
        eprintln!("workspan: a program under the emulator can have {THREADS} threads at a time");
        std::process::abort();
    };
    // SAFETY: the thread runs nothing yet, and the one that had its number runs nothing any more,
    // so nobody else uses the counter.
    unsafe { *counter.0.get() = 0 };
}

/// Address of a thread's counter.
pub(crate) fn address(thread: c_uint) -> u64 {
    COUNTERS[thread as usize].0.get() as u64
}

/// Has `block` counted from its first run on.
pub(crate) fn follow(block: *mut Block) {
    #[cfg(target_arch = "x86_64")]
    let add = if std::arch::is_x86_feature_detected!("avx") {
        add_and_clear
    } else {
        add
    };
    abi::before_each_run(block, add);
}

/// As [`add`]. The emulator leaves the upper halves of the processor's wide registers in use once the program has copied
/// anything, by which its floating point, which does not know of them, becomes several times slower: they are cleared. The
/// emulator keeps nothing there over a call, since no callee has to.
#[cfg(target_arch = "x86_64")]
extern "C" fn add_and_clear(thread: c_uint, instructions: *mut c_void) {
    // Before the instruction, so that nothing of ours is in these registers, whatever this is compiled for.
    add(thread, instructions);
    // SAFETY: `follow` has seen that the processor has AVX, and so the instruction. By the ABI the
    // upper halves are the callee's to change, and nothing of ours follows that would use them.
    unsafe { std::arch::asm!("vzeroupper", options(nomem, nostack, preserves_flags)) };
}

/// Adds a block that is about to run. If it is left in its middle, by a signal or a fault, it was counted as a whole.
extern "C" fn add(thread: c_uint, instructions: *mut c_void) {
    // SAFETY: `begin` has seen the thread, and ends the process where there is no counter for its
    // number; and this is that thread, so nobody else uses the counter.
    unsafe {
        let counter = COUNTERS.get_unchecked(thread as usize).0.get();
        *counter += instructions as u64;
    }
}
