//! A folder for what a process writes only for itself.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::io::Errno;
use rustix::process::{Pid, getuid, test_kill_process};
use tempfile::TempDir;

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
