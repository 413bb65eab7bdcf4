//! Where a function keeps its return address: what the compiler wrote down for unwinding.

use std::cell::RefCell;

use addr2line::gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EndianSlice, ParsedEhFrameHdr, RegisterRule,
    RunTimeEndian, SectionId, UnwindContext, UnwindSection as _, X86_64,
};
use object::{Architecture, Object as _, ObjectSection as _};

use super::contents::Bytes;

type Slice<'a> = EndianSlice<'a, RunTimeEndian>;

/// What a function without a frame pointer has on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StackSpace {
    /// Bytes from the top of the stack to the end of the return address.
    pub(super) size: u64,
    /// Where the caller's frame pointer is kept, in bytes from the top; `None`: in its register.
    pub(super) frame_pointer: Option<u64>,
}

impl StackSpace {
    /// Where the return address stands, in bytes from the top.
    pub(super) fn return_address(self) -> Option<u64> {
        self.size.checked_sub(WORD)
    }
}

/// Bytes of a word.
pub(super) const WORD: u64 = 8;

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

    /// How much of the stack the function has in use while the instruction at `address` runs, as far as that is told
    /// from the stack pointer: not if it keeps a frame pointer.
    pub(super) fn frame(&self, address: u64) -> Option<StackSpace> {
        let mut context = self.context.borrow_mut();
        let table = self.index.table()?;
        let row = table.unwind_info_for_address(
            &self.frames,
            &self.bases,
            &mut context,
            address,
            EhFrame::cie_from_offset,
        );
        let row = row.ok()?;
        // The caller's stack pointer is just above the return address (System V ABI for x86-64, §3.2.2, §3.7).
        let size = match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } if *register == X86_64::RSP => {
                u64::try_from(*offset).ok()?
            }
            _ => return None,
        };
        let frame_pointer = match row.register(X86_64::RBP) {
            Some(RegisterRule::Offset(offset)) => Some(size.checked_add_signed(offset)?),
            _ => None,
        };
        Some(StackSpace {
            size,
            frame_pointer,
        })
    }
}
