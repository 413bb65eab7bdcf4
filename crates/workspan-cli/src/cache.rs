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

/// Has `fill` put files into `folder`, unless `file` is there.
///
/// The folder appears complete or not at all, so commands that run at the same time can share it.
/// What is left of one whose files were removed, as by a cleaner of home folders, is replaced.
///
/// # Errors
/// If `fill` fails, or the folder cannot be made.
pub(crate) fn filled(
    folder: &Path,
    file: &Path,
    fill: impl FnOnce(&Path) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let is_whole = || folder.join(file).is_file();
    if is_whole() {
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
    if folder.is_dir() && !is_whole() {
        fs::rename(folder, draft.path().join("remains")).with_context(place)?;
    }
    match fs::rename(&ready, folder) {
        Err(_) if is_whole() => Ok(()),
        renamed => renamed.with_context(place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_filled_once_and_whole() {
        let cache = tempfile::tempdir().unwrap();
        let (folder, file) = (cache.path().join("of/one"), Path::new("file"));
        let failed = filled(&folder, file, |draft| {
            fs::write(draft.join("half"), "")?;
            anyhow::bail!("no room")
        });
        assert_eq!(failed.unwrap_err().to_string(), "no room");
        assert!(!folder.exists());
        let fill = |text: &str| {
            filled(&folder, file, |draft| {
                Ok(fs::write(draft.join(file), text)?)
            })
            .unwrap();
            fs::read_to_string(folder.join(file)).unwrap()
        };
        assert_eq!([fill("first"), fill("second")], ["first", "first"]);
        fs::write(folder.join("other"), "").unwrap();
        fs::remove_file(folder.join(file)).unwrap();
        assert_eq!(fill("third"), "third");
        assert!(!folder.join("other").exists());
        assert_eq!(fs::read_dir(folder.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn what_another_command_filled_meanwhile_is_kept() {
        let cache = tempfile::tempdir().unwrap();
        let (folder, file) = (cache.path().join("one"), Path::new("file"));
        filled(&folder, file, |draft| {
            filled(&folder, file, |other| {
                Ok(fs::write(other.join(file), "first")?)
            })?;
            Ok(fs::write(draft.join(file), "second")?)
        })
        .unwrap();
        assert_eq!(fs::read_to_string(folder.join(file)).unwrap(), "first");
    }
}
