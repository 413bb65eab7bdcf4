//! Inspects a program's file and path.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use object::{Object as _, ObjectSymbol as _};

/// What a program's file contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// The engine.
    Engine,
    /// rayon without the engine.
    PlainRayon,
    /// Neither, according to its symbols.
    NoRayon,
    /// Unknown, because the file is not in a known format, such as a script.
    Unknown,
}

/// A string that the engine contains, even in a file without symbols.
const ENGINE_TEXT: &[u8] = b"WORKSPAN_PROFILE";
/// The folder of its sources, in the registry.
const RAYON_FOLDER: &[u8] = b"/rayon-core-";
const RAYON_NAMES: [&str; 2] = ["10rayon_core", "5rayon"];

/// Inspects a program's file.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn contents(program: &Path) -> io::Result<Contents> {
    let bytes = fs::read(locate(program))?;
    Ok(if object::File::parse(&*bytes).is_err() {
        Contents::Unknown
    } else if has_engine(&bytes) {
        Contents::Engine
    } else if has_rayon(&bytes) {
        Contents::PlainRayon
    } else {
        Contents::NoRayon
    })
}

/// Whether a program's file has symbols of rayon, or without symbols the places of its panics.
pub(crate) fn has_rayon(bytes: &[u8]) -> bool {
    let Ok(file) = object::File::parse(bytes) else {
        return false;
    };
    let is_of_rayon = |name: &str| RAYON_NAMES.iter().any(|rayon| name.contains(rayon));
    (file.symbols()).any(|symbol| symbol.name().is_ok_and(is_of_rayon))
        || contains(bytes, RAYON_FOLDER)
}

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

/// Whether a program's file contains the engine.
pub(crate) fn has_engine(bytes: &[u8]) -> bool {
    contains(bytes, ENGINE_TEXT)
}

/// The program's file. A bare name is looked up in `PATH`, as the system does.
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

/// The [`name`] of the program. Those of examples, and of tests and benchmarks, get a prefix, because
/// another program of the project may have the same name.
pub(crate) fn distinct_name(program: &Path) -> String {
    let name = name(program);
    let is_in = |folder: &str| {
        program
            .parent()
            .is_some_and(|parent| parent.ends_with(folder))
    };
    if is_in("examples") {
        format!("example-{name}")
    } else if is_in("deps") {
        format!("test-{name}")
    } else {
        name
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether rustdoc made the program from an example in documentation. It does so in a temporary
/// folder whose name begins with `rustdoctest`.
pub(crate) fn is_documentation_test(program: &Path) -> bool {
    program
        .ancestors()
        .filter_map(Path::file_name)
        .any(|folder| folder.to_string_lossy().starts_with("rustdoctest"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_include_hashes() {
        assert_eq!(name(Path::new("/t/deps/sums-0123456789abcdef")), "sums");
        assert_eq!(name(Path::new("/t/two-words")), "two-words");
    }

    #[test]
    fn programs_of_one_name_are_told_apart_by_their_folders() {
        let name = |file| distinct_name(Path::new(file));
        assert_eq!(name("/t/release/sums"), "sums");
        assert_eq!(name("/t/release/examples/sums"), "example-sums");
        assert_eq!(name("/t/release/deps/sums-0123456789abcdef"), "test-sums");
    }

    #[test]
    fn documentation_tests_are_recognized_by_their_folder() {
        assert!(is_documentation_test(Path::new(
            "/tmp/rustdoctestAb12/rust_out"
        )));
        assert!(!is_documentation_test(Path::new("/t/deps/rust_out")));
    }

    #[test]
    fn the_contents_of_scripts_are_unknown() {
        let script = tempfile::NamedTempFile::new().unwrap();
        fs::write(script.path(), "#!/bin/sh\n").unwrap();
        assert_eq!(contents(script.path()).unwrap(), Contents::Unknown);
    }
}
