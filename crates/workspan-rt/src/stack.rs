//! The call stack by its frame pointers, which the profiled build keeps everywhere.

/// The most frames that are looked at.
pub(crate) const DEPTH: usize = 64;

/// Return addresses from the caller outwards, innermost first, up to stack address `limit`: the stack of the
/// present task alone, not of what happened to wait below it on the same thread.
///
/// A chain that does not rise steadily towards `limit` ends the walk; only addresses between the caller's own
/// frame and `limit` are read, which both lie on this thread's stack.
#[inline(never)]
pub(crate) fn walk(limit: usize, visit: impl FnMut(usize)) {
    let frame = frame_pointer();
    let floor = &frame as *const usize as usize;
    // SAFETY: a local variable of this function and `limit`, an address further up the same stack.
    unsafe { walk_from(frame, floor, limit, visit) };
}

/// As [`walk`], from a frame pointer that may be anything. Allocates nothing, takes no lock: a signal handler may call
/// this.
///
/// # Safety
/// What lies between `floor` and `limit`, if that is higher, must be memory that may be read.
#[inline(always)]
pub(crate) unsafe fn walk_from(
    mut frame: usize,
    mut floor: usize,
    limit: usize,
    mut visit: impl FnMut(usize),
) {
    for _ in 0..DEPTH {
        let aligned = frame % std::mem::align_of::<usize>() == 0;
        if !aligned
            || frame <= floor
            || frame.saturating_add(2 * std::mem::size_of::<usize>()) > limit
        {
            return;
        }
        // SAFETY: `frame` is aligned and two words from it lie between `floor` and `limit`. Both may be anything. The
        // reads are volatile, since the words are nobody's variables.
        let (next, address) = unsafe {
            (
                (frame as *const usize).read_volatile(),
                (frame as *const usize).add(1).read_volatile(),
            )
        };
        if address == 0 {
            return;
        }
        visit(address);
        floor = frame;
        frame = next;
    }
}

/// A number for the stack up to `limit`: the same whenever the same calls lead here.
pub(crate) fn key(limit: usize) -> u64 {
    let mut key = 0_u64;
    walk(limit, |address| {
        key = (key.rotate_left(5) ^ address as u64).wrapping_mul(0x517C_C1B7_2722_0A95)
    });
    key
}

/// The addresses that [`walk`] visits.
pub(crate) fn addresses(limit: usize) -> Vec<usize> {
    let mut addresses = Vec::new();
    walk(limit, |address| addresses.push(address));
    addresses
}

#[inline(always)]
fn frame_pointer() -> usize {
    #[cfg(miri)]
    return 0;
    #[cfg(not(miri))]
    {
        let pointer: usize;
        // SAFETY: copies a register; touches neither memory nor flags.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            std::arch::asm!("mov {}, rbp", out(reg) pointer, options(nomem, nostack, preserves_flags));
        }
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        unsafe {
            std::arch::asm!("mov {}, x29", out(reg) pointer, options(nomem, nostack, preserves_flags));
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        {
            pointer = 0;
        }
        pointer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: usize = std::mem::size_of::<usize>();

    /// What is found from the frame at word `from` of a stack, up to word `to`. Of each frame the first word is the
    /// number of the next frame's, and the second a return address.
    fn found(stack: &[usize], from: usize, to: usize) -> Vec<usize> {
        let mut memory: Vec<usize> = stack.to_vec();
        let copy = memory.as_mut_ptr() as usize;
        for link in memory.iter_mut().step_by(2) {
            *link = copy.wrapping_add(link.wrapping_mul(WORD));
        }
        let mut addresses = Vec::new();
        // SAFETY: all between the two is memory of the vector.
        unsafe {
            walk_from(
                copy + from * WORD,
                copy.wrapping_sub(1),
                copy + to * WORD,
                |address| addresses.push(address),
            );
        }
        addresses
    }

    #[test]
    fn a_chain_of_frames_is_followed_to_the_limit() {
        let stack = [2, 101, 6, 102, 0, 0, 8, 103, 20, 104];
        assert_eq!(found(&stack, 0, 10), [101, 102, 103, 104]);
        assert_eq!(found(&stack, 0, 9), [101, 102, 103]);
        assert_eq!(found(&stack, 2, 8), [102, 103]);
        assert_eq!(found(&stack, 0, 0), []);
    }

    #[test]
    fn a_chain_that_does_not_rise_ends() {
        assert_eq!(found(&[0, 101], 0, 2), [101]);
        assert_eq!(found(&[2, 101, 0, 102], 0, 4), [101, 102]);
        // An address of 0 is that of no caller.
        assert_eq!(found(&[2, 101, 4, 0, 6, 103], 0, 6), [101]);
    }

    #[test]
    fn a_frame_pointer_may_be_anything() {
        let word = 5_usize;
        let here = &word as *const usize as usize;
        for frame in [
            0,
            1,
            here + 1,
            here - WORD,
            here + WORD,
            usize::MAX,
            usize::MAX - 7,
        ] {
            // SAFETY: only the word itself may be read, which is too little for a frame.
            unsafe { walk_from(frame, here - 1, here + WORD, |_| panic!("{frame:x}")) };
        }
    }

    #[test]
    fn a_walk_has_an_end() {
        let stack: Vec<usize> = (0..1_000).flat_map(|n| [2 * n + 2, 7]).collect();
        assert_eq!(found(&stack, 0, stack.len()).len(), DEPTH);
    }
}
