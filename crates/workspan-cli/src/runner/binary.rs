//! What a program's file tells.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use object::{Object as _, ObjectSymbol as _};

/// What a program's file has in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    /// The engine.
    Engine,
    /// rayon as it is, without the engine.
    PlainRayon,
    /// Neither, as far as its symbols tell.
    NoRayon,
    /// It is no program file that could be looked into, such as a script.
    Unknown,
}

/// A text that the engine has in it, whether or not the file has symbols.
const ENGINE_TEXT: &[u8] = b"WORKSPAN_PROFILE";
const RAYON_NAMES: [&str; 2] = ["10rayon_core", "5rayon"];

/// Looks into a program's file.
///
/// # Errors
/// When it cannot be read.
pub(super) fn contents(program: &Path) -> io::Result<Contents> {
    let bytes = fs::read(locate(program))?;
    let Ok(file) = object::File::parse(&*bytes) else {
        return Ok(Contents::Unknown);
    };
    if has_engine(&bytes) {
        return Ok(Contents::Engine);
    }
    let rayon = file.symbols().any(|symbol| {
        symbol
            .name()
            .is_ok_and(|name| RAYON_NAMES.iter().any(|rayon| name.contains(rayon)))
    });
    Ok(if rayon {
        Contents::PlainRayon
    } else {
        Contents::NoRayon
    })
}

/// Whether a program's file has the engine in it.
pub(crate) fn has_engine(bytes: &[u8]) -> bool {
    bytes
        .windows(ENGINE_TEXT.len())
        .any(|window| window == ENGINE_TEXT)
}

/// The program's file: a bare name is looked up in the search path, as the system does.
pub(crate) fn locate(program: &Path) -> PathBuf {
    if program.components().count() > 1 {
        return program.to_owned();
    }
    env::var_os("PATH")
        .and_then(|folders| {
            env::split_paths(&folders)
                .map(|folder| folder.join(program))
                .find(|file| file.is_file())
        })
        .unwrap_or_else(|| program.to_owned())
}

/// Name of the program, without the hash that cargo gives tests and benchmarks.
pub(crate) fn name(program: &Path) -> String {
    let name = program.file_name().unwrap_or(OsStr::new("program"));
    let name = name.to_string_lossy();
    match name.rsplit_once('-') {
        Some((name, hash)) if is_hash(hash) => name.to_owned(),
        _ => name.into_owned(),
    }
}

/// The same, of an example with `example-` before it, which may have the name of another program of its project.
pub(super) fn distinct_name(program: &Path) -> String {
    let folder = program.parent().and_then(Path::file_name);
    match folder.is_some_and(|folder| folder == "examples") {
        true => format!("example-{}", name(program)),
        false => name(program),
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether rustdoc made the program out of an example in documentation: it does so in a temporary folder of
/// that name.
pub(super) fn is_documentation_test(program: &Path) -> bool {
    program
        .ancestors()
        .filter_map(Path::file_name)
        .any(|folder| folder.to_string_lossy().starts_with("rustdoctest"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_no_part_of_the_name() {
        assert_eq!(name(Path::new("/t/deps/sums-0123456789abcdef")), "sums");
        assert_eq!(name(Path::new("/t/two-words")), "two-words");
    }

    #[test]
    fn documentation_tests_are_known_by_their_folder() {
        assert!(is_documentation_test(Path::new(
            "/tmp/rustdoctestAb12/rust_out"
        )));
        assert!(!is_documentation_test(Path::new("/t/deps/rust_out")));
    }

    #[test]
    fn scripts_are_not_looked_into() {
        let script = tempfile::NamedTempFile::new().unwrap();
        fs::write(script.path(), "#!/bin/sh\n").unwrap();
        assert_eq!(contents(script.path()).unwrap(), Contents::Unknown);
    }
}
