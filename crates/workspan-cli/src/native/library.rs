//! `libworkspan.so`, which is loaded into C and C++ programs, and the headers that they may be built with.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use etcetera::BaseStrategy as _;
use object::{Object as _, ObjectSegment as _, ObjectSymbol as _};

use super::building;
use crate::embedded;

/// Name of the library's file.
pub(super) const FILE: &str = "libworkspan.so";
/// Variable that names the library to use.
const VARIABLE: &str = "WORKSPAN_LIBRARY";

/// What the library calls the hash of its sources.
const SOURCES: &str = "WORKSPAN_LIBRARY_SOURCES";

/// Finds the library: where the variable says, beside this executable, or built from the sources embedded in it.
///
/// # Errors
/// When the one beside this executable is of other sources, or there is none and none can be built.
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
        Some(file) if is_own(&file) => Ok(file),
        Some(file) => Err(anyhow!(
            "`{}` is not of this workspan, but of other sources: install or build both together (`cargo build -p workspan-cli -p \
             workspan-capi`), or remove it, and workspan builds its own; {VARIABLE} names one to use all the same",
            file.display()
        )),
        None => building::library(&cache()?),
    }
}

/// Whether the library was made of the sources that are embedded in this executable.
fn is_own(library: &Path) -> bool {
    let Ok(bytes) = fs::read(library) else {
        return false;
    };
    sources_of(&bytes).is_some_and(|sources| sources == embedded::LIBRARY.hash.as_bytes())
}

/// The hash of its sources that a library tells.
fn sources_of(library: &[u8]) -> Option<&[u8]> {
    let file = object::File::parse(library).ok()?;
    let symbol = file
        .dynamic_symbols()
        .find(|symbol| symbol.name() == Ok(SOURCES))?;
    file.segments()
        .find_map(|segment| segment.data_range(symbol.address(), symbol.size()).ok()?)
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
    use super::*;

    #[test]
    fn a_library_of_other_sources_is_known() {
        let executable = fs::read(env::current_exe().unwrap()).unwrap();
        assert_eq!(sources_of(&executable), None);
        assert_eq!(sources_of(b"text"), None);
    }

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
