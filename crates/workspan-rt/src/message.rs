//! What the engine says on standard error.
//!
//! Not by way of the standard library: that panics if nothing can be written, and waits for its lock, which the program
//! may hold while it waits for the thread that speaks.

use crate::output::without_signals;
use std::fmt::Arguments;
use std::fs::File;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;

const STANDARD_ERROR: i32 = 2;

/// Says `text`, one or several lines, in one piece. If that cannot be, nothing is said.
pub fn say(text: Arguments) {
    let line = format!("workspan: {text}\n");
    // SAFETY: the file is not closed here, and a write to one that the program has closed fails.
    let mut error = ManuallyDrop::new(unsafe { File::from_raw_fd(STANDARD_ERROR) });
    let _ = without_signals(|| error.write_all(line.as_bytes()));
}
