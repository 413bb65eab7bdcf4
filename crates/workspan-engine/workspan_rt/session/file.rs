//! Where the profile goes, if the environment says so.
//!
//! The session has the path, too (`Session::output`), and its profile is written there. Whoever
//! finds that there will be none cannot ask the session: it has ended, or other threads still use
//! it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

static OUTPUT: OnceLock<PathBuf> = OnceLock::new();

/// Chooses `path` for the profile of this process, and returns what was chosen: the first choice
/// stays.
pub(super) fn choose(path: PathBuf) -> &'static Path {
    OUTPUT.get_or_init(|| path)
}

/// Lets whoever waits for the profile know that its absence is not the program's fault.
pub(super) fn tell_that_nothing_is_written() {
    if let Some(path) = OUTPUT.get() {
        let _ = std::fs::File::create(path.with_extension("unwritten"));
    }
}
