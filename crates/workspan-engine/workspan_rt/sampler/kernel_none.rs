//! Where there is no sampling.

pub(super) fn take_signal() -> Result<(), &'static str> {
    Err(if cfg!(workspan_sanitizer) {
        "a sanitizer handles signals late, so that a sample would not tell where it fell"
    } else {
        "sampling needs Linux on x86-64 or AArch64"
    })
}

pub(super) fn has_signal() -> bool {
    true
}
