//! What the engine says on standard error.
//!
//! Not by way of the standard library: that panics if nothing can be written, and waits for its lock, which the program
//! may hold while it waits for the thread that speaks.

use crate::output::{without_signals, Identity};
use std::fmt::Arguments;
use std::fs::File;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::sync::OnceLock;

const STANDARD_ERROR: i32 = 2;

/// What standard error is when the program starts; `None` if it is closed.
static AT_START: OnceLock<Option<Identity>> = OnceLock::new();

/// Notes what standard error is. Call before `main`.
pub(crate) fn note_standard_error() {
    AT_START.get_or_init(identity);
}

/// Which file standard error is. Miri cannot tell.
fn identity() -> Option<Identity> {
    match cfg!(miri) {
        true => None,
        false => Identity::of(&standard_error()).ok(),
    }
}

fn standard_error() -> ManuallyDrop<File> {
    // SAFETY: the file is not closed here, and who writes to it looks whether it is the one that it was.
    ManuallyDrop::new(unsafe { File::from_raw_fd(STANDARD_ERROR) })
}

/// Says `text`, one or several lines, in one piece. If that cannot be, nothing is said: not where the program has closed standard
/// error, and a file of its own may have the number since.
pub fn say(text: Arguments) {
    note_standard_error();
    let mut error = standard_error();
    let now = identity();
    let is_as_at_start = now.is_some() && AT_START.get() == Some(&now);
    if is_as_at_start || cfg!(miri) {
        let line = format!("workspan: {text}\n");
        let _ = without_signals(|| error.write_all(line.as_bytes()));
    }
}
