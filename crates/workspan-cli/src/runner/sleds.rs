//! The sleds in a program's file: where rustc or clang has left room for calls of the engine.
//!
//! Section `xray_instr_map` has 32 bytes for each, `XRaySledEntry` of compiler-rt's `xray_interface_internal.h`: two
//! addresses, of the sled and of its function, each relative to where it stands; kind; a mark; version; padding.

use std::collections::BTreeMap;

use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SymbolKind};

const SECTION: &str = "xray_instr_map";
const ENTRY: usize = 32;
/// The version in which addresses are relative: clang's since 11, rustc's since it makes sleds.
const VERSION: u8 = 2;

/// What a sled stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Entry,
    Exit,
    Tail,
}

impl Kind {
    fn of(code: u8) -> Option<Self> {
        Some(match code {
            // 3: an entry that would also tell the first argument.
            0 | 3 => Self::Entry,
            1 => Self::Exit,
            2 => Self::Tail,
            // Events that the program reports itself.
            _ => return None,
        })
    }
}

/// A function with sleds. Addresses are those of the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) address: u64,
    /// Its symbol, as the file has it, and its size in bytes.
    pub(super) symbol: String,
    pub(super) size: u64,
    pub(super) sleds: Vec<(Kind, u64)>,
}

/// The functions with sleds in a file, by address. Those without a symbol are left out: nobody could tell what they
/// are. None if there are no sleds that are understood.
pub(super) fn functions(file: &object::File<'_>) -> Option<Vec<Function>> {
    let section = file.section_by_name(SECTION)?;
    let bytes = section.data().ok()?;
    let mut sleds: BTreeMap<u64, Vec<(Kind, u64)>> = BTreeMap::new();
    for (entry, at) in bytes
        .chunks_exact(ENTRY)
        .zip((section.address()..).step_by(ENTRY))
    {
        if entry[18] != VERSION {
            continue;
        }
        let Some(kind) = Kind::of(entry[16]) else {
            continue;
        };
        let address = at.wrapping_add(word(entry, 0));
        let function = (at + 8).wrapping_add(word(entry, 8));
        sleds.entry(function).or_default().push((kind, address));
    }
    if sleds.is_empty() {
        return None;
    }
    let functions = file.symbols().filter_map(|symbol| {
        if symbol.kind() != SymbolKind::Text {
            return None;
        }
        Some(Function {
            address: symbol.address(),
            symbol: symbol.name().ok()?.to_owned(),
            size: symbol.size(),
            // Of several symbols of one function the first has its sleds.
            sleds: sleds.remove(&symbol.address())?,
        })
    });
    let mut functions: Vec<Function> = functions.collect();
    functions.sort_unstable_by_key(|function| function.address);
    Some(functions)
}

fn word(entry: &[u8], at: usize) -> u64 {
    let bytes = entry[at..at + 8].try_into();
    u64::from_le_bytes(bytes.expect("eight bytes of an entry"))
}
