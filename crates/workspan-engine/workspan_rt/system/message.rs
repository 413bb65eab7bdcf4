//! What the engine says on standard error.
//!
//! Not through the standard library: that panics if nothing can be written, and waits for its lock,
//! which the program may hold while it waits for the thread that speaks.

use crate::system::output::{without_signals, Identity};
use std::fmt::Arguments;
use std::fs::File;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::sync::OnceLock;

const STANDARD_ERROR: i32 = 2;

/// What standard error was when the program started; `None` if it was closed.
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
    // SAFETY: the file is never closed here, so the descriptor stays the program's; and who writes
    // to it looks whether it is the one that it was.
    ManuallyDrop::new(unsafe { File::from_raw_fd(STANDARD_ERROR) })
}

/// Prints `text`, one line or several, in one piece. If that is impossible, nothing is printed; nor
/// is anything where the program has closed standard error, since a file of its own may have taken
/// the number.
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
