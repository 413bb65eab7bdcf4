//! The call stack: as far as frame pointers lead, and what unwinding needs of it.
//!
//! The profiled build keeps frame pointers in what it compiles. Code compiled by others may not:
//! there a frame pointer is an arbitrary word. So a stack that is to be reported is kept as a
//! [copy](copy) of the words that matter, and the reader of the profile unwinds it by the unwind
//! tables of the program and its libraries. Frame pointers alone serve only to recognise equal
//! stacks as equal, in [`key`].
//!
//! A word matters if it is an address in code, so perhaps a return address; or if it leads to a
//! place further up the same stack that is followed by such a word, so perhaps is a frame pointer.
//! No other word of the program gets into a copy. Places on the stack are given by their distance
//! from its top, so that equal calls have equal copies.

pub(crate) mod code;
pub(crate) mod own_stack;

use crate::stack::code::Code;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most frames that a walk by frame pointers follows.
const DEPTH: usize = 64;

/// How many words on top of the stack are examined. Further out, only places that frame pointers
/// lead to are.
const LOOKED_AT: usize = 1 << 11;

/// Words before a copy's entries: the instruction; [sizes](head); the link register, 0 if it holds
/// no address in code.
const HEAD: usize = 3;

/// The most words of a copy.
pub(crate) const LONGEST: usize = HEAD + 122;

const WORD: usize = std::mem::size_of::<usize>();

/// The registers of a thread that unwinding needs.
#[derive(Clone, Copy)]
pub(crate) struct Registers {
    /// The instruction.
    pub(crate) instruction: usize,
    /// Top of the stack.
    pub(crate) stack: usize,
    /// The frame pointer, if the function keeps one; else any value.
    pub(crate) frame: usize,
    /// The return address, on processors that keep it in a register.
    pub(crate) link: Option<usize>,
}

/// What an entry of a copy stands for, in its two highest bits. The next 14 bits are its distance
/// from the entry before, in words further up; the rest are a value.
mod kind {
    /// An address in code.
    pub(super) const CODE: u64 = 0;
    /// A place on the stack, in words from the top.
    pub(super) const FRAME: u64 = 1;
    /// Nothing; the next entry is as many words further up as the value.
    pub(super) const SKIP: u64 = 2;
}

const KIND: u32 = 62;
const DISTANCE: u32 = 48;
const FAR: usize = 1 << (KIND - DISTANCE);
const VALUE: u64 = (1 << DISTANCE) - 1;

/// The second word of a copy: the number of words from the top of the stack to where the task
/// began; 1 + the place that the frame pointer leads to; whether the stack had more than the copy.
fn head(words: usize, frame: Option<usize>, is_cut: bool) -> u64 {
    let words = u32::try_from(words).unwrap_or(u32::MAX);
    let frame = frame.map_or(0, |frame| frame as u64 + 1) & 0x7FFF_FFFF;
    u64::from(words) | frame << 32 | u64::from(is_cut) << 63
}

/// Did the stack have more than the copy?
pub(crate) fn is_cut(copy: &[u64]) -> bool {
    copy.get(1).is_some_and(|head| head >> 63 != 0)
}

/// Entries of a copy being written.
struct Entries<'a> {
    to: &'a [AtomicU64],
    used: usize,
    /// The place on the stack of the last one.
    place: usize,
    is_full: bool,
}

impl Entries<'_> {
    fn push(&mut self, entry: u64) {
        match self.to.get(self.used) {
            Some(to) => {
                to.store(entry, Ordering::Relaxed);
                self.used += 1;
            }
            None => self.is_full = true,
        }
    }

    fn add(&mut self, place: usize, kind: u64, value: usize) {
        let mut distance = place - self.place;
        if distance >= FAR {
            self.push(kind::SKIP << KIND | distance as u64 & VALUE);
            distance = 0;
        }
        self.push(kind << KIND | (distance as u64) << DISTANCE | value as u64 & VALUE);
        self.place = place;
    }
}

/// The words of a part of a thread's stack.
#[derive(Clone, Copy)]
struct Words<'a> {
    top: usize,
    count: usize,
    code: Code<'a>,
}

impl Words<'_> {
    fn word(self, place: usize) -> usize {
        debug_assert!(place < self.count);
        // SAFETY: `place` is one of these words, so this is an aligned word between the top and the
        // limit, which `copy` was promised may be read.
        unsafe { read((self.top + place * WORD) as *const usize) }
    }

    /// The place that a frame pointer leads to: the caller's frame pointer is there, and above it a
    /// return address.
    fn frame(self, pointer: usize) -> Option<usize> {
        let bytes = pointer.wrapping_sub(self.top);
        let place = bytes / WORD;
        (bytes % WORD == 0 && place + 1 < self.count && self.code.contains(self.word(place + 1)))
            .then_some(place)
    }

    /// [`frame`](Self::frame) for the word at `place`, which must lead further up.
    fn frame_at(self, place: usize) -> Option<usize> {
        self.frame(self.word(place)).filter(|next| *next > place)
    }
}

/// Reads a word that is nobody's variable and may be anything, as a debugger does. The instruction
/// is spelled out because a program watched by AddressSanitizer has words between its variables
/// that compiled code must not read.
///
/// # Safety
/// `word` is aligned, and there is memory that may be read.
#[inline(always)]
unsafe fn read(word: *const usize) -> usize {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    {
        let value: usize;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: one load of a word that may be read (`# Safety`); it changes nothing, flags
        // included.
        unsafe {
            std::arch::asm!("mov {}, [{}]", out(reg) value, in(reg) word, options(nostack, readonly, preserves_flags));
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: one load of a word that may be read (`# Safety`); it changes nothing, flags
        // included.
        unsafe {
            std::arch::asm!("ldr {}, [{}]", out(reg) value, in(reg) word, options(nostack, readonly, preserves_flags));
        }
        value
    }
    #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
    // SAFETY: the word is aligned and may be read (`# Safety`).
    unsafe {
        word.read_volatile()
    }
}

/// Copies what unwinding needs of a stack, up to `limit`, into `to`. Returns how many words that
/// takes: at most [`LONGEST`]. Allocates nothing, takes no lock: a signal handler may call this.
///
/// # Safety
/// What lies between `registers.stack` and `limit`, if that is higher, must be memory that may be
/// read.
pub(crate) unsafe fn copy(
    registers: Registers,
    limit: usize,
    code: Code,
    to: &[AtomicU64],
) -> usize {
    let is_aligned = registers.stack % WORD == 0;
    let words = Words {
        top: registers.stack,
        count: match is_aligned {
            true => limit.saturating_sub(registers.stack) / WORD,
            false => 0,
        },
        code,
    };
    let frame = words.frame(registers.frame);
    let mut entries = Entries {
        to: &to[..LONGEST.min(to.len())],
        used: HEAD,
        place: 0,
        is_full: false,
    };
    // The nearest frame beyond the examined words.
    let mut next = frame.filter(|place| *place >= LOOKED_AT);
    for place in 0..words.count.min(LOOKED_AT) {
        let word = words.word(place);
        if code.contains(word) {
            entries.add(place, kind::CODE, word);
        } else if let Some(frame) = words.frame_at(place) {
            entries.add(place, kind::FRAME, frame);
            if frame >= LOOKED_AT && next.map_or(true, |next| frame < next) {
                next = Some(frame);
            }
        }
    }
    for _ in 0..DEPTH {
        let Some(place) = next else {
            break;
        };
        next = words.frame_at(place);
        if let Some(next) = next {
            entries.add(place, kind::FRAME, next);
        }
        entries.add(place + 1, kind::CODE, words.word(place + 1));
    }
    let is_cut = words.count > LOOKED_AT || entries.is_full;
    let link = registers.link.filter(|link| code.contains(*link));
    for (to, word) in to.iter().zip([
        registers.instruction as u64,
        head(words.count, frame, is_cut),
        link.unwrap_or(0) as u64,
    ]) {
        to.store(word, Ordering::Relaxed);
    }
    entries.used
}

/// A copy that consists of an instruction alone.
pub(crate) fn instruction_alone(instruction: usize, to: &[AtomicU64]) -> usize {
    for (to, word) in to.iter().zip([instruction as u64, 0, 0]) {
        to.store(word, Ordering::Relaxed);
    }
    HEAD
}

/// Reduces a copy to its instruction.
pub(crate) fn keep_instruction(copy: &mut [u64]) -> &mut [u64] {
    let kept = HEAD.min(copy.len());
    copy[kept.min(1)..kept].fill(0);
    &mut copy[..kept]
}

/// The fields of a copy, as in the raw profile.
pub(crate) fn text(copy: &[u64]) -> String {
    let mut text = String::new();
    let word = |index: usize| copy.get(index).copied().unwrap_or(0);
    let _ = write!(text, "{:x} {}", word(0), word(1) as u32);
    match word(1) >> 32 & 0x7FFF_FFFF {
        0 => text.push_str(" -"),
        frame => _ = write!(text, " {}", frame - 1),
    }
    match word(2) {
        0 => text.push_str(" -"),
        link => _ = write!(text, " {link:x}"),
    }
    let mut place = 0;
    for entry in copy.iter().skip(HEAD) {
        let value = entry & VALUE;
        if entry >> KIND == kind::SKIP {
            place += value;
            continue;
        }
        place += entry >> DISTANCE & (FAR as u64 - 1);
        let _ = match entry >> KIND {
            kind::FRAME => write!(text, " {place}>{value}"),
            _ => write!(text, " {place}:{value:x}"),
        };
    }
    text
}

/// A copy of the calling thread's stack from here to `base`, where the present task began.
#[inline(never)]
pub(crate) fn here(base: usize) -> Box<[u64]> {
    let to: [AtomicU64; LONGEST] = std::array::from_fn(|_| AtomicU64::new(0));
    let length = copy_here(base, &to);
    to[..length]
        .iter()
        .map(|word| word.load(Ordering::Relaxed))
        .collect()
}

/// As [`here`], into `to`. Returns how many words that takes.
#[inline(never)]
pub(crate) fn copy_here(base: usize, to: &[AtomicU64]) -> usize {
    let Some(registers) = present() else {
        return 0;
    };
    let limit = own_stack::own_stack_limit(registers.stack, base);
    // SAFETY: the limit is a place further up on this thread's own stack, which is mapped in
    // between, or 0, so that nothing is read (`own_stack_limit`).
    unsafe { copy(registers, limit, Code::of_process(), to) }
}

/// A number for the stack up to `base`: the same whenever the same calls lead here.
///
/// In code without frame pointers the words met may be anything. The first that is not an address
/// in code ends the walk, so that data never contributes to a number.
#[inline(never)]
pub(crate) fn key(base: usize) -> u64 {
    let (key, is_strange) = key_and_strangeness(base);
    if is_strange {
        Code::look();
    }
    key
}

/// As [`key`], by the code that is known already: allocates nothing, takes no lock.
#[inline(never)]
pub(crate) fn known_key(base: usize) -> u64 {
    key_and_strangeness(base).0
}

/// [`key`], and whether the walk ended at a word that is not known to be an address in code.
#[inline(always)]
fn key_and_strangeness(base: usize) -> (u64, bool) {
    let Some(Registers { stack, frame, .. }) = present() else {
        return (0, false);
    };
    let limit = own_stack::own_stack_limit(stack, base);
    let code = Code::of_process();
    let (mut key, mut is_strange) = (0_u64, false);
    let visit = |address: usize| {
        is_strange = !code.is_unknown() && !code.contains(address);
        if !is_strange {
            key = (key.rotate_left(5) ^ address as u64).wrapping_mul(0x517C_C1B7_2722_0A95);
        }
        !is_strange
    };
    // SAFETY: the limit is a place further up on this thread's own stack, which is mapped in
    // between, or 0, so that nothing is read (`own_stack_limit`).
    unsafe { walk(frame, stack, limit, visit) };
    (key, is_strange)
}

/// Calls `visit` with the return addresses from a frame pointer on, which may be anything, until it
/// returns false. The walk ends at a frame that does not lie further towards `limit` than the one
/// before.
///
/// # Safety
/// What lies between `floor` and `limit`, if that is higher, must be memory that may be read.
unsafe fn walk(
    mut frame: usize,
    mut floor: usize,
    limit: usize,
    mut visit: impl FnMut(usize) -> bool,
) {
    for _ in 0..DEPTH {
        let is_aligned = frame % WORD == 0;
        if !is_aligned || frame < floor || frame.saturating_add(2 * WORD) > limit {
            return;
        }
        let words = frame as *const usize;
        // SAFETY: `frame` is aligned, and two words from it lie between `floor` and `limit`, which
        // may be read (`# Safety`).
        let (next, address) = unsafe { (read(words), read(words.add(1))) };
        if address == 0 || !visit(address) {
            return;
        }
        floor = frame + WORD;
        frame = next;
    }
}

/// The registers of the calling function; `None` where they cannot be read.
#[inline(always)]
fn present() -> Option<Registers> {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let (instruction, stack, frame);
        // SAFETY: it copies registers to others, and touches neither memory nor flags.
        unsafe {
            std::arch::asm!(
                "lea {}, [rip]", "mov {}, rsp", "mov {}, rbp",
                out(reg) instruction, out(reg) stack, out(reg) frame,
                options(nomem, nostack, preserves_flags)
            );
        }
        Some(Registers {
            instruction,
            stack,
            frame,
            link: None,
        })
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    {
        let (instruction, stack, frame, link);
        // SAFETY: it copies registers to others, and touches neither memory nor flags.
        unsafe {
            std::arch::asm!(
                "adr {}, .", "mov {}, sp", "mov {}, x29", "mov {}, x30",
                out(reg) instruction, out(reg) stack, out(reg) frame, out(reg) link,
                options(nomem, nostack, preserves_flags)
            );
        }
        Some(Registers {
            instruction,
            stack,
            frame,
            link: Some(link),
        })
    }
    #[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    None
}

#[cfg(test)]
mod tests;
