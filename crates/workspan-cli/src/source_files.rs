//! Finds the source files that a profile names.

use std::env;
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

/// How many bytes of a source file are read at most.
const MOST_BYTES: u64 = 16 << 20;

/// How many folders above a profile may be that of its project, such as above
/// `target/workspan/test/history/app.1.wsp`.
const FOLDERS_AROUND: usize = 5;

/// The folders in which to look for sources.
pub(crate) struct Sources {
    /// The current folder first.
    folders: Vec<PathBuf>,
    /// Canonical paths of the folders below which a source must be. `None`: it can be anywhere.
    roots: Option<Vec<PathBuf>>,
}

/// Where a profile comes from.
#[derive(Clone, Copy)]
pub(crate) enum Origin<'a> {
    /// This process measured it: the names in it are those of the user's own program.
    Measured,
    /// An untrusted file, which can name any file. Sources must be below the current folder, the
    /// profile's project, what cargo has downloaded, or one of these folders.
    Stored(&'a [PathBuf]),
}

/// The result of looking for a source.
#[derive(Debug, PartialEq)]
pub(crate) enum Source {
    Found {
        text: String,
        /// Seconds since 1970-01-01 UTC.
        changed_at: u64,
    },
    Missing {
        /// Folders other than the current one.
        looked_in: Vec<String>,
    },
    /// The source exists, but not where a stored profile may read.
    Outside,
}

impl Sources {
    /// The current folder, the folders above the profile, which is usually in the project's target
    /// directory, and those with what cargo has downloaded.
    ///
    /// # Errors
    /// If the current folder is not known.
    pub(crate) fn around(profile: &Path, origin: Origin<'_>) -> io::Result<Self> {
        let here = env::current_dir()?;
        let profile = std::path::absolute(profile)?;
        let around = profile.ancestors().skip(1).take(FOLDERS_AROUND);
        let downloads = downloads();
        let mut folders = vec![here.clone()];
        folders.extend(around.clone().map(Path::to_owned));
        folders.extend(downloads.iter().cloned());
        let roots = match origin {
            Origin::Measured => None,
            Origin::Stored(named) => {
                folders.extend(named.iter().cloned());
                let is_project = |folder: &&Path| folder.join("Cargo.toml").is_file();
                let project = around.filter(is_project).map(Path::to_owned);
                let roots = std::iter::once(here).chain(project);
                let roots = roots.chain(downloads).chain(named.iter().cloned());
                Some(roots.filter_map(|root| root.canonicalize().ok()).collect())
            }
        };
        let mut distinct: Vec<PathBuf> = Vec::new();
        for folder in folders {
            if !distinct.contains(&folder) {
                distinct.push(folder);
            }
        }
        Ok(Self {
            folders: distinct,
            roots,
        })
    }

    /// Looks for the source that a profile calls `name`: an absolute path, or one relative to some
    /// folder.
    pub(crate) fn find(&self, name: &str) -> Source {
        let mut is_outside = false;
        for folder in &self.folders {
            let Ok(file) = folder.join(name).canonicalize() else {
                continue;
            };
            if !self.may_read(&file) {
                is_outside = true;
            } else if let Some(found) = read(&file) {
                return found;
            }
        }
        if is_outside {
            return Source::Outside;
        }
        let others = if Path::new(name).is_absolute() {
            &[][..]
        } else {
            &self.folders[1..]
        };
        let looked_in = others.iter().map(|folder| folder.display().to_string());
        Source::Missing {
            looked_in: looked_in.collect(),
        }
    }

    /// Whether `file`, a canonical path, is where sources can be. Hidden files are refused, since a
    /// home folder has keys in them.
    fn may_read(&self, file: &Path) -> bool {
        let Some(roots) = &self.roots else {
            return true;
        };
        let is_hidden = |part: Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
        let mut below = roots.iter().filter(|root| root.parent().is_some());
        below.any(|root| {
            let rest = file.strip_prefix(root);
            rest.is_ok_and(|rest| !rest.components().any(is_hidden))
        })
    }
}

/// The message about a source that is [`Source::Outside`], with what to do.
pub(crate) fn not_allowed(file: &str) -> String {
    format!(
        "`{file}` is not shown: a profile that is read from a file may name any, and this one lies outside of its project; \
         `--source-root DIR` allows it"
    )
}

/// The source in a regular file. Other files might be endless, or block.
fn read(path: &Path) -> Option<Source> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let file = File::open(path).ok()?;
    let data = file.metadata().ok().filter(Metadata::is_file)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    let changed = data.modified().ok();
    let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Some(Source::Found {
        text: String::from_utf8_lossy(&bytes).into_owned(),
        changed_at: changed.map_or(0, |time| time.as_secs()),
    })
}

/// Cargo's folders of downloaded crates, which have a folder for each version of a crate.
fn downloads() -> Vec<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(etcetera::home_dir().ok()?.join(".cargo")));
    let registries = home.map(|home| home.join("registry/src"));
    let entries = registries.and_then(|folder| fs::read_dir(folder).ok());
    let folders = entries.into_iter().flatten().flatten();
    folders.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_found_above_the_profile_and_by_their_path() {
        let project = tempfile::tempdir().unwrap();
        let root = project.path();
        fs::create_dir_all(root.join("target/workspan")).unwrap();
        fs::create_dir_all(root.join("src")).unwrap();
        fs::write(root.join("src/only here.rs"), "fn main() {}\n").unwrap();
        let sources =
            Sources::around(&root.join("target/workspan/app.wsp"), Origin::Measured).unwrap();
        let absolute = root.join("src/only here.rs");
        for name in ["src/only here.rs", absolute.to_str().unwrap()] {
            match sources.find(name) {
                Source::Found { text, changed_at } => {
                    assert_eq!(text, "fn main() {}\n");
                    assert!(changed_at > 0);
                }
                missing => panic!("{name}: {missing:?}"),
            }
        }
    }

    #[test]
    fn a_missing_source_comes_with_the_folders_looked_in() {
        let sources =
            Sources::around(Path::new("/no/such/folder/app.wsp"), Origin::Stored(&[])).unwrap();
        match sources.find("src/nowhere.rs") {
            Source::Missing { looked_in } => {
                assert!(
                    looked_in.contains(&"/no/such/folder".to_owned()),
                    "{looked_in:?}"
                );
            }
            found => panic!("{found:?}"),
        }
        let missing = Source::Missing {
            looked_in: Vec::new(),
        };
        assert_eq!(sources.find("/no/such/file.rs"), missing);
    }

    #[test]
    fn a_stored_profile_reads_no_file_outside_its_project() {
        let folder = tempfile::tempdir().unwrap();
        let (project, elsewhere) = (folder.path().join("project"), folder.path().join("else"));
        for folder in ["target/workspan", "src", ".git"].map(|name| project.join(name)) {
            fs::create_dir_all(folder).unwrap();
        }
        fs::create_dir(&elsewhere).unwrap();
        fs::write(project.join("Cargo.toml"), "").unwrap();
        fs::write(project.join("src/main.rs"), "fn main() {}\n").unwrap();
        fs::write(project.join(".git/config"), "secret").unwrap();
        fs::write(elsewhere.join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink(elsewhere.join("secret"), project.join("src/link.rs")).unwrap();
        let profile = project.join("target/workspan/app.wsp");
        let stored = Sources::around(&profile, Origin::Stored(&[])).unwrap();
        let is_found = |source| matches!(source, Source::Found { .. });
        assert!(is_found(stored.find("src/main.rs")));
        let secret = elsewhere.join("secret");
        for name in [
            "src/link.rs",
            "../else/secret",
            ".git/config",
            "/etc/passwd",
            secret.to_str().unwrap(),
        ] {
            assert_eq!(stored.find(name), Source::Outside, "{name}");
        }
        let named = [elsewhere];
        let trusted = Sources::around(&profile, Origin::Stored(&named)).unwrap();
        assert!(is_found(trusted.find("../else/secret")));
        let measured = Sources::around(&profile, Origin::Measured).unwrap();
        assert!(is_found(measured.find("../else/secret")));
    }

    #[test]
    fn devices_and_pipes_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe.rs");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let sources = Sources::around(&folder.path().join("a.wsp"), Origin::Measured).unwrap();
        for name in ["/dev/zero", pipe.to_str().unwrap()] {
            assert!(
                matches!(sources.find(name), Source::Missing { .. }),
                "{name}"
            );
        }
    }
}
