//! What commands keep unasked: of programs that cargo builds in the project's target folder, of
//! others in the user's cache.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::env;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context as _;
use workspan_format::wsp;
use workspan_model::Run;

use crate::cache;
use crate::digest;
use crate::message;
use crate::process;
use crate::process::RUNNER_LINK;

/// Name of the folder, next to the newest files, that keeps earlier ones.
pub(crate) const HISTORY: &str = "history";

/// Names of the folders in workspan's that keep what is measured of tests and of benchmarks, because
/// programs may have the same names.
pub(crate) const TESTS: &str = "test";
pub(crate) const BENCHES: &str = "bench";

/// Name of the page, which is in a folder of its own for each program.
const PAGE: &str = "report.html";

/// The page that is kept for the profile in `file`: `app/report.html` for `app.wsp`.
pub(crate) fn page_of(file: &Path) -> PathBuf {
    file.with_extension("").join(PAGE)
}

/// The folder in the user's cache, in which programs have folders of their own. `None` if the user
/// has no home.
fn folder_in_cache() -> Option<PathBuf> {
    Some(cache::folder().ok()?.join("profiles"))
}

/// The folder in the user's cache, if that of the program of `file` is there.
pub(crate) fn cache_of(file: &Path) -> Option<&Path> {
    let cache = file.parent()?.parent()?;
    (folder_in_cache()? == cache).then_some(cache)
}

/// The folders of programs in `cache`, those first whose files changed last.
pub(crate) fn programs(cache: &Path) -> Vec<(SystemTime, PathBuf)> {
    newest_first(cache, |_, data| data.is_dir())
}

/// The folder that keeps what is measured of `program`: in that of workspan in which it was built, or
/// in the user's cache. `None` if nothing can be written there.
pub(crate) fn folder_for(program: &Path) -> Option<PathBuf> {
    let file = process::locate(program);
    let file = file.canonicalize().or_else(|_| std::path::absolute(&file));
    let file = file.ok()?;
    folder_around(&file).or_else(|| {
        let cache = folder_in_cache()?;
        fs::create_dir_all(&cache).ok()?;
        // Programs in other folders may have the same name.
        let path = digest::digest(file.as_os_str().as_encoded_bytes());
        Some(cache.join(format!("{}-{path:.8}", process::program_name(program))))
    })
}

/// The folder for the program in the folder of workspan that contains it, if any.
fn folder_around(program: &Path) -> Option<PathBuf> {
    let mut folders = program.ancestors();
    let home = folders.find(|folder| folder.join("bin").join(RUNNER_LINK).exists())?;
    Some(match program.parent()?.ends_with("deps") {
        true => home.join(TESTS),
        false => home.to_owned(),
    })
}

/// A profile that a run has kept.
pub(crate) struct Kept {
    pub(crate) file: PathBuf,
    pub(crate) run: Run,
}

/// The profiles that runs have kept around the current folder and in the user's cache, the newest
/// first. A warning names files that cannot be read.
pub(crate) fn all() -> anyhow::Result<Vec<Kept>> {
    let folders = folders()?;
    let folders = folders.flat_map(|folder| [folder.clone(), folder.join(HISTORY)]);
    let mut files: Vec<_> = folders.flat_map(|folder| in_folder(&folder)).collect();
    files.sort_by_key(|(changed, _)| Reverse(*changed));
    // The newest of a program is in the history, too.
    let mut seen = HashSet::new();
    let mut is_new = |run: &Run| {
        let made = (run.started_at, run.elapsed.as_nanos(), run.command.clone());
        seen.insert(made)
    };
    let read = |file: PathBuf| {
        let run = wsp::read_run(&file);
        let run = run.inspect_err(|error| {
            message::warning(format_args!("left out: {error}: {}", error.problem));
        });
        run.ok().map(|run| Kept { file, run })
    };
    let kept = files.into_iter().filter_map(|(_, file)| read(file));
    Ok(kept.filter(|kept| is_new(&kept.run)).collect())
}

/// Why no profile is found.
pub(crate) const NONE: &str =
    "no profile is kept here yet: `cargo workspan run` and `workspan run -- PROGRAM` make one";

/// The newest profile that a run kept: around the current folder, or in the user's cache.
///
/// # Errors
/// If there is none.
pub(crate) fn newest() -> anyhow::Result<PathBuf> {
    let profiles = folders()?.flat_map(|folder| in_folder(&folder));
    let newest = profiles.max_by_key(|(changed, _)| *changed);
    newest.map(|(_, file)| file).context(NONE)
}

/// The folders that may hold profiles that runs kept.
fn folders() -> anyhow::Result<impl Iterator<Item = PathBuf>> {
    let here = env::current_dir().context("the current folder is not known")?;
    let above = (0..here.ancestors().count()).map(|steps| "../".repeat(steps));
    let targets = above.map(|folder| Path::new(&folder).join("target"));
    let targets = targets.chain(env::var_os("CARGO_TARGET_DIR").map(PathBuf::from));
    let homes = targets.map(|target| target.join("workspan"));
    let folders = homes.flat_map(|home| [home.join(TESTS), home.join(BENCHES), home]);
    let cached = folder_in_cache().into_iter().flat_map(|it| programs(&it));
    Ok(folders.chain(cached.map(|(_, folder)| folder)))
}

/// The profiles in a folder, the newest first.
fn in_folder(folder: &Path) -> Vec<(SystemTime, PathBuf)> {
    newest_first(folder, |file, data| {
        // An empty one is being written.
        data.len() > 0 && file.extension().is_some_and(|extension| extension == "wsp")
    })
}

/// What is in a folder and `is_meant`, the newest first.
fn newest_first(
    folder: &Path,
    is_meant: impl Fn(&Path, &Metadata) -> bool,
) -> Vec<(SystemTime, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let date = |entry: fs::DirEntry| {
        let path = entry.path();
        let data = fs::metadata(&path).ok()?;
        is_meant(&path, &data).then_some((data.modified().ok()?, path))
    };
    let mut dated: Vec<(SystemTime, PathBuf)> = entries.filter_map(date).collect();
    dated.sort_by(|one, other| other.cmp(one));
    dated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_in_the_folder_of_its_program() {
        let page = page_of(Path::new("target/workspan/app.wsp"));
        assert_eq!(page, Path::new("target/workspan/app/report.html"));
    }

    #[test]
    fn programs_of_one_name_have_folders_of_their_own() {
        let target = tempfile::tempdir().unwrap();
        let target = target.path().canonicalize().unwrap();
        fs::create_dir(target.join("bin")).unwrap();
        fs::write(target.join("bin").join(RUNNER_LINK), "").unwrap();
        let folder = |program: &str| folder_around(&target.join(program)).unwrap();
        assert_eq!(folder("release/app"), target);
        let test = folder("release/deps/app-0123456789abcdef");
        assert_eq!(test, target.join(TESTS));
        let folders = ["/one/app", "/other/app"].map(|program| folder_for(Path::new(program)));
        assert!(folders[0].is_none() || folders[0] != folders[1]);
    }

    #[test]
    fn only_profiles_count_and_the_newest_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        for (name, seconds) in [
            ("old.wsp", 1),
            ("new.wsp", 3),
            ("middle.wsp", 2),
            ("x.json", 9),
        ] {
            fs::write(folder.path().join(name), "contents").unwrap();
            let file = fs::File::options()
                .append(true)
                .open(folder.path().join(name));
            let at = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            file.unwrap().set_modified(at).unwrap();
        }
        fs::write(folder.path().join("unfinished.wsp"), "").unwrap();
        let names: Vec<_> = in_folder(folder.path())
            .into_iter()
            .map(|(_, file)| file.file_name().unwrap().to_owned())
            .collect();
        assert_eq!(names, ["new.wsp", "middle.wsp", "old.wsp"]);
        assert!(in_folder(&folder.path().join("none")).is_empty());
    }
}
