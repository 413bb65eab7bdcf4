//! The file that the system executes for a command.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::error::ProgramError;
use crate::process::locate;

/// How many scripts in a row may be interpreted by another script.
const MOST_INTERPRETERS: usize = 5;

/// The file that the system executes when a program is started, or the interpreter of a script.
#[derive(Debug)]
pub(super) struct ProgramFile {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
    /// Whether it interprets a script.
    pub(super) is_interpreter: bool,
}

impl ProgramFile {
    /// Finds the file. `None` if no file can be executed; starting the program reports why.
    ///
    /// # Errors
    /// When it can be executed but not read.
    pub(super) fn find(program: &Path) -> Result<Option<Self>, ProgramError> {
        let mut path = locate(program);
        let mut is_interpreter = false;
        for _ in 0..MOST_INTERPRETERS {
            if !is_executable(&path) {
                return Ok(None);
            }
            let bytes = fs::read(&path)
                .map_err(|error| ProgramError::Unreadable(path.display().to_string(), error))?;
            let Some(interpreter) = interpreter(&bytes) else {
                return Ok(Some(Self {
                    path,
                    bytes,
                    is_interpreter,
                }));
            };
            path = locate(&interpreter);
            is_interpreter = true;
        }
        Ok(None)
    }
}

/// Whether this user may execute the file.
fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// The interpreter named in the first line of a script; with `env`, the program that `env` starts.
fn interpreter(bytes: &[u8]) -> Option<PathBuf> {
    let line = bytes.strip_prefix(b"#!")?;
    let line = line.split(|&byte| byte == b'\n').next()?;
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let path = |word: &[u8]| PathBuf::from(OsStr::from_bytes(word));
    let first = path(words.next()?);
    if first.file_name() != Some(OsStr::new("env")) {
        return Some(first);
    }
    let named = words.find(|word| !word.starts_with(b"-") && !word.contains(&b'='));
    Some(named.map_or(first, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_name_their_interpreter() {
        let of = |text: &str| interpreter(text.as_bytes());
        assert_eq!(of("#!/bin/sh -e\nexit\n"), Some("/bin/sh".into()));
        assert_eq!(of("#! /bin/sh"), Some("/bin/sh".into()));
        assert_eq!(of("#!/usr/bin/env python3\n"), Some("python3".into()));
        assert_eq!(
            of("#!/usr/bin/env -S A=1 python3 -u\n"),
            Some("python3".into())
        );
        assert_eq!(of("#!/usr/bin/env"), Some("/usr/bin/env".into()));
        assert_eq!(of("#!\n"), None);
        assert_eq!(of("\x7fELF"), None);
    }

    #[test]
    fn what_cannot_be_executed_is_left_to_the_system() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("text");
        fs::write(&text, "text").unwrap();
        assert!(ProgramFile::find(&text).unwrap().is_none());
        assert!(ProgramFile::find(folder.path()).unwrap().is_none());
        assert!(
            ProgramFile::find(&folder.path().join("absent"))
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn a_script_leads_to_the_program_that_interprets_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("script");
        fs::write(&script, "#!/usr/bin/env sh\n").unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        let file = ProgramFile::find(&script).unwrap().unwrap();
        assert!(file.is_interpreter && file.bytes.starts_with(b"\x7fELF"));
        let own = ProgramFile::find(Path::new("sh")).unwrap().unwrap();
        assert!(!own.is_interpreter && own.path.is_absolute());
    }
}
