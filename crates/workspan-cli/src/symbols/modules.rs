//! The program's file and its libraries: resolves an address at run time to functions and lines.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use workspan_engine::atomic::Instruction;
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
    /// The frames at addresses that were asked for: the stacks of most sites share their outer calls.
    frames: RefCell<HashMap<u64, Vec<Frame>>>,
    /// Whether functions of C and C++ can belong to the program.
    is_c_program: bool,
}

impl<'a> Modules<'a> {
    pub(super) fn new(
        mappings: &'a [RawModule],
        contents: &'a Contents,
        is_c_program: bool,
    ) -> Self {
        Self {
            mappings,
            contents,
            files: RefCell::default(),
            frames: RefCell::default(),
            is_c_program,
        }
    }

    /// The frames at the return addresses of a stack, innermost first, including inlined calls.
    /// Addresses in files that cannot be read have none.
    pub(super) fn stack(&self, return_addresses: &[u64]) -> Vec<Frame> {
        return_addresses
            .iter()
            .flat_map(|address| self.frames(before_return(*address)))
            .collect()
    }

    /// The frames of the instruction at an address, innermost first.
    pub(super) fn frames(&self, address: u64) -> Vec<Frame> {
        let mut known = self.frames.borrow_mut();
        let found = known.entry(address);
        found.or_insert_with(|| self.find_frames(address)).clone()
    }

    fn find_frames(&self, address: u64) -> Vec<Frame> {
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

    /// The origin of the code at an address; `None` if the crates of functions decide.
    pub(super) fn origin(&self, address: u64) -> Option<Origin> {
        let mapping = self.mapping(address).filter(|_| self.is_c_program)?;
        Some(Origin::of_file(&mapping.path))
    }

    /// The function that contains an address, and the offset in it: `main+0x1a4`. If the function
    /// has no name, the file and the address in it.
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

    /// The place of the OpenMP construct that the call before `return_address` starts, if gcc made
    /// a function of the construct.
    pub(super) fn construct(&self, return_address: u64) -> Option<Location> {
        let (file, address) = self.locate(return_address)?;
        file.construct(address)
    }

    /// Whether the function that gcc made of this construct calls all of these functions itself.
    pub(super) fn part_calls(&self, return_address: u64, functions: &[&str]) -> bool {
        self.locate(return_address)
            .is_some_and(|(file, address)| file.part_calls(address, functions))
    }

    /// The instruction at which a thread may have waited for others when it was interrupted at an
    /// address, and its address.
    pub(super) fn interrupted_at(&self, address: u64) -> Option<(Instruction, u64)> {
        let (file, in_file) = self.locate(address)?;
        let (found, distance) = file.interrupted_at(in_file)?;
        Some((found, address - distance))
    }

    fn mapping(&self, address: u64) -> Option<&'a RawModule> {
        self.mappings.iter().find(|module| module.contains(address))
    }

    /// The file that contains an address at run time, and the virtual address in that file.
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
