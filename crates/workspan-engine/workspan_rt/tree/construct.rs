//! Where a construct is in the program, as a runtime reports it.

use crate::tree::call::Kind;
use crate::tree::{Place, Site};

/// A place in the program.
#[derive(Clone, Copy, Debug)]
pub enum At<'a> {
    /// The return address of the construct's call, which identifies it.
    Code(usize),
    /// A place in the source.
    Source {
        /// Identifies the place.
        key: usize,
        /// The source file.
        file: &'a str,
        /// The line, from 1; 0: not known.
        line: u32,
        /// The column, from 1; 0: not known.
        column: u32,
        /// What to show people for it, such as a function's name.
        name: Option<&'a str>,
    },
}

/// A parallel construct of the program.
#[derive(Clone, Copy, Debug)]
pub struct Construct<'a> {
    /// What it is.
    pub kind: Kind,
    /// Where it is.
    pub at: At<'a>,
}

impl Construct<'_> {
    pub(crate) fn key(&self) -> u64 {
        let place = match self.at {
            At::Code(address) => address as u64,
            At::Source { key, .. } => key as u64,
        };
        // Constructs of different kinds may share a place.
        place.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (self.kind as u64 + 1) << 56
    }

    pub(crate) fn site(&self) -> Site {
        match self.at {
            At::Code(address) => Site {
                address: Some(address),
                ..Site::of(self.kind)
            },
            At::Source {
                file,
                line,
                column,
                name,
                ..
            } => Site {
                name: name.map(str::to_owned),
                place: Some(Place {
                    file: file.to_owned().into(),
                    line,
                    column,
                }),
                ..Site::of(self.kind)
            },
        }
    }
}
