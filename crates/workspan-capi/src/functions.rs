//! The hooks of `-finstrument-functions`. The C library has functions of the same names that do nothing.

use workspan_rt::functions::{entered_by_hook, left_by_hook};

/// `function`, which returns to `return_address`, has been entered.
///
/// # Safety
/// Called by a compiler's functions alone.
#[no_mangle]
pub unsafe extern "C" fn __cyg_profile_func_enter(function: usize, return_address: usize) {
    // SAFETY: the caller's promise.
    unsafe { entered_by_hook(function, return_address) }
}

/// `function`, which returns to `return_address`, returns.
///
/// # Safety
/// As [`__cyg_profile_func_enter`].
#[no_mangle]
pub unsafe extern "C" fn __cyg_profile_func_exit(function: usize, return_address: usize) {
    // SAFETY: the caller's promise.
    unsafe { left_by_hook(function, return_address) }
}
