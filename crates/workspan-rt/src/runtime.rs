//! The parallel runtimes that the program uses.

use crate::session;
use std::sync::atomic::{AtomicU32, Ordering};

/// A parallel runtime, or an interface in a runtime's place.
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

/// Tells the engine that the program uses `runtime`, and its version as a person knows it, such as `LLVM 16.0.6`; empty
/// when not known. Of a runtime that was told of, the first version that is known stays. To tell again costs next to
/// nothing.
pub fn note_runtime(runtime: Runtime, version: &str) {
    let mark = 1 << runtime as u32;
    // Relaxed: who does not see the mark yet tells again, which changes nothing.
    if !version.is_empty() || NOTED.load(Ordering::Relaxed) & mark == 0 {
        session::note_runtime(runtime, version);
        NOTED.fetch_or(mark, Ordering::Relaxed);
    }
}

/// The runtimes that the session knows of, a bit each.
static NOTED: AtomicU32 = AtomicU32::new(0);

/// Another session knows of none.
pub(crate) fn forget() {
    NOTED.store(0, Ordering::Relaxed);
}
