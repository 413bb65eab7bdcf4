//! Finds workspan's libraries and the headers for programs to be built with.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use object::{Object as _, ObjectSegment as _, ObjectSymbol as _};

use super::building;
use super::library::Library;
use crate::cache;
use crate::process::locate;
use crate::sources;

/// The symbol under which a library holds the hash of its sources.
const SOURCES: &str = "WORKSPAN_LIBRARY_SOURCES";

impl Library {
    /// Finds the library: the one that the variable names, the one installed with this executable,
    /// or one built from the sources embedded in it.
    ///
    /// # Errors
    /// When the variable names no file, when the installed one was built from other sources, or
    /// when none is installed and none can be built.
    pub(crate) fn find(&self) -> anyhow::Result<PathBuf> {
        let variable = self.variable;
        if let Some(named) = env::var_os(variable).filter(|path| !path.is_empty()) {
            let file = std::path::absolute(&named).context("the current folder is not known")?;
            return if file.is_file() {
                Ok(file)
            } else {
                Err(anyhow!(
                    "{variable} names `{}`, and there is no such file: without the variable, workspan finds \
                     its library by itself",
                    file.display()
                ))
            };
        }
        match self.installed() {
            Some(file) if self.is_built_from_own_sources(&file) => Ok(file),
            Some(file) => Err(anyhow!(
                "`{}` is not of this workspan, but of other sources: install or build both together (`cargo build -p workspan-cli -p \
                 {}`), or remove it, and workspan builds its own; {variable} names one to use all the same",
                file.display(),
                self.package,
            )),
            None => building::library(self, &cache::folder()?),
        }
    }

    /// Whether a file was built from the sources embedded in this executable.
    fn is_built_from_own_sources(&self, file: &Path) -> bool {
        let Ok(bytes) = fs::read(file) else {
            return false;
        };
        sources_hash(&bytes).is_some_and(|hash| hash == self.sources.hash.as_bytes())
    }

    /// The library that was installed or built together with this executable.
    fn installed(&self) -> Option<PathBuf> {
        // Without /proc, the executable is found by the name that it was started under.
        let executable = env::current_exe()
            .ok()
            .or_else(|| Some(locate(Path::new(&env::args_os().next()?))))?;
        self.beside(executable.canonicalize().ok()?.parent()?)
    }

    fn beside(&self, folder: &Path) -> Option<PathBuf> {
        [
            folder.join(self.file),
            folder.join("../lib").join(self.file),
        ]
        .into_iter()
        .find_map(|file| file.canonicalize().ok().filter(|file| file.is_file()))
    }
}

/// The hash of its sources that a library holds.
fn sources_hash(library: &[u8]) -> Option<&[u8]> {
    let file = object::File::parse(library).ok()?;
    let symbol = file
        .dynamic_symbols()
        .find(|symbol| symbol.name() == Ok(SOURCES))?;
    file.segments()
        .find_map(|segment| segment.data_range(symbol.address(), symbol.size()).ok()?)
}

/// The folder of the headers: `workspan.h`, and those to be included before oneTBB's.
///
/// # Errors
/// When they cannot be written to the cache.
pub(crate) fn headers() -> anyhow::Result<PathBuf> {
    sources::extract(&workspan_engine::HEADERS, &cache::folder()?)
}

#[cfg(test)]
mod tests {
    use super::super::library::PROFILER;
    use super::*;

    #[test]
    fn files_that_are_no_library_have_no_hash() {
        let executable = fs::read(env::current_exe().unwrap()).unwrap();
        assert_eq!(sources_hash(&executable), None);
        assert_eq!(sources_hash(b"text"), None);
    }

    #[test]
    fn the_library_next_to_the_executable_precedes_the_installed_one() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let (bin, lib) = (root.join("bin"), root.join("lib"));
        fs::create_dir(&bin).unwrap();
        fs::create_dir(&lib).unwrap();
        assert_eq!(PROFILER.beside(&bin), None);
        fs::write(lib.join(PROFILER.file), "").unwrap();
        assert_eq!(PROFILER.beside(&bin), Some(lib.join(PROFILER.file)));
        fs::write(bin.join(PROFILER.file), "").unwrap();
        assert_eq!(PROFILER.beside(&bin), Some(bin.join(PROFILER.file)));
    }
}
