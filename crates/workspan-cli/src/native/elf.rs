//! Reads what an ELF file says about itself.

use std::collections::BTreeSet;
use std::env::consts;

use object::read::NameOrOrdinal;
use object::read::elf::{ElfFile64, FileHeader as _};
use object::{
    ExportFlags, FileKind, ImportFlags, Object as _, ObjectSection as _, ObjectSymbol as _, elf,
};

use super::error::ProgramError;

/// A symbol, with the version in which it is imported or exported.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Symbol {
    pub(super) name: String,
    pub(super) version: Option<String>,
}

/// A symbol that a file imports.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Import {
    pub(super) symbol: Symbol,
    /// The library that it was linked with, if the symbol's version shows it.
    pub(super) library: String,
}

/// A 64-bit ELF file for this machine.
pub(super) struct Elf<'a> {
    file: ElfFile64<'a>,
}

impl<'a> Elf<'a> {
    /// Parses the file of a program. `None` if it has no known format of program files, as with a
    /// script.
    ///
    /// # Errors
    /// When it is damaged, or for another system or machine.
    pub(super) fn of_program(name: &str, bytes: &'a [u8]) -> Result<Option<Self>, ProgramError> {
        let program = || name.to_owned();
        match FileKind::parse(bytes) {
            Ok(FileKind::Elf64) => {}
            Ok(FileKind::Elf32) => return Err(ProgramError::ThirtyTwoBits(program())),
            Ok(kind) => match system(kind) {
                Some(system) => return Err(ProgramError::OtherSystem(program(), system)),
                None => return Ok(None),
            },
            Err(_) => return Ok(None),
        }
        let damaged = |error| ProgramError::Damaged(program(), error);
        let header = elf::FileHeader64::<object::Endianness>::parse(bytes).map_err(damaged)?;
        let endian = header.endian().map_err(damaged)?;
        let machine = header.e_machine(endian);
        if own_machine().is_some_and(|own| own != machine) {
            return Err(ProgramError::OtherProcessor {
                program: program(),
                built_for: machine_name(machine),
                machine: consts::ARCH,
            });
        }
        let file = ElfFile64::parse(bytes).map_err(damaged)?;
        Ok(Some(Self { file }))
    }

    /// Parses a library. `None` if it is not one for this machine.
    pub(super) fn of_library(bytes: &'a [u8]) -> Option<Self> {
        Self::of_program("", bytes).ok().flatten()
    }

    /// The dynamic linker that starts the program; `None` if the program is linked statically.
    pub(super) fn loader(&self) -> Option<String> {
        let section = self.file.section_by_name(".interp")?;
        let text = section.data().ok()?;
        let text = text.strip_suffix(b"\0").unwrap_or(text);
        Some(String::from_utf8_lossy(text).into_owned())
    }

    /// The name that programs linked with this library ask for.
    pub(super) fn library_name(&self) -> Option<String> {
        let table = self.file.elf_dynamic_table().ok()?;
        let entry = table.iter().find(|entry| entry.tag == elf::DT_SONAME)?;
        Some(text(table.string(entry).ok()?))
    }

    pub(super) fn imports(&self) -> BTreeSet<Import> {
        let Ok(imports) = self.file.imports() else {
            return BTreeSet::new();
        };
        imports
            .filter_map(Result::ok)
            .filter_map(|import| {
                let version = match import.flags() {
                    ImportFlags::Elf { version, .. } => version.map(text),
                    _ => None,
                };
                Some(Import {
                    symbol: Symbol {
                        name: name(import.name())?,
                        version,
                    },
                    library: text(import.library()),
                })
            })
            .collect()
    }

    pub(super) fn exports(&self) -> BTreeSet<Symbol> {
        let Ok(exports) = self.file.exports() else {
            return BTreeSet::new();
        };
        exports
            .filter_map(Result::ok)
            .filter_map(|export| {
                let version = match export.flags() {
                    ExportFlags::Elf { version, .. } => version.map(text),
                    _ => None,
                };
                Some(Symbol {
                    name: name(export.name())?,
                    version,
                })
            })
            .collect()
    }

    /// Whether it defines a symbol. A stripped file may not show it.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.file
            .symbols()
            .any(|symbol| symbol.is_definition() && symbol.name() == Ok(name))
    }

    /// Whether rustc made the program.
    pub(super) fn is_of_rustc(&self) -> bool {
        let comment = self.file.section_by_name(".comment");
        comment
            .and_then(|section| section.data().ok())
            .is_some_and(|text| text.windows(13).any(|part| part == b"rustc version"))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn name<T: AsRef<[u8]>>(name: NameOrOrdinal<T>) -> Option<String> {
    match name {
        NameOrOrdinal::Name(name) => Some(text(name.as_ref())),
        NameOrOrdinal::Ordinal(_) => None,
    }
}

/// The other system whose program files are of this kind.
fn system(kind: FileKind) -> Option<&'static str> {
    match kind {
        FileKind::Pe32 | FileKind::Pe64 => Some("one of Windows"),
        FileKind::MachO32 | FileKind::MachO64 | FileKind::MachOFat32 | FileKind::MachOFat64 => {
            Some("one of macOS")
        }
        _ => None,
    }
}

/// The ELF code of the processor that this executable was built for; `None` if it is not listed.
fn own_machine() -> Option<elf::Machine> {
    MACHINES
        .iter()
        .find(|(_, name)| *name == consts::ARCH)
        .map(|(machine, _)| *machine)
}

fn machine_name(machine: elf::Machine) -> String {
    MACHINES
        .iter()
        .find(|(known, _)| *known == machine)
        .map_or_else(
            || format!("another processor (number {} in ELF files)", machine.0),
            |(_, name)| (*name).to_owned(),
        )
}

/// Rust's names of processors.
const MACHINES: [(elf::Machine, &str); 6] = [
    (elf::EM_X86_64, "x86_64"),
    (elf::EM_AARCH64, "aarch64"),
    (elf::EM_RISCV, "riscv64"),
    (elf::EM_PPC64, "powerpc64"),
    (elf::EM_S390, "s390x"),
    (elf::EM_LOONGARCH, "loongarch64"),
];
