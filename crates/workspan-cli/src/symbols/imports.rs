//! The functions of other files that x86-64 code calls.

use std::collections::HashMap;

use object::{Object as _, ObjectSymbol as _, ObjectSymbolTable as _, RelocationTarget};

/// The names of functions of other files, by the pointers through which they are called.
pub(super) struct Imports(HashMap<u64, String>);

/// Where a call goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Called {
    /// To this address.
    At(u64),
    /// To the address that is here when the program runs.
    Through(u64),
}

/// The bytes of a linker's stub, which goes on with a function of another file.
pub(super) const STUB: u64 = 16;

impl Imports {
    pub(super) fn of(object: &object::File<'_>) -> Self {
        let symbols = object.dynamic_symbol_table();
        let relocations = object.dynamic_relocations().into_iter().flatten();
        let names = relocations.filter_map(|(pointer, relocation)| {
            let RelocationTarget::Symbol(symbol) = relocation.target() else {
                return None;
            };
            let symbol = symbols.as_ref()?.symbol_by_index(symbol).ok()?;
            Some((pointer, symbol.name().ok()?.to_owned()))
        });
        Self(names.collect())
    }

    /// The name of the function that is called through this pointer.
    pub(super) fn name(&self, pointer: u64) -> Option<&str> {
        self.0.get(&pointer).map(String::as_str)
    }
}

/// What the code calls that starts at `address`.
///
/// The beginnings of instructions are not marked, so bytes that look like a call may be none: what is
/// called has to have a name.
pub(super) fn called(code: &[u8], address: u64) -> impl Iterator<Item = Called> {
    (0..code.len()).filter_map(move |at| match &code[at..] {
        [0xe8, rest @ ..] => target(rest, address.wrapping_add(at as u64 + 1)).map(Called::At),
        [0xff, 0x15, rest @ ..] => {
            target(rest, address.wrapping_add(at as u64 + 2)).map(Called::Through)
        }
        _ => None,
    })
}

/// The pointer through which a stub at `address` goes on.
pub(super) fn pointer_of_stub(stub: &[u8], address: u64) -> Option<u64> {
    const MARK: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
    // Perhaps a mark comes first that calls may go there, and a prefix.
    let code = stub.strip_prefix(&MARK).unwrap_or(stub);
    let code = code.strip_prefix(&[0xf2]).unwrap_or(code);
    let jump = code.strip_prefix(&[0xff, 0x25])?;
    target(jump, address.wrapping_add((stub.len() - jump.len()) as u64))
}

/// The address that lies as far behind the four bytes at `at` as these say.
fn target(bytes: &[u8], at: u64) -> Option<u64> {
    let distance = i32::from_le_bytes(*bytes.first_chunk()?);
    Some(at.wrapping_add(4).wrapping_add_signed(distance.into()))
}

#[cfg(test)]
mod tests {
    use super::{Called, called, pointer_of_stub};

    #[test]
    fn calls_are_found_with_their_targets() {
        // call 0x1040; mov %eax,%r12d; call *0x2fca(%rip)
        let code = [
            0xe8, 0xc3, 0xfe, 0xff, 0xff, 0x41, 0x89, 0xc4, 0xff, 0x15, 0xca, 0x2f, 0, 0,
        ];
        let called: Vec<Called> = called(&code, 0x1178).collect();
        assert_eq!(called, [Called::At(0x1040), Called::Through(0x4150)]);
    }

    #[test]
    fn a_stub_jumps_through_a_pointer() {
        // jmp *0x2fca(%rip); push $0; jmp 0x1020
        let old = [
            0xff, 0x25, 0xca, 0x2f, 0, 0, 0x68, 0, 0, 0, 0, 0xe9, 0xe0, 0xff, 0xff, 0xff,
        ];
        assert_eq!(pointer_of_stub(&old, 0x1030), Some(0x4000));
        // endbr64; bnd jmp *0x2fc5(%rip); nopl
        let new = [
            0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0xc5, 0x2f, 0, 0, 0x0f, 0x1f, 0x44, 0, 0,
        ];
        assert_eq!(pointer_of_stub(&new, 0x1030), Some(0x4000));
        assert_eq!(pointer_of_stub(&old[6..], 0x1036), None);
    }
}
