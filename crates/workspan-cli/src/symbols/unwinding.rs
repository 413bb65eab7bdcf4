//! Where a function keeps its return address: what the compiler wrote down for unwinding.

use std::cell::RefCell;

use addr2line::gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EndianSlice, ParsedEhFrameHdr, RunTimeEndian,
    SectionId, UnwindContext, UnwindSection as _, X86_64,
};
use object::{Architecture, Object as _, ObjectSection as _};

use super::contents::Bytes;

type Slice<'a> = EndianSlice<'a, RunTimeEndian>;

/// The unwinding tables of a file.
pub(super) struct Unwinding<'a> {
    frames: EhFrame<Slice<'a>>,
    index: ParsedEhFrameHdr<Slice<'a>>,
    bases: BaseAddresses,
    context: RefCell<UnwindContext<usize>>,
}

impl<'a> Unwinding<'a> {
    /// The tables of a file for x86-64. None if it has none, or is for another processor.
    pub(super) fn of(bytes: &'a Bytes, object: &object::File<'a>) -> Option<Self> {
        if object.architecture() != Architecture::X86_64 {
            return None;
        }
        let address = |name| Some(object.section_by_name(name)?.address());
        let bases = BaseAddresses::default()
            .set_eh_frame_hdr(address(".eh_frame_hdr")?)
            .set_eh_frame(address(".eh_frame")?)
            .set_text(address(".text").unwrap_or(0));
        let endian = RunTimeEndian::Little;
        let index = EhFrameHdr::new(bytes.section(object, SectionId::EhFrameHdr), endian)
            .parse(&bases, 8)
            .ok()?;
        Some(Self {
            frames: EhFrame::new(bytes.section(object, SectionId::EhFrame), endian),
            index,
            bases,
            context: RefCell::new(UnwindContext::new()),
        })
    }

    /// Whether the return address is the word on top of the stack while the instruction at `address` runs: the
    /// function has no frame, or not yet, or no longer.
    pub(super) fn returns_to_top(&self, address: u64) -> bool {
        let mut context = self.context.borrow_mut();
        let row = self.index.table().and_then(|table| {
            table
                .unwind_info_for_address(
                    &self.frames,
                    &self.bases,
                    &mut context,
                    address,
                    EhFrame::cie_from_offset,
                )
                .ok()
        });
        // The caller's stack pointer is just above the return address (System V ABI for x86-64, §3.2.2, §3.7).
        row.is_some_and(|row| {
            *row.cfa()
                == CfaRule::RegisterAndOffset {
                    register: X86_64::RSP,
                    offset: 8,
                }
        })
    }
}
