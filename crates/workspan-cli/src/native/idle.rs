//! How an OpenMP program is run so that its idle time is measured, and how it is run beside that.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::elf::Elf;
use super::preload::Loaded;
use super::program_file::ProgramFile;
use super::{Variables, Wishes, library, openmp, uses};
use crate::exit_code::{Failure, OrExit as _, SETUP};
use crate::runner::has_engine;

/// The environments of an OpenMP program, whose runs all have the same runtime.
#[derive(Debug)]
pub(crate) struct IdleTime {
    /// Without anything of workspan.
    pub(crate) plain: Variables,
    /// With libworkspan.so.
    pub(crate) measured: Variables,
    /// The runtime that stands in for the program's own in both.
    pub(crate) stand_in: Option<PathBuf>,
    /// Links that have to be there while the programs run.
    _loaded: [Loaded; 2],
}

/// How to measure the idle time of a program; `None` if it uses no OpenMP, as far as its file tells. `libomp` is the user's
/// choice of a runtime.
///
/// # Errors
/// When it uses OpenMP in a way that does not tell tools what happens, or what measuring takes is not there.
pub(crate) fn idle_time(
    program: &Path,
    libomp: Option<PathBuf>,
) -> Result<Option<IdleTime>, Failure> {
    let shown = program.display().to_string();
    let Some(file) = ProgramFile::of(program).or_exit(SETUP)? else {
        return Ok(None);
    };
    let Some(elf) = Elf::of_library(&file.bytes).filter(|_| !has_engine(&file.bytes)) else {
        return Ok(None);
    };
    let Ok(uses) = uses(&shown, &file, &elf, None) else {
        return Ok(None);
    };
    if !uses.openmp() {
        return Ok(None);
    }
    let environment = |name: &str| env::var_os(name);
    let tools = openmp::put_tools_aside(&shown, &uses, &environment).or_exit(SETUP)?;
    let wishes = Wishes {
        libomp,
        ..Wishes::default()
    };
    let libomp = openmp::runtime_for_idle_time(&shown, &uses, &wishes).or_exit(SETUP)?;
    if let Some(libomp) = &libomp {
        openmp::tell_of_runtime_of_all_runs(&shown, &uses, libomp);
    }
    let stand_in = libomp.as_ref().map(|libomp| libomp.path.clone());
    let asked = uses.libomp.as_ref().map(|module| module.name.as_str());
    let mut loaded = [Loaded::default(), Loaded::default()];
    for loaded in &mut loaded {
        loaded.add_runtime(libomp.clone(), asked);
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
    /// The variables of a run.
    pub(crate) fn variables(variables: &Variables) -> impl Iterator<Item = (String, OsString)> {
        variables
            .iter()
            .filter_map(|(name, value)| Some((name.to_string_lossy().into_owned(), value.clone()?)))
    }
}
