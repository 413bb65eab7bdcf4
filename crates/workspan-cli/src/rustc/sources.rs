//! The sources compiled into a profiled program, embedded in this executable.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// Puts the sources into `<home>/src-<hash>` and returns that folder.
///
/// The folder appears whole or not at all, so compilers that run at the same time may share it.
///
/// # Errors
/// When the folder cannot be written.
pub(super) fn extract(home: &Path) -> anyhow::Result<PathBuf> {
    let folder = home.join(format!("src-{HASH}"));
    if folder.is_dir() {
        return Ok(folder);
    }
    write_whole(home, &folder).with_context(|| {
        format!(
            "cannot write the instrumentation's sources to {}",
            folder.display()
        )
    })?;
    Ok(folder)
}

fn write_whole(home: &Path, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(home)?;
    let draft = tempfile::Builder::new().prefix("src-").tempdir_in(home)?;
    for (name, text) in FILES {
        let file = draft.path().join(name);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(file, text)?;
    }
    let draft = draft.keep();
    match fs::rename(&draft, folder) {
        Err(_) if folder.is_dir() => fs::remove_dir_all(&draft),
        renamed => renamed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_crates_are_embedded_and_extracted_once() {
        let home = tempfile::tempdir().unwrap();
        let folder = extract(home.path()).unwrap();
        assert!(folder.join("workspan_rt/lib.rs").is_file());
        assert!(folder.join("rayon_core/lib.rs").is_file());
        assert_eq!(extract(home.path()).unwrap(), folder);
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }
}
