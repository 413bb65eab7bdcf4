//! The parallel runtimes that the program uses.

/// A parallel runtime, or an interface in place of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// Rayon; its version is that of rayon-core.
    Rayon,
    /// An OpenMP runtime.
    OpenMp,
    /// oneTBB.
    Tbb,
    /// OpenCilk, or a program translated from Cilk.
    Cilk,
    /// The program's own calls of the C interface.
    C,
}

impl Runtime {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Runtime::Rayon => "rayon",
            Runtime::OpenMp => "openmp",
            Runtime::Tbb => "tbb",
            Runtime::Cilk => "cilk",
            Runtime::C => "c",
        }
    }
}
