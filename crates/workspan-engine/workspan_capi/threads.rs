//! Which threads are a runtime's own, and no tasks of the program.

use std::ffi::{c_char, c_int, c_void, CStr};
use std::ptr;

/// What names of runtimes' libraries begin with.
const RUNTIMES: [&str; 6] = [
    "libomp",
    "libiomp5",
    "libgomp",
    "libtbb",
    "libopencilk",
    "libcilkrts",
];

/// Is the code at `address` that of a runtime?
fn is_runtime(address: usize) -> bool {
    let file = file_of(address).unwrap_or_default();
    let name = file.rsplit(|byte| *byte == b'/').next().unwrap_or(file);
    RUNTIMES
        .iter()
        .any(|runtime| name.starts_with(runtime.as_bytes()))
}

/// The file that the code at `address` was loaded from; of the main program it may be a relative name.
pub(crate) fn file_of(address: usize) -> Option<&'static [u8]> {
    let mut found = Found {
        file: ptr::null(),
        base: ptr::null(),
        symbol: ptr::null(),
        symbol_address: ptr::null(),
    };
    // SAFETY: dladdr(3) takes any address and writes `found` alone. The name is a C string that
    // stays while the library is loaded; callers are done with it before code of that library may
    // be gone.
    unsafe {
        if dladdr(address as *const c_void, &mut found) == 0 || found.file.is_null() {
            return None;
        }
        Some(CStr::from_ptr(found.file).to_bytes())
    }
}

/// `Dl_info`.
#[repr(C)]
struct Found {
    file: *const c_char,
    base: *const c_void,
    symbol: *const c_char,
    symbol_address: *const c_void,
}

extern "C" {
    fn dladdr(address: *const c_void, found: *mut Found) -> c_int;
}

extern "C" fn at_start() {
    workspan_rt::tell_runtime_threads(is_runtime);
}

#[cfg(all(target_os = "linux", not(miri)))]
#[used]
#[link_section = ".init_array"]
static AT_START: extern "C" fn() = at_start;
