//! The placeholder for the number of threads in the words of a command.

use std::ffi::{OsStr, OsString};

/// Stands for the number of threads in arguments.
pub(super) const PLACEHOLDER: &str = "{threads}";

/// `word` with the number of threads in place of the placeholder.
pub(crate) fn filled_in(word: &OsStr, threads: u32) -> OsString {
    match word.to_str() {
        Some(text) => text.replace(PLACEHOLDER, &threads.to_string()).into(),
        None => word.to_owned(),
    }
}
