//! The files that the engine writes.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::process::{Pid, getuid, test_kill_process};
use tempfile::TempDir;

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

/// Prefix of folders for raw profiles; the process's id follows.
const PREFIX: &str = "workspan-";

/// Creates a folder for the raw profiles of this process, which only its user can access. It is
/// removed when the value is dropped. Leftover folders of killed processes are removed now.
///
/// # Errors
/// If the folder cannot be created.
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

/// Removes this user's folders of processes that no longer exist.
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
            // Another process may be removing it at the same time.
            let _ = fs::remove_dir_all(entry.path());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_processes_that_have_ended_are_removed() {
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
