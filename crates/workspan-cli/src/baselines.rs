//! Baselines: profiles that are kept under a name, to compare later profiles with.
//!
//! A baseline is the file `.workspan/baselines/NAME.wsp` in the project, without a task dag. It is
//! not in `target`, so that `cargo clean` leaves it alone and it can be put under version control.

use std::env;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::anyhow;

/// workspan's own folder in a project.
const FOLDER: &str = ".workspan";

/// Name of the configuration file of a project.
pub(crate) const CONFIGURATION: &str = "workspan.toml";

/// The name of a baseline. On every file system it is a valid file name, without a folder in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name(String);

const WRONG_NAME: &str = "a name of letters, digits, `.`, `_` and `-` is expected, which begins with a letter or a digit; so \
                          `main`, or `feature-x` for a branch feature/x";

impl FromStr for Name {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let is_allowed =
            |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'.' | b'_' | b'-');
        let begins_well = name
            .bytes()
            .next()
            .is_some_and(|letter| letter.is_ascii_alphanumeric());
        if begins_well && name.len() <= 100 && name.bytes().all(is_allowed) {
            Ok(Self(name.to_owned()))
        } else {
            Err(WRONG_NAME)
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Name {
    /// The file of the baseline, which need not exist.
    ///
    /// # Errors
    /// If the current folder is not known.
    pub(crate) fn file(&self) -> io::Result<PathBuf> {
        Ok(folder()?.join(format!("{self}.wsp")))
    }

    /// The file to keep a baseline in, from its name on the command line.
    pub(crate) fn destination(name: &str) -> Result<PathBuf, String> {
        let name: Self = name.parse().map_err(str::to_owned)?;
        name.file().map_err(|error| error.to_string())
    }
}

/// A stored profile: a file, or a baseline by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    File(PathBuf),
    Baseline(Name),
}

impl FromStr for Stored {
    type Err = &'static str;

    /// A path with a folder or with the extension of a profile is a file, and so is the name of an
    /// existing file. Everything else is the name of a baseline.
    fn from_str(words: &str) -> Result<Self, Self::Err> {
        let path = Path::new(words);
        let has_extension = path
            .extension()
            .is_some_and(|extension| extension == "wsp" || extension == "raw");
        if has_extension || words.contains('/') || path.is_file() {
            Ok(Self::File(path.to_owned()))
        } else {
            words.parse().map(Self::Baseline)
        }
    }
}

impl Stored {
    /// The file of the profile. That of a baseline exists.
    ///
    /// # Errors
    /// If there is no such baseline, or the current folder is not known.
    pub(crate) fn file(&self) -> anyhow::Result<PathBuf> {
        let name = match self {
            Self::File(path) => return Ok(path.clone()),
            Self::Baseline(name) => name,
        };
        let file = name.file()?;
        if file.is_file() {
            return Ok(file);
        }
        let folder = folder()?;
        let known = match names_in(&folder)[..] {
            [] => "there is none yet".to_owned(),
            ref names => format!("there are: {}", names.join(", ")),
        };
        Err(anyhow!(
            "there is no baseline `{name}` in {}; {known}. `--save-baseline {name}` on a run keeps its profile as one",
            folder.display()
        ))
    }
}

/// The names of the baselines in `folder`, in ascending order.
fn names_in(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = files.filter_map(|file| {
        let path = file.path();
        let stem = path.file_stem()?.to_string_lossy();
        (path.extension()? == "wsp").then(|| stem.into_owned())
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// The folder of the baselines, below that of the project: the nearest folder, from the current one
/// upwards, that contains a `workspan.toml` or a `.workspan`, or else the current one.
fn folder() -> io::Result<PathBuf> {
    let current = env::current_dir()?;
    let is_project =
        |folder: &&Path| folder.join(CONFIGURATION).is_file() || folder.join(FOLDER).is_dir();
    let project = current.ancestors().find(is_project).unwrap_or(&current);
    Ok(project.join(FOLDER).join("baselines"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_folder() {
        for name in ["main", "v1.2", "feature-x", "0_a"] {
            assert_eq!(name.parse(), Ok(Name(name.to_owned())));
        }
        for name in [
            "", ".", "..", "../up", "a/b", "a\\b", "-x", ".hidden", "a b", "ä", "a\0",
        ] {
            assert_eq!(name.parse::<Name>(), Err(WRONG_NAME), "{name}");
        }
        assert!("n".repeat(101).parse::<Name>().is_err());
    }

    #[test]
    fn files_and_names_are_distinguished() {
        let file = |words: &str| Ok(Stored::File(words.into()));
        assert_eq!("old.wsp".parse(), file("old.wsp"));
        assert_eq!("../old".parse(), file("../old"));
        assert_eq!(
            "main".parse(),
            Ok(Stored::Baseline(Name("main".to_owned())))
        );
        assert!("..".parse::<Stored>().is_err());
    }
}
