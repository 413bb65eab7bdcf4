//! The bytes of the mapped files of the profiled process.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::fs;

use addr2line::gimli::SectionId;
use object::{Object as _, ObjectSection as _};
use workspan_format::raw::RawModule;

/// The files of the process, each read on first use.
pub(super) struct Contents {
    files: HashMap<String, OnceCell<Option<Bytes>>>,
}

impl Contents {
    pub(super) fn new(mappings: &[RawModule]) -> Self {
        let files = mappings
            .iter()
            .map(|mapping| (mapping.path.clone(), OnceCell::new()));
        Self {
            files: files.collect(),
        }
    }

    /// The bytes of a file of the process; `None` if it cannot be read, such as what the kernel
    /// maps.
    pub(super) fn file(&self, path: &str) -> Option<&Bytes> {
        let file = self.files.get(path)?;
        file.get_or_init(|| fs::read(path).ok().map(Bytes::new))
            .as_ref()
    }
}

/// The bytes of a file, and the contents of its compressed sections.
pub(super) struct Bytes {
    file: Vec<u8>,
    decompressed: OnceCell<HashMap<&'static str, Vec<u8>>>,
}

impl Bytes {
    pub(super) fn new(file: Vec<u8>) -> Self {
        Self {
            file,
            decompressed: OnceCell::new(),
        }
    }

    pub(super) fn object(&self) -> Option<object::File<'_>> {
        object::File::parse(self.file.as_slice()).ok()
    }

    /// The contents of a section; empty if the file does not have it.
    pub(super) fn section(&self, object: &object::File<'_>, id: SectionId) -> &[u8] {
        let decompressed = self.decompressed.get_or_init(|| {
            DEBUG_SECTIONS
                .iter()
                .filter_map(|id| decompress(object, *id))
                .collect()
        });
        if let Some(contents) = decompressed.get(id.name()) {
            return contents;
        }
        let range = object
            .section_by_name(id.name())
            .and_then(|section| section.file_range());
        range
            .and_then(|(start, length)| {
                let start = usize::try_from(start).ok()?;
                self.file
                    .get(start..start.checked_add(usize::try_from(length).ok()?)?)
            })
            .unwrap_or_default()
    }
}

/// The sections that compilers compress.
const DEBUG_SECTIONS: [SectionId; 10] = [
    SectionId::DebugAbbrev,
    SectionId::DebugAddr,
    SectionId::DebugAranges,
    SectionId::DebugFrame,
    SectionId::DebugInfo,
    SectionId::DebugLine,
    SectionId::DebugLineStr,
    SectionId::DebugRngLists,
    SectionId::DebugStr,
    SectionId::DebugStrOffsets,
];

fn decompress(object: &object::File<'_>, id: SectionId) -> Option<(&'static str, Vec<u8>)> {
    let section = object.section_by_name(id.name())?;
    let data = section.compressed_data().ok()?;
    match data.format {
        object::CompressionFormat::None => None,
        _ => Some((id.name(), data.decompress().ok()?.into_owned())),
    }
}
