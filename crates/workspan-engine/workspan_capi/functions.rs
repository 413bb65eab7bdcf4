//! The hooks of `-finstrument-functions`. The C library has functions of the same names that do nothing.

use workspan_rt::functions::{entered_by_hook, left_by_hook};

/// `function`, which returns to `return_address`, has been entered.
///
/// # Safety
/// It is called by code with hooks alone, with the address of the function and of its return.
#[no_mangle]
pub unsafe extern "C" fn __cyg_profile_func_enter(function: usize, return_address: usize) {
    // SAFETY: this is the hook itself, which code with hooks calls (`# Safety`), and what it calls
    // is inlined into it.
    unsafe { entered_by_hook(function, return_address) }
}

/// `function`, which returns to `return_address`, returns.
///
/// # Safety
/// As [`__cyg_profile_func_enter`].
#[no_mangle]
pub unsafe extern "C" fn __cyg_profile_func_exit(function: usize, return_address: usize) {
    // SAFETY: this is the hook itself, which code with hooks calls (`# Safety`), and what it calls
    // is inlined into it.
    unsafe { left_by_hook(function, return_address) }
}
