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

/// Another runtime in the place of a program's own, without workspan.
#[derive(Debug)]
pub(crate) struct StandIn {
    pub(crate) variables: Variables,
    pub(crate) file: PathBuf,
    /// Keeps the links that the program needs while it runs.
    _loaded: Loaded,
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
    let stand = openmp::runtime_for_idle_time(&shown, &uses, &wishes).or_exit(SETUP)?;
    let (in_plain_runs, stand_in) = match &stand {
        Some(Stand::In(libomp)) => {
            openmp::report_sweep_runtime(&shown, &uses, &wishes, libomp);
            (stand.clone(), Some(libomp.path.clone()))
        }
        Some(Stand::Before(_)) | None => (None, None),
    };
    let asked = uses.libomp.as_ref().map(|module| module.name.as_str());
    let mut loaded = [Loaded::default(), Loaded::default()];
    let [plain, measured] = &mut loaded;
    plain.add_runtime(in_plain_runs, asked);
    measured.add_runtime(stand, asked);
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

/// The runtime that [`prepare`](super::prepare) puts in the place of GCC's, since it cannot follow
/// that in this program; `None` for programs that keep their own.
///
/// # Errors
/// When the runtime cannot be loaded.
pub(crate) fn stand_in(program: &Path) -> Result<Option<StandIn>, Failure> {
    let Some(file) = ProgramFile::find(program).or_exit(SETUP)? else {
        return Ok(None);
    };
    let Some(uses) = uses_of(&file).filter(|uses| uses.openmp() && uses.libomp.is_none()) else {
        return Ok(None);
    };
    let shown = program.display().to_string();
    let wishes = Wishes::default();
    // What cannot be profiled runs as it is.
    let Ok(Some(Stand::In(libomp))) = openmp::runtime(&shown, &uses, &wishes) else {
        return Ok(None);
    };
    openmp::report_sweep_runtime(&shown, &uses, &wishes, &libomp);
    let file = libomp.path.clone();
    let mut loaded = Loaded::default();
    loaded.add_runtime(Some(Stand::In(libomp)), None);
    Ok(Some(StandIn {
        variables: loaded.with_runtime_alone().or_exit(SETUP)?,
        file,
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
