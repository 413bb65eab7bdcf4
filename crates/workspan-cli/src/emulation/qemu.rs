//! QEMU's emulator for single programs.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::error::EmulationError;
use crate::process::locate;

/// The name of its executable in packages.
const PROGRAM: &str = "qemu-x86_64";
/// The variable that can name another one to use.
const VARIABLE: &str = "WORKSPAN_QEMU";
/// The oldest version that packages build with plug-ins.
const OLDEST: (u32, u32) = (7, 2);

/// An emulator that can be used.
pub(super) struct Qemu {
    pub(super) path: PathBuf,
}

impl Qemu {
    /// Finds the emulator that the variable names, or else one in the search path.
    pub(super) fn find() -> Result<Self, EmulationError> {
        let named = env::var_os(VARIABLE).filter(|named| !named.is_empty());
        let path = locate(Path::new(named.as_deref().unwrap_or(PROGRAM.as_ref())));
        if !path.is_file() {
            return Err(EmulationError::NoEmulator {
                program: PROGRAM,
                variable: VARIABLE,
            });
        }
        let output_of = |option: &str| {
            let output = Command::new(&path).arg(option).output().ok()?;
            Some(String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let not_qemu = || EmulationError::NotQemu(path.clone());
        let version = output_of("--version").ok_or_else(not_qemu)?;
        let numbers = numbers(&version).ok_or_else(not_qemu)?;
        if numbers < OLDEST {
            return Err(EmulationError::TooOld {
                path,
                version: format!("{}.{}", numbers.0, numbers.1),
                variable: VARIABLE,
            });
        }
        if !output_of("-help").is_some_and(|help| help.contains("-plugin")) {
            return Err(EmulationError::NoPlugins {
                path,
                variable: VARIABLE,
            });
        }
        Ok(Self { path })
    }
}

/// The 7 and the 2 in `qemu-x86_64 version 7.2.22 (Debian …)`.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let (_, rest) = version.strip_prefix("qemu")?.split_once(" version ")?;
    let mut numbers = rest.split(|character: char| !character.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        let debian = "qemu-x86_64 version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)\nCopyright (c) …";
        assert_eq!(numbers(debian), Some((7, 2)));
        assert_eq!(numbers("qemu-x86_64 version 10.0.2"), Some((10, 0)));
        assert_eq!(numbers("GNU bash, version 5.2.15"), None);
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert!(numbers("qemu-x86_64 version 10.0.2").unwrap() > OLDEST);
        assert!(numbers("qemu-x86_64 version 6.2.0").unwrap() < OLDEST);
    }
}
