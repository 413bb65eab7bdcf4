//! Which parallel runtimes a program uses.

use std::collections::BTreeSet;
use std::fs;

use workspan_model::RuntimeKind;

use super::elf::{Elf, Symbol};
use super::libomp::has_tool_interface;
use super::modules::Module;

/// What a program and its libraries use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    /// What they take from GCC's OpenMP runtime.
    pub(super) libgomp: BTreeSet<Symbol>,
    /// LLVM's or Intel's OpenMP runtime.
    pub(super) libomp: Option<Module>,
    /// There are `target` regions, which may run on another device.
    pub(super) has_targets: bool,
    /// An OpenMP runtime that is linked into the program itself.
    pub(super) built_in: Option<BuiltIn>,
    /// The user says that OpenMP is used, by what the program loads later.
    pub(super) openmp_later: bool,
    /// oneTBB, or what there was before it.
    pub(super) tbb: Option<String>,
    /// The functions of `workspan.h`.
    pub(super) calls_workspan: bool,
    pub(super) cilk: Cilk,
    /// Who has a tool for OpenMP built in, if anyone.
    pub(super) tool: Option<Tool>,
}

/// How a program uses OpenCilk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Cilk {
    #[default]
    No,
    /// Without the calls that tell of its tasks.
    Plain,
    /// With them.
    Instrumented,
    /// With them, and with the functions that they call.
    BuiltIn,
}

/// An OpenMP runtime that is linked into a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BuiltIn {
    /// GCC's.
    Libgomp,
    /// LLVM's.
    Libomp,
    /// LLVM's from before it had an interface for tools.
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
/// What has to be told of Cilk's tasks: one of these is called whatever the program does.
const CILK_CALLS: [&str; 2] = ["__csirt_unit_init", "__csi_func_entry"];
const TOOL: &str = "ompt_start_tool";

impl Uses {
    /// Looks into a program, whose file has these bytes, and the libraries that it is loaded with.
    pub(super) fn of(program: &Elf<'_>, bytes: &[u8], modules: &[Module]) -> Self {
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

    /// Whether there is a runtime that tells what runs in parallel, or could be had to.
    pub(super) fn any(&self) -> bool {
        self.openmp() || self.tbb.is_some() || self.calls_workspan || self.cilk != Cilk::No
    }

    /// The runtime whose words a report is in, if the program does not come to tell of one.
    pub(super) fn runtime(&self) -> RuntimeKind {
        if self.openmp() {
            RuntimeKind::OpenMp
        } else if self.cilk != Cilk::No {
            RuntimeKind::Cilk
        } else if self.tbb.is_some() {
            RuntimeKind::Tbb
        } else {
            RuntimeKind::C
        }
    }

    /// Whether OpenMP is used.
    pub(super) fn openmp(&self) -> bool {
        !self.libgomp.is_empty()
            || self.libomp.is_some()
            || self.built_in.is_some()
            || self.openmp_later
    }
}

/// Whether a library is a runtime, which uses only itself, or of the system.
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
    fn a_program_is_reported_in_words_of_what_it_was_built_for() {
        let mut uses = Uses {
            calls_workspan: true,
            ..Uses::default()
        };
        assert_eq!(uses.runtime(), RuntimeKind::C);
        uses.tbb = Some("libtbb.so.12".to_owned());
        assert_eq!(uses.runtime(), RuntimeKind::Tbb);
        uses.cilk = Cilk::Instrumented;
        assert_eq!(uses.runtime(), RuntimeKind::Cilk);
        uses.openmp_later = true;
        assert_eq!(uses.runtime(), RuntimeKind::OpenMp);
    }
}
