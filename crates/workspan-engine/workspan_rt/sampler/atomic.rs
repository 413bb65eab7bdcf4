//! Recognises instructions of x86 at which threads may wait for one another: atomic ones, which have
//! the prefix `lock`, and `pause`, by which a loop waits. (`xchg` needs no prefix; without one, too
//! much other code looks like it from behind.) The engine asks which word of memory an atomic one is
//! about, the commands where it is.
//!
//! Code is read backwards from where a thread was interrupted, so a displacement that looks like
//! the prefix, before bytes that look like the rest, is taken for one.
//!
//! This module uses no other: the engine and the command line compile the same text.

/// The prefix.
const LOCK: u8 = 0xf0;

/// Tells the processor that a loop waits for another thread.
const PAUSE: [u8; 2] = [0xf3, 0x90];

/// The most code before an address that is looked at: no instruction is longer.
pub const REACH: usize = 15;

/// An instruction at which threads may wait for one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// An atomic one: it takes long if other threads write the same cache line.
    Atomic,
    /// One by which a loop waits for what another thread is to do.
    Pause,
}

/// The instruction that a thread waited for when it was interrupted at an address, and how far before
/// that it is. It is the one there, or the nearest one right before, since an interrupt is taken only
/// after it, and after what was ready behind it. `before` is the code up to the address, `at` that
/// from there on.
pub fn interrupted_at(before: &[u8], at: &[u8]) -> Option<(Instruction, usize)> {
    if at.starts_with(&PAUSE) {
        return Some((Instruction::Pause, 0));
    }
    if before.ends_with(&PAUSE) {
        return Some((Instruction::Pause, PAUSE.len()));
    }
    if Atomic::at(at).is_some() {
        return Some((Instruction::Atomic, 0));
    }
    let begins = |distance: &usize| Atomic::at(&before[before.len() - distance..]).is_some();
    let distance = (1..=before.len()).find(begins)?;
    Some((Instruction::Atomic, distance))
}

/// The address of the word that an atomic instruction is about, where a thread was interrupted at
/// `instruction`: at that instruction, or right behind it. Farther behind it, registers may have
/// changed. `None` also where the instruction has changed a register that it took the address from,
/// or takes it from a segment, as a thread's own variables have it.
///
/// `before`: the code up to `instruction`; `at`: from there on; `register`: what each register
/// holds, by the processor's numbers from 0 (rax) to 15 (r15).
pub fn interrupted_operand(
    instruction: usize,
    before: &[u8],
    at: &[u8],
    register: impl Fn(u8) -> usize,
) -> Option<usize> {
    // The prefixes of the segments fs and gs, which assemblers write first.
    let is_in_segment = |prefix: Option<&u8>| matches!(prefix, Some(0x64 | 0x65));
    if let Some(atomic) = Atomic::at(at) {
        let end = instruction + atomic.length;
        return (!is_in_segment(before.last())).then(|| atomic.operand(end, register));
    }
    let (start, atomic) = (0..before.len()).rev().find_map(|start| {
        let atomic = Atomic::at(&before[start..])?;
        (atomic.length == before.len() - start).then_some((start, atomic))
    })?;
    let is_known = !is_in_segment(before[..start].last()) && !atomic.changes_address();
    is_known.then(|| atomic.operand(instruction, register))
}

/// An atomic instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Atomic {
    length: usize,
    /// The address of its operand is the sum of this register or, relative to the code, of the next
    /// instruction's address,
    base: Option<u8>,
    is_relative: bool,
    /// of this register, shifted to the left by so many bits,
    index: Option<(u8, u8)>,
    /// and of this.
    displacement: i32,
    /// The registers that it writes, a bit each.
    written: u16,
}

impl Atomic {
    /// The one at the beginning of `code`.
    ///
    /// Only an instruction that writes memory can have the prefix (Intel SDM, volume 2, `LOCK`).
    fn at(code: &[u8]) -> Option<Self> {
        let mut next = 0;
        let mut byte = || {
            next += 1;
            code.get(next - 1).copied()
        };
        if byte()? != LOCK {
            return None;
        }
        let mut opcode = byte()?;
        let is_short = opcode == 0x66;
        if is_short {
            opcode = byte()?;
        }
        let mut extended = 0;
        if opcode & 0xf0 == 0x40 {
            extended = opcode;
            opcode = byte()?;
        }
        let (is_two_bytes, immediate) = match opcode {
            0x0f => {
                opcode = byte()?;
                match opcode {
                    0xba => (true, 1),
                    0xab | 0xb0 | 0xb1 | 0xb3 | 0xbb | 0xc0 | 0xc1 | 0xc7 => (true, 0),
                    _ => return None,
                }
            }
            0x80 | 0x83 => (false, 1),
            0x81 if is_short => (false, 2),
            0x81 => (false, 4),
            0xf6 | 0xf7 | 0xfe | 0xff | 0x86 | 0x87 => (false, 0),
            // add, or, adc, sbb, and, sub, xor of a register to memory.
            opcode if opcode <= 0x31 && opcode & 0x06 == 0 => (false, 0),
            _ => return None,
        };
        let operand = byte()?;
        let (mode, extension, register) = (operand >> 6, operand >> 3 & 7, operand & 7);
        let is_written = match opcode {
            _ if is_two_bytes => true,
            // All but cmp; not and neg; inc and dec.
            0x80 | 0x81 | 0x83 => extension != 7,
            0xf6 | 0xf7 => extension == 2 || extension == 3,
            0xfe | 0xff => extension < 2,
            _ => true,
        };
        if !is_written {
            return None;
        }
        let scaled = if register == 4 && mode != 3 {
            Some(byte()?)
        } else {
            None
        };
        let base = scaled.unwrap_or(register) & 7;
        let bytes = match mode {
            0 if base == 5 => 4,
            0 => 0,
            1 => 1,
            2 => 4,
            _ => return None,
        };
        let displacement = code.get(next..next + bytes)?;
        let displacement = match *displacement {
            [byte] => i32::from(byte as i8),
            [one, two, three, four] => i32::from_le_bytes([one, two, three, four]),
            _ => 0,
        };
        let length = next + bytes + immediate;
        let high = |bit: u8| (extended >> bit & 1) << 3;
        let has_base = mode != 0 || base != 5;
        let index = scaled.map(|scaled| (scaled >> 3 & 7 | high(1), scaled >> 6));
        let written = match (is_two_bytes, opcode) {
            // xadd and xchg: the other operand; cmpxchg: rax, and rdx with it.
            (true, 0xc0 | 0xc1) | (false, 0x86 | 0x87) => 1 << (extension | high(2)),
            (true, 0xb0 | 0xb1) => 1,
            (true, 0xc7) => 0b101,
            _ => 0,
        };
        (length <= code.len()).then_some(Self {
            length,
            base: has_base.then_some(base | high(0)),
            // The number of the stack pointer stands for none.
            index: index.filter(|(index, _)| *index != 4),
            displacement,
            is_relative: !has_base && scaled.is_none(),
            written,
        })
    }

    fn changes_address(&self) -> bool {
        let index = self.index.map(|(index, _)| index);
        let mut of_address = self.base.into_iter().chain(index);
        of_address.any(|register| self.written >> register & 1 != 0)
    }

    /// The address of its operand; the next instruction is at `end`.
    fn operand(&self, end: usize, register: impl Fn(u8) -> usize) -> usize {
        let base = if self.is_relative {
            end
        } else {
            self.base.map_or(0, &register)
        };
        let index = self
            .index
            .map_or(0, |(index, shift)| register(index) << shift);
        base.wrapping_add(index)
            .wrapping_add(self.displacement as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atomic_instructions_have_their_lengths() {
        let atomics: [&[u8]; 6] = [
            &[0xf0, 0xff, 0x00],                         // incl (%rax)
            &[0xf0, 0x48, 0x0f, 0xc1, 0x07],             // xadd %rax,(%rdi)
            &[0xf0, 0x48, 0x83, 0x44, 0x24, 0x08, 0x01], // addq $1,8(%rsp)
            &[0xf0, 0x0f, 0xb1, 0x15, 1, 2, 3, 4],       // cmpxchg %edx,…(%rip)
            &[0xf0, 0x81, 0x87, 0, 1, 0, 0, 1, 0, 0, 0], // addl $1,256(%rdi)
            &[0xf0, 0x66, 0x81, 0x04, 0xc7, 1, 0],       // addw $1,(%rdi,%rax,8)
        ];
        for code in atomics {
            let found = Atomic::at(code).map(|atomic| atomic.length);
            assert_eq!(found, Some(code.len()), "{code:x?}");
            assert_eq!(
                interrupted_at(&[0x90, 0x90], code),
                Some((Instruction::Atomic, 0))
            );
            assert_eq!(
                interrupted_at(code, &[0x90]),
                Some((Instruction::Atomic, code.len()))
            );
            let after = [code, &[0x90, 0x90]].concat();
            assert_eq!(
                interrupted_at(&after, &[0x90]),
                Some((Instruction::Atomic, after.len()))
            );
        }
    }

    #[test]
    fn the_operands_address_follows_from_the_registers() {
        let holds = |register: u8| 0x1_0000 * (usize::from(register) + 1);
        let at = |code: &[u8]| interrupted_operand(0x40_0000, &[0x90], code, holds);
        let behind = |code: &[u8]| {
            let before = [&[0x90, 0x90], code].concat();
            interrupted_operand(0x40_0000, &before, &[0x90], holds)
        };
        let operands: [(&[u8], usize); 6] = [
            (&[0xf0, 0xff, 0x00], 0x1_0000), // incl (%rax)
            (&[0xf0, 0x48, 0x83, 0x44, 0x24, 0x08, 0x01], 0x5_0008), // addq $1,8(%rsp)
            (&[0xf0, 0x66, 0x81, 0x04, 0xc7, 1, 0], 0x10_0000), // addw $1,(%rdi,%rax,8)
            (&[0xf0, 0x49, 0xff, 0x4d, 0xf8], 0xd_fff8), // decq -8(%r13)
            (&[0xf0, 0x4a, 0xff, 0x04, 0xe5, 0x10, 0, 0, 0], 0x68_0010), // incq 16(,%r12,8)
            (&[0xf0, 0x4c, 0x0f, 0xc1, 0x07], 0x8_0000), // xadd %r8,(%rdi)
        ];
        for (code, address) in operands {
            assert_eq!(at(code), Some(address), "{code:x?}");
            assert_eq!(behind(code), Some(address), "{code:x?}");
        }
        // cmpxchg %edx,-256(%rip): of the next instruction.
        let relative = [0xf0, 0x0f, 0xb1, 0x15, 0, 0xff, 0xff, 0xff];
        assert_eq!(at(&relative), Some(0x3f_ff08));
        assert_eq!(behind(&relative), Some(0x3f_ff00));
        // xadd %rax,(%rax), and cmpxchg %rcx,(%rdx,%rax): where they were is not known afterwards.
        for code in [
            &[0xf0, 0x48, 0x0f, 0xc1, 0x00][..],
            &[0xf0, 0x48, 0x0f, 0xb1, 0x0c, 0x02],
        ] {
            assert!(at(code).is_some() && behind(code).is_none(), "{code:x?}");
        }
        // addl $1,%fs:-4, of the thread's own variables.
        let own = [0xf0, 0x83, 0x04, 0x25, 0xfc, 0xff, 0xff, 0xff, 0x01];
        assert!(interrupted_operand(9, &[&[0x64][..], &own].concat(), &[0x90], holds).is_none());
        assert!(interrupted_operand(9, &[0x90, 0x64], &own, holds).is_none());
        assert!(interrupted_operand(9, &[0x90, 0x90], &own, holds).is_some());
        // Not right behind it.
        assert_eq!(
            interrupted_operand(9, &[0xf0, 0xff, 0x00, 0x90], &[0x90], holds),
            None
        );
    }

    #[test]
    fn other_instructions_are_none() {
        // mov -16(%rbp),%rax: its last byte looks like the prefix; then add %eax,%ecx.
        let code = [0x48, 0x8b, 0x45, 0xf0, 0x01, 0xc1];
        assert_eq!(interrupted_at(&code, &[0x90]), None);
        assert_eq!(interrupted_at(&code[..4], &code[4..]), None);
        assert_eq!(interrupted_at(&[], &[]), None);
    }

    #[test]
    fn a_loop_waits_by_a_pause() {
        let pause = |distance| Some((Instruction::Pause, distance));
        assert_eq!(interrupted_at(&[0x90], &PAUSE), pause(0));
        // pause, where a failed attempt to lock came before; then mov (%rdi),%eax.
        let loops = [0xf0, 0x0f, 0xb1, 0x0f, 0xf3, 0x90];
        assert_eq!(interrupted_at(&loops, &[0x8b, 0x07]), pause(2));
        assert_eq!(
            interrupted_at(&[&loops[..], &[0x90]].concat(), &[0x90]),
            Some((Instruction::Atomic, 7))
        );
    }
}
