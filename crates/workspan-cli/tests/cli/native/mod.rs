//! Programs of C and C++, made by gcc for one test each.

mod assumed_cores;
mod building;
mod emulated;
mod environment;
mod factored;
mod flags;
mod refused;
mod scale;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::project::{Ran, plain};
use crate::stand_in::shell_script;

/// An OpenMP program that prints its number of threads.
const THREADS: &str = r#"
#include <omp.h>
#include <stdio.h>
int main(void) {
    int threads = 0;
    #pragma omp parallel reduction(+ : threads)
    threads += 1;
    printf("%d threads\n", threads);
    return 0;
}
"#;

/// A library in the place of libworkspan.so: prints the variables that it finds, and has a script write a profile.
const STAND_IN: &str = r#"
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void start(void) {
    const char *names[] = {"LD_PRELOAD", "WORKSPAN_USER_LD_PRELOAD", "LD_LIBRARY_PATH", "OMP_NUM_THREADS", "OMP_DYNAMIC",
        "OMP_WAIT_POLICY", "OMP_TOOL", "CILK_NWORKERS", "WORKSPAN_CLOCK", "WORKSPAN_ASSUME_CORES", "WORKSPAN_THREADS"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL)
            printf("%s=%s\n", names[i], value);
    }
    fflush(stdout);
    unsetenv("LD_PRELOAD");
    system("sh write-profile");
}
"#;

/// A folder for programs.
struct Native {
    folder: TempDir,
}

impl Native {
    /// None, with a notice, where there is no gcc.
    fn new() -> Option<Self> {
        if Command::new("gcc").arg("--version").output().is_err() {
            eprintln!("skipped: there is no gcc (`ci/setup` installs it)");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        Some(Self { folder })
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(file)
    }

    fn write(&self, file: &str, text: &str) -> PathBuf {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// `gcc FLAGS -o OUTPUT NAME.c` of a text. Whether that succeeds.
    fn try_gcc(&self, text: &str, output: &str, flags: &[&str]) -> Result<PathBuf, String> {
        self.write(&format!("{output}.c"), text);
        let ran = Ran::of(
            Command::new("gcc")
                .current_dir(self.folder.path())
                .arg(format!("{output}.c"))
                .args(flags)
                .args(["-o", output]),
        );
        match ran.code {
            Some(0) => Ok(self.path(output)),
            _ => Err(ran.stderr),
        }
    }

    #[track_caller]
    fn gcc(&self, text: &str, output: &str, flags: &[&str]) -> PathBuf {
        self.try_gcc(text, output, flags)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// A library that programs ask for by `name`.
    #[track_caller]
    fn library(&self, text: &str, name: &str) -> PathBuf {
        let soname = format!("-Wl,-soname,{name}");
        self.gcc(text, name, &["-shared", "-fPIC", &soname])
    }

    /// A program that is loaded with a library of this name.
    #[track_caller]
    fn program_with(&self, library: &str, text: &str) -> PathBuf {
        self.library(text, library);
        let link = format!("-l:{library}");
        let run_path = format!("-Wl,-rpath,{}", self.path("").display());
        self.gcc(
            "int main(void) { return 0; }",
            "program",
            &["-L.", "-Wl,--no-as-needed", &link, &run_path],
        )
    }

    /// `workspan ARGUMENTS` in the folder, with a cache of its own.
    fn command<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Command {
        let mut command = plain(Command::new(env!("CARGO_BIN_EXE_workspan")));
        command
            .current_dir(self.folder.path())
            .env("XDG_CACHE_HOME", self.path("cache"))
            .args(arguments);
        for name in ["LD_PRELOAD", "LD_LIBRARY_PATH"] {
            command.env_remove(name);
        }
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("OMP_") {
                command.env_remove(name);
            }
        }
        command
    }

    /// `workspan run ARGUMENTS`.
    fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(&["run"]).args(arguments))
    }
}

impl Native {
    /// Puts a library in the place of libworkspan.so into the folder.
    fn stand_in(&self) {
        self.library(STAND_IN, "libworkspan.so");
        self.write("write-profile", &shell_script(""));
    }
}

/// Whether there is an OpenMP runtime with an interface for tools, and gcc's OpenMP. Says so if not.
fn has_libomp() -> bool {
    let has = fs::read_dir("/usr/lib").unwrap().flatten().any(|entry| {
        let file = entry.path().join("lib/libomp.so.5");
        file.is_file()
    });
    if !has {
        eprintln!("skipped: there is no libomp (`ci/setup` installs it)");
    }
    has
}

/// Changes some bytes of a file.
fn patch(file: &Path, at: usize, bytes: &[u8]) {
    let mut contents = fs::read(file).unwrap();
    contents[at..at + bytes.len()].copy_from_slice(bytes);
    fs::write(file, contents).unwrap();
}
