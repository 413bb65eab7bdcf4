//! Builds workspan's libraries from the sources embedded in this executable, with the rustc of this
//! machine.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context as _, anyhow};

use super::library::Library;
use crate::cache;
use crate::message;
use crate::sources;
use crate::sources::CODEGEN;

/// The oldest minor version of rustc 1 that compiles the sources.
const OLDEST_RUSTC: u32 = 80;

const INSTALL: &str =
    "https://rustup.rs installs Rust; workspan needs its compiler once, to build its libraries";

/// The settings of the code generator, as in a profiled rayon program.
fn codegen() -> impl Iterator<Item = &'static str> {
    CODEGEN.into_iter().chain(["force-frame-pointers=yes"])
}

/// The library in a folder below `home`, built unless this compiler has already built it from the
/// same sources.
///
/// # Errors
/// When there is no compiler, or it fails.
pub(super) fn library(library: &Library, home: &Path) -> anyhow::Result<PathBuf> {
    let variable = library.variable;
    let compiler = Compiler::find().with_context(|| {
        format!(
            "{} is not there ({variable} names a built one)",
            library.file
        )
    })?;
    let folder = home.join(format!("lib-{}", compiler.key(library)));
    let file = folder.join(library.file);
    if file.is_file() {
        return Ok(file);
    }
    message::note(format_args!(
        "building {} by {}, once: this takes a minute …",
        library.file,
        compiler.name()
    ));
    let sources = sources::extract(library.sources, home)?;
    cache::filled(&folder, library.file.as_ref(), |draft| {
        // The crates that the library is linked from are not kept.
        let parts = tempfile::tempdir_in(draft)?;
        compiler.build(library, &sources, parts.path())?;
        Ok(fs::rename(
            parts.path().join(library.file),
            draft.join(library.file),
        )?)
    })?;
    Ok(file)
}

/// A rustc of this machine.
struct Compiler {
    program: PathBuf,
    /// The output of `rustc -vV`.
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

    /// The compiler's name and version.
    fn name(&self) -> &str {
        self.version.lines().next().unwrap_or("rustc")
    }

    /// Identifies the build of a library by its name, its sources, this compiler and [`codegen`].
    fn key(&self, library: &Library) -> String {
        let mut hasher = DefaultHasher::new();
        hasher.write(library.file.as_bytes());
        hasher.write(library.sources.hash.as_bytes());
        hasher.write(self.version.as_bytes());
        for setting in codegen() {
            hasher.write(setting.as_bytes());
        }
        format!("{:016x}", hasher.finish())
    }

    /// Builds the crates of a library, each linked with the previous one.
    fn build(&self, library: &Library, sources: &Path, folder: &Path) -> anyhow::Result<()> {
        let mut before: Option<OsString> = None;
        for part in library.crates {
            let mut command = Command::new(&self.program);
            command
                .env("WORKSPAN_SOURCES", library.sources.hash)
                .args(["--edition", "2021", "--cap-lints", "allow"])
                .args(["--crate-name", part.name, "--crate-type", part.kind])
                .arg("--out-dir")
                .arg(folder)
                .args(codegen().flat_map(|setting| ["-C", setting]))
                .args(part.options)
                .arg(sources.join(part.folder).join("lib.rs"));
            if let Some(before) = &before {
                command.arg("--extern").arg(before);
            }
            let output = command
                .output()
                .with_context(|| format!("cannot start `{}`", self.program.display()))?;
            if !output.status.success() {
                return Err(self.failure(library, &output));
            }
            let mut link = OsString::from(format!("{}=", part.name));
            link.push(folder.join(format!("lib{}.rlib", part.name)));
            before = Some(link);
        }
        Ok(())
    }

    fn failure(&self, library: &Library, output: &Output) -> anyhow::Error {
        let messages = String::from_utf8_lossy(&output.stderr);
        let advice = if messages.contains("linker `cc` not found") {
            "it needs a linker: on Debian and Ubuntu, `apt install gcc`".to_owned()
        } else {
            format!(
                "another compiler may do (`RUSTC=/path/to/rustc`), and {} names a built library",
                library.variable
            )
        };
        anyhow!(
            "{} cannot build {}: {advice}\n{}",
            self.name(),
            library.file,
            messages.trim_end()
        )
    }
}

/// The 95 in `rustc 1.95.0 (59807616e 2026-04-14)`; `None` for another major version.
fn minor_version(text: &str) -> Option<u32> {
    let version = text.strip_prefix("rustc 1.")?;
    version.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::library::PROFILER;

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
        let key = |version| compiler(version).key(&PROFILER);
        assert_eq!(key("rustc 1.95.0"), key("rustc 1.95.0"));
        assert_ne!(key("rustc 1.95.0"), key("rustc 1.96.0"));
    }
}
