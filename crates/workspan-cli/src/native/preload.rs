//! The libraries to load with a program, and the variables that load them.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Context as _;
use tempfile::TempDir;
use workspan_model::RuntimeKind;

use super::error::ProgramError;
use super::libomp::Stand;

/// Environment variables and their values; those without a value are removed.
pub(super) type Variables = Vec<(OsString, Option<OsString>)>;

/// The prefix for the variables that keep the user's values, empty for none. The library restores
/// them when it starts, so that programs started by the program see their usual environment.
const USER_VALUE: &str = "WORKSPAN_USER_";

/// The environment that loads libworkspan.so into a program.
#[derive(Clone, Debug)]
pub(crate) struct Preload {
    pub(crate) variables: Variables,
    /// What gives a run without a profile the same runtime.
    pub(crate) plain: Variables,
    /// The clock that the engine is to read; if `None`, it chooses.
    pub(crate) clock: Option<&'static str>,
    /// The runtime that the program is profiled for.
    pub(crate) runtime: RuntimeKind,
    /// Keeps the links that the program needs while it runs.
    _links: Option<Rc<TempDir>>,
}

/// Collects what is to be loaded.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub(super) variables: Variables,
    runtime: Option<PathBuf>,
    /// The name under which the program asks for its runtime, if it is not the runtime's own name.
    runtime_link: Option<String>,
    links: Option<TempDir>,
}

impl Preload {
    pub(super) fn new(
        variables: Variables,
        clock: Option<&'static str>,
        runtime: RuntimeKind,
        loaded: Loaded,
    ) -> Self {
        Self {
            variables,
            plain: Variables::new(),
            clock,
            runtime,
            _links: loaded.links.map(Rc::new),
        }
    }
}

impl Loaded {
    /// Adds what to load before the program's own runtime, which it asks for under the name `asked`.
    pub(super) fn add_runtime(&mut self, stand: Option<Stand>, asked: Option<&str>) {
        let libomp = match stand {
            Some(Stand::In(libomp)) => libomp,
            Some(Stand::Before(library)) => {
                self.runtime = Some(library);
                return;
            }
            None => return,
        };
        // The dynamic linker accepts a library whose own name (soname) is the one asked for.
        self.runtime_link = asked
            .filter(|asked| *asked != libomp.name)
            .map(str::to_owned);
        self.runtime = Some(libomp.path);
    }

    /// The variables that load `library` and the runtime.
    ///
    /// # Errors
    /// When `LD_PRELOAD` cannot name their files.
    pub(super) fn with_library(&mut self, library: &Path) -> anyhow::Result<Variables> {
        let runtime = self.runtime.clone();
        let mut preloaded = self.loadable(library)?.into_os_string();
        if let Some(runtime) = &runtime {
            preloaded.push(":");
            preloaded.push(self.loadable(runtime)?);
        }
        self.preload(preloaded)
    }

    /// The variables that load only the runtime. Programs started by the program see them, too.
    ///
    /// # Errors
    /// When `LD_PRELOAD` cannot name its file.
    pub(super) fn with_runtime_alone(&mut self) -> anyhow::Result<Variables> {
        let Some(runtime) = self.runtime.clone() else {
            return Ok(std::mem::take(&mut self.variables));
        };
        let preloaded = self.loadable(&runtime)?.into_os_string();
        let mut variables = self.preload(preloaded)?;
        // There is no library to restore the user's values.
        variables.retain(|(name, _)| !name.as_bytes().starts_with(USER_VALUE.as_bytes()));
        Ok(variables)
    }

    fn preload(&mut self, preloaded: OsString) -> anyhow::Result<Variables> {
        let mut variables = std::mem::take(&mut self.variables);
        prepend(&mut variables, "LD_PRELOAD", preloaded);
        if let (Some(name), Some(runtime)) = (self.runtime_link.clone(), self.runtime.clone()) {
            // A file is loaded once even if it is found under two names.
            let link = self.link(&runtime, &name).context("links cannot be made")?;
            let folder = link.parent().expect("a link lies in a folder");
            prepend(&mut variables, "LD_LIBRARY_PATH", folder.into());
        }
        Ok(variables)
    }

    /// A path of the file, or of a link to it, that `LD_PRELOAD` can name.
    fn loadable(&mut self, file: &Path) -> anyhow::Result<PathBuf> {
        if can_be_named(file) {
            return Ok(file.to_owned());
        }
        let name = file.file_name().unwrap_or(OsStr::new("library.so"));
        let link = self
            .link(file, &name.to_string_lossy().replace([' ', ':'], "_"))
            .context("links cannot be made")?;
        if can_be_named(&link) {
            Ok(link)
        } else {
            Err(ProgramError::Unloadable(link).into())
        }
    }

    fn link(&mut self, file: &Path, name: &str) -> io::Result<PathBuf> {
        let folder = match self.links.take() {
            Some(folder) => folder,
            None => tempfile::Builder::new().prefix("workspan-").tempdir()?,
        };
        let link = folder.path().join(name);
        self.links = Some(folder);
        if !link.is_symlink() {
            symlink(file, &link)?;
        }
        Ok(link)
    }
}

fn can_be_named(file: &Path) -> bool {
    let bytes = file.as_os_str().as_bytes();
    !bytes.iter().any(|byte| b" :\t\n".contains(byte))
}

/// Puts `first` before the user's value of a variable, and passes that value to the library.
fn prepend(variables: &mut Variables, name: &str, first: OsString) {
    let user_value = env::var_os(name).unwrap_or_default();
    let mut value = first;
    if !user_value.is_empty() {
        value.push(":");
        value.push(&user_value);
    }
    variables.push((format!("{USER_VALUE}{name}").into(), Some(user_value)));
    variables.push((name.into(), Some(value)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value<'a>(variables: &'a Variables, name: &str) -> Option<&'a OsStr> {
        let found = variables.iter().find(|(known, _)| known == name)?;
        found.1.as_deref()
    }

    #[test]
    fn the_library_comes_first_and_the_runtime_next() {
        let mut loaded = Loaded {
            runtime: Some("/l/libomp.so.5".into()),
            ..Loaded::default()
        };
        let variables = loaded.with_library(Path::new("/w/libworkspan.so")).unwrap();
        let preload = value(&variables, "LD_PRELOAD").unwrap().to_string_lossy();
        assert!(
            preload.starts_with("/w/libworkspan.so:/l/libomp.so.5"),
            "{preload}"
        );
        assert!(value(&variables, "WORKSPAN_USER_LD_PRELOAD").is_some());
        assert!(value(&variables, "LD_LIBRARY_PATH").is_none());
    }

    #[test]
    fn a_runtime_alone_leaves_nothing_to_restore() {
        let mut loaded = Loaded {
            runtime: Some("/l/libomp.so.5".into()),
            runtime_link: Some("libiomp5.so".to_owned()),
            ..Loaded::default()
        };
        let variables = loaded.with_runtime_alone().unwrap();
        let preload = value(&variables, "LD_PRELOAD").unwrap().to_string_lossy();
        assert!(preload.starts_with("/l/libomp.so.5"), "{preload}");
        assert!(value(&variables, "LD_LIBRARY_PATH").is_some());
        assert_eq!(variables.len(), 2);
        assert_eq!(
            Loaded::default().with_runtime_alone().unwrap(),
            Variables::new()
        );
    }

    #[test]
    fn paths_that_the_variable_cannot_name_get_a_link() {
        let mut loaded = Loaded::default();
        let variables = loaded
            .with_library(Path::new("/with blank/libworkspan.so"))
            .unwrap();
        let preload = value(&variables, "LD_PRELOAD").unwrap().to_owned();
        let link = preload.to_string_lossy();
        let link = link.split(':').next().unwrap();
        assert!(!link.contains(' '));
        assert_eq!(
            std::fs::read_link(link).unwrap(),
            Path::new("/with blank/libworkspan.so")
        );
        drop(loaded);
        assert!(!Path::new(link).exists());
    }

    #[test]
    fn a_runtime_is_found_under_the_name_that_the_program_asks_for() {
        let mut loaded = Loaded {
            runtime: Some("/l/libomp.so.5".into()),
            runtime_link: Some("libiomp5.so".to_owned()),
            ..Loaded::default()
        };
        let variables = loaded.with_library(Path::new("/w/libworkspan.so")).unwrap();
        let path = value(&variables, "LD_LIBRARY_PATH")
            .unwrap()
            .to_string_lossy();
        let folder = Path::new(path.split(':').next().unwrap());
        assert_eq!(
            std::fs::read_link(folder.join("libiomp5.so")).unwrap(),
            Path::new("/l/libomp.so.5")
        );
    }
}
