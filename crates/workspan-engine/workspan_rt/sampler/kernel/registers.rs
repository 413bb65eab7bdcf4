//! The registers of an interrupted function, as a signal handler finds them: the only code that
//! knows how each processor keeps them.

use crate::stack::Registers;
use std::ffi::c_void;

/// Where the registers of `ucontext_t` begin, which is part of the kernel's interface, in words:
/// flags, link and stack come first. Then come the registers in the order of `<sys/ucontext.h>`.
#[cfg(target_arch = "x86_64")]
const REGISTERS: usize = 5;
/// Also 16 words of the signal mask, one to align to 16 bytes, the fault's address.
#[cfg(target_arch = "aarch64")]
const REGISTERS: usize = 5 + 18;

/// A register.
///
/// # Safety
/// `context` must be the third argument of a handler that was installed with `SA_SIGINFO`, and
/// `index` that of a register in it.
unsafe fn register(context: *const c_void, index: usize) -> usize {
    // SAFETY: `context` is what the kernel passed to such a handler, and the word that is asked for
    // lies within it (`# Safety`).
    unsafe { context.cast::<usize>().add(REGISTERS + index).read() }
}

/// The word of memory that an atomic instruction is about, if the thread was interrupted at one or
/// right behind it.
///
/// # Safety
/// `context` must be the third argument of a handler that was installed with `SA_SIGINFO`.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn atomic_operand(context: *const c_void) -> Option<usize> {
    use crate::sampler::atomic::{interrupted_operand, REACH};
    use crate::stack::code::Code;
    /// Where the processor's registers, by its own numbers, are among the kernel's.
    const PLACES: [usize; 16] = [13, 14, 12, 11, 15, 10, 9, 8, 0, 1, 2, 3, 4, 5, 6, 7];
    const PAGE: usize = 4_096;
    // SAFETY: `context` is as promised (`# Safety`).
    let register = |index| unsafe { register(context, index) };
    let instruction = register(16);
    if !Code::of_process().contains(instruction) {
        return None;
    }
    let page = instruction / PAGE * PAGE;
    let start = instruction.saturating_sub(REACH).max(page);
    let end = (instruction + REACH).min(page + PAGE);
    let mut code = [0; 2 * REACH];
    for (byte, address) in code.iter_mut().zip(start..end) {
        // SAFETY: an instruction that ran is in memory, and so is its whole page, which by the
        // table may be read. If the program changes its code meanwhile, any byte is as good.
        *byte = unsafe { (address as *const u8).read_volatile() };
    }
    let (before, at) = code[..end - start].split_at(instruction - start);
    interrupted_operand(instruction, before, at, |number| {
        register(PLACES[usize::from(number & 15)])
    })
}

/// Instructions of other processors are not known.
#[cfg(target_arch = "aarch64")]
pub(super) unsafe fn atomic_operand(_: *const c_void) -> Option<usize> {
    None
}

impl Registers {
    /// Reads what the kernel saved.
    ///
    /// # Safety
    /// `context` must be the third argument of a handler that was installed with `SA_SIGINFO`.
    pub(super) unsafe fn of(context: *const c_void) -> Self {
        // SAFETY: `context` is as promised (`# Safety`).
        let register = |index| unsafe { register(context, index) };
        #[cfg(target_arch = "x86_64")]
        return Self {
            instruction: register(16),
            stack: register(15),
            frame: register(10),
            link: None,
        };
        // x0 to x30, the stack pointer and the instruction's address, behind the fault's.
        #[cfg(target_arch = "aarch64")]
        return Self {
            instruction: register(32),
            stack: register(31),
            frame: register(29),
            link: Some(register(30)),
        };
    }
}
