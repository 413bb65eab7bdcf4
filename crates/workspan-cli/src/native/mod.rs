//! Programs that workspan has not built: those in C and C++, into which it loads the library
//! `libworkspan.so`.
//!
//! A program's file shows which runtime it uses ([`runtime`]). The runtime decides what is loaded
//! with the program and which variables are set.

mod building;
mod elf;
mod error;
mod idle;
mod libomp;
mod library;
mod locating;
mod modules;
mod openmp;
mod preload;
mod privilege;
mod program_file;
mod runtime;
mod wishes;

use std::env;
use std::ffi::OsString;
use std::path::Path;

use workspan_model::RuntimeKind;

use crate::exit_code::{Failure, OrExit as _, SETUP};
use crate::machine;
use crate::message;
use crate::process::{has_engine, has_rayon, locate};
use elf::Elf;
use error::ProgramError;
pub(crate) use idle::{IdleTime, StandIn, idle_time, stand_in};
use libomp::Stand;
pub(crate) use library::EMULATOR;
pub(crate) use locating::headers;
pub(crate) use modules::of_program as libraries;
pub(crate) use preload::Preload;
use preload::{Loaded, Variables};
use program_file::ProgramFile;
use runtime::{Cilk, Uses};
pub(crate) use wishes::{Later, Wishes};

/// The runtimes that workspan can profile, for messages about a program that uses none of them.
pub(crate) const SUPPORTED: &str = "workspan profiles programs that use OpenMP (as gcc, clang and g++ build them), oneTBB (built with \
     `$(workspan cxxflags)`), OpenCilk (compiled with `-fcilktool=cilkscale`) or workspan.h (`$(workspan cflags)`), \
     programs given by their path (`./program`) that start threads themselves, and rayon programs, which `cargo workspan run` \
     builds";

/// Makes a compiler insert calls of hooks into functions, and keep the frame pointers that
/// distinguish calls.
pub(crate) const HOOK_FLAGS: &str = "-finstrument-functions -fno-omit-frame-pointer";

/// Makes clang leave room for such calls in functions of any size.
pub(crate) const SLED_FLAGS: &str = "-fxray-instrument -fxray-instruction-threshold=1";

/// How a program is to be started.
#[derive(Clone, Debug)]
pub(crate) enum Start {
    /// As it is: it contains the engine, starts a program with the engine, or cannot be started.
    AsItIs,
    /// As it is, although it probably cannot be profiled.
    Unsupported,
    /// As it is, although it starts threads itself, which are not measured for this reason.
    ThreadsUnmeasured(String),
    /// With the library loaded.
    With(Preload),
}

/// Examines the program that the command starts, and decides how to start it.
///
/// # Errors
/// When it cannot be profiled, or something that profiling needs is missing.
pub(crate) fn prepare(command: &[OsString], wishes: &Wishes) -> Result<Start, Failure> {
    let program = Path::new(&command[0]);
    let shown = program.display().to_string();
    let Some(file) = ProgramFile::find(program).or_exit(SETUP)? else {
        return Ok(Start::AsItIs);
    };
    if is_workspan(&file.path) {
        return Err(Failure::new(SETUP, ProgramError::Nested(shown)));
    }
    if has_engine(&file.bytes) || file.is_interpreter && wishes.later.is_none() {
        return Ok(Start::AsItIs);
    }
    let Some(elf) = Elf::of_program(&shown, &file.bytes).or_exit(SETUP)? else {
        return Ok(Start::AsItIs);
    };
    if elf.is_of_rustc() && elf.loader().is_none() {
        return Ok(Start::AsItIs);
    }
    let uses = uses(&shown, &file, &elf, wishes.later).or_exit(SETUP)?;
    let arguments = &command[1..];
    // What is found by its name alone is often a launcher or an interpreter.
    let is_of_threads = uses.starts_threads
        && program.components().count() > 1
        && !has_rayon(&file.bytes)
        && !names_a_program(arguments);
    if uses.any() || is_of_threads {
        return start(&shown, &uses, wishes).map(Start::With);
    }
    if elf.is_of_rustc() {
        return Ok(Start::AsItIs);
    }
    if let Some(program) = started_by(arguments) {
        let launcher = shown;
        return Err(Failure::new(
            SETUP,
            ProgramError::BehindLauncher { launcher, program },
        ));
    }
    if !names_a_file(arguments) {
        message::warning(format_args!(
            "`{shown}` uses no parallel runtime that workspan knows: there will be a profile only if it starts a \
             program that `cargo workspan` has built"
        ));
    }
    Ok(Start::Unsupported)
}

/// Whether [`prepare`] would have the program profiled, judging by its file. Prints nothing.
/// `libomp` is the user's choice of a runtime.
///
/// # Errors
/// When it uses a runtime that workspan cannot see into, or something that profiling needs is
/// missing.
pub(crate) fn can_be_profiled(program: &Path, libomp: Option<&Path>) -> anyhow::Result<bool> {
    let shown = program.display().to_string();
    let Some(file) = ProgramFile::find(program)? else {
        return Ok(false);
    };
    if is_workspan(&file.path) {
        return Err(ProgramError::Nested(shown).into());
    }
    if has_engine(&file.bytes) {
        return Ok(true);
    }
    if file.is_interpreter {
        return Ok(false);
    }
    let Some(elf) = Elf::of_program(&shown, &file.bytes)? else {
        return Ok(false);
    };
    if elf.is_of_rustc() && elf.loader().is_none() {
        return Ok(false);
    }
    let uses = uses(&shown, &file, &elf, None)?;
    if !uses.any() {
        return Ok(false);
    }
    refuse_unseen_runtimes(&shown, &uses)?;
    if uses.openmp() {
        let wishes = Wishes {
            libomp: libomp.map(Path::to_owned),
            ..Wishes::default()
        };
        openmp::runtime(&shown, &uses, &wishes)?;
    }
    library::PROFILER.find()?;
    Ok(true)
}

/// The runtime that a C or C++ program uses, judging by its file.
pub(crate) fn runtime_of(program: &Path) -> Option<RuntimeKind> {
    let uses = uses_of(&ProgramFile::find(program).ok()??)?;
    uses.any().then(|| uses.runtime())
}

/// The runtimes that a program uses; `None` if it contains the engine, or no library can be loaded
/// into it.
fn uses_of(file: &ProgramFile) -> Option<Uses> {
    if has_engine(&file.bytes) {
        return None;
    }
    let elf = Elf::of_library(&file.bytes)?;
    uses("", file, &elf, None).ok()
}

/// The runtimes that a program uses.
///
/// # Errors
/// When no library can be loaded into the program.
fn uses(
    shown: &str,
    file: &ProgramFile,
    elf: &Elf<'_>,
    later: Option<Later>,
) -> Result<Uses, ProgramError> {
    let program = || shown.to_owned();
    let loader = elf
        .loader()
        .ok_or_else(|| ProgramError::Static(program()))?;
    if let Some(privilege) = privilege::of_program(&file.path) {
        return Err(ProgramError::Privileged {
            program: file.path.display().to_string(),
            privilege,
        });
    }
    if !modules::is_glibcs(&loader) {
        return Err(ProgramError::OtherLibc {
            program: program(),
            loader,
        });
    }
    let modules = modules::of_program(&file.path, &loader);
    let mut uses = Uses::new(elf, &file.bytes, &modules);
    match later {
        Some(Later::Openmp) => uses.openmp_later = true,
        Some(Later::Calls) => uses.calls_workspan = true,
        None => {}
    }
    Ok(uses)
}

/// The libraries and variables for a program that uses some runtime.
fn start(shown: &str, uses: &Uses, wishes: &Wishes) -> Result<Preload, Failure> {
    if let Some(remark) = refuse_unseen_runtimes(shown, uses).or_exit(SETUP)? {
        message::warning(remark);
    }
    let mut loaded = Loaded::default();
    let mut plain = Variables::new();
    let mut clock = None;
    if uses.openmp() {
        let environment = |name: &str| env::var_os(name);
        let tools = openmp::override_tools(shown, uses, &environment).or_exit(SETUP)?;
        let settings = openmp::settings(wishes, machine::cores(), &environment).or_exit(SETUP)?;
        let stand = openmp::runtime(shown, uses, wishes).or_exit(SETUP)?;
        if let Some(Stand::In(libomp)) = &stand {
            openmp::report_runtime(shown, uses, wishes, libomp);
        }
        if uses.has_targets {
            message::note(format_args!(
                "`{shown}` has `target` regions: of what another device computes only the waiting is seen"
            ));
        }
        let replaces_gccs = matches!(stand, Some(Stand::In(_))) && !uses.libgomp.is_empty();
        let asked = uses.libomp.as_ref().map(|module| module.name.as_str());
        loaded.add_runtime(stand, asked);
        if replaces_gccs {
            plain = loaded.with_runtime_alone().or_exit(SETUP)?;
        }
        loaded.variables.extend(tools);
        loaded.variables.extend(settings.variables);
        clock = settings.clock;
    } else {
        warn_of_unused_options(wishes);
    }
    if uses.cilk == Cilk::Instrumented {
        // Its tasks are measured in a serial run, as in Cilkview and Cilkscale.
        let workers = ("CILK_NWORKERS".into(), Some("1".into()));
        loaded.variables.push(workers);
    }
    let library = library::PROFILER.find().or_exit(SETUP)?;
    let variables = loaded.with_library(&library).or_exit(SETUP)?;
    let mut preload = Preload::new(variables, clock, uses.runtime(), loaded);
    preload.plain = plain;
    Ok(preload)
}

/// Refuses a program if workspan cannot see into its only runtime. If it uses another one too,
/// returns a warning about the unseen one.
fn refuse_unseen_runtimes(shown: &str, uses: &Uses) -> Result<Option<ProgramError>, ProgramError> {
    let program = || shown.to_owned();
    match uses.cilk {
        Cilk::BuiltIn => return Err(ProgramError::CilkscaleBuiltIn(program())),
        Cilk::Plain if !uses.calls_workspan => return Err(ProgramError::PlainCilk(program())),
        _ => {}
    }
    if uses.calls_workspan {
        return Ok(None);
    }
    let Some(tbb) = &uses.tbb else {
        return Ok(None);
    };
    let error = if tbb == "libtbb.so.12" {
        ProgramError::PlainTbb(program())
    } else {
        ProgramError::OldTbb(program(), tbb.clone())
    };
    if !uses.openmp() && uses.cilk == Cilk::No {
        return Err(error);
    }
    Ok(Some(error))
}

/// Warns of options that have no effect on a program without OpenMP.
fn warn_of_unused_options(wishes: &Wishes) {
    for (name, is_given) in [
        ("--threads", wishes.threads.is_some()),
        ("--assume-cores", wishes.assumed_cores.is_some()),
        ("--libomp", wishes.libomp.is_some()),
    ] {
        if is_given {
            message::warning(format_args!(
                "{name} changes nothing here: it is for programs that use OpenMP or rayon"
            ));
        }
    }
}

/// Whether a file is this executable or has one of its names.
fn is_workspan(path: &Path) -> bool {
    const NAMES: [&str; 2] = ["workspan", "cargo-workspan"];
    let own = env::current_exe().and_then(|own| own.canonicalize());
    let other = path.canonicalize();
    let is_own = matches!((own, other), (Ok(own), Ok(other)) if own == other);
    is_own
        || NAMES
            .iter()
            .any(|name| path.file_name().is_some_and(|file| file == *name))
}

/// How cargo's program without rayon is to be started: with the library loaded if it starts threads
/// itself. Says so if that cannot be done.
pub(crate) fn prepare_threads(program: &Path) -> Start {
    let prepared = threads_of(program).map_or(Ok(Start::AsItIs), |uses| {
        let mut loaded = Loaded::default();
        let variables = loaded.with_library(&library::PROFILER.find()?)?;
        let preload = Preload::new(variables, None, uses.runtime(), loaded);
        Ok(Start::With(preload))
    });
    prepared.unwrap_or_else(|error: anyhow::Error| {
        let reason = format!("{error:#}");
        message::warning(format_args!("its threads are not measured: {reason}"));
        Start::ThreadsUnmeasured(reason)
    })
}

/// What a program uses that starts threads itself and has no runtime.
fn threads_of(program: &Path) -> Option<Uses> {
    let file = ProgramFile::find(program).ok()??;
    if has_rayon(&file.bytes) {
        return None;
    }
    uses_of(&file).filter(|uses| uses.starts_threads && !uses.any())
}

/// Whether one of the words is a program's path.
fn names_a_program(words: &[OsString]) -> bool {
    let mut paths = words.iter().map(Path::new);
    paths
        .any(|path| path.components().count() > 1 && matches!(ProgramFile::find(path), Ok(Some(_))))
}

/// Whether one of the words names a file, which may be a program to start.
fn names_a_file(words: &[OsString]) -> bool {
    words.iter().any(|word| locate(Path::new(word)).is_file())
}

/// The first of the words that names a program with a runtime.
fn started_by(words: &[OsString]) -> Option<String> {
    words.iter().find_map(|word| {
        let file = ProgramFile::find(Path::new(word)).ok()??;
        let is_found = !file.is_interpreter && uses_of(&file)?.any();
        is_found.then(|| word.to_string_lossy().into_owned())
    })
}

/// Reads everything from a program's file, for `fuzzing.rs`.
#[cfg(any(fuzzing, test))]
pub(crate) fn look_at(bytes: &[u8]) {
    let program = Elf::of_program("fuzz", bytes).ok().flatten();
    for elf in program.into_iter().chain(Elf::of_library(bytes)) {
        let _ = (
            elf.loader(),
            elf.library_name(),
            elf.imports(),
            elf.exports(),
        );
        let _ = (elf.defines("main"), elf.is_of_rustc());
        let _ = Uses::new(&elf, bytes, &[]);
    }
}
