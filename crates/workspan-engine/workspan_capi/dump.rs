//! `workspan_dump`: the profile so far.

use std::ffi::{c_char, c_int, CStr, OsStr};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, io};
use workspan_rt::snapshot;

/// `WORKSPAN_NOT_PROFILED` of workspan.h.
const NOT_PROFILED: c_int = -1;

/// Writes the profile so far to the file `path`; if that is null, to one in the current folder that is named after the program
/// and numbered. Gives back 0, [`NOT_PROFILED`], or a number of errno.
///
/// # Safety
/// `path` is null or a C string.
#[no_mangle]
pub unsafe extern "C" fn workspan_dump(path: *const c_char) -> c_int {
    const INVALID: c_int = 22;
    if !workspan_rt::active() {
        return NOT_PROFILED;
    }
    let path = if path.is_null() {
        next_of_program()
    } else {
        // SAFETY: `path` is not null, so it is a C string (`# Safety`), and it is copied before
        // this returns.
        let path = unsafe { CStr::from_ptr(path) }.to_bytes();
        if path.is_empty() {
            return INVALID;
        }
        OsStr::from_bytes(path).into()
    };
    match snapshot::write(&path) {
        Ok(true) => 0,
        Ok(false) => NOT_PROFILED,
        Err(error) => number_of(&error),
    }
}

/// `PROGRAM-1.raw`, with the next number at each call.
fn next_of_program() -> PathBuf {
    static LAST: AtomicU32 = AtomicU32::new(0);
    let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    let program = env::current_exe().ok();
    let name = program.as_deref().and_then(|program| program.file_stem());
    let name = name.map_or("program".into(), |name| name.to_string_lossy());
    format!("{name}-{number}.raw").into()
}

fn number_of(error: &io::Error) -> c_int {
    const TIMED_OUT: c_int = 110;
    const IO: c_int = 5;
    error.raw_os_error().unwrap_or(match error.kind() {
        io::ErrorKind::TimedOut => TIMED_OUT,
        _ => IO,
    })
}
