//! Sources embedded in this executable.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Files that are written together.
pub(crate) struct Sources {
    /// What the name of their folder begins with.
    prefix: &'static str,
    /// Of their texts, and of the code that makes use of them.
    pub(crate) hash: &'static str,
    /// Relative paths and texts.
    files: &'static [(&'static str, &'static str)],
}

impl Sources {
    /// Puts the files into `<home>/<prefix>-<hash>` and returns that folder.
    ///
    /// The folder appears whole or not at all, so commands that run at the same time may share it.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub(crate) fn extract(&self, home: &Path) -> anyhow::Result<PathBuf> {
        let folder = home.join(format!("{}-{}", self.prefix, self.hash));
        if folder.is_dir() {
            return Ok(folder);
        }
        self.write_whole(home, &folder)
            .with_context(|| format!("cannot write workspan's sources to {}", folder.display()))?;
        Ok(folder)
    }

    fn write_whole(&self, home: &Path, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(home)?;
        let draft = tempfile::Builder::new()
            .prefix(self.prefix)
            .tempdir_in(home)?;
        for (name, text) in self.files {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_are_written_once() {
        let home = tempfile::tempdir().unwrap();
        let folder = INSTRUMENTATION.extract(home.path()).unwrap();
        assert!(folder.join("workspan_rt/lib.rs").is_file());
        assert!(folder.join("rayon_core/lib.rs").is_file());
        assert_eq!(INSTRUMENTATION.extract(home.path()).unwrap(), folder);
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_library_and_its_headers_are_embedded() {
        let home = tempfile::tempdir().unwrap();
        let library = LIBRARY.extract(home.path()).unwrap();
        assert!(library.join("workspan_rt/lib.rs").is_file());
        assert!(library.join("workspan_capi/lib.rs").is_file());
        let headers = HEADERS.extract(home.path()).unwrap();
        assert!(headers.join("workspan.h").is_file());
        assert_ne!(library, headers);
    }
}
