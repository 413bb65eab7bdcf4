//! The user's options for a C or C++ program.

use std::path::PathBuf;

/// What the user asks for when running a C or C++ program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    /// The build of LLVM's OpenMP runtime to use.
    pub(crate) libomp: Option<PathBuf>,
    pub(crate) threads: Option<u32>,
    pub(crate) assumed_cores: Option<u32>,
    /// Whether the user chose the clock.
    pub(crate) keeps_clock: bool,
    /// What the program will use although its file does not show it.
    pub(crate) later: Option<Later>,
}

/// What a program uses in libraries that it loads only while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Later {
    /// OpenMP, in a library
    Openmp,
    /// Calls of workspan.h, in a library
    Calls,
}
