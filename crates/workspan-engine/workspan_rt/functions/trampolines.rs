//! What a patched sled calls: saves the registers that the program may rely on, and reports the
//! event.
//!
//! A sled is at a function's first instruction, at its returns, and before its tail calls, so what
//! may matter is:
//!
//! * at the entry and before a tail call, the arguments: `rdi`, `rsi`, `rdx`, `rcx`, `r8`, `r9`,
//!   `rax` (number of vector arguments), vector registers 0–7, and `rax` and `r11` as targets of a
//!   tail call;
//! * at an exit, the result: `rax`, `rdx`, `rcx` (the third part of what LLVM returns in
//!   registers), vector registers 0–3. `st(0)` and `st(1)` are left alone by code that uses neither
//!   x87 nor MMX, which no compiler does unasked.
//!
//! At each, all general registers that a callee may change are saved, for conventions that preserve
//! more. `r10` belongs to the sled: only C's nested functions pass something there.
//!
//! The engine, and what it calls in the C library, may use the vector registers at full width and
//! clear their upper parts (`vzeroupper`). So everything in use is saved of registers 0–7: always
//! the lower 16 bytes, and the rest if the processor says that it is in use (`xgetbv` with 1, 7
//! ns). Restoring upper parts that are not in use would make them so, and slow down every later
//! instruction of the program that uses 16 bytes.
//!
//! At each of these places the function has no frame: its red zone, 128 bytes below the stack
//! pointer, holds nothing yet or nothing any more. The caller's red zone is not below the stack
//! pointer, since a function that makes calls has none.

use super::events::{entered, left};
use std::arch::global_asm;
use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use std::sync::atomic::{AtomicU8, Ordering};

/// How much of the vector registers is to be saved. Read by the trampolines.
static WIDTH: AtomicU8 = AtomicU8::new(NARROW);

/// 16 bytes.
const NARROW: u8 = 0;
/// Whatever the processor says is in use.
const ASK: u8 = 1;
/// 32 bytes, on processors that have them and cannot be asked.
const WIDE: u8 = 2;

/// State components of `xgetbv`: upper halves of the 32-byte registers 0–15, and of the 64-byte
/// registers 0–15.
const AVX: u8 = 1 << 2;
const AVX512: u8 = 1 << 6;

extern "C" {
    fn workspan_function_entry();
    fn workspan_function_exit();
    fn workspan_function_tail();
    fn workspan_function_nothing();
    fn workspan_function_nothing_patched();
}

/// Where sleds of `kind` lead.
pub(super) fn address(kind: super::list::SledKind) -> usize {
    use super::list::SledKind;
    let trampoline: unsafe extern "C" fn() = match kind {
        SledKind::Entry => workspan_function_entry,
        SledKind::Exit => workspan_function_exit,
        SledKind::Tail => workspan_function_tail,
    };
    trampoline as usize
}

/// Two functions that do nothing, without and with an entry and an exit patched like those of
/// function 0: the difference between them is what the events of one call cost.
pub(crate) fn nothing() -> [unsafe extern "C" fn(); 2] {
    [workspan_function_nothing, workspan_function_nothing_patched]
}

/// Finds out how much is to be saved. Call before anything is patched.
pub(super) fn prepare() {
    // SAFETY: every x86-64 processor has `cpuid`, which takes any leaf; and `enabled_state` is
    // called only if leaf 1 says that the system has enabled `xgetbv`.
    #[allow(unused_unsafe)]
    let width = unsafe {
        let features = __cpuid(1).ecx;
        let (enabled, has_avx) = (features & (1 << 27) != 0, features & (1 << 28) != 0);
        if !enabled || !has_avx || enabled_state() & u64::from(AVX) == 0 {
            NARROW
        } else if __cpuid_count(13, 1).eax & (1 << 2) != 0 {
            ASK
        } else {
            WIDE
        }
    };
    WIDTH.store(width, Ordering::Relaxed);
}

/// Which register state the system has enabled.
///
/// # Safety
/// Leaf 1 of `cpuid` says that the system has enabled `xgetbv`.
#[target_feature(enable = "xsave")]
unsafe fn enabled_state() -> u64 {
    // SAFETY: the system has enabled the instruction (`# Safety`), which then has register 0.
    unsafe { _xgetbv(0) }
}

/// An instruction for each of the vector registers 0–7.
macro_rules! vectors {
    ($a:literal, $b:literal, $c:literal) => {
        concat!(
            $a, 0, $b, 0, $c, "\n", $a, 1, $b, 1, $c, "\n", $a, 2, $b, 2, $c, "\n", $a, 3, $b, 3,
            $c, "\n", $a, 4, $b, 4, $c, "\n", $a, 5, $b, 5, $c, "\n", $a, 6, $b, 6, $c, "\n", $a,
            7, $b, 7, $c,
        )
    };
}

macro_rules! first_vectors {
    ($a:literal, $b:literal, $c:literal) => {
        concat!(
            $a, 0, $b, 0, $c, "\n", $a, 1, $b, 1, $c, "\n", $a, 2, $b, 2, $c, "\n", $a, 3, $b, 3,
            $c,
        )
    };
}

// In each trampoline: at [rbp] the caller's frame pointer; at [rbp - 8 ..= rbp - 64] general
// registers; at [rbp - 72] which upper parts are saved; and from the stack pointer on, which is a
// multiple of 64, 64 bytes for each vector register.
macro_rules! trampoline {
    ($name:literal, $slot:literal, $handler:ident, $save:expr, $restore:expr) => {
        global_asm!(
            concat!(".pushsection .text.", $name, ",\"ax\",@progbits"),
            ".p2align 4",
            concat!(".globl ", $name),
            concat!(".hidden ", $name),
            concat!(".type ", $name, ",@function"),
            concat!($name, ":"),
            ".cfi_startproc",
            "push rbp",
            ".cfi_def_cfa_offset 16",
            ".cfi_offset rbp, -16",
            "mov rbp, rsp",
            ".cfi_def_cfa_register rbp",
            "push rax",
            "push rcx",
            "push rdx",
            "push rsi",
            "push rdi",
            "push r8",
            "push r9",
            "push r11",
            "sub rsp, 520",
            "and rsp, -64",
            $save,
            "movzx eax, byte ptr [rip + {width}]",
            "cmp al, {ask}",
            "jb 3f",
            "mov eax, {avx}",
            "ja 2f",
            "mov ecx, 1",
            "xgetbv",
            "and eax, {both}",
            "jz 3f",
            "2:",
            "test al, {avx512}",
            "jnz 4f",
            vectors!("vmovups [rsp + 64*", "], ymm", ""),
            "jmp 3f",
            "4:",
            vectors!("vmovups [rsp + 64*", "], zmm", ""),
            "3:",
            "mov [rbp - 72], al",
            "mov edi, r10d",
            concat!("lea rsi, [rbp + ", $slot, "]"),
            "call {handler}",
            "mov al, [rbp - 72]",
            "test al, al",
            "jnz 5f",
            $restore,
            "jmp 7f",
            "5:",
            "test al, {avx512}",
            "jnz 6f",
            vectors!("vmovups ymm", ", [rsp + 64*", "]"),
            "jmp 7f",
            "6:",
            vectors!("vmovups zmm", ", [rsp + 64*", "]"),
            "7:",
            "lea rsp, [rbp - 64]",
            "pop r11",
            "pop r9",
            "pop r8",
            "pop rdi",
            "pop rsi",
            "pop rdx",
            "pop rcx",
            "pop rax",
            "pop rbp",
            ".cfi_def_cfa rsp, 8",
            "ret",
            ".cfi_endproc",
            concat!(".size ", $name, ", . - ", $name),
            ".popsection",
            width = sym WIDTH,
            handler = sym $handler,
            ask = const ASK,
            avx = const AVX,
            avx512 = const AVX512,
            both = const AVX | AVX512,
        );
    };
}

trampoline!(
    "workspan_function_entry",
    "16",
    entered,
    vectors!("movaps [rsp + 64*", "], xmm", ""),
    vectors!("movaps xmm", ", [rsp + 64*", "]")
);
trampoline!(
    "workspan_function_tail",
    "16",
    left,
    vectors!("movaps [rsp + 64*", "], xmm", ""),
    vectors!("movaps xmm", ", [rsp + 64*", "]")
);
// This one is jumped to, not called.
trampoline!(
    "workspan_function_exit",
    "8",
    left,
    first_vectors!("movaps [rsp + 64*", "], xmm", ""),
    first_vectors!("movaps xmm", ", [rsp + 64*", "]")
);

global_asm!(
    ".pushsection .text.workspan_function_nothing,\"ax\",@progbits",
    ".p2align 4",
    ".globl workspan_function_nothing",
    ".hidden workspan_function_nothing",
    "workspan_function_nothing:",
    "jmp 2f",
    ".byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0",
    "2:",
    "ret",
    ".p2align 4",
    ".globl workspan_function_nothing_patched",
    ".hidden workspan_function_nothing_patched",
    "workspan_function_nothing_patched:",
    "xor r10d, r10d",
    "call workspan_function_entry",
    "xor r10d, r10d",
    "jmp workspan_function_exit",
    ".popsection",
);
