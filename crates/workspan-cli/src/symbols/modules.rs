//! The program's file and its libraries: from an address to the lines it came from.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::rc::Rc;

use addr2line::Loader;
use object::{Object as _, ObjectSegment as _};
use workspan_format::raw::RawModule;
use workspan_model::Location;

use super::frame::Frame;
use super::function::Function;

/// The mapped files of the profiled process.
pub(super) struct Modules<'a> {
    mappings: &'a [RawModule],
    files: RefCell<HashMap<&'a str, Option<Rc<File>>>>,
}

/// A file with its debug information.
struct File {
    loader: Loader,
    segments: Vec<Segment>,
}

/// A loaded part of a file.
struct Segment {
    file_offset: u64,
    file_size: u64,
    address: u64,
}

impl<'a> Modules<'a> {
    pub(super) fn new(mappings: &'a [RawModule]) -> Self {
        Self {
            mappings,
            files: RefCell::default(),
        }
    }

    /// The frames at the return addresses of a stack, innermost first, inlined calls included. Addresses in
    /// files that cannot be read have none.
    pub(super) fn stack(&self, return_addresses: &[u64]) -> Vec<Frame> {
        return_addresses
            .iter()
            // The call stands before the place that it returns to.
            .flat_map(|address| self.frames(address.saturating_sub(1)))
            .collect()
    }

    fn frames(&self, address: u64) -> Vec<Frame> {
        let Some(mapping) = self.mappings.iter().find(|module| module.contains(address)) else {
            return Vec::new();
        };
        let Some(file) = self.file(&mapping.path) else {
            return Vec::new();
        };
        let offset = address - mapping.start + mapping.file_offset;
        file.address_at(offset)
            .map(|address| file.frames(address))
            .unwrap_or_default()
    }

    fn file(&self, path: &'a str) -> Option<Rc<File>> {
        self.files
            .borrow_mut()
            .entry(path)
            .or_insert_with(|| File::open(path).map(Rc::new))
            .clone()
    }
}

impl File {
    fn open(path: &str) -> Option<Self> {
        let bytes = fs::read(path).ok()?;
        let object = object::File::parse(&*bytes).ok()?;
        let segments = object.segments().map(|segment| {
            let (file_offset, file_size) = segment.file_range();
            Segment {
                file_offset,
                file_size,
                address: segment.address(),
            }
        });
        Some(Self {
            segments: segments.collect(),
            loader: Loader::new(path).ok()?,
        })
    }

    /// Address, as the file counts, of what stands at an offset in it.
    fn address_at(&self, offset: u64) -> Option<u64> {
        self.segments
            .iter()
            .find(|segment| {
                (segment.file_offset..segment.file_offset + segment.file_size).contains(&offset)
            })
            .map(|segment| offset - segment.file_offset + segment.address)
    }

    fn frames(&self, address: u64) -> Vec<Frame> {
        let mut frames = Vec::new();
        if let Ok(mut found) = self.loader.find_frames(address) {
            while let Ok(Some(frame)) = found.next() {
                frames.push(Frame {
                    function: frame
                        .function
                        .as_ref()
                        .and_then(|function| Some(Function::of_symbol(&function.raw_name().ok()?))),
                    location: frame.location.as_ref().and_then(location),
                });
            }
        }
        if let Some(outermost) = frames.last_mut() {
            // Line tables alone may name the function without its path; the symbol has it.
            if let Some(symbol) = self.loader.find_symbol(address) {
                outermost.function = Some(Function::of_symbol(symbol));
            }
        } else if let Some(symbol) = self.loader.find_symbol(address) {
            frames.push(Frame {
                function: Some(Function::of_symbol(symbol)),
                location: None,
            });
        }
        frames
    }
}

fn location(found: &addr2line::Location<'_>) -> Option<Location> {
    Some(Location {
        file: found.file?.to_owned(),
        line: found.line.filter(|line| *line > 0)?,
        column: found.column.unwrap_or(0),
    })
}
