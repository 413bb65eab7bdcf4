//! The frame of the program's serial code.

use crate::path::frame::Frame;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

static FRAME: AtomicPtr<Frame> = AtomicPtr::new(ptr::null_mut());

/// The frame of the program's serial code, in this session or the last.
pub(super) fn root() -> *mut Frame {
    FRAME.load(Ordering::Relaxed)
}

/// Makes `frame` that of the program's serial code.
pub(super) fn set_root(frame: *mut Frame) {
    FRAME.store(frame, Ordering::Relaxed);
}
