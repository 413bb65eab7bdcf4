//! Builds `libworkspan.so` from the sources embedded in this executable, by the rustc of the machine.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{DefaultHasher, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context as _, anyhow};

use super::library::FILE;
use crate::embedded;
use crate::message;

/// The oldest minor version of rustc 1 that compiles the sources.
const OLDEST_RUSTC: u32 = 80;

const INSTALL: &str = "https://rustup.rs installs Rust; workspan needs its compiler once, to build libworkspan.so (or \
                       the variable WORKSPAN_LIBRARY, which names a built one)";

/// As in a profiled rayon program: the engine's cost is in every strand.
const CODEGEN: [&str; 5] = [
    "opt-level=3",
    "codegen-units=4",
    "debug-assertions=off",
    "overflow-checks=off",
    "force-frame-pointers=yes",
];

/// The library below `cache`, built there if these sources were not yet built by this compiler.
///
/// # Errors
/// When there is no compiler, or it fails.
pub(super) fn library(cache: &Path) -> anyhow::Result<PathBuf> {
    let compiler = Compiler::find()?;
    let folder = cache.join(format!("lib-{}", compiler.key()));
    let file = folder.join(FILE);
    if file.is_file() {
        return Ok(file);
    }
    message::note(format_args!(
        "building {FILE} by {}, once: this takes a minute …",
        compiler.name()
    ));
    let sources = embedded::LIBRARY.extract(cache)?;
    let draft = tempfile::Builder::new()
        .prefix("lib-")
        .tempdir_in(cache)
        .with_context(|| cache.display().to_string())?;
    compiler.build(&sources, draft.path())?;
    keep(draft.path(), &folder).with_context(|| folder.display().to_string())?;
    Ok(file)
}

/// Puts the library where it stays: whole or not at all, since several commands may build it at the same time.
fn keep(draft: &Path, folder: &Path) -> io::Result<()> {
    let ready = draft.join("ready");
    fs::create_dir(&ready)?;
    fs::rename(draft.join(FILE), ready.join(FILE))?;
    match fs::rename(&ready, folder) {
        Err(_) if folder.join(FILE).is_file() => Ok(()),
        renamed => renamed,
    }
}

/// A rustc that is there.
struct Compiler {
    program: PathBuf,
    /// What it says of itself.
    version: String,
}

impl Compiler {
    fn find() -> anyhow::Result<Self> {
        let candidates = [
            env::var_os("RUSTC").map(PathBuf::from),
            Some("rustc".into()),
            env::var_os("CARGO_HOME").map(|home| PathBuf::from(home).join("bin/rustc")),
            env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo/bin/rustc")),
        ];
        let found = candidates.into_iter().flatten().find_map(|program| {
            let output = Command::new(&program).arg("-vV").output().ok()?;
            output.status.success().then(|| Self {
                program,
                version: String::from_utf8_lossy(&output.stdout).into_owned(),
            })
        });
        let compiler = found.ok_or_else(|| anyhow!("there is no rustc: {INSTALL}"))?;
        compiler.check_age()?;
        Ok(compiler)
    }

    fn check_age(&self) -> anyhow::Result<()> {
        match minor_version(&self.version) {
            Some(minor) if minor < OLDEST_RUSTC => Err(anyhow!(
                "{} is too old, since rustc 1.{OLDEST_RUSTC} or newer is needed: {INSTALL}",
                self.name()
            )),
            _ => Ok(()),
        }
    }

    /// Its name and version.
    fn name(&self) -> &str {
        self.version.lines().next().unwrap_or("rustc")
    }

    /// What tells apart the libraries that may be built.
    fn key(&self) -> String {
        let mut hasher = DefaultHasher::new();
        hasher.write(embedded::LIBRARY.hash.as_bytes());
        hasher.write(self.version.as_bytes());
        for setting in CODEGEN {
            hasher.write(setting.as_bytes());
        }
        format!("{:016x}", hasher.finish())
    }

    /// Builds the engine, and the library on it.
    fn build(&self, sources: &Path, folder: &Path) -> anyhow::Result<()> {
        let engine = folder.join("libworkspan_rt.rlib");
        let mut link = OsString::from("workspan_rt=");
        link.push(&engine);
        let calls: [(&str, &str, &str, Vec<&OsStr>); 2] = [
            ("workspan_rt", "workspan_rt", "rlib", Vec::new()),
            (
                "workspan_capi",
                "workspan",
                "cdylib",
                vec![
                    "--extern".as_ref(),
                    &link,
                    // Programs that are linked with it find the one that is loaded already.
                    "-Clink-arg=-Wl,-soname,libworkspan.so".as_ref(),
                ],
            ),
        ];
        for (source, name, kind, more) in calls {
            let mut command = Command::new(&self.program);
            command
                .env("WORKSPAN_SOURCES", embedded::LIBRARY.hash)
                .args(["--edition", "2021", "--cap-lints", "allow"])
                .args(["--crate-name", name, "--crate-type", kind, "--out-dir"])
                .arg(folder)
                .args(CODEGEN.iter().flat_map(|setting| ["-C", setting]))
                .args(more)
                .arg(sources.join(source).join("lib.rs"));
            let output = command
                .output()
                .with_context(|| format!("cannot start `{}`", self.program.display()))?;
            if !output.status.success() {
                return Err(self.failed(&output));
            }
        }
        Ok(())
    }

    fn failed(&self, output: &Output) -> anyhow::Error {
        let said = String::from_utf8_lossy(&output.stderr);
        let advice = if said.contains("linker `cc` not found") {
            "it needs a linker: on Debian and Ubuntu, `apt install gcc`"
        } else {
            "another compiler may do (`RUSTC=/path/to/rustc`), and WORKSPAN_LIBRARY names a built library"
        };
        anyhow!(
            "{} cannot build {FILE}: {advice}\n{}",
            self.name(),
            said.trim_end()
        )
    }
}

/// The 95 in `rustc 1.95.0 (59807616e 2026-04-14)`; none for another major version.
fn minor_version(text: &str) -> Option<u32> {
    let version = text.strip_prefix("rustc 1.")?;
    version.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiler(version: &str) -> Compiler {
        Compiler {
            program: "rustc".into(),
            version: version.to_owned(),
        }
    }

    #[test]
    fn old_compilers_are_refused() {
        assert!(
            compiler("rustc 1.80.0 (051478957 2024-07-21)")
                .check_age()
                .is_ok()
        );
        let old = compiler("rustc 1.63.0\nbinary: rustc\n");
        let error = old.check_age().unwrap_err().to_string();
        assert!(error.starts_with("rustc 1.63.0 is too old"), "{error}");
        assert!(error.contains("rustup.rs"));
    }

    #[test]
    fn each_compiler_has_a_library_of_its_own() {
        let key = |version| compiler(version).key();
        assert_eq!(key("rustc 1.95.0"), key("rustc 1.95.0"));
        assert_ne!(key("rustc 1.95.0"), key("rustc 1.96.0"));
    }

    #[test]
    fn a_library_that_another_command_has_built_meanwhile_is_kept() {
        let cache = tempfile::tempdir().unwrap();
        let folder = cache.path().join("lib-1");
        for text in ["first", "second"] {
            let draft = tempfile::tempdir_in(cache.path()).unwrap();
            fs::write(draft.path().join(FILE), text).unwrap();
            keep(draft.path(), &folder).unwrap();
        }
        assert_eq!(fs::read_to_string(folder.join(FILE)).unwrap(), "first");
    }
}
