//! Recognises atomic instructions: those with the prefix `lock` of x86. (`xchg` has none, and is not
//! told from others.)

/// The prefix.
const LOCK: u8 = 0xf0;

/// The most code before an address that is looked at.
pub(super) const REACH: u64 = 15;

/// The atomic instruction that a thread waited for when it was interrupted at an address: how far
/// before that it is. It is the one there, or the nearest one right before, since an interrupt is
/// taken only after it, and after what was ready behind it. `before` is the code up to the address,
/// `at` that from there on.
pub(super) fn distance_to_atomic(before: &[u8], at: &[u8]) -> Option<usize> {
    if length_of(at).is_some() {
        return Some(0);
    }
    let begins = |distance: &usize| length_of(&before[before.len() - distance..]).is_some();
    (1..=before.len()).find(begins)
}

/// The length of the atomic instruction at the beginning of `code`.
///
/// Only an instruction that writes memory can have the prefix (Intel SDM, volume 2, `LOCK`).
fn length_of(code: &[u8]) -> Option<usize> {
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
    if opcode & 0xf0 == 0x40 {
        opcode = byte()?;
    }
    let immediate = match opcode {
        0x0f => match byte()? {
            0xba => 1,
            0xab | 0xb0 | 0xb1 | 0xb3 | 0xbb | 0xc0 | 0xc1 | 0xc7 => 0,
            _ => return None,
        },
        0x80 | 0x83 => 1,
        0x81 if is_short => 2,
        0x81 => 4,
        0xf6 | 0xf7 | 0xfe | 0xff | 0x86 | 0x87 => 0,
        // add, or, adc, sbb, and, sub, xor of a register to memory.
        opcode if opcode <= 0x31 && opcode & 0x06 == 0 => 0,
        _ => return None,
    };
    let operand = byte()?;
    let (mode, extension, register) = (operand >> 6, operand >> 3 & 7, operand & 7);
    let is_written = match opcode {
        // All but cmp; not and neg; inc and dec.
        0x80 | 0x81 | 0x83 => extension != 7,
        0xf6 | 0xf7 => extension == 2 || extension == 3,
        0xfe | 0xff => extension < 2,
        _ => true,
    };
    if !is_written {
        return None;
    }
    let base = match register {
        4 if mode != 3 => byte()? & 7,
        _ => register,
    };
    let displacement = match mode {
        0 if base == 5 => 4,
        0 => 0,
        1 => 1,
        2 => 4,
        _ => return None,
    };
    let length = next + displacement + immediate;
    (length <= code.len()).then_some(length)
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
            assert_eq!(length_of(code), Some(code.len()), "{code:x?}");
            assert_eq!(distance_to_atomic(&[0x90, 0x90], code), Some(0));
            assert_eq!(distance_to_atomic(code, &[0x90]), Some(code.len()));
            let after = [code, &[0x90, 0x90]].concat();
            assert_eq!(distance_to_atomic(&after, &[0x90]), Some(after.len()));
        }
    }

    #[test]
    fn other_instructions_are_none() {
        // mov -16(%rbp),%rax: its last byte looks like the prefix; then add %eax,%ecx.
        let code = [0x48, 0x8b, 0x45, 0xf0, 0x01, 0xc1];
        assert_eq!(distance_to_atomic(&code, &[0x90]), None);
        assert_eq!(distance_to_atomic(&code[..4], &code[4..]), None);
        assert_eq!(distance_to_atomic(&[], &[]), None);
    }
}
