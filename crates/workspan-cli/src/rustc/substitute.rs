//! Compiles the instrumented `rayon_core`: the original under another name, the engine, and a crate
//! named `rayon_core` that combines the two.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use workspan_engine::INSTRUMENTATION;

use super::compiler::{Compiler, exit_code};
use super::invocation::Invocation;
use super::{engine, instrument};
use crate::exit_code::{BUILD, Failure, OrExit as _};
use crate::message;
use crate::session::Session;
use crate::sources;

const ORIGINAL: &str = "rayon_core_real";
const SUBSTITUTE: &str = "rayon_core";

/// The range of versions of rayon-core that the substitute was tested with.
const OLDEST_TESTED: (u64, u64) = (1, 11);
const NEWEST_TESTED: (u64, u64) = (1, 13);

/// A version of rayon-core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RayonCoreVersion {
    text: String,
    /// Major and minor version.
    minor: (u64, u64),
}

/// The version of rayon-core that cargo is compiling. None if `package` is another package.
pub(super) fn rayon_core_version(package: &str) -> Option<RayonCoreVersion> {
    if package != "rayon-core" {
        return None;
    }
    RayonCoreVersion::parse(&env::var("CARGO_PKG_VERSION").ok()?)
}

/// Warns that `package`, a copy of rayon-core under another name, is not instrumented.
pub(super) fn warn_about_copy(package: &str) {
    message::warning(format_args!(
        "{package} is a copy of rayon-core under another name: it is built unchanged, and its tasks will not be seen. \
         Those of the package rayon-core are."
    ));
}

impl RayonCoreVersion {
    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('.').map(|number| number.parse().ok());
        Some(Self {
            text: text.to_owned(),
            minor: (numbers.next()??, numbers.next()??),
        })
    }

    /// False for versions without some of the items that the substitute wraps.
    pub(super) fn can_be_instrumented(&self) -> bool {
        self.minor >= OLDEST_TESTED
    }

    /// Warns that the crate is too old to be instrumented.
    pub(super) fn warn_about_age(&self) {
        message::warning(format_args!(
            "rayon-core {self} is older than {}.{}, the oldest that workspan can instrument: it is \
             built unchanged, and its tasks will not be seen. `cargo update -p rayon -p \
             rayon-core` brings a newer one.",
            OLDEST_TESTED.0, OLDEST_TESTED.1
        ));
    }

    /// Warns if the version is newer than those tested.
    fn warn_if_untested(&self) {
        if self.minor > NEWEST_TESTED {
            message::warning(format_args!(
                "rayon-core {self} is newer than {}.{}, the newest that workspan was tested with",
                NEWEST_TESTED.0, NEWEST_TESTED.1
            ));
        }
    }

    fn has_use_current_thread(&self) -> bool {
        self.minor >= (1, 12)
    }
}

impl fmt::Display for RayonCoreVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// Compiles three crates in place of the one that cargo requested.
pub(super) fn compile(
    compiler: &Compiler,
    session: &Session,
    invocation: &Invocation,
    version: &RayonCoreVersion,
) -> Result<ExitCode, Failure> {
    version.warn_if_untested();
    let sources = sources::extract(&INSTRUMENTATION, &session.home).or_exit(BUILD)?;
    let out_dir = invocation
        .out_dir()
        .ok_or_else(|| anyhow!("cargo compiles rayon-core without --out-dir"))
        .or_exit(BUILD)?;
    let crates = Crates {
        invocation,
        sources: &sources,
        out_dir: &out_dir,
    };
    let status = compiler.run(&crates.original())?;
    if !status.success() {
        return Ok(exit_code(status));
    }
    let engine = match engine::library(compiler, session, &crates.without_messages(), &out_dir)? {
        Ok(library) => library,
        Err(status) => return Ok(exit_code(status)),
    };
    let status = compiler.run(&crates.substitute(version, &engine))?;
    if status.success() {
        crates.pass_on_dependency_info().or_exit(BUILD)?;
    } else {
        message::error(&anyhow!(
            "the instrumentation does not compile with rayon-core {version} and this rustc. \
             `cargo update -p rayon-core --precise 1.{}.0` chooses a version it was tested with; \
             a newer workspan may know rayon-core {version}.",
            NEWEST_TESTED.1
        ));
    }
    Ok(exit_code(status))
}

/// The three calls of rustc that replace the one of cargo.
struct Crates<'a> {
    invocation: &'a Invocation,
    sources: &'a Path,
    out_dir: &'a Path,
}

impl Crates<'_> {
    /// The original source under another name.
    fn original(&self) -> Invocation {
        let mut call = self.without_messages();
        call.rename(ORIGINAL);
        call
    }

    /// The crate that the program links as `rayon_core`.
    fn substitute(&self, version: &RayonCoreVersion, engine: &Path) -> Invocation {
        let mut call = self.with_profiling_flags();
        engine::replace_source(&mut call, &self.sources.join(SUBSTITUTE));
        for (name, library) in [
            (ORIGINAL, &*self.original_library()),
            (engine::NAME, engine),
        ] {
            let mut value = OsString::from(format!("{name}="));
            value.push(library);
            call.push("--extern", value);
        }
        call.push("--check-cfg", "cfg(workspan_rayon_core_1_12)");
        if version.has_use_current_thread() {
            call.push("--cfg", "workspan_rayon_core_1_12");
        }
        call
    }

    fn with_profiling_flags(&self) -> Invocation {
        let mut call = self.invocation.clone();
        instrument::add_frames_and_lines(&mut call);
        call.remove_codegen("incremental");
        call.remove("--cap-lints");
        call.push("--cap-lints", "allow");
        call
    }

    /// Removes the options for machine-readable messages on standard error. They report finished
    /// files to cargo, which expects only one crate here and gives up on others.
    fn without_messages(&self) -> Invocation {
        let mut call = self.with_profiling_flags();
        call.remove("--json");
        call.remove("--error-format");
        call
    }

    /// File of the original, which was compiled before.
    fn original_library(&self) -> PathBuf {
        let suffix = self.invocation.codegen("extra-filename").unwrap_or("");
        let kind = self.invocation.library_kind();
        self.out_dir.join(format!("lib{ORIGINAL}{suffix}.{kind}"))
    }

    /// Gives cargo the list of files that the *original* was compiled from, so that cargo notices
    /// when one of them changes.
    fn pass_on_dependency_info(&self) -> anyhow::Result<()> {
        if !self.invocation.emits("dep-info") {
            return Ok(());
        }
        let suffix = self.invocation.codegen("extra-filename").unwrap_or("");
        let file_of = |name: &str| self.out_dir.join(format!("{name}{suffix}.d"));
        let (original, substitute) = (file_of(ORIGINAL), file_of(SUBSTITUTE));
        let text = match fs::read_to_string(&original) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            read => read.with_context(|| original.display().to_string())?,
        };
        let text = text.replace(
            &format!("{ORIGINAL}{suffix}"),
            &format!("{SUBSTITUTE}{suffix}"),
        );
        fs::write(&substitute, text).with_context(|| substitute.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::super::invocation::{parse, texts};
    use super::*;

    const CARGO_CALL: &str = "--crate-name rayon_core --edition=2018 /r/src/lib.rs \
        --error-format=json --json=artifacts --crate-type lib --emit=dep-info,metadata,link \
        -C opt-level=1 -C lto=off -C metadata=0a -C extra-filename=-0b --out-dir /t/deps \
        -C incremental=/t/incremental --target x86_64-unknown-linux-gnu -L dependency=/t/deps \
        --extern crossbeam_deque=/t/deps/libcrossbeam_deque-1.rmeta --cap-lints warn";

    fn calls(version: &str) -> [Vec<String>; 2] {
        let invocation = parse(CARGO_CALL).unwrap();
        let crates = Crates {
            invocation: &invocation,
            sources: Path::new("/w/src"),
            out_dir: &invocation.out_dir().unwrap(),
        };
        let version = RayonCoreVersion::parse(version).unwrap();
        [
            crates.original(),
            crates.substitute(&version, Path::new("/t/deps/libworkspan_rt-1.rlib")),
        ]
        .map(|call| texts(call.to_arguments()))
    }

    fn has(call: &[String], pair: [&str; 2]) -> bool {
        call.windows(2).any(|two| two == pair)
    }

    #[test]
    fn the_original_keeps_all_but_its_name_and_its_messages() {
        let [original, ..] = calls("1.13.0");
        assert!(has(&original, ["--crate-name", ORIGINAL]));
        assert!(original.contains(&"/r/src/lib.rs".to_owned()));
        assert!(has(&original, ["--edition", "2018"]));
        assert!(has(
            &original,
            [
                "--extern",
                "crossbeam_deque=/t/deps/libcrossbeam_deque-1.rmeta"
            ]
        ));
        assert!(
            !original
                .iter()
                .any(|a| a.starts_with("--json") || a.contains("incremental"))
        );
        assert!(
            has(&original, ["--cap-lints", "allow"]) && !has(&original, ["--cap-lints", "warn"])
        );
    }

    #[test]
    fn the_substitute_takes_the_name_and_links_both() {
        let [.., substitute] = calls("1.13.0");
        assert!(has(&substitute, ["--crate-name", SUBSTITUTE]));
        assert!(has(&substitute, ["--json", "artifacts"]));
        assert!(has(
            &substitute,
            [
                "--extern",
                "rayon_core_real=/t/deps/librayon_core_real-0b.rlib"
            ]
        ));
        assert!(has(
            &substitute,
            ["--extern", "workspan_rt=/t/deps/libworkspan_rt-1.rlib"]
        ));
        assert!(has(&substitute, ["--cfg", "workspan_rayon_core_1_12"]));
        let [.., older] = calls("1.11.0");
        assert!(!has(&older, ["--cfg", "workspan_rayon_core_1_12"]));
    }

    #[test]
    fn versions_are_compared_by_number() {
        let version = |text| RayonCoreVersion::parse(text).unwrap();
        assert!(!version("1.9.3").can_be_instrumented());
        assert!(version("1.11.0").can_be_instrumented());
        assert!(version("2.0.0-alpha.1").can_be_instrumented());
        assert!(RayonCoreVersion::parse("nonsense").is_none());
    }
}
