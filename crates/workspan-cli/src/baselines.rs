//! Profiles that are kept under a name, to compare later ones with.
//!
//! They lie in `.workspan/baselines`, as `NAME.wsp` without the task dag: in the project and not below `target`, so that
//! `cargo clean` leaves them, and they can be put under version control.

use std::env;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::anyhow;

/// workspan's own folder in a project.
const FOLDER: &str = ".workspan";

/// The file that says what a project wants of workspan.
pub(crate) const CONFIGURATION: &str = "workspan.toml";

/// The name of a baseline: one that stands for a file in one folder, on every file system.
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
        match begins_well && name.len() <= 100 && name.bytes().all(is_allowed) {
            true => Ok(Self(name.to_owned())),
            false => Err(WRONG_NAME),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Name {
    /// Where the baseline lies, or will.
    ///
    /// # Errors
    /// When the present folder is not known.
    pub(crate) fn file(&self) -> io::Result<PathBuf> {
        Ok(folder()?.join(format!("{self}.wsp")))
    }

    /// Where the baseline that a person names on the command line is to be kept.
    pub(crate) fn destination(name: &str) -> Result<PathBuf, String> {
        let name: Self = name.parse().map_err(str::to_owned)?;
        name.file().map_err(|error| error.to_string())
    }
}

/// A profile, by its file or as a baseline by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    File(PathBuf),
    Baseline(Name),
}

impl FromStr for Stored {
    type Err = &'static str;

    /// What has a folder in it or an extension of profiles is a file, and what is there under that name.
    fn from_str(words: &str) -> Result<Self, Self::Err> {
        let path = Path::new(words);
        let has_extension = path
            .extension()
            .is_some_and(|extension| extension == "wsp" || extension == "raw");
        match has_extension || words.contains('/') || path.is_file() {
            true => Ok(Self::File(path.to_owned())),
            false => words.parse().map(Self::Baseline),
        }
    }
}

impl Stored {
    /// The file of the profile, which is there if it is a baseline.
    ///
    /// # Errors
    /// When there is no such baseline.
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
        let known = match kept(&folder)[..] {
            [] => "there is none yet".to_owned(),
            ref names => format!("there are: {}", names.join(", ")),
        };
        Err(anyhow!(
            "there is no baseline `{name}` in {}; {known}. `--save-baseline {name}` on a run keeps its profile as one",
            folder.display()
        ))
    }
}

/// The names of the baselines in `folder`, in order.
fn kept(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = files.filter_map(|file| {
        let path = file.path();
        let is_profile = path.extension().is_some_and(|extension| extension == "wsp");
        is_profile.then(|| {
            path.file_stem()
                .map(|stem| stem.to_string_lossy().into_owned())
        })?
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// The folder of the baselines: that of the project, which is the nearest folder from the present one upwards that has a
/// `workspan.toml` or a `.workspan`, or else the present one.
fn folder() -> io::Result<PathBuf> {
    let present = env::current_dir()?;
    let is_project =
        |folder: &&Path| folder.join(CONFIGURATION).is_file() || folder.join(FOLDER).is_dir();
    let project = present.ancestors().find(is_project).unwrap_or(&present);
    Ok(project.join(FOLDER).join("baselines"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_folder() {
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
    fn files_and_names_are_told_apart() {
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
