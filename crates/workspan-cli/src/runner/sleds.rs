//! The XRay sleds in a program's file: room that rustc or clang left for calls of the engine.
//!
//! The section `xray_instr_map` has an entry of 32 bytes for each sled, `XRaySledEntry` of
//! compiler-rt's `xray_interface_internal.h`: the addresses of the sled and of its function, each
//! relative to its own place in the section; kind; a flag; version; padding.

use std::collections::BTreeMap;

use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SymbolKind};

const SECTION: &str = "xray_instr_map";
const ENTRY: usize = 32;
/// The version with relative addresses: that of clang since 11 and of every rustc with sleds.
const VERSION: u8 = 2;

/// Where a sled is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Entry,
    Exit,
    Tail,
}

impl Kind {
    fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            // 3: an entry that would also report the first argument.
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
    /// The symbol, not demangled.
    pub(super) symbol: String,
    /// In bytes.
    pub(super) size: u64,
    pub(super) sleds: Vec<(Kind, u64)>,
}

/// The functions with sleds in a file, sorted by address. Functions without a symbol are left out,
/// since they have no name. None if there are no sleds of a known form.
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
        let Some(kind) = Kind::from_code(entry[16]) else {
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
            // If a function has several symbols, the first one gets its sleds.
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
