//! Finding the source files that a profile names.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The folders that sources may lie in.
pub(crate) struct Sources {
    /// The present folder first.
    folders: Vec<PathBuf>,
}

/// What was found of a source.
#[derive(Debug, PartialEq)]
pub(crate) enum Source {
    Found {
        text: String,
        /// In seconds since 1970-01-01 UTC.
        changed_at: u64,
    },
    Missing {
        /// Folders other than the present one.
        looked_in: Vec<String>,
    },
}

impl Sources {
    /// The present folder, the folders around the profile, which lies in the project's target directory as a rule, and
    /// those with what cargo has downloaded.
    ///
    /// # Errors
    /// When the present folder is not known.
    pub(crate) fn around(profile: &Path) -> io::Result<Self> {
        let mut folders = vec![env::current_dir()?];
        let profile = std::path::absolute(profile)?;
        folders.extend(profile.ancestors().skip(1).take(4).map(Path::to_owned));
        folders.extend(downloads());
        let mut distinct: Vec<PathBuf> = Vec::new();
        for folder in folders {
            if !distinct.contains(&folder) {
                distinct.push(folder);
            }
        }
        Ok(Self { folders: distinct })
    }

    /// The source that a profile calls `name`: an absolute path, or one from some folder on.
    pub(crate) fn find(&self, name: &str) -> Source {
        let found = self
            .folders
            .iter()
            .find_map(|folder| read(&folder.join(name)));
        found.unwrap_or_else(|| {
            let others = match Path::new(name).is_absolute() {
                true => &[],
                false => &self.folders[1..],
            };
            let looked_in = others.iter().map(|folder| folder.display().to_string());
            Source::Missing {
                looked_in: looked_in.collect(),
            }
        })
    }
}

fn read(path: &Path) -> Option<Source> {
    let bytes = fs::read(path).ok()?;
    let changed = fs::metadata(path).and_then(|file| file.modified()).ok();
    let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Some(Source::Found {
        text: String::from_utf8_lossy(&bytes).into_owned(),
        changed_at: changed.map_or(0, |time| time.as_secs()),
    })
}

/// The folders of cargo's that hold crates under their name and version.
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
    fn sources_are_found_around_the_profile_and_by_their_path() {
        let project = tempfile::tempdir().unwrap();
        let root = project.path();
        fs::create_dir_all(root.join("target/workspan")).unwrap();
        fs::create_dir_all(root.join("src")).unwrap();
        fs::write(root.join("src/only here.rs"), "fn main() {}\n").unwrap();
        let sources = Sources::around(&root.join("target/workspan/app.wsp")).unwrap();
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
    fn of_a_missing_source_it_is_told_where_it_is_not() {
        let sources = Sources::around(Path::new("/no/such/folder/app.wsp")).unwrap();
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
}
