//! The functions that gcc makes out of the code of OpenMP constructs, and passes to the runtime.
//!
//! The call itself has no line of its own: gcc gives it the line of the code before the construct.
//! The function that is passed, however, begins at the line of the construct. The instructions that
//! set the call's first argument show which function that is.

/// What gcc adds to the name of a function to name such a part of it.
const PART: &str = "._omp_fn.";

/// The largest distance in bytes between a call and the instruction that sets its first argument.
const MOST_DISTANCE: usize = 128;

/// The number of the register of the first argument.
const FIRST_ARGUMENT: u8 = 7;

/// Whether a symbol names such a function.
pub(super) fn is_part(symbol: &str) -> bool {
    symbol.contains(PART) && !symbol.ends_with(".cold")
}

/// The address of the function that the call at the end of `code` passes, if `is_part` says that it
/// is such a function. `code` is x86-64 code that starts at `address`.
///
/// The beginnings of instructions are not marked, so bytes that look like one may be none. That is
/// why the address has to be checked with `is_part`.
pub(super) fn passed(code: &[u8], address: u64, is_part: impl Fn(u64) -> bool) -> Option<u64> {
    let first = code.len().saturating_sub(MOST_DISTANCE);
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
        // Only some registers survive a call, and that of the first argument is not one of them.
        let is_lost = !survives_calls(register) && is_earlier_call(&code[at..]);
        if is_lost || (register == FIRST_ARGUMENT && at < first) {
            return None;
        }
    }
    None
}

/// Whether a called function has to preserve a register: rbx, rbp and r12 to r15.
fn survives_calls(register: u8) -> bool {
    matches!(register, 3 | 5 | 12..)
}

/// Whether `code` begins with a call that is not its last instruction.
fn is_earlier_call(code: &[u8]) -> bool {
    match code {
        // Calls do not reach far. Bytes that would reach far are no call.
        [0xe8, _, _, _, 0 | 0xff, ..] => code.len() > 5,
        [0xff, 0x15, ..] => code.len() > 6,
        _ => false,
    }
}

/// The address that the instruction at index `at` of the code loads into a register, if it is
/// `lea register, [rip + distance]` or a 32-bit `mov register, address`.
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

/// Whether the instruction at index `at` has the prefix that selects one of the upper eight
/// registers.
fn is_prefixed(code: &[u8], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| code[before] == 0x41)
}

/// The register that the first instruction of `code` copies to that of the first argument, if any.
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
    fn an_argument_of_an_earlier_call_does_not_count() {
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
        // The same, but with %rbx passed, which holds another address.
        let mut other = code;
        (other[14], other[16]) = (0x48, 0xdf);
        assert_eq!(part_in(&other, 0x1000), None);
    }
}
