//! Profiles that runs keep unasked: of programs that cargo builds in the project's target folder,
//! of others in the user's cache.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context as _;

use crate::cache;

/// At most this many profiles are kept in the user's cache.
const MOST: usize = 20;

/// The folder in the user's cache, which keeps the profiles of programs that were built elsewhere.
/// `None` if the user has no home.
pub(crate) fn folder() -> Option<PathBuf> {
    Some(cache::folder().ok()?.join("profiles"))
}

/// [`folder`], which is made if it is not there. `None` if it cannot be.
pub(crate) fn folder_made() -> Option<PathBuf> {
    folder().filter(|folder| fs::create_dir_all(folder).is_ok())
}

/// Whether `file` is in the user's cache.
pub(crate) fn is_cached(file: &Path) -> bool {
    file.parent()
        .is_some_and(|parent| folder().as_deref() == Some(parent))
}

/// Removes all but the newest profiles of the user's cache, with their pages.
pub(crate) fn remove_older() {
    let Some(folder) = folder() else {
        return;
    };
    for (_, old) in in_folder(&folder).into_iter().skip(MOST) {
        // Another command may remove it at the same time.
        let _ = fs::remove_file(&old);
        let _ = fs::remove_dir_all(old.with_extension(""));
    }
}

/// The newest profile that a run kept: around the present folder, or in the user's cache.
///
/// # Errors
/// If there is none.
pub(crate) fn newest() -> anyhow::Result<PathBuf> {
    let here = env::current_dir().context("the present folder is not known")?;
    let targets = here.ancestors().map(|folder| folder.join("target"));
    let targets = targets.chain(env::var_os("CARGO_TARGET_DIR").map(PathBuf::from));
    let folders = targets
        .map(|target| target.join("workspan"))
        .chain(folder());
    let profiles = folders.flat_map(|folder| in_folder(&folder));
    let newest = profiles.max_by_key(|(changed, _)| *changed);
    newest.map(|(_, file)| file).context(
        "no profile is kept here yet: `cargo workspan run` and `workspan run -- PROGRAM` make one",
    )
}

/// The profiles in a folder, the newest first.
fn in_folder(folder: &Path) -> Vec<(SystemTime, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let profiles = entries
        .map(|entry| entry.path())
        .filter(|file| file.extension().is_some_and(|extension| extension == "wsp"));
    let mut dated: Vec<(SystemTime, PathBuf)> = profiles
        .filter_map(|file| Some((fs::metadata(&file).ok()?.modified().ok()?, file)))
        .collect();
    dated.sort_by(|one, other| other.cmp(one));
    dated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_profiles_count_and_the_newest_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        for (name, seconds) in [
            ("old.wsp", 1),
            ("new.wsp", 3),
            ("middle.wsp", 2),
            ("x.json", 9),
        ] {
            let file = fs::File::create(folder.path().join(name)).unwrap();
            let at = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            file.set_modified(at).unwrap();
        }
        let names: Vec<_> = in_folder(folder.path())
            .into_iter()
            .map(|(_, file)| file.file_name().unwrap().to_owned())
            .collect();
        assert_eq!(names, ["new.wsp", "middle.wsp", "old.wsp"]);
        assert!(in_folder(&folder.path().join("none")).is_empty());
    }
}
