//! The libraries that workspan makes other programs load: `libworkspan.so` for C and C++ programs,
//! what tells it of GCC's OpenMP runtime, and the plug-in of the emulator.

/// A library that comes with workspan.
pub(crate) struct Library {
    /// The name of its file.
    pub(super) file: &'static str,
    /// The variable that can name another file to use.
    pub(super) variable: &'static str,
    /// The package that builds it.
    pub(super) package: &'static str,
    pub(super) sources: &'static workspan_engine::Sources,
    /// Its crates, each linked with the previous one. The last is the library itself.
    pub(super) crates: &'static [Part],
}

/// A crate of a library.
pub(super) struct Part {
    /// Its folder among the sources.
    pub(super) folder: &'static str,
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    /// Additional options for rustc.
    pub(super) options: &'static [&'static str],
}

/// The engine for C and C++ programs.
pub(super) const PROFILER: Library = Library {
    file: "libworkspan.so",
    variable: "WORKSPAN_LIBRARY",
    package: "workspan-capi",
    sources: &workspan_engine::LIBRARY,
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
            // Programs linked with it find the one that is already loaded.
            options: &["-Clink-arg=-Wl,-soname,libworkspan.so"],
        },
    ],
};

/// What tells the engine of GCC's OpenMP runtime.
pub(super) const GOMP: Library = Library {
    file: "libworkspan_gomp.so",
    variable: "WORKSPAN_GOMP_LIBRARY",
    package: "workspan-gomp",
    sources: &workspan_engine::LIBRARY,
    crates: &[Part {
        folder: "workspan_gomp",
        name: "workspan_gomp",
        kind: "cdylib",
        options: &[],
    }],
};

/// The plug-in that makes QEMU count instructions.
pub(crate) const EMULATOR: Library = Library {
    file: "libworkspan_emulator.so",
    variable: "WORKSPAN_EMULATOR_PLUGIN",
    package: "workspan-emulator",
    sources: &workspan_engine::EMULATOR,
    crates: &[Part {
        folder: "workspan_emulator",
        name: "workspan_emulator",
        kind: "cdylib",
        options: &[],
    }],
};
