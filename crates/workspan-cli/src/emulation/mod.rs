//! Running a program under an emulator that counts its instructions: QEMU in user mode, with a plug-in of ours.

mod error;
mod qemu;

use std::env::{self, consts};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use object::{Object as _, ObjectKind};

use crate::native::EMULATOR;
use crate::runner::locate;
use error::EmulationError;
use qemu::Qemu;

/// The clock that the engine is to read.
pub(crate) const CLOCK: &str = "emulated";

/// Has the emulated processor be the same everywhere, with all that this emulator can do. Where it says that it copies strings fast
/// (`erms`), the C library copies by one instruction that counts, and takes time, for each byte.
const PROCESSOR: &str = "max,-erms";

/// What the emulator's random numbers follow from: those that the kernel gives a new process, and the processor's own.
const SEED: &str = "1";

/// What tells the plug-in to have the program's clock stand still.
const STILL_CLOCK: &str = ",still=on";

/// The dynamic linker's variable, of which the emulator, a program itself, is to see nothing.
const PRELOAD: &str = "LD_PRELOAD";

/// An emulator that is ready.
#[derive(Clone, Debug)]
pub(crate) struct Emulation {
    emulator: PathBuf,
    plugin: PathBuf,
    /// Does the program's clock nearly stand still?
    still_clock: bool,
}

impl Emulation {
    /// Finds the emulator and the plug-in, for a program whose clock may stand still.
    ///
    /// # Errors
    /// When one is missing or does not fit, with what to do.
    pub(crate) fn find(still_clock: bool) -> anyhow::Result<Self> {
        if consts::ARCH != "x86_64" || consts::OS != "linux" {
            return Err(EmulationError::OtherMachine(consts::ARCH, consts::OS).into());
        }
        let qemu = Qemu::find()?;
        let plugin = EMULATOR.find()?;
        // QEMU's options separate what they hold by commas.
        if plugin.as_os_str().as_encoded_bytes().contains(&b',') {
            return Err(EmulationError::Comma(plugin).into());
        }
        Ok(Self {
            emulator: qemu.path,
            plugin,
            still_clock,
        })
    }

    /// The command that runs `command` under the emulator. What is `preloaded` goes into the program alone.
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
        let users = env::var_os(PRELOAD).filter(|users| !users.is_empty());
        if let Some(preloaded) = preloaded.map(OsStr::to_owned).or(users) {
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

/// Looks whether the emulator can run the program. What is not there is left to the system to tell.
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
    fn what_is_loaded_is_loaded_into_the_program_alone() {
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
    fn what_the_emulator_cannot_run_is_refused() {
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
