//! The files that the engine writes.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::process::{Pid, getuid, test_kill_process};
use tempfile::TempDir;

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

/// What the names of folders for raw profiles begin with; the process's id follows.
const PREFIX: &str = "workspan-";

/// A folder for the raw profiles of this process, which nobody else may look into. It is gone with the value; those of processes
/// that were killed go now.
///
/// # Errors
/// When there can be none.
pub(crate) fn temporary_folder() -> io::Result<TempDir> {
    let folder = std::env::temp_dir();
    let process = std::process::id();
    remove_leftovers(&folder);
    tempfile::Builder::new()
        .prefix(&format!("{PREFIX}{process}-"))
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(folder)
        .map_err(|error| {
            io::Error::other(format!(
                "no folder for the raw profile: {error} (TMPDIR chooses where)"
            ))
        })
}

/// Removes this user's folders of processes that are no more.
fn remove_leftovers(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| {
            let (process, _) = name.strip_prefix(PREFIX)?.split_once('-')?;
            Pid::from_raw(process.parse().ok()?)
        });
        let is_own = || {
            let data = fs::symlink_metadata(entry.path());
            data.is_ok_and(|data| data.is_dir() && data.uid() == getuid().as_raw())
        };
        if let Some(process) = process
            && test_kill_process(process) == Err(Errno::SRCH)
            && is_own()
        {
            // Another start may be at it, too.
            let _ = fs::remove_dir_all(entry.path());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_processes_that_are_no_more_go() {
        let folder = tempfile::tempdir().unwrap();
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        let gone = ended.id();
        ended.wait().unwrap();
        let own = std::process::id();
        let names = [
            format!("{PREFIX}{gone}-Xy12"),
            format!("{PREFIX}{own}-Xy12"),
            format!("{PREFIX}Xy12"),
            format!("other-{gone}-Xy12"),
        ];
        for name in &names {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join(&names[0]).join("1.raw"), "").unwrap();
        remove_leftovers(folder.path());
        let is_there = names
            .each_ref()
            .map(|name| folder.path().join(name).exists());
        assert_eq!(is_there, [false, true, true, true]);
    }
}
