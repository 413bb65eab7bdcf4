//! How to run a program, and what to do with its profile.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::emulation::Emulation;
use crate::measure::Measure;
use crate::native::Start;
use crate::outputs::Outputs;
use crate::symbols::Places;

/// How to run a program and what to do with its profile.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// The program and its arguments.
    pub(crate) command: Vec<OsString>,
    /// The emulator to run the program under, if any.
    pub(crate) emulation: Option<Emulation>,
    /// The user's own runner with its arguments, to start the program through; may be empty.
    pub(crate) through: Vec<String>,
    /// Value of `RUSTC_WRAPPER` for the program.
    pub(crate) inherited_wrapper: Option<String>,
    pub(crate) start: Start,
    pub(crate) measure: Measure,
    /// How many times to run the program.
    pub(crate) runs: u32,
    /// Existing folder for the raw profile.
    pub(crate) raw_folder: PathBuf,
    /// Whether to discard the program's standard output.
    pub(crate) is_quiet: bool,
    /// What to do with the profile. None: nothing.
    pub(crate) reporting: Option<Reporting>,
}

/// What to do with a profile.
#[derive(Clone, Debug)]
pub(crate) struct Reporting {
    pub(crate) outputs: Outputs,
    /// workspan's folder, in which to keep the profile.
    pub(crate) home: Option<PathBuf>,
    /// The metric, for the names of kept files. None for the first metric.
    pub(crate) metric: Option<String>,
    pub(crate) places: Places,
    pub(crate) expected: Expected,
    /// Whether one screen is left to the command, which waits for all programs.
    pub(crate) is_left: bool,
}

/// What to expect of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// It should be instrumented: it contains the engine, or gets it preloaded.
    Instrumented,
    /// It was built by workspan: it contains the engine if it uses rayon.
    EngineIfRayon,
    /// As [`Expected::EngineIfRayon`], but it is one of several programs of a command, and of no
    /// interest without rayon.
    OneOfMany,
}
