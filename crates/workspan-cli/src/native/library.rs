//! The libraries that workspan has others load: `libworkspan.so`, which goes into C and C++ programs, with the headers that they
//! may be built with, and the plug-in of the emulator.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use etcetera::BaseStrategy as _;
use object::{Object as _, ObjectSegment as _, ObjectSymbol as _};

use super::building;
use crate::embedded::{self, Sources};
use crate::runner::locate;

/// A library that comes with workspan.
pub(crate) struct Library {
    /// Name of its file.
    pub(super) file: &'static str,
    /// Variable that names the one to use.
    pub(super) variable: &'static str,
    /// The package that it is built by.
    package: &'static str,
    /// Its sources.
    pub(super) sources: &'static Sources,
    /// Its crates, each linked with the one before: the last is the library itself.
    pub(super) crates: &'static [Part],
}

/// A crate of a library.
pub(super) struct Part {
    /// Its folder among the sources.
    pub(super) folder: &'static str,
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    /// More options for rustc.
    pub(super) options: &'static [&'static str],
}

/// The engine, for programs of C and C++.
pub(super) const PROFILER: Library = Library {
    file: "libworkspan.so",
    variable: "WORKSPAN_LIBRARY",
    package: "workspan-capi",
    sources: &embedded::LIBRARY,
    crates: &[
        Part {
            folder: "workspan_rt",
            name: "workspan_rt",
            kind: "rlib",
            options: &[],
        },
        Part {
            folder: "workspan_capi",
            name: "workspan",
            kind: "cdylib",
            // Programs that are linked with it find the one that is loaded already.
            options: &["-Clink-arg=-Wl,-soname,libworkspan.so"],
        },
    ],
};

/// The plug-in that has QEMU count instructions.
pub(crate) const EMULATOR: Library = Library {
    file: "libworkspan_emulator.so",
    variable: "WORKSPAN_EMULATOR_PLUGIN",
    package: "workspan-emulator",
    sources: &embedded::EMULATOR,
    crates: &[Part {
        folder: "workspan_emulator",
        name: "workspan_emulator",
        kind: "cdylib",
        options: &[],
    }],
};

/// What a library calls the hash of its sources.
const SOURCES: &str = "WORKSPAN_LIBRARY_SOURCES";

impl Library {
    /// Finds the library: where the variable says, beside this executable, or built from the sources embedded in it.
    ///
    /// # Errors
    /// When the one beside this executable is of other sources, or there is none and none can be built.
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
            Some(file) if self.is(&file) => Ok(file),
            Some(file) => Err(anyhow!(
                "`{}` is not of this workspan, but of other sources: install or build both together (`cargo build -p workspan-cli -p \
                 {}`), or remove it, and workspan builds its own; {variable} names one to use all the same",
                file.display(),
                self.package,
            )),
            None => building::library(self, &cache()?),
        }
    }

    /// Whether a file was made of the sources that are embedded in this executable.
    fn is(&self, file: &Path) -> bool {
        let Ok(bytes) = fs::read(file) else {
            return false;
        };
        sources_of(&bytes).is_some_and(|sources| sources == self.sources.hash.as_bytes())
    }

    /// The one that was installed or built together with this executable.
    fn installed(&self) -> Option<PathBuf> {
        // Without /proc it is known by what it was started as.
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
        assert_eq!(PROFILER.beside(&bin), None);
        fs::write(lib.join(PROFILER.file), "").unwrap();
        assert_eq!(PROFILER.beside(&bin), Some(lib.join(PROFILER.file)));
        fs::write(bin.join(PROFILER.file), "").unwrap();
        assert_eq!(PROFILER.beside(&bin), Some(bin.join(PROFILER.file)));
    }
}
