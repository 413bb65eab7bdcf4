//! The registers of an interrupted function, as a signal handler finds them: the only code that
//! knows how each processor keeps them.

use crate::stack::Registers;
use std::ffi::c_void;

impl Registers {
    /// Reads what the kernel saved.
    ///
    /// # Safety
    /// `context` must be the third argument of a handler that was installed with `SA_SIGINFO`.
    pub(super) unsafe fn of(context: *const c_void) -> Self {
        // Words from the start of `ucontext_t`, which is part of the kernel's interface.
        // SAFETY: `context` is what the kernel passed to a handler with `SA_SIGINFO` (`# Safety`),
        // and all words that are asked for lie within it.
        let word = |index: usize| unsafe { context.cast::<usize>().add(index).read() };
        // Flags, link and stack take 5 words; then come the registers in the order of
        // `<sys/ucontext.h>`.
        #[cfg(target_arch = "x86_64")]
        return Self {
            instruction: word(5 + 16),
            stack: word(5 + 15),
            frame: word(5 + 10),
            link: None,
        };
        // The same 5 words, 16 words of the signal mask, one to align to 16 bytes, the fault's
        // address; then x0 to x30, the stack pointer and the instruction's address.
        #[cfg(target_arch = "aarch64")]
        return Self {
            instruction: word(23 + 32),
            stack: word(23 + 31),
            frame: word(23 + 29),
            link: Some(word(23 + 30)),
        };
    }
}
