//! C and C++ programs, which gcc builds for each test.

mod assumed_cores;
mod building;
mod emulated;
mod environment;
mod factored;
mod flags;
mod refused;
mod scale;
mod threads;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use crate::project::{Ran, plain, words};
use crate::skip::skip;
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

/// An OpenMP program whose calls of GCC's runtime are not all followed there.
const TEAMS: &str = r#"
#include <stdio.h>
int main(void) {
    #pragma omp teams num_teams(1)
    puts("a team");
    return 0;
}
"#;

/// A library in place of libworkspan.so, which prints the variables that it finds and makes a
/// script write a profile.
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
    /// `None`, with a notice of a skipped test, if there is no gcc.
    fn new() -> Option<Self> {
        if Command::new("gcc").arg("--version").output().is_err() {
            skip("gcc", "not installed (`ci/setup` installs it)");
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

    /// Compiles a text with `gcc OUTPUT.c FLAGS -o OUTPUT`. Returns the program or gcc's messages.
    fn try_gcc(&self, text: &str, output: &str, flags: &str) -> Result<PathBuf, String> {
        self.write(&format!("{output}.c"), text);
        let ran = Ran::new(
            Command::new("gcc")
                .current_dir(self.folder.path())
                .arg(format!("{output}.c"))
                .args(words(flags))
                .args(["-o", output]),
        );
        match ran.code {
            Some(0) => Ok(self.path(output)),
            _ => Err(ran.stderr),
        }
    }

    #[track_caller]
    fn gcc(&self, text: &str, output: &str, flags: &str) -> PathBuf {
        self.try_gcc(text, output, flags)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// A library that programs ask for under `name`.
    #[track_caller]
    fn library(&self, text: &str, name: &str) -> PathBuf {
        self.gcc(text, name, &format!("-shared -fPIC -Wl,-soname,{name}"))
    }

    /// A program that loads a library of this name, made from `text`.
    #[track_caller]
    fn program_with(&self, library: &str, text: &str) -> PathBuf {
        self.library(text, library);
        let flags = self.link(&format!("-l:{library}"));
        self.gcc("int main(void) { return 0; }", "program", &flags)
    }

    /// The flags that link a program with a library of the folder.
    fn link(&self, library: &str) -> String {
        let folder = self.path("");
        let folder = folder.display();
        format!("-L. -Wl,--no-as-needed {library} -Wl,-rpath,{folder}")
    }

    /// `workspan LINE` in the folder, with its own cache.
    fn command(&self, line: &str) -> Command {
        self.configure(Command::new(env!("CARGO_BIN_EXE_workspan")), line)
    }

    /// The same with `workspan` as the command that starts it.
    fn configure(&self, workspan: Command, line: &str) -> Command {
        let mut command = plain(workspan);
        command
            .current_dir(self.folder.path())
            .env("XDG_CACHE_HOME", self.path("cache"))
            .args(words(line));
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

    /// Runs `workspan run LINE`.
    fn run(&self, line: &str) -> Ran {
        Ran::new(&mut self.command(&format!("run {line}")))
    }

    /// Has a command load the libraries of the folder in place of workspan's.
    fn with_stand_in<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let gomp = self.path("libworkspan_gomp.so");
        command
            .env("WORKSPAN_LIBRARY", self.path("libworkspan.so"))
            .env("WORKSPAN_GOMP_LIBRARY", gomp)
    }

    /// The flags that `workspan cflags` prints.
    fn cflags(&self) -> String {
        Ran::new(&mut self.command("cflags")).stdout
    }

    /// Puts [`STAND_IN`], its script and an empty libworkspan_gomp.so into the folder.
    fn stand_in(&self) {
        self.library(STAND_IN, "libworkspan.so");
        self.library("", "libworkspan_gomp.so");
        self.write("write-profile", &shell_script(""));
    }
}

/// Whether LLVM's OpenMP runtime is installed, which has an interface for tools. Notes a skip if
/// not.
fn has_libomp() -> bool {
    let mut folders = fs::read_dir("/usr/lib").unwrap().flatten();
    let has = folders.any(|entry| entry.path().join("lib/libomp.so.5").is_file());
    if !has {
        skip("libomp", "not installed (`ci/setup` installs it)");
    }
    has
}
