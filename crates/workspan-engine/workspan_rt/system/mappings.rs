//! The process's memory, as the kernel reports it.

use crate::clock::{self, Clock};

/// The kernel's list of the process's mappings. A path need not be UTF-8; in one that is not, part
/// is replaced.
pub(crate) fn mappings() -> String {
    let bytes = std::fs::read("/proc/self/maps").unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `START END OFFSET PATH` of every mapping of a file that may hold code.
pub(crate) fn modules() -> Vec<String> {
    let maps = mappings();
    // An emulator shows neighbouring parts of a file as one, with the permissions of the first.
    let may_hold_code = if clock::chosen() == Clock::Emulated {
        'r'
    } else {
        'x'
    };
    let module = |line: &str| {
        // 55d0c0a00000-55d0c0b00000 r-xp 00001000 fd:00 123   /path
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let (permissions, rest) = rest.split_once(' ')?;
        let (offset, _) = rest.split_once(' ')?;
        let path = &line[line.find('/')?..];
        permissions
            .contains(may_hold_code)
            .then(|| format!("{start} {end} {offset} {path}"))
    };
    maps.lines().filter_map(module).collect()
}
