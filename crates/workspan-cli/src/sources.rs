//! Extracts the sources that this executable contains, so that they can be compiled.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use workspan_engine::Sources;

use crate::cache;

/// Settings for the engine, whatever the program's build profile, because every strand includes the
/// engine's cost.
pub(crate) const CODEGEN: [&str; 4] = [
    "opt-level=3",
    "codegen-units=4",
    "debug-assertions=off",
    "overflow-checks=off",
];

/// Writes the files to `<home>/<prefix>-<hash>`, unless that folder exists, and returns it.
///
/// # Errors
/// If the folder cannot be written.
pub(crate) fn extract(sources: &Sources, home: &Path) -> anyhow::Result<PathBuf> {
    let folder = home.join(format!("{}-{}", sources.prefix, sources.hash));
    let (last, _) = sources.files[sources.files.len() - 1];
    cache::filled(&folder, last.as_ref(), |draft| {
        for (name, text) in sources.files {
            let file = draft.join(name);
            if let Some(parent) = file.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(file, text)?;
        }
        Ok(())
    })
    .context("cannot write workspan's sources")?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use workspan_engine::{HEADERS, INSTRUMENTATION, LIBRARY};

    use super::*;

    #[test]
    fn the_files_are_written_once() {
        let home = tempfile::tempdir().unwrap();
        let folder = extract(&INSTRUMENTATION, home.path()).unwrap();
        assert!(folder.join("workspan_rt/lib.rs").is_file());
        assert!(folder.join("rayon_core/lib.rs").is_file());
        assert_eq!(extract(&INSTRUMENTATION, home.path()).unwrap(), folder);
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_library_has_headers_of_its_own() {
        let home = tempfile::tempdir().unwrap();
        let library = extract(&LIBRARY, home.path()).unwrap();
        assert!(library.join("workspan_rt/lib.rs").is_file());
        assert!(library.join("workspan_capi/lib.rs").is_file());
        let headers = extract(&HEADERS, home.path()).unwrap();
        assert!(headers.join("workspan.h").is_file());
        assert_ne!(library, headers);
    }
}
