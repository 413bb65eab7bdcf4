//! The environments of an OpenMP program: one to measure its idle time, and one for plain runs.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::libomp::Stand;
use super::preload::{Loaded, Variables};
use super::program_file::ProgramFile;
use super::runtime::Uses;
use super::wishes::Wishes;
use super::{library, openmp, uses_of};
use crate::exit_code::{Failure, OrExit as _, SETUP};

/// The environments of an OpenMP program. All of its runs use the same runtime.
#[derive(Debug)]
pub(crate) struct IdleTime {
    /// Without workspan.
    pub(crate) plain: Variables,
    /// With libworkspan.so.
    pub(crate) measured: Variables,
    /// The runtime that replaces the program's own in both.
    pub(crate) stand_in: Option<PathBuf>,
    /// Keeps the links that the programs need while they run.
    _loaded: [Loaded; 2],
}

/// How to measure the idle time of a program; `None` if it uses no OpenMP, judging by its file.
/// `libomp` is the user's choice of a runtime.
///
/// # Errors
/// When tools cannot observe its use of OpenMP, or something that measuring needs is missing.
pub(crate) fn idle_time(
    program: &Path,
    libomp: Option<PathBuf>,
) -> Result<Option<IdleTime>, Failure> {
    let shown = program.display().to_string();
    let Some(file) = ProgramFile::find(program).or_exit(SETUP)? else {
        return Ok(None);
    };
    let Some(uses) = uses_of(&file).filter(Uses::openmp) else {
        return Ok(None);
    };
    let environment = |name: &str| env::var_os(name);
    let tools = openmp::override_tools(&shown, &uses, &environment).or_exit(SETUP)?;
    let wishes = Wishes {
        libomp,
        ..Wishes::default()
    };
    let libomp = openmp::runtime_for_idle_time(&shown, &uses, &wishes).or_exit(SETUP)?;
    if let Some(libomp) = &libomp {
        openmp::report_sweep_runtime(&shown, &uses, libomp);
    }
    let stand_in = libomp.as_ref().map(|libomp| libomp.path.clone());
    let asked = uses.libomp.as_ref().map(|module| module.name.as_str());
    let mut loaded = [Loaded::default(), Loaded::default()];
    for loaded in &mut loaded {
        loaded.add_runtime(libomp.clone().map(Stand::In), asked);
    }
    let [plain, measured] = &mut loaded;
    plain
        .variables
        .extend(openmp::without_tools(&uses, &environment));
    measured.variables.extend(tools);
    let library = library::PROFILER.find().or_exit(SETUP)?;
    Ok(Some(IdleTime {
        plain: plain.with_runtime_alone().or_exit(SETUP)?,
        measured: measured.with_library(&library).or_exit(SETUP)?,
        stand_in,
        _loaded: loaded,
    }))
}

impl IdleTime {
    /// `variables` as text, without those to remove.
    pub(crate) fn variables(variables: &Variables) -> impl Iterator<Item = (String, OsString)> {
        variables
            .iter()
            .filter_map(|(name, value)| Some((name.to_string_lossy().into_owned(), value.clone()?)))
    }
}
