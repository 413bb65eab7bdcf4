//! `libworkspan.so`, which is loaded into C and C++ programs, and the headers that they may be built with.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use etcetera::BaseStrategy as _;

use super::building;
use crate::embedded;

/// Name of the library's file.
pub(super) const FILE: &str = "libworkspan.so";
/// Variable that names the library to use.
const VARIABLE: &str = "WORKSPAN_LIBRARY";

/// Finds the library: where the variable says, beside this executable, or built from the sources embedded in it.
///
/// # Errors
/// When there is none and none can be built.
pub(super) fn find() -> anyhow::Result<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        let file = std::path::absolute(&named).context("the current folder is not known")?;
        return if file.is_file() {
            Ok(file)
        } else {
            Err(anyhow!(
                "{VARIABLE} names `{}`, and there is no such file: without the variable, workspan finds \
                 its library by itself",
                file.display()
            ))
        };
    }
    match installed() {
        Some(file) => Ok(file),
        None => building::library(&cache()?),
    }
}

/// The folder of the headers: `workspan.h` and those that stand before oneTBB's.
///
/// # Errors
/// When they cannot be written to the cache.
pub(crate) fn headers() -> anyhow::Result<PathBuf> {
    embedded::HEADERS.extract(&cache()?)
}

/// The library that was installed or built together with this executable.
fn installed() -> Option<PathBuf> {
    let executable = env::current_exe().ok()?.canonicalize().ok()?;
    beside(executable.parent()?)
}

fn beside(folder: &Path) -> Option<PathBuf> {
    [folder.join(FILE), folder.join("../lib").join(FILE)]
        .into_iter()
        .find_map(|file| file.canonicalize().ok().filter(|file| file.is_file()))
}

/// workspan's folder in the user's cache folder (`XDG_CACHE_HOME`, `~/.cache`).
fn cache() -> anyhow::Result<PathBuf> {
    let folders = etcetera::choose_base_strategy().context("no cache folder is known")?;
    Ok(folders.cache_dir().join("workspan"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_library_beside_the_executable_is_before_that_of_the_installation() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let (bin, lib) = (root.join("bin"), root.join("lib"));
        fs::create_dir(&bin).unwrap();
        fs::create_dir(&lib).unwrap();
        assert_eq!(beside(&bin), None);
        fs::write(lib.join(FILE), "").unwrap();
        assert_eq!(beside(&bin), Some(lib.join(FILE)));
        fs::write(bin.join(FILE), "").unwrap();
        assert_eq!(beside(&bin), Some(bin.join(FILE)));
    }
}
