//! The links to this executable that cargo starts.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::{RUNNER_LINK, RUSTC_LINK, SWEEP_LINK};

/// The links.
#[derive(Debug)]
pub(super) struct Links {
    pub(super) rustc: PathBuf,
    pub(super) runner: PathBuf,
    pub(super) sweep: PathBuf,
}

/// Puts the links into `folder`. Another command may do the same at the same time.
///
/// # Errors
/// When the folder cannot be written.
pub(super) fn make(folder: &Path) -> io::Result<Links> {
    fs::create_dir_all(folder)?;
    let executable = std::env::current_exe()?;
    let links = Links {
        rustc: folder.join(RUSTC_LINK),
        runner: folder.join(RUNNER_LINK),
        sweep: folder.join(SWEEP_LINK),
    };
    for link in [&links.rustc, &links.runner, &links.sweep] {
        if fs::read_link(link).is_ok_and(|target| target == executable) {
            continue;
        }
        let draft = tempfile::Builder::new()
            .prefix("link-")
            .tempdir_in(folder)?;
        let fresh = draft.path().join("link");
        symlink(&executable, &fresh)?;
        fs::rename(&fresh, link)?;
    }
    Ok(links)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_here_and_replace_older_ones() {
        let folder = tempfile::tempdir().unwrap();
        symlink("/nowhere", folder.path().join(RUSTC_LINK)).unwrap();
        let links = make(folder.path()).unwrap();
        let executable = std::env::current_exe().unwrap();
        assert_eq!(fs::read_link(links.rustc).unwrap(), executable);
        assert_eq!(fs::read_link(links.runner).unwrap(), executable);
        assert_eq!(fs::read_link(links.sweep).unwrap(), executable);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}
