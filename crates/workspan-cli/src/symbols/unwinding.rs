//! Unwinds the stacks that the engine copied, with the tables of the program and its libraries.

use std::cell::RefCell;
use std::collections::BTreeMap;

use addr2line::gimli::SectionId;
use framehop::aarch64::{CacheAarch64, UnwindRegsAarch64, UnwinderAarch64};
use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{ExplicitModuleSectionInfo, FrameAddress, Module, Unwinder};
use object::{Architecture, Object as _, ObjectSection as _, ObjectSegment as _};
use workspan_format::raw::{RawModule, RawWord, StackCopy};

use super::contents::{Bytes, Contents};

/// The address that the top of every copied stack is given, far from all addresses of code.
const TOP: u64 = 1 << 60;
const WORD: u64 = 8;

/// The unwinding tables of the process.
pub(super) struct Unwinding<'a>(Processor<'a>);

enum Processor<'a> {
    X86_64(UnwinderX86_64<&'a [u8]>, RefCell<CacheX86_64>),
    Aarch64(UnwinderAarch64<&'a [u8]>, RefCell<CacheAarch64>),
}

impl<'a> Unwinding<'a> {
    pub(super) fn new(mappings: &'a [RawModule], contents: &'a Contents) -> Self {
        let mut paths: Vec<&str> = mappings
            .iter()
            .map(|mapping| mapping.path.as_str())
            .collect();
        paths.sort_unstable();
        paths.dedup();
        let (mut modules, mut architecture) = (Vec::new(), Architecture::X86_64);
        for path in paths {
            let Some(bytes) = contents.file(path) else {
                continue;
            };
            if let Some(object) = bytes.object() {
                architecture = object.architecture();
                let mappings = mappings.iter().filter(|mapping| mapping.path == path);
                modules.extend(modules_for(bytes, &object, mappings));
            }
        }
        Self(match architecture {
            Architecture::Aarch64 => {
                Processor::Aarch64(unwinder(modules), RefCell::new(CacheAarch64::new()))
            }
            _ => Processor::X86_64(unwinder(modules), RefCell::new(CacheX86_64::new())),
        })
    }

    /// The instruction pointer of a stack, followed by all return addresses that can be found.
    pub(super) fn addresses(&self, stack: &StackCopy) -> Vec<u64> {
        let (instruction, frame) = (stack.instruction, stack.frame.map_or(0, address_of));
        match &self.0 {
            Processor::X86_64(unwinder, cache) => {
                let registers = UnwindRegsX86_64::new(instruction, TOP, frame);
                walk(unwinder, &mut cache.borrow_mut(), registers, stack)
            }
            Processor::Aarch64(unwinder, cache) => {
                let link = stack.link.unwrap_or(0);
                let registers = UnwindRegsAarch64::new(link, TOP, frame);
                walk(unwinder, &mut cache.borrow_mut(), registers, stack)
            }
        }
    }
}

fn unwinder<U: Unwinder + Default>(modules: Vec<U::Module>) -> U {
    let mut unwinder = U::default();
    for module in modules {
        unwinder.add_module(module);
    }
    unwinder
}

/// A module for each place in memory where a file is loaded.
fn modules_for<'a>(
    bytes: &'a Bytes,
    object: &object::File<'a>,
    mappings: impl Iterator<Item = &'a RawModule>,
) -> Vec<Module<&'a [u8]>> {
    // From load bias to where the code begins and ends.
    let mut loaded: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for mapping in mappings {
        if let Some(bias) = load_bias(mapping, object) {
            let range = loaded.entry(bias).or_insert((mapping.start, mapping.end));
            *range = (range.0.min(mapping.start), range.1.max(mapping.end));
        }
    }
    let module = |(bias, (start, end))| {
        let name = |id: SectionId| id.name();
        let range = |name: &str| {
            let section = object.section_by_name(name)?;
            let start = section.address();
            Some(start..start.checked_add(section.size())?)
        };
        let data = |id| Some(bytes.section(object, id)).filter(|data| !data.is_empty());
        let sections = ExplicitModuleSectionInfo {
            text_svma: range(".text"),
            got_svma: range(".got"),
            eh_frame_svma: range(name(SectionId::EhFrame)),
            eh_frame: data(SectionId::EhFrame),
            eh_frame_hdr_svma: range(name(SectionId::EhFrameHdr)),
            eh_frame_hdr: data(SectionId::EhFrameHdr),
            debug_frame: data(SectionId::DebugFrame),
            ..ExplicitModuleSectionInfo::default()
        };
        Module::new(String::new(), start..end, bias, sections)
    };
    loaded.into_iter().map(module).collect()
}

/// What was added to the addresses in the mapped file. A mapping begins at a page boundary, so it
/// may also contain the end of the segment before its own.
fn load_bias(mapping: &RawModule, object: &object::File<'_>) -> Option<u64> {
    let from = mapping.file_offset;
    let to = from.saturating_add(mapping.end.saturating_sub(mapping.start));
    let shared = |segment: &object::Segment<'_, '_>| {
        let (offset, size) = segment.file_range();
        let end = offset.saturating_add(size).min(to);
        end.saturating_sub(offset.max(from))
    };
    let segment = object.segments().max_by_key(shared)?;
    let offset = segment.file_range().0;
    let begin = mapping.start.wrapping_sub(from).wrapping_add(offset);
    (shared(&segment) > 0).then(|| begin.wrapping_sub(segment.address()))
}

fn walk<U: Unwinder>(
    unwinder: &U,
    cache: &mut U::Cache,
    mut registers: U::UnwindRegs,
    stack: &StackCopy,
) -> Vec<u64> {
    let mut read = |address| word_at(stack, address).ok_or(());
    let mut addresses = vec![stack.instruction];
    let mut at = FrameAddress::from_instruction_pointer(stack.instruction);
    // Every return address is a word of the copy, except the one in the link register.
    while addresses.len() < stack.words.len() + 2 {
        let caller = unwinder.unwind_frame(at, &mut registers, cache, &mut read);
        let Ok(Some(caller)) = caller else {
            break;
        };
        let Some(next) = FrameAddress::from_return_address(caller) else {
            break;
        };
        addresses.push(caller);
        at = next;
    }
    addresses
}

/// The word of a stack at an address. A word that was not copied can be neither a return address
/// nor a frame pointer, and reads as 0.
fn word_at(stack: &StackCopy, address: u64) -> Option<u64> {
    let bytes = address.checked_sub(TOP)?;
    let place = u32::try_from(bytes / WORD).ok()?;
    if bytes % WORD != 0 || place >= stack.size {
        return None;
    }
    Some(match stack.word(place) {
        Some(RawWord::Code(address)) => address,
        Some(RawWord::Place(place)) => address_of(place),
        None => 0,
    })
}

fn address_of(place: u32) -> u64 {
    TOP + u64::from(place) * WORD
}
