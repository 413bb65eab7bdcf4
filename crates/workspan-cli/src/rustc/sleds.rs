//! XRay sleds: room at the entry and the exits of each function. The engine fills it with calls if
//! functions are to be measured exactly; otherwise a sled is a jump over nine bytes.
//!
//! The option for sleds is unstable. `RUSTC_BOOTSTRAP` unlocks it on a stable compiler, for the
//! process of the compiler alone. A crate must not notice:
//! * Build scripts and procedural macros are compiled unchanged, and so is what build scripts
//!   compile to find out what the compiler can do.
//! * The list of allowed features is empty, so that `#![feature]` is refused as by a stable
//!   compiler.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

use workspan_format::replace_file;

use super::invocation::Invocation;

/// Functions of fewer instructions get no sleds, unless they have a loop. Otherwise sleds would
/// noticeably slow down allocations.
const SLEDS: &str = "instrument-xray=instruction-threshold=12";
const NO_FEATURES: &str = "allow-features=";
const UNLOCK: &str = "RUSTC_BOOTSTRAP";

/// Crates between the engine and the program, whose functions are never measured.
const WITHOUT: [&str; 4] = ["rayon", "rayon_core", "workspan", "workspan_rt"];

/// Whether a compiler can make sleds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Support {
    /// With the option.
    Open,
    /// With the option, if unlocked.
    Locked,
    /// Not at all.
    Missing,
}

impl Support {
    const ALL: [Self; 3] = [Self::Open, Self::Locked, Self::Missing];

    const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Locked => "locked",
            Self::Missing => "missing",
        }
    }

    /// Adds the option for sleds to a call. Returns whether the compiler must be unlocked for it.
    pub(super) fn add_to(self, invocation: &mut Invocation) -> Unlock {
        let name = invocation.crate_name().unwrap_or_default();
        // If the user has unlocked the compiler for this crate, the crate may need features.
        let is_unlocked = env::var(UNLOCK).is_ok_and(|crates| unlocks(&crates, name));
        match (self, is_unlocked) {
            (Self::Missing, _) => Unlock::No,
            (Self::Open, _) | (Self::Locked, true) => {
                invocation.push("-Z", SLEDS);
                Unlock::No
            }
            (Self::Locked, false) => {
                invocation.push("-Z", SLEDS);
                invocation.push("-Z", NO_FEATURES);
                Unlock::Yes
            }
        }
    }
}

/// Whether to unlock the compiler for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unlock {
    No,
    Yes,
}

impl Unlock {
    pub(super) fn apply(self, command: &mut Command) {
        if self == Self::Yes {
            command.env(UNLOCK, "1");
        }
    }
}

/// Whether the value of `RUSTC_BOOTSTRAP` unlocks the compiler for the crate.
fn unlocks(crates: &str, name: &str) -> bool {
    crates == "1" || crates.split(',').any(|unlocked| unlocked == name)
}

/// Whether the crate is to have sleds, if the compiler can make them.
pub(super) fn are_wanted(invocation: &Invocation) -> bool {
    let name = invocation.crate_name().unwrap_or_default();
    // Cargo sets this variable only for the compilers that it starts itself.
    let is_cargos = env::var("CARGO_CRATE_NAME").is_ok_and(|crate_name| crate_name == name);
    is_cargos
        && !invocation.is_build_tool()
        && !WITHOUT.contains(&name)
        && engine_supports(invocation.values("--target").last())
}

/// Whether the engine can fill the sleds of a program for `target`.
fn engine_supports(target: Option<&OsStr>) -> bool {
    match target {
        Some(target) => target
            .to_str()
            .is_some_and(|triple| triple.starts_with("x86_64-") && triple.contains("-linux-")),
        None => cfg!(all(target_arch = "x86_64", target_os = "linux")),
    }
}

/// Whether the compiler can make sleds. Probes it once, and keeps the answer in workspan's folder.
pub(super) fn support(compiler: &Path, home: &Path) -> Support {
    let file = home.join(format!("sleds-{:016x}", key(compiler)));
    let known = fs::read_to_string(&file).ok();
    let known = known.and_then(|text| Support::ALL.into_iter().find(|it| it.name() == text));
    known.unwrap_or_else(|| {
        let support = probe(compiler);
        // If this fails, the next call probes again.
        let folder = fs::create_dir_all(home);
        let _ = folder.and_then(|()| replace_file(&file, support.name().as_bytes()));
        support
    })
}

/// Distinguishes compilers, including those that rustup starts under the same name.
fn key(compiler: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    compiler.hash(&mut hasher);
    let changed = fs::metadata(compiler).and_then(|file| file.modified());
    changed.unwrap_or(SystemTime::UNIX_EPOCH).hash(&mut hasher);
    env::var_os("RUSTUP_TOOLCHAIN").hash(&mut hasher);
    hasher.finish()
}

/// Tries the option for sleds on the compiler.
fn probe(compiler: &Path) -> Support {
    let accepts_sleds = |unlock: Unlock| {
        let mut command = Command::new(compiler);
        command
            .args(["--crate-name", "workspan_probe", "--print", "crate-name"])
            .args(["-Z", SLEDS, "-Z", NO_FEATURES, "-"])
            .env_remove(UNLOCK)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        unlock.apply(&mut command);
        command.status().is_ok_and(|status| status.success())
    };
    if accepts_sleds(Unlock::No) {
        Support::Open
    } else if accepts_sleds(Unlock::Yes) {
        Support::Locked
    } else {
        Support::Missing
    }
}

#[cfg(test)]
mod tests {
    use super::super::invocation::parse;
    use super::*;

    #[test]
    fn a_locked_compiler_is_unlocked_without_features() {
        let mut call = parse("--crate-name workspan_a src/lib.rs").unwrap();
        assert_eq!(Support::Locked.add_to(&mut call), Unlock::Yes);
        let options: Vec<_> = call.values("-Z").collect();
        assert_eq!(options, [SLEDS, NO_FEATURES]);
        let mut call = parse("--crate-name workspan_a src/lib.rs").unwrap();
        assert_eq!(Support::Open.add_to(&mut call), Unlock::No);
        assert_eq!(call.values("-Z").collect::<Vec<_>>(), [SLEDS]);
        let mut call = parse("--crate-name workspan_a src/lib.rs").unwrap();
        assert_eq!(Support::Missing.add_to(&mut call), Unlock::No);
        assert_eq!(call.values("-Z").count(), 0);
    }

    #[test]
    fn the_users_own_unlocking_is_recognized() {
        assert!(unlocks("1", "a") && unlocks("b,a", "a"));
        assert!(!unlocks("b,ab", "a") && !unlocks("-1", "a") && !unlocks("", "a"));
    }

    #[test]
    fn compilers_that_cargo_did_not_start_are_left_alone() {
        // Cargo does not compile the tests under this name.
        let call = parse("--crate-name probe src/lib.rs").unwrap();
        assert!(!are_wanted(&call));
    }

    #[test]
    fn only_targets_that_the_engine_supports_get_sleds() {
        for known in ["x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl"] {
            assert!(engine_supports(Some(OsStr::new(known))), "{known}");
        }
        for other in ["aarch64-unknown-linux-gnu", "x86_64-apple-darwin"] {
            assert!(!engine_supports(Some(OsStr::new(other))), "{other}");
        }
    }

    #[test]
    fn the_compiler_is_probed_once() {
        let home = tempfile::tempdir().unwrap();
        let compiler = env::var_os("RUSTC").unwrap_or("rustc".into());
        let here = support(Path::new(&compiler), home.path());
        assert_eq!(support(Path::new(&compiler), home.path()), here);
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
        let nobody = Path::new("/nonexistent/rustc");
        assert_eq!(support(nobody, home.path()), Support::Missing);
    }
}
