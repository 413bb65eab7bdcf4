//! Workspan's folder in the user's cache: what is made once for all projects.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use etcetera::BaseStrategy as _;

/// Workspan's folder in the user's cache folder (`XDG_CACHE_HOME`, `~/.cache`).
///
/// # Errors
/// If the user has no home.
pub(crate) fn folder() -> anyhow::Result<PathBuf> {
    let folders = etcetera::choose_base_strategy().context("no cache folder is known")?;
    Ok(folders.cache_dir().join("workspan"))
}

/// Has `fill` put files into `folder`, unless that exists.
///
/// The folder appears complete or not at all, so commands that run at the same time can share it.
///
/// # Errors
/// If `fill` fails, or the folder cannot be made.
pub(crate) fn filled(
    folder: &Path,
    fill: impl FnOnce(&Path) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let place = || folder.display().to_string();
    let parent = folder.parent().with_context(place)?;
    fs::create_dir_all(parent).with_context(place)?;
    let draft = tempfile::Builder::new()
        .prefix("draft-")
        .tempdir_in(parent)
        .with_context(place)?;
    // The draft itself is the user's alone.
    let ready = draft.path().join("ready");
    fs::create_dir(&ready).with_context(place)?;
    fill(&ready)?;
    match fs::rename(&ready, folder) {
        Err(_) if folder.is_dir() => Ok(()),
        renamed => renamed.with_context(place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_filled_once_and_whole() {
        let cache = tempfile::tempdir().unwrap();
        let folder = cache.path().join("of/one");
        let failed = filled(&folder, |draft| {
            fs::write(draft.join("half"), "")?;
            anyhow::bail!("no room")
        });
        assert_eq!(failed.unwrap_err().to_string(), "no room");
        assert!(!folder.exists());
        for text in ["first", "second"] {
            filled(&folder, |draft| Ok(fs::write(draft.join("file"), text)?)).unwrap();
        }
        assert_eq!(fs::read_to_string(folder.join("file")).unwrap(), "first");
        assert_eq!(fs::read_dir(folder.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn what_another_command_filled_meanwhile_is_kept() {
        let cache = tempfile::tempdir().unwrap();
        let folder = cache.path().join("one");
        filled(&folder, |draft| {
            filled(&folder, |other| Ok(fs::write(other.join("file"), "first")?))?;
            Ok(fs::write(draft.join("file"), "second")?)
        })
        .unwrap();
        assert_eq!(fs::read_to_string(folder.join("file")).unwrap(), "first");
    }
}
