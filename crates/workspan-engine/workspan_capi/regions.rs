//! Named regions. `workspan_region_end` is the engine's own.

use crate::site::text;
use std::ffi::c_char;

/// Begins the region `name` of the running strand; gives back what `workspan_region_end` takes.
///
/// # Safety
/// Both texts are null or C strings, which nobody writes during the call.
#[no_mangle]
pub unsafe extern "C" fn workspan_region_begin_named(
    name: *const c_char,
    file: *const c_char,
    line: u32,
) -> u64 {
    if !workspan_rt::active() {
        return 0;
    }
    // SAFETY: both are null or C strings (`# Safety`), and what is made of them is used in this
    // call alone.
    let (name, file) = unsafe { (text(name), text(file)) };
    let (name, file) = (
        name.as_deref().unwrap_or("?"),
        file.as_deref().unwrap_or(""),
    );
    workspan_rt::region::begin(name, (file, line, 0))
}
