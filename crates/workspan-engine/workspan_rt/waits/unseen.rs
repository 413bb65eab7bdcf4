//! Where the engine cannot interpose the C library's functions: no wait is seen.

pub(super) fn prepare() {}
