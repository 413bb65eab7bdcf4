//! The functions that gcc makes out of the code of OpenMP's constructs, and passes to the runtime.
//!
//! The call itself has no line of its own: gcc gives it that of what stands before the construct. But such a function begins in the
//! line of the construct. Which one a call passes is told by the instructions before it that set its first argument.

/// What gcc calls such functions, behind the name of the one that they are part of.
const PART: &str = "._omp_fn.";

/// How many bytes before a call its first argument is set, at most.
const ARGUMENTS: usize = 128;

/// The number of the register of the first argument.
const FIRST_ARGUMENT: u8 = 7;

/// Whether a symbol is of such a function.
pub(super) fn is_part(symbol: &str) -> bool {
    symbol.contains(PART) && !symbol.ends_with(".cold")
}

/// The address of such a function, as `is_part` knows them, that the call at the end of `code` passes; `code` is that of x86-64
/// from `address` on. Instructions have no marks where they begin, so what looks like one may be none: what is found this way
/// has to be the address of such a function.
pub(super) fn passed(code: &[u8], address: u64, is_part: impl Fn(u64) -> bool) -> Option<u64> {
    let first = code.len().saturating_sub(ARGUMENTS);
    let mut register = FIRST_ARGUMENT;
    for at in (0..code.len()).rev() {
        if let Some(loaded) = loaded(code, address, at, register) {
            return Some(loaded).filter(|loaded| is_part(*loaded));
        }
        if register == FIRST_ARGUMENT
            && let Some(source) = copied_to_first_argument(&code[at..])
        {
            register = source;
        }
        // Only some registers keep what they hold over a call, and the first argument's is not one of them.
        let is_lost = !is_kept(register) && is_call(&code[at..], code.len() - at);
        if is_lost || (register == FIRST_ARGUMENT && at < first) {
            return None;
        }
    }
    None
}

/// Whether a called function leaves a register as it was: rbx, rbp, and r12 up to r15.
fn is_kept(register: u8) -> bool {
    matches!(register, 3 | 5 | 12..)
}

/// Whether `code` begins with a call that is not all of its last `left` bytes.
fn is_call(code: &[u8], left: usize) -> bool {
    match code {
        // No call leads far: what would is none.
        [0xe8, _, _, _, 0 | 0xff, ..] => left > 5,
        [0xff, 0x15, ..] => left > 6,
        _ => false,
    }
}

/// The address that an instruction at number `at` of the code puts into a register, if it is one that does:
/// `lea register, [rip + distance]`, or `mov register, address` of 32 bits.
fn loaded(code: &[u8], address: u64, at: usize, register: u8) -> Option<u64> {
    let number = |bytes: &[u8]| bytes.first_chunk().map(|bytes| i32::from_le_bytes(*bytes));
    let low = register & 7;
    match code.get(at..)? {
        [prefix, 0x8d, operands, rest @ ..]
            if *prefix == 0x48 | (register >> 3) << 2 && *operands == low << 3 | 5 =>
        {
            let next = address + at as u64 + 7;
            Some(next.wrapping_add_signed(number(rest)?.into()))
        }
        [opcode, rest @ ..] if *opcode == 0xb8 | low && is_prefixed(code, at) == (register > 7) => {
            u64::try_from(number(rest)?).ok()
        }
        _ => None,
    }
}

/// Whether the instruction has the prefix that makes its register one of the upper eight.
fn is_prefixed(code: &[u8], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| code[before] == 0x41)
}

/// The register that the instruction with which `code` begins copies to the first argument's, if it does.
fn copied_to_first_argument(code: &[u8]) -> Option<u8> {
    match code {
        [prefix @ (0x48 | 0x4c), 0x89, operands, ..]
            if operands & 0xc7 == 0xc0 | FIRST_ARGUMENT =>
        {
            Some((operands >> 3 & 7) | (prefix & 4) << 1)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::passed;

    const PART: u64 = 0x1250;

    fn part_in(code: &[u8], address: u64) -> Option<u64> {
        passed(code, address, |address| address == PART)
    }

    #[test]
    fn a_part_is_passed_in_the_first_argument() {
        // lea 0x1af(%rip),%rdi; call
        let code = [0x48, 0x8d, 0x3d, 0xaf, 1, 0, 0, 0xe8, 0, 0, 0, 0];
        assert_eq!(part_in(&code, 0x109a), Some(PART));
        assert_eq!(part_in(&code, 0x109b), None);
        // mov $0x1250,%edi; call
        let code = [0xbf, 0x50, 0x12, 0, 0, 0xe8, 0, 0, 0, 0];
        assert_eq!(part_in(&code, 0x401000), Some(PART));
    }

    #[test]
    fn what_an_earlier_call_was_passed_is_not_passed_again() {
        // lea 0x1af(%rip),%rdi; call; mov (%rsp),%rdi; call
        let code = [
            0x48, 0x8d, 0x3d, 0xaf, 1, 0, 0, 0xe8, 0, 0, 0, 0, 0x48, 0x8b, 0x3c, 0x24, 0xe8, 0, 0,
            0, 0,
        ];
        assert_eq!(part_in(&code, 0x109a), None);
        // lea 0x1af(%rip),%rax; lea 0x10(%rip),%rax; mov %rax,%rdi; call
        let code = [
            0x48, 0x8d, 0x05, 0xaf, 1, 0, 0, 0x48, 0x8d, 0x05, 0x10, 0, 0, 0, 0x48, 0x89, 0xc7,
            0xe8, 0, 0, 0, 0,
        ];
        assert_eq!(part_in(&code, 0x109a), None);
    }

    #[test]
    fn a_part_may_be_kept_in_another_register() {
        // lea 0x249(%rip),%r12; lea 0x1000(%rip),%rbx; mov %r12,%rdi; call
        let code = [
            0x4c, 0x8d, 0x25, 0x49, 2, 0, 0, 0x48, 0x8d, 0x1d, 0, 0x10, 0, 0, 0x4c, 0x89, 0xe7,
            0xe8, 0, 0, 0, 0,
        ];
        assert_eq!(part_in(&code, 0x1000), Some(PART));
        // The same with %rbx passed, in which there is another address.
        let mut other = code;
        (other[14], other[16]) = (0x48, 0xdf);
        assert_eq!(part_in(&other, 0x1000), None);
    }
}
