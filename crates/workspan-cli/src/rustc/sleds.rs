//! XRay sleds: room at the entry and the exits of each function, which the engine fills with calls when functions
//! are to be measured exactly. Otherwise a sled is a jump over nine bytes.
//!
//! The option that asks for them is unstable. On a stable compiler `RUSTC_BOOTSTRAP` unlocks it, for the process of the
//! compiler alone. A crate must not notice:
//! * Build scripts and procedural macros are left as they are, and so are the compilers that build scripts start to
//!   find out what the compiler can do.
//! * With an empty list of allowed features, `#![feature]` is refused as the stable compiler does.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

use super::invocation::Invocation;

/// Functions of fewer instructions have none, unless they have a loop: it would show in what an allocation costs.
const SLEDS: &str = "instrument-xray=instruction-threshold=12";
const NO_FEATURES: &str = "allow-features=";
const UNLOCK: &str = "RUSTC_BOOTSTRAP";

/// Crates whose functions are never measured: those between the engine and the program.
const WITHOUT: [&str; 4] = ["rayon", "rayon_core", "workspan", "workspan_rt"];

/// How a compiler makes sleds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Support {
    /// When asked.
    Open,
    /// When unlocked and asked.
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

    /// Adds sleds to a call, and says whether the compiler is to be unlocked for it.
    pub(super) fn add_to(self, invocation: &mut Invocation) -> Unlock {
        let name = invocation.crate_name().unwrap_or_default();
        // The user may have unlocked the compiler for this crate, which may need it.
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

/// Whether a call needs the compiler to be unlocked.
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

/// Whether the value of `RUSTC_BOOTSTRAP` is for the crate.
fn unlocks(crates: &str, name: &str) -> bool {
    crates == "1" || crates.split(',').any(|unlocked| unlocked == name)
}

/// Whether the functions of the crate are to have sleds, if the compiler can make them.
pub(super) fn are_wanted(invocation: &Invocation) -> bool {
    let name = invocation.crate_name().unwrap_or_default();
    // Cargo says this to the compilers that it starts itself, and to nobody else.
    let is_cargos = env::var("CARGO_CRATE_NAME").is_ok_and(|crate_name| crate_name == name);
    is_cargos
        && !invocation.is_build_tool()
        && !WITHOUT.contains(&name)
        && engine_knows(invocation.values("--target").last())
}

/// Whether the engine can fill the sleds of a program for `target`.
fn engine_knows(target: Option<&OsStr>) -> bool {
    match target {
        Some(target) => target
            .to_str()
            .is_some_and(|triple| triple.starts_with("x86_64-") && triple.contains("-linux-")),
        None => cfg!(all(target_arch = "x86_64", target_os = "linux")),
    }
}

/// What the compiler can do. Asked once; the answer is kept in workspan's folder.
pub(super) fn support(compiler: &Path, home: &Path) -> Support {
    let file = home.join(format!("sleds-{:016x}", key(compiler)));
    let known = fs::read_to_string(&file).ok();
    let known = known.and_then(|text| Support::ALL.into_iter().find(|it| it.name() == text));
    known.unwrap_or_else(|| {
        let support = ask(compiler);
        // Without the file, the next compiler asks again.
        let _ = keep(home, &file, support.name());
        support
    })
}

/// Tells compilers apart, also those behind rustup's one name.
fn key(compiler: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    compiler.hash(&mut hasher);
    let changed = fs::metadata(compiler).and_then(|file| file.modified());
    changed.unwrap_or(SystemTime::UNIX_EPOCH).hash(&mut hasher);
    env::var_os("RUSTUP_TOOLCHAIN").hash(&mut hasher);
    hasher.finish()
}

fn ask(compiler: &Path) -> Support {
    let takes_it = |unlock: Unlock| {
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
    if takes_it(Unlock::No) {
        Support::Open
    } else if takes_it(Unlock::Yes) {
        Support::Locked
    } else {
        Support::Missing
    }
}

/// Writes a file that appears whole or not at all.
fn keep(home: &Path, file: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(home)?;
    let mut draft = tempfile::NamedTempFile::new_in(home)?;
    io::Write::write_all(&mut draft, text.as_bytes())?;
    draft.persist(file)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn invocation(text: &str) -> Invocation {
        let arguments: Vec<OsString> = text.split_whitespace().map(OsString::from).collect();
        Invocation::parse(&arguments).unwrap()
    }

    #[test]
    fn a_locked_compiler_is_unlocked_for_sleds_alone() {
        let mut call = invocation("--crate-name workspan_a src/lib.rs");
        assert_eq!(Support::Locked.add_to(&mut call), Unlock::Yes);
        let options: Vec<_> = call.values("-Z").collect();
        assert_eq!(options, [SLEDS, NO_FEATURES]);
        let mut call = invocation("--crate-name workspan_a src/lib.rs");
        assert_eq!(Support::Open.add_to(&mut call), Unlock::No);
        assert_eq!(call.values("-Z").collect::<Vec<_>>(), [SLEDS]);
        let mut call = invocation("--crate-name workspan_a src/lib.rs");
        assert_eq!(Support::Missing.add_to(&mut call), Unlock::No);
        assert_eq!(call.values("-Z").count(), 0);
    }

    #[test]
    fn the_users_own_unlocking_is_understood() {
        assert!(unlocks("1", "a") && unlocks("b,a", "a"));
        assert!(!unlocks("b,ab", "a") && !unlocks("-1", "a") && !unlocks("", "a"));
    }

    #[test]
    fn compilers_that_cargo_did_not_start_are_left_alone() {
        // Cargo does not compile this crate under that name.
        assert!(!are_wanted(&invocation("--crate-name probe src/lib.rs")));
    }

    #[test]
    fn targets_are_those_that_the_engine_knows() {
        for known in ["x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl"] {
            assert!(engine_knows(Some(OsStr::new(known))), "{known}");
        }
        for other in ["aarch64-unknown-linux-gnu", "x86_64-apple-darwin"] {
            assert!(!engine_knows(Some(OsStr::new(other))), "{other}");
        }
    }

    #[test]
    fn this_machines_compiler_is_asked_once() {
        let home = tempfile::tempdir().unwrap();
        let compiler = env::var_os("RUSTC").unwrap_or("rustc".into());
        let here = support(Path::new(&compiler), home.path());
        assert_eq!(support(Path::new(&compiler), home.path()), here);
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
        let nobody = Path::new("/nonexistent/rustc");
        assert_eq!(support(nobody, home.path()), Support::Missing);
    }
}
