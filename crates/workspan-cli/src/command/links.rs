//! The links to this executable that cargo starts. The name of a link selects the job.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::process::{RUNNER_LINK, RUSTC_LINK};

/// Creates the links in `folder`. Another command may do the same at the same time.
///
/// # Errors
/// If the folder cannot be written.
pub(super) fn make(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let executable = std::env::current_exe()?;
    for link in [RUSTC_LINK, RUNNER_LINK].map(|name| folder.join(name)) {
        if fs::read_link(&link).is_ok_and(|target| target == executable) {
            continue;
        }
        let draft = tempfile::Builder::new()
            .prefix("link-")
            .tempdir_in(folder)?;
        let fresh = draft.path().join("link");
        symlink(&executable, &fresh)?;
        fs::rename(&fresh, &link)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_this_executable_and_replace_older_ones() {
        let folder = tempfile::tempdir().unwrap();
        symlink("/nowhere", folder.path().join(RUSTC_LINK)).unwrap();
        make(folder.path()).unwrap();
        let executable = std::env::current_exe().unwrap();
        for name in [RUSTC_LINK, RUNNER_LINK] {
            let target = fs::read_link(folder.path().join(name));
            assert_eq!(target.unwrap(), executable, "{name}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
