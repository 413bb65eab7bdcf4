//! What the units of a program tell of their constructs: where each stands in the source.

use std::ffi::{c_char, CStr};
use std::sync::{PoisonError, RwLock};

/// The tables of a unit, in the order in which OpenCilk's compiler writes them.
#[derive(Clone, Copy)]
pub(super) enum Table {
    Functions = 0,
    Detaches = 8,
}

/// How many there are.
pub(super) const TABLES: usize = 16;

/// A table of a unit: `unit_fed_table_t`.
#[repr(C)]
pub(super) struct UnitTable {
    count: i64,
    /// Where the unit reads the number that its first entry has in the program.
    base: *mut i64,
    entries: *const SourceLocation,
}

/// An entry: `source_loc_t`. Strings are null where the compiler knew none.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct SourceLocation {
    name: *const c_char,
    line: i32,
    column: i32,
    file: *const c_char,
}

// SAFETY: the strings that it points at are constants, which nobody writes and which are never
// unloaded (`add_unit`).
unsafe impl Send for SourceLocation {}
// SAFETY: the strings that it points at are constants, which nobody writes and which are never
// unloaded (`add_unit`).
unsafe impl Sync for SourceLocation {}

/// Where a construct stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Location {
    /// Tells it from others.
    pub(super) key: usize,
    /// Empty if not known.
    pub(super) file: &'static str,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) name: Option<&'static str>,
}

/// The tables of all units so far.
struct Tables {
    functions: Vec<&'static SourceLocation>,
    detaches: Vec<&'static SourceLocation>,
    counts: [i64; TABLES],
}

static ALL: RwLock<Tables> = RwLock::new(Tables {
    functions: Vec::new(),
    detaches: Vec::new(),
    counts: [0; TABLES],
});

/// Adds the tables of a unit, and tells the unit which numbers its entries have.
///
/// # Safety
///
/// `tables` points to [`TABLES`] tables. The `entries` of each are null, or as many as its `count`
/// says. They and their strings, which are null or end with a zero, live as long as the process and
/// are never written. A `base` that is not null can be written, and nobody else uses it meanwhile.
pub(super) unsafe fn add_unit(tables: *const UnitTable) {
    let mut all = ALL.write().unwrap_or_else(PoisonError::into_inner);
    for number in 0..TABLES {
        // SAFETY: `tables` points at `TABLES` tables, which nobody writes meanwhile (`# Safety`),
        // and `number` is less.
        let table = unsafe { &*tables.add(number) };
        if table.count <= 0 {
            continue;
        }
        if !table.base.is_null() {
            // SAFETY: it is not null, so it may be written, and nobody else uses it meanwhile
            // (`# Safety`).
            unsafe { *table.base = all.counts[number] };
        }
        all.counts[number] += table.count;
        let entries: &'static [SourceLocation] = if table.entries.is_null() {
            continue;
        } else {
            // SAFETY: `entries` is not null, so as many entries as `count` says are there, and live
            // as long as the process (`# Safety`).
            unsafe { std::slice::from_raw_parts(table.entries, table.count as usize) }
        };
        if number == Table::Functions as usize {
            all.functions.extend(entries);
        } else if number == Table::Detaches as usize {
            all.detaches.extend(entries);
        }
    }
}

/// Where the construct `number` of a table stands.
pub(super) fn location(table: Table, number: i64) -> Option<Location> {
    let all = ALL.read().unwrap_or_else(PoisonError::into_inner);
    let entries = match table {
        Table::Functions => &all.functions,
        Table::Detaches => &all.detaches,
    };
    let entry: &'static SourceLocation = entries.get(usize::try_from(number).ok()?)?;
    Some(Location {
        key: std::ptr::from_ref(entry) as usize,
        file: string(entry.file).unwrap_or(""),
        line: u32::try_from(entry.line).unwrap_or(0),
        column: u32::try_from(entry.column).unwrap_or(0),
        name: string(entry.name),
    })
}

/// A string of a table.
fn string(text: *const c_char) -> Option<&'static str> {
    if text.is_null() {
        return None;
    }
    // SAFETY: callers pass a string of a table that is not null: it ends with a zero, and lives as
    // long as the process (`add_unit`).
    unsafe { CStr::from_ptr(text) }.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    const fn entry(line: i32, file: &'static CStr, name: *const c_char) -> SourceLocation {
        SourceLocation {
            name,
            line,
            column: 5,
            file: file.as_ptr(),
        }
    }

    /// The tables of a unit with so many spawns, which are leaked as those of a program stay.
    fn unit(spawns: Vec<SourceLocation>, base: &'static mut i64) {
        let mut tables: Vec<UnitTable> = (0..TABLES)
            .map(|_| UnitTable {
                count: 0,
                base: ptr::null_mut(),
                entries: ptr::null(),
            })
            .collect();
        let spawns: &'static [SourceLocation] = Vec::leak(spawns);
        tables[Table::Detaches as usize] = UnitTable {
            count: spawns.len() as i64,
            base,
            entries: spawns.as_ptr(),
        };
        // SAFETY: there are 16 tables; their entries and strings live as long as the process, and
        // so does `base`, which nobody else uses.
        unsafe { add_unit(tables.as_ptr()) };
    }

    #[test]
    fn units_are_numbered_one_after_another() {
        let [first, second] = [(); 2].map(|()| Box::leak(Box::new(-1)));
        let (first_base, second_base) = (ptr::from_ref(first), ptr::from_ref(second));
        unit(
            vec![
                entry(10, c"a.c", ptr::null()),
                entry(20, c"a.c", c"f".as_ptr()),
            ],
            first,
        );
        unit(vec![entry(30, c"b.c", ptr::null())], second);
        // SAFETY: leaked above.
        assert_eq!(unsafe { (*first_base, *second_base) }, (0, 2));
        let [one, two, three] = [0, 1, 2].map(|number| location(Table::Detaches, number).unwrap());
        assert_eq!(
            (one.file, one.line, one.column, one.name),
            ("a.c", 10, 5, None)
        );
        assert_eq!((two.line, two.name), (20, Some("f")));
        assert_eq!((three.file, three.line), ("b.c", 30));
        assert!(one.key != two.key && two.key != three.key);
        assert_eq!(location(Table::Detaches, 3), None);
        assert_eq!(location(Table::Detaches, -1), None);
        assert_eq!(location(Table::Functions, 0), None);
    }
}
