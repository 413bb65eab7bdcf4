//! A file of the program: resolves an address in it to functions and lines.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use addr2line::Context;
use addr2line::gimli::{
    AbbreviationsCacheStrategy, AttributeValue, ColumnType, DebugInfoOffset,
    DebuggingInformationEntry, Dwarf, EndianSlice, RunTimeEndian, Unit, UnitHeader, UnitOffset,
    UnitRef, constants,
};
use object::{
    Architecture, Object as _, ObjectSection as _, ObjectSegment as _, ObjectSymbol as _,
    SymbolMap, SymbolMapName,
};
use workspan_engine::atomic::{Instruction, REACH, interrupted_at};
use workspan_model::Location;

use super::contents::Bytes;
use super::frame::Frame;
use super::function::Function;
use super::imports::{self, Called, Imports};
use super::outlined;
use super::parts;

type Slice<'a> = EndianSlice<'a, RunTimeEndian>;

/// The most references to follow from an inlined or concrete function to its declaration. Compilers
/// make fewer.
const MOST_ORIGINS: usize = 8;

/// A file with its debug information.
pub(super) struct File<'a> {
    object: object::File<'a>,
    segments: Vec<Segment>,
    symbols: SymbolMap<SymbolMapName<'a>>,
    context: Option<Context<Slice<'a>>>,
    units: Units<'a>,
    /// Found on first use.
    imports: OnceCell<Imports>,
    /// The places of functions, by the offsets of their entries in the debug information.
    definitions: RefCell<HashMap<usize, Option<Location>>>,
    /// The functions of units with their places, by the offsets of the units.
    functions: RefCell<HashMap<usize, Vec<(Location, String)>>>,
}

/// A loaded part of a file.
struct Segment {
    file_offset: u64,
    file_size: u64,
    address: u64,
}

/// The units of the debug information, parsed on first use.
#[derive(Default)]
struct Units<'a> {
    headers: OnceCell<Vec<UnitHeader<Slice<'a>>>>,
    parsed: RefCell<HashMap<usize, Rc<Unit<Slice<'a>>>>>,
}

impl<'a> File<'a> {
    pub(super) fn new(bytes: &'a Bytes) -> Option<Self> {
        let object = bytes.object()?;
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
            symbols: object.symbol_map(),
            context: context(bytes, &object),
            units: Units::default(),
            imports: OnceCell::new(),
            definitions: RefCell::default(),
            functions: RefCell::default(),
            object,
        })
    }

    /// The virtual address in the file of what is at `offset` in it.
    pub(super) fn address_at(&self, offset: u64) -> Option<u64> {
        self.segments.iter().find_map(|segment| {
            let inside = offset.checked_sub(segment.file_offset)?;
            (inside < segment.file_size).then(|| inside.checked_add(segment.address))?
        })
    }

    /// The instruction at which a thread may have waited for others when it was interrupted at this
    /// address, and how far before that it is.
    pub(super) fn interrupted_at(&self, address: u64) -> Option<(Instruction, u64)> {
        if self.object.architecture() != object::Architecture::X86_64 {
            return None;
        }
        let code = |from, to: u64| {
            self.object
                .segments()
                .find_map(|segment| segment.data_range(from, to - from).ok()?)
                .unwrap_or_default()
        };
        let before = code(address.saturating_sub(REACH as u64), address);
        let at = code(address, address.saturating_add(REACH as u64));
        interrupted_at(before, at).map(|(found, distance)| (found, distance as u64))
    }

    /// The place of the OpenMP construct that the call before `return_address` starts, if gcc made
    /// a function of the construct.
    pub(super) fn construct(&self, return_address: u64) -> Option<Location> {
        self.first_place(self.part(return_address)?)
    }

    /// Whether the function that gcc made of this construct calls all of these functions itself.
    pub(super) fn part_calls(&self, return_address: u64, functions: &[&str]) -> bool {
        let Some(part) = self.part(return_address) else {
            return false;
        };
        let mut symbols = self.object.symbols();
        let size = symbols.find(|symbol| symbol.address() == part && symbol.size() > 0);
        let code = size.and_then(|symbol| self.code(part, symbol.size()));
        let imports = self.imports.get_or_init(|| Imports::of(&self.object));
        let called: Vec<&str> = imports::called(code.unwrap_or_default(), part)
            .filter_map(|called| self.name_of_called(called, imports))
            .collect();
        functions.iter().all(|function| called.contains(function))
    }

    fn name_of_called<'b>(&'b self, called: Called, imports: &'b Imports) -> Option<&'b str> {
        let address = match called {
            Called::Through(pointer) => return imports.name(pointer),
            Called::At(address) => address,
        };
        let symbol = self.symbols.containing(address);
        let own = symbol.filter(|symbol| symbol.address() == address);
        own.map(|symbol| symbol.name()).or_else(|| {
            let stub = self.code(address, imports::STUB)?;
            imports.name(imports::pointer_of_stub(stub, address)?)
        })
    }

    /// The address of the function that gcc made of the OpenMP construct which the call before
    /// `return_address` starts.
    fn part(&self, return_address: u64) -> Option<u64> {
        if self.object.architecture() != Architecture::X86_64 {
            return None;
        }
        let before = return_address.checked_sub(1)?;
        let begin = self.symbols.containing(before)?.address();
        let code = self.code(begin, return_address - begin)?;
        outlined::passed(code, begin, |address| {
            let symbol = self.symbols.containing(address);
            symbol.is_some_and(|symbol| {
                symbol.address() == address && outlined::is_part(symbol.name())
            })
        })
    }

    /// So many bytes at an address.
    fn code(&self, address: u64, size: u64) -> Option<&'a [u8]> {
        let mut sections = self.object.sections();
        sections.find_map(|section| section.data_range(address, size).ok().flatten())
    }

    /// The first row of the line table for an address. If there are several, the lines of all but
    /// the last have no code.
    fn first_place(&self, address: u64) -> Option<Location> {
        let context = self.context_of(address)?;
        let unit = context.find_dwarf_and_unit(address).skip_all_loads()?;
        let mut rows = unit.line_program.clone()?.rows();
        while let Ok(Some((_, row))) = rows.next_row() {
            if row.address() == address && !row.end_sequence() {
                let column = match row.column() {
                    ColumnType::Column(column) => column.get() as u32,
                    ColumnType::LeftEdge => 0,
                };
                return Some(Location {
                    file: file_name(unit, row.file_index())?,
                    line: u32::try_from(row.line()?.get()).ok()?,
                    column,
                });
            }
        }
        None
    }

    /// The debug information for an address. `None` for the highest address, which only damaged
    /// files have, because addr2line assumes that there is one after it.
    fn context_of(&self, address: u64) -> Option<&Context<Slice<'a>>> {
        self.context.as_ref().filter(|_| address < u64::MAX)
    }

    /// The functions at an address, innermost first, inlined ones included.
    pub(super) fn frames(&self, address: u64) -> Vec<Frame> {
        let mut frames = self
            .context_of(address)
            .and_then(|context| self.debug_frames(context, address))
            .unwrap_or_default();
        let symbol = self.symbols.containing(address);
        match (frames.last_mut(), symbol) {
            // Line tables alone may name the function without its path, which the symbol has.
            (Some(outermost), Some(symbol)) => {
                let function = Function::from_symbol(symbol.name());
                // For a nameless part of a function, what was found above is better than the
                // symbol.
                if !function.is_nameless_part() {
                    outermost.function = Some(function);
                }
            }
            (None, Some(symbol)) => frames.push(Frame {
                function: Some(Function::from_symbol(symbol.name())),
                ..Frame::default()
            }),
            (_, None) => {}
        }
        parts::merge(&mut frames);
        frames
    }

    /// The function at an address, found by symbols alone, and the offset in it.
    pub(super) fn symbol(&self, address: u64) -> Option<(Function, u64)> {
        let symbol = self.symbols.containing(address)?;
        Some((
            Function::from_symbol(symbol.name()),
            address - symbol.address(),
        ))
    }

    fn debug_frames(&self, context: &Context<Slice<'a>>, address: u64) -> Option<Vec<Frame>> {
        let mut found = context.find_frames(address).skip_all_loads().ok()?;
        let unit = context.find_dwarf_and_unit(address).skip_all_loads();
        let mut frames: Vec<Frame> = Vec::new();
        while let Ok(Some(frame)) = found.next() {
            let definition = unit
                .zip(frame.dw_die_offset)
                .and_then(|(unit, entry)| self.definition(unit, entry));
            let function = frame.function.as_ref().and_then(|function| {
                let is_rust = function.language == Some(constants::DW_LANG_Rust);
                let name = function.raw_name().ok()?;
                Some(if is_rust {
                    Function::from_debug_name(&name)
                } else {
                    Function::from_symbol(&name)
                })
            });
            let place = frame.location.as_ref().and_then(location);
            // gcc does not say where a lambda begins.
            let begin = definition.as_ref().or(place.as_ref());
            let whole = || self.enclosing_function(unit?, begin?);
            let function = match function {
                Some(part) if part.is_nameless_part() => Some(whole().unwrap_or(part)),
                Some(call) if call.is_nameless_lambda() => {
                    Some(whole().map_or(call, |whole| whole.lambda()))
                }
                function => function,
            };
            frames.push(Frame {
                function,
                location: place,
                definition,
                inlined: true,
                ..Frame::default()
            });
        }
        // The outermost function contains the code of all others.
        frames.last_mut()?.inlined = false;
        Some(frames)
    }

    /// The function of a unit whose lines contain `place`.
    fn enclosing_function(
        &self,
        unit: UnitRef<'_, Slice<'a>>,
        place: &Location,
    ) -> Option<Function> {
        let key = unit.header.debug_info_offset()?.0;
        let mut known = self.functions.borrow_mut();
        let functions = known.entry(key).or_insert_with(|| self.functions_of(unit));
        parts::enclosing(functions, place).map(Function::from_symbol)
    }

    /// The functions of a unit, with their places.
    fn functions_of(&self, unit: UnitRef<'_, Slice<'a>>) -> Vec<(Location, String)> {
        let mut functions = Vec::new();
        let mut entries = unit.entries();
        while let Ok(Some(entry)) = entries.next_dfs() {
            if entry.tag() != constants::DW_TAG_subprogram {
                continue;
            }
            let name = [constants::DW_AT_linkage_name, constants::DW_AT_name]
                .into_iter()
                .find_map(|attribute| entry.attr_value(attribute))
                .and_then(|name| unit.attr_string(name).ok());
            if let Some((place, name)) = declared_at(unit, entry).zip(name) {
                functions.push((place, name.to_string_lossy().into_owned()));
            }
        }
        functions
    }

    /// The place where the function of an entry of the debug information is defined.
    fn definition(&self, unit: UnitRef<'_, Slice<'a>>, entry: UnitOffset) -> Option<Location> {
        let key = entry.to_debug_info_offset(&unit.header)?.0;
        if let Some(known) = self.definitions.borrow().get(&key) {
            return known.clone();
        }
        let found = self.declaration(unit, entry, MOST_ORIGINS);
        self.definitions.borrow_mut().insert(key, found.clone());
        found
    }

    /// The place that an entry has, or that the entry has which it refers to.
    fn declaration(
        &self,
        unit: UnitRef<'_, Slice<'a>>,
        offset: UnitOffset,
        most_origins: usize,
    ) -> Option<Location> {
        let entry = unit.entry(offset).ok()?;
        if let Some(location) = declared_at(unit, &entry) {
            return Some(location);
        }
        let most_origins = most_origins.checked_sub(1)?;
        let origin = [
            constants::DW_AT_abstract_origin,
            constants::DW_AT_specification,
        ]
        .into_iter()
        .find_map(|name| entry.attr_value(name))?;
        match origin {
            AttributeValue::UnitRef(offset) => self.declaration(unit, offset, most_origins),
            AttributeValue::DebugInfoRef(offset) => {
                let other = self.units.containing(unit.dwarf, offset)?;
                let offset = offset.to_unit_offset(&other.header)?;
                self.declaration(other.unit_ref(unit.dwarf), offset, most_origins)
            }
            _ => None,
        }
    }
}

impl<'a> Units<'a> {
    /// The unit that contains an entry.
    fn containing(
        &self,
        dwarf: &Dwarf<Slice<'a>>,
        entry: DebugInfoOffset,
    ) -> Option<Rc<Unit<Slice<'a>>>> {
        let headers = self.headers.get_or_init(|| {
            let mut headers = Vec::new();
            let mut units = dwarf.units();
            while let Ok(Some(header)) = units.next() {
                headers.push(header);
            }
            headers
        });
        let start =
            |header: &UnitHeader<Slice<'a>>| header.debug_info_offset().map(|start| start.0);
        let after = headers.partition_point(|header| start(header).is_some_and(|at| at <= entry.0));
        let header = headers.get(after.checked_sub(1)?)?;
        let key = start(header)?;
        if let Some(unit) = self.parsed.borrow().get(&key) {
            return Some(unit.clone());
        }
        let unit = Rc::new(dwarf.unit(*header).ok()?);
        self.parsed.borrow_mut().insert(key, unit.clone());
        Some(unit)
    }
}

fn context<'a>(bytes: &'a Bytes, object: &object::File<'a>) -> Option<Context<Slice<'a>>> {
    let endian = if object.is_little_endian() {
        RunTimeEndian::Little
    } else {
        RunTimeEndian::Big
    };
    let mut dwarf = Dwarf::load(|id| {
        Ok::<_, std::convert::Infallible>(EndianSlice::new(bytes.section(object, id), endian))
    })
    .ok()?;
    dwarf.populate_abbreviations_cache(AbbreviationsCacheStrategy::Duplicates);
    Context::from_dwarf(dwarf).ok()
}

fn location(found: &addr2line::Location<'_>) -> Option<Location> {
    Some(Location {
        file: found.file?.to_owned(),
        line: found.line.filter(|line| *line > 0)?,
        column: found.column.unwrap_or(0),
    })
}

/// The place that the entry itself has.
fn declared_at(
    unit: UnitRef<'_, Slice<'_>>,
    entry: &DebuggingInformationEntry<Slice<'_>>,
) -> Option<Location> {
    let number = |name| entry.attr_value(name)?.udata_value();
    let line = u32::try_from(number(constants::DW_AT_decl_line)?).ok()?;
    let AttributeValue::FileIndex(index) = entry.attr_value(constants::DW_AT_decl_file)? else {
        return None;
    };
    Some(Location {
        file: file_name(unit, index)?,
        line,
        column: number(constants::DW_AT_decl_column).unwrap_or(0) as u32,
    })
}

/// The path of a file in a unit's list. It may be relative to its folder, and that to the
/// compiler's.
fn file_name(unit: UnitRef<'_, Slice<'_>>, index: u64) -> Option<String> {
    let header = unit.line_program.as_ref()?.header();
    let file = header.file(index)?;
    let text = |value| {
        let text = unit.attr_string(value).ok()?;
        Some(text.to_string_lossy().into_owned())
    };
    let mut path = PathBuf::new();
    if let Some(folder) = unit.comp_dir {
        path.push(&*folder.to_string_lossy());
    }
    if file.directory_index() != 0
        && let Some(folder) = file.directory(header)
    {
        path.push(text(folder)?);
    }
    path.push(text(file.path_name())?);
    Some(path.display().to_string())
}
