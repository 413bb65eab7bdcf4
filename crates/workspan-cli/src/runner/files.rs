//! The files that the engine writes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Launch;

/// The files of one run.
pub(super) struct RawFiles {
    /// The raw profile.
    pub(super) profile: Temporary,
    /// The record of the task dag.
    pub(super) record: Temporary,
}

impl RawFiles {
    /// Those of one of several runs.
    pub(super) fn of(launch: &Launch, run: u32) -> Self {
        let process = std::process::id();
        let file = |extension| {
            let name = format!("{process}-{run}.{extension}");
            Temporary(launch.raw_folder.join(name))
        };
        Self {
            profile: file("raw"),
            record: file("dag"),
        }
    }
}

/// A file that may be written, and is gone with this value.
pub(super) struct Temporary(PathBuf);

impl Temporary {
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn exists(&self) -> bool {
        self.0.exists()
    }

    /// Puts the file where it stays.
    pub(super) fn keep_as(&self, path: &Path) -> io::Result<()> {
        // Another file system takes a copy.
        fs::rename(&self.0, path).or_else(|_| fs::copy(&self.0, path).map(drop))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // It may never have been written; a leftover goes with the session's folder.
        let _ = fs::remove_file(&self.0);
    }
}
