//! The files that the engine writes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::launch::Launch;

/// The files of one run.
pub(super) struct RawFiles {
    /// The raw profile.
    pub(super) profile: TemporaryFile,
    /// The record of the task dag.
    pub(super) record: TemporaryFile,
}

impl RawFiles {
    /// The files of a run, from its number.
    pub(super) fn for_run(launch: &Launch, run: u32) -> Self {
        let process = std::process::id();
        let file = |extension| {
            let name = format!("{process}-{run}.{extension}");
            TemporaryFile(launch.raw_folder.join(name))
        };
        Self {
            profile: file("raw"),
            record: file("dag"),
        }
    }
}

/// The path of a file that may be written. The file is removed when the value is dropped.
pub(super) struct TemporaryFile(PathBuf);

impl TemporaryFile {
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn exists(&self) -> bool {
        self.0.exists()
    }

    /// Moves the file to a place where it stays.
    pub(super) fn keep_as(&self, path: &Path) -> io::Result<()> {
        // Renaming fails if the file systems differ.
        fs::rename(&self.0, path).or_else(|_| fs::copy(&self.0, path).map(drop))
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // It may never have been written. A leftover is removed with the session's folder.
        let _ = fs::remove_file(&self.0);
    }
}
