//! `--functions exact`: lists the functions for the engine to measure, and their sleds.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use object::{Object as _, ObjectSection as _};

use super::launch::Launch;
use super::sleds::{self, Function, Kind};
use crate::native::{self, Start};
use crate::process::binary;
use crate::symbols;

/// Advice for programs without sleds.
const INSTEAD: &str = "without `--functions exact`, samples say which functions make up the span; \
                       `#[workspan::function]` and `workspan::region` measure single functions and \
                       stretches exactly, on any toolchain";

/// The same for C and C++.
const INSTEAD_IN_C: &str = "without `--functions exact`, samples say which functions make up the span; \
                            `workspan_region_begin_named` of workspan.h measures single stretches exactly";

/// The function that code compiled with `-finstrument-functions` calls.
const HOOK: &[u8] = b"__cyg_profile_func_enter";

/// The file that lists the functions for the engine. It is removed when the value is dropped.
#[derive(Debug)]
pub(super) struct FunctionsFile(PathBuf);

impl FunctionsFile {
    /// Writes the file for a program, if functions are to be measured exactly and the program
    /// contains the engine.
    ///
    /// # Errors
    /// If the program has no sleds or no function to measure, or the file cannot be written.
    pub(super) fn for_program(launch: &Launch) -> anyhow::Result<Option<Self>> {
        let Some(least_bytes) = launch.measure.function_bytes else {
            return Ok(None);
        };
        let program = binary::locate(Path::new(&launch.command[0]));
        let with_library = matches!(launch.start, Start::With(_));
        let Some(instrumented) = instrumented(&program, with_library, least_bytes)? else {
            return Ok(None);
        };
        let name = format!("{}.functions", std::process::id());
        let file = launch.raw_folder.join(name);
        fs::write(&file, text(&instrumented)).with_context(|| file.display().to_string())?;
        Ok(Some(Self(file)))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for FunctionsFile {
    fn drop(&mut self) {
        // A leftover is removed with the session's folder.
        let _ = fs::remove_file(&self.0);
    }
}

/// The functions to measure in a program file or library.
struct Module {
    /// None: the program itself.
    library: Option<String>,
    functions: Vec<Function>,
}

/// What to measure in a program.
struct Instrumented {
    modules: Vec<Module>,
    /// Whether functions of any module call hooks.
    has_hooks: bool,
}

/// The program's modules with functions to measure. None if it does not contain the engine, which
/// is reported elsewhere.
fn instrumented(
    program: &Path,
    with_library: bool,
    least_bytes: u32,
) -> anyhow::Result<Option<Instrumented>> {
    let Ok(bytes) = fs::read(program) else {
        return Ok(None);
    };
    let Ok(file) = object::File::parse(&*bytes) else {
        return Ok(None);
    };
    if !with_library && !binary::has_engine(&bytes) {
        return Ok(None);
    }
    let shown = program.display();
    let instead = if with_library { INSTEAD_IN_C } else { INSTEAD };
    if file.architecture() != object::Architecture::X86_64 {
        return Err(anyhow!(
            "functions can be measured exactly on x86-64 alone, and `{shown}` is for another \
             processor; {instead}"
        ));
    }
    let mut modules = Vec::new();
    let mut has_sleds = false;
    // Only a preloaded engine comes before other libraries, so that its hooks are called.
    let mut has_hooks = false;
    let mut add = |library: Option<String>, file: &object::File<'_>| {
        has_hooks |= with_library && calls_hooks(file);
        if let Some(mut functions) = sleds::functions(file) {
            has_sleds = true;
            functions.retain(|function| {
                function.size >= u64::from(least_bytes) && symbols::is_of_program(&function.symbol)
            });
            modules.push(Module { library, functions });
        }
    };
    add(None, &file);
    for library in libraries(program, &file) {
        let Ok(bytes) = fs::read(&library) else {
            continue;
        };
        if let Ok(file) = object::File::parse(&*bytes) {
            add(Some(library), &file);
        }
    }
    if has_hooks {
        return Ok(Some(Instrumented { modules, has_hooks }));
    }
    if !has_sleds && with_library {
        return Err(anyhow!(
            "`{shown}` and its libraries have nothing in them that tells of calls, which `--functions exact` needs: compile \
             with `$(workspan cflags --functions)`, which is `{}`, or by clang with `{}` and link without; {instead}",
            native::HOOK_FLAGS,
            native::SLED_FLAGS
        ));
    }
    if !has_sleds {
        return Err(anyhow!(
            "`{shown}` has no XRay sleds, which `--functions exact` needs: they are there if \
             workspan built it on x86-64 Linux, by a rustc of which `RUSTC_BOOTSTRAP=1 rustc \
             -Z instrument-xray=always` is understood and which generates code by LLVM; {instead}"
        ));
    }
    if modules.iter().all(|module| module.functions.is_empty()) {
        return Err(anyhow!(
            "no function of `{shown}` is to be measured: those of the program and its dependencies \
             are smaller than {least_bytes} bytes or inlined (`--function-bytes` sets the size), or \
             the program is stripped; {instead}"
        ));
    }
    Ok(Some(Instrumented { modules, has_hooks }))
}

/// Whether functions of the file call hooks when they are entered and left.
fn calls_hooks(file: &object::File<'_>) -> bool {
    let Ok(imports) = file.imports() else {
        return false;
    };
    imports
        .filter_map(Result::ok)
        .any(|import| import.name() == object::read::NameOrOrdinal::Name(HOOK))
}

/// The libraries that the program is loaded with, as the dynamic linker names them.
fn libraries(program: &Path, file: &object::File<'_>) -> Vec<String> {
    let interpreter = file.section_by_name(".interp");
    let Some(loader) = interpreter.and_then(|section| section.data().ok().map(<[u8]>::to_vec))
    else {
        return Vec::new();
    };
    let loader = String::from_utf8_lossy(&loader);
    native::libraries(program, loader.trim_end_matches('\0'))
        .into_iter()
        .filter_map(|library| library.path?.into_os_string().into_string().ok())
        .collect()
}

/// The contents of the file, in the format that the engine reads.
fn text(instrumented: &Instrumented) -> String {
    let mut text = String::from("workspan-functions 1\n");
    for Module { library, functions } in &instrumented.modules {
        text.push_str("module");
        if let Some(library) = library {
            text.push(' ');
            text.push_str(library);
        }
        text.push('\n');
        for function in functions {
            write!(text, "{:x}", function.address).expect("writing to a string");
            for (kind, address) in &function.sleds {
                let kind = match kind {
                    Kind::Entry => 'e',
                    Kind::Exit => 'x',
                    Kind::Tail => 't',
                };
                write!(text, " {kind}{address:x}").expect("writing to a string");
            }
            text.push('\n');
        }
    }
    if instrumented.has_hooks {
        text.push_str("hooks\n");
    }
    text.push_str("end\n");
    text
}
