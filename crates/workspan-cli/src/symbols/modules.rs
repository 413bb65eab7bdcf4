//! The program's file and its libraries: from an address at run time to the functions and lines it came from.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use workspan_format::raw::RawModule;
use workspan_model::Location;

use super::contents::Contents;
use super::file::File;
use super::frame::Frame;
use super::origin::Origin;

/// The mapped files of the profiled process.
pub(super) struct Modules<'a> {
    mappings: &'a [RawModule],
    contents: &'a Contents,
    files: RefCell<HashMap<&'a str, Option<Rc<File<'a>>>>>,
    /// Whether functions of C and C++ may be the program's.
    is_of_c: bool,
}

impl<'a> Modules<'a> {
    /// `is_of_c`: whether functions of C and C++ may be the program's.
    pub(super) fn new(mappings: &'a [RawModule], contents: &'a Contents, is_of_c: bool) -> Self {
        Self {
            mappings,
            contents,
            files: RefCell::default(),
            is_of_c,
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
        let located = self.locate(address);
        let mut frames = located
            .map(|(file, address)| file.frames(address))
            .unwrap_or_default();
        if let Some(origin) = self.origin(address) {
            for frame in &mut frames {
                frame.origin = origin.of_function(frame.function.as_ref());
            }
        }
        frames
    }

    /// Whose code lies at an address; `None` where what crates functions are of tells.
    pub(super) fn origin(&self, address: u64) -> Option<Origin> {
        let mapping = self.mapping(address).filter(|_| self.is_of_c)?;
        Some(Origin::of_file(&mapping.path))
    }

    /// The function that the instruction at an address is of, and how far into it that is: `main+0x1a4`. Without its name
    /// the file and the address in it.
    pub(super) fn function_and_offset(&self, address: u64) -> Option<String> {
        let mapping = self.mapping(address)?;
        let (file, address) = self.locate(address)?;
        Some(match file.symbol(address) {
            Some((function, offset)) => format!("{}+{offset:#x}", function.readable()),
            None => {
                let name = Path::new(&mapping.path).file_name()?;
                format!("{}+{address:#x}", name.to_string_lossy())
            }
        })
    }

    /// Where the OpenMP construct stands that the call before `return_address` begins, if gcc made a function of it.
    pub(super) fn construct(&self, return_address: u64) -> Option<Location> {
        let (file, address) = self.locate(return_address)?;
        file.construct(address)
    }

    fn mapping(&self, address: u64) -> Option<&'a RawModule> {
        self.mappings.iter().find(|module| module.contains(address))
    }

    /// The file that an address at run time lies in, and the address as that file counts.
    fn locate(&self, address: u64) -> Option<(Rc<File<'a>>, u64)> {
        let mapping = self.mapping(address)?;
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
