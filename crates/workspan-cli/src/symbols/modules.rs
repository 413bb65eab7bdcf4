//! The program's file and its libraries: from an address at run time to the functions and lines it came from.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use workspan_format::raw::RawModule;

use super::contents::Contents;
use super::file::File;
use super::frame::Frame;
use super::unwinding::StackSpace;

/// The mapped files of the profiled process.
pub(super) struct Modules<'a> {
    mappings: &'a [RawModule],
    contents: &'a Contents,
    files: RefCell<HashMap<&'a str, Option<Rc<File<'a>>>>>,
}

impl<'a> Modules<'a> {
    pub(super) fn new(mappings: &'a [RawModule], contents: &'a Contents) -> Self {
        Self {
            mappings,
            contents,
            files: RefCell::default(),
        }
    }

    /// The frames at the return addresses of a stack, innermost first, inlined calls included. Addresses in
    /// files that cannot be read have none.
    pub(super) fn stack(&self, return_addresses: &[u64]) -> Vec<Frame> {
        return_addresses
            .iter()
            .flat_map(|address| self.frames(before_return(*address)))
            .collect()
    }

    /// The frames of the instruction at an address, innermost first.
    pub(super) fn frames(&self, address: u64) -> Vec<Frame> {
        self.locate(address)
            .map(|(file, address)| file.frames(address))
            .unwrap_or_default()
    }

    /// What the function of the instruction at an address has on the stack then, if it keeps no frame pointer.
    pub(super) fn stack_space(&self, address: u64) -> Option<StackSpace> {
        let (file, address) = self.locate(address)?;
        file.stack_space(address)
    }

    /// The file that an address at run time lies in, and the address as that file counts.
    fn locate(&self, address: u64) -> Option<(Rc<File<'a>>, u64)> {
        let mapping = self
            .mappings
            .iter()
            .find(|module| module.contains(address))?;
        let file = self.file(&mapping.path)?;
        let address = file.address_at(address - mapping.start + mapping.file_offset)?;
        Some((file, address))
    }

    fn file(&self, path: &'a str) -> Option<Rc<File<'a>>> {
        self.files
            .borrow_mut()
            .entry(path)
            .or_insert_with(|| File::new(self.contents.file(path)?).map(Rc::new))
            .clone()
    }
}

/// An address inside the call that a return address follows.
pub(super) fn before_return(return_address: u64) -> u64 {
    return_address.saturating_sub(1)
}
