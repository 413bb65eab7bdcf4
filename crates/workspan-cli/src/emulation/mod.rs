//! Runs a program under an emulator that counts its instructions: QEMU in user mode, with
//! workspan's plug-in.

mod error;
mod qemu;

use std::env::{self, consts};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use object::{Object as _, ObjectKind};

use crate::native::EMULATOR;
use crate::process::locate;
use error::EmulationError;
use qemu::Qemu;

/// The clock that the engine is to read.
pub(crate) const CLOCK: &str = "emulated";

/// The emulated processor: the same on all machines, with every feature of the emulator except fast
/// copies of strings (`erms`). With these, the C library copies by a single instruction that
/// counts, and takes time, for each byte.
const PROCESSOR: &str = "max,-erms";

/// The seed of the emulator's random numbers: those that the kernel gives a new process, and those
/// of the processor.
const SEED: &str = "1";

/// The option for the plug-in that makes the program's clock stand still.
const STILL_CLOCK: &str = ",still=on";

/// The dynamic linker's variable, which must not affect the emulator itself.
const PRELOAD: &str = "LD_PRELOAD";

/// An emulator that is ready for use.
#[derive(Clone, Debug)]
pub(crate) struct Emulation {
    emulator: PathBuf,
    plugin: PathBuf,
    /// Whether the program's clock nearly stands still.
    still_clock: bool,
}

impl Emulation {
    /// Finds the emulator and the plug-in. With `still_clock`, the program's clock nearly stands
    /// still.
    ///
    /// # Errors
    /// When one of them is missing or cannot be used.
    pub(crate) fn find(still_clock: bool) -> anyhow::Result<Self> {
        if consts::ARCH != "x86_64" || consts::OS != "linux" {
            return Err(EmulationError::OtherMachine(consts::ARCH, consts::OS).into());
        }
        let qemu = Qemu::find()?;
        let plugin = EMULATOR.find()?;
        // QEMU separates the parts of an option by commas.
        if plugin.as_os_str().as_encoded_bytes().contains(&b',') {
            return Err(EmulationError::Comma(plugin).into());
        }
        Ok(Self {
            emulator: qemu.path,
            plugin,
            still_clock,
        })
    }

    /// The command that runs `command` under the emulator. `preloaded` is loaded only into the
    /// program, not into the emulator.
    ///
    /// # Errors
    /// When the emulator cannot run the program.
    pub(crate) fn command(
        &self,
        command: &[OsString],
        preloaded: Option<&OsStr>,
    ) -> anyhow::Result<Vec<OsString>> {
        let name = &command[0];
        let program = locate(Path::new(name));
        check(&program)?;
        let mut words: Vec<OsString> = vec![self.emulator.clone().into()];
        words.extend(["-cpu", PROCESSOR, "-seed", SEED, "-plugin"].map(OsString::from));
        let mut plugin = self.plugin.clone().into_os_string();
        if self.still_clock {
            plugin.push(STILL_CLOCK);
        }
        words.push(plugin);
        let user_value = env::var_os(PRELOAD).filter(|value| !value.is_empty());
        if let Some(preloaded) = preloaded.map(OsStr::to_owned).or(user_value) {
            if preloaded.as_encoded_bytes().contains(&b',') {
                return Err(EmulationError::Comma(preloaded.into()).into());
            }
            let mut variable = OsString::from(PRELOAD);
            variable.push("=");
            variable.push(preloaded);
            words.extend(["-E".into(), variable]);
        }
        words.extend(["-0".into(), name.clone(), program.into()]);
        words.extend(command[1..].iter().cloned());
        Ok(words)
    }

    /// The variable that the emulator must not see.
    pub(crate) fn hidden_variable() -> &'static str {
        PRELOAD
    }
}

/// Checks that the emulator can run the program. Starting a missing program reports that.
fn check(program: &Path) -> Result<(), EmulationError> {
    let Ok(bytes) = std::fs::read(program) else {
        return Ok(());
    };
    let shown = || program.display().to_string();
    let Ok(file) = object::File::parse(&*bytes) else {
        return Err(EmulationError::NoProgram(shown()));
    };
    let is_program = matches!(file.kind(), ObjectKind::Executable | ObjectKind::Dynamic);
    let is_of_machine = file.architecture() == object::Architecture::X86_64 && file.is_64();
    if file.format() != object::BinaryFormat::Elf || !is_program || !is_of_machine {
        return Err(EmulationError::OtherProgram(shown()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn emulation() -> Emulation {
        Emulation {
            emulator: "/usr/bin/qemu-x86_64".into(),
            plugin: "/l/plugin.so".into(),
            still_clock: true,
        }
    }

    #[test]
    fn libraries_are_loaded_only_into_the_program() {
        let own = env::current_exe().unwrap().into_os_string();
        let words = emulation()
            .command(&[own.clone(), "7".into()], Some("/l/a.so".as_ref()))
            .unwrap();
        let at = words.iter().position(|word| word == "-E").unwrap();
        assert_eq!(words[at + 1], "LD_PRELOAD=/l/a.so");
        assert!(words.iter().any(|word| word == "/l/plugin.so,still=on"));
        assert_eq!(words[words.len() - 2..], [own, "7".into()]);
    }

    #[test]
    fn programs_that_the_emulator_cannot_run_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("script");
        std::fs::write(&script, "#!/bin/sh\n").unwrap();
        let refused = |file: &Path, loaded: &str| {
            let command = [file.into()];
            let error = emulation().command(&command, Some(loaded.as_ref()));
            error.unwrap_err().to_string()
        };
        assert!(refused(&script, "/l/a.so").contains("is a script"));
        let own = env::current_exe().unwrap();
        assert!(refused(&own, "/l/a,b.so").contains("comma"));
    }
}
