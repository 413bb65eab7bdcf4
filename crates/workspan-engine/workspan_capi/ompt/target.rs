//! `target`: what devices do is not measured.

use std::ffi::{c_int, c_void};
use std::sync::Once;

use super::abi::Data;

/// # Safety
/// None of its own; it is unsafe because its type is.
pub(super) unsafe extern "C" fn target(
    _kind: c_int,
    _endpoint: c_int,
    _device: c_int,
    _task: *mut Data,
    _target: u64,
    _code: *const c_void,
) {
    tell_of_target();
}

/// # Safety
/// None of its own; it is unsafe because its type is.
pub(super) unsafe extern "C" fn target_emi(
    _kind: c_int,
    _endpoint: c_int,
    _device: c_int,
    _task: *mut Data,
    _target_task: *mut Data,
    _target: *mut Data,
    _code: *const c_void,
) {
    tell_of_target();
}

fn tell_of_target() {
    static TOLD: Once = Once::new();
    TOLD.call_once(|| {
        eprintln!(
            "workspan: the program uses target regions of OpenMP. What devices do is not measured: it is part of the \
             strand that waits for it."
        );
    });
}
