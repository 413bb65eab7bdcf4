//! Where the profile goes, if the environment says so.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

static OUTPUT: OnceLock<PathBuf> = OnceLock::new();

/// Chooses `path` for the profile.
pub(super) fn choose(path: PathBuf) -> &'static Path {
    OUTPUT.get_or_init(|| path)
}

/// Lets whoever waits for the profile know that its absence is not the program's fault.
pub(super) fn tell_that_nothing_is_written() {
    if let Some(path) = OUTPUT.get() {
        let _ = std::fs::File::create(path.with_extension("unwritten"));
    }
}
