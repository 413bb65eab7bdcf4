//! The parallel runtimes that a program uses.

use std::collections::BTreeSet;
use std::fs;

use workspan_model::RuntimeKind;

use super::elf::{Elf, Symbol};
use super::libomp::has_tool_interface;
use super::modules::Module;

/// The parallel runtimes that a program and its libraries use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    /// The symbols that they import from GCC's OpenMP runtime.
    pub(super) libgomp: BTreeSet<Symbol>,
    /// LLVM's or Intel's OpenMP runtime.
    pub(super) libomp: Option<Module>,
    /// Whether there are `target` regions, which may run on another device.
    pub(super) has_targets: bool,
    /// An OpenMP runtime that is linked into the program itself.
    pub(super) built_in: Option<BuiltIn>,
    /// Whether the user says that a library loaded later uses OpenMP.
    pub(super) openmp_later: bool,
    /// The file name of oneTBB or of an older TBB.
    pub(super) tbb: Option<String>,
    /// Whether they call functions of `workspan.h`.
    pub(super) calls_workspan: bool,
    pub(super) cilk: Cilk,
    /// The tool for OpenMP that one of them defines.
    pub(super) tool: Option<Tool>,
    /// Whether the program itself starts threads.
    pub(super) starts_threads: bool,
}

/// How a program uses OpenCilk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Cilk {
    #[default]
    No,
    /// Without the calls that report its tasks.
    Plain,
    /// With those calls.
    Instrumented,
    /// With those calls and the functions that they call.
    BuiltIn,
}

/// An OpenMP runtime that is linked into a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BuiltIn {
    /// GCC's.
    Libgomp,
    /// LLVM's.
    Libomp,
    /// A version of LLVM's that has no interface for tools yet.
    OldLibomp,
}

/// Where a tool for OpenMP is defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    Program,
    /// In a library of this name.
    Library(String),
}

const LIBGOMP: &str = "libgomp.so.1";
const LIBOMP: [&str; 3] = ["libomp.so.5", "libomp.so", "libiomp5.so"];
/// Calls that report Cilk's tasks. Every instrumented program makes at least one of them.
const CILK_CALLS: [&str; 2] = ["__csirt_unit_init", "__csi_func_entry"];
const TOOL: &str = "ompt_start_tool";
/// The functions that start a thread: of POSIX, and of C++ in libstdc++. (C's own is not seen.)
const THREAD_STARTS: [&str; 2] = ["pthread_create", "_ZNSt6thread15_M_start_thread"];

impl Uses {
    /// Examines a program, whose file has these bytes, and the libraries that are loaded with it.
    pub(super) fn new(program: &Elf<'_>, bytes: &[u8], modules: &[Module]) -> Self {
        let mut uses = Self::default();
        for module in modules {
            if LIBOMP.contains(&module.name.as_str()) {
                uses.libomp = Some(module.clone());
            } else if module.name.starts_with("libtbb.so") {
                uses.tbb = Some(module.name.clone());
            } else if module.name.starts_with("libomptarget.so") {
                uses.has_targets = true;
            } else if module.name.starts_with("libopencilk") {
                uses.cilk = Cilk::Plain;
            }
        }
        uses.add(program);
        uses.starts_threads = program.imports().iter().any(|import| {
            let name = import.symbol.name.as_str();
            THREAD_STARTS.iter().any(|start| name.starts_with(start))
        });
        uses.built_in = if program.defines("__kmpc_fork_call") {
            Some(if has_tool_interface(bytes) {
                BuiltIn::Libomp
            } else {
                BuiltIn::OldLibomp
            })
        } else if program.defines("GOMP_parallel") {
            Some(BuiltIn::Libgomp)
        } else {
            None
        };
        let exports = program.exports();
        let defines = |name: &str| exports.iter().any(|symbol| symbol.name == name);
        if CILK_CALLS.into_iter().any(defines) {
            uses.cilk = Cilk::BuiltIn;
        }
        if defines(TOOL) {
            uses.tool = Some(Tool::Program);
        }
        for module in modules {
            if is_runtime(&module.name) {
                continue;
            }
            let Some(bytes) = module.path.as_ref().and_then(|path| fs::read(path).ok()) else {
                continue;
            };
            let Some(library) = Elf::of_library(&bytes) else {
                continue;
            };
            uses.add(&library);
            let has_tool = || library.exports().iter().any(|symbol| symbol.name == TOOL);
            if uses.tool.is_none() && has_tool() {
                uses.tool = Some(Tool::Library(module.name.clone()));
            }
        }
        uses
    }

    fn add(&mut self, file: &Elf<'_>) {
        for import in file.imports() {
            let name = import.symbol.name.as_str();
            if import.library == LIBGOMP {
                self.has_targets |= name.starts_with("GOMP_target");
                self.libgomp.insert(import.symbol);
            } else if name.starts_with("workspan_") {
                self.calls_workspan = true;
            } else if CILK_CALLS.contains(&name) && self.cilk != Cilk::BuiltIn {
                self.cilk = Cilk::Instrumented;
            }
        }
    }

    /// Whether there is a runtime that reports what runs in parallel, or that could be made to.
    pub(super) fn any(&self) -> bool {
        self.openmp() || self.tbb.is_some() || self.calls_workspan || self.cilk != Cilk::No
    }

    /// The runtime whose terms the report uses if the profile names none.
    pub(super) fn runtime(&self) -> RuntimeKind {
        if self.openmp() {
            RuntimeKind::OpenMp
        } else if self.cilk != Cilk::No {
            RuntimeKind::Cilk
        } else if self.tbb.is_some() {
            RuntimeKind::Tbb
        } else if self.calls_workspan {
            RuntimeKind::C
        } else {
            RuntimeKind::Threads
        }
    }

    pub(super) fn openmp(&self) -> bool {
        !self.libgomp.is_empty()
            || self.libomp.is_some()
            || self.built_in.is_some()
            || self.openmp_later
    }
}

/// Whether a library is itself a runtime or belongs to the system, so that its imports do not
/// count.
fn is_runtime(name: &str) -> bool {
    name == LIBGOMP
        || LIBOMP.contains(&name)
        || [
            "libtbb",
            "libworkspan.",
            "libc.so",
            "libm.so",
            "libstdc++.",
            "libgcc_s.",
            "libpthread.",
        ]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_runtime_names_the_terms() {
        let mut uses = Uses {
            starts_threads: true,
            ..Uses::default()
        };
        assert_eq!(uses.runtime(), RuntimeKind::Threads);
        uses.calls_workspan = true;
        assert_eq!(uses.runtime(), RuntimeKind::C);
        uses.tbb = Some("libtbb.so.12".to_owned());
        assert_eq!(uses.runtime(), RuntimeKind::Tbb);
        uses.cilk = Cilk::Instrumented;
        assert_eq!(uses.runtime(), RuntimeKind::Cilk);
        uses.openmp_later = true;
        assert_eq!(uses.runtime(), RuntimeKind::OpenMp);
    }
}
