//! Sources that are compiled together, and a hash that tells one state of them from another. For build scripts.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

/// The files below `root` whose names have this end, or all, by their path relative to it. cargo runs the script again when one
/// has changed.
pub(crate) fn files(root: &Path, extension: Option<&str>) -> BTreeMap<String, PathBuf> {
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in entries {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() {
                folders.push(path);
            } else if extension.is_none()
                || path.extension().and_then(|end| end.to_str()) == extension
            {
                let relative = path.strip_prefix(root).expect("below it");
                files.insert(relative.to_str().expect("ASCII names").to_owned(), path);
            }
        }
    }
    files
}

/// [`files`] below folders of `root`, by their path relative to that.
pub(crate) fn in_folders(
    root: &Path,
    folders: &[&str],
    extension: Option<&str>,
) -> BTreeMap<String, PathBuf> {
    let named = |folder: &&str| {
        let files = files(&root.join(folder), extension).into_iter();
        let folder = folder.to_string();
        files.map(move |(file, path)| (format!("{folder}/{file}"), path))
    };
    folders.iter().flat_map(named).collect()
}

/// A hash over a version of workspan, and over the names and texts of files.
pub(crate) fn hash<'a>(
    files: impl IntoIterator<Item = (&'a String, &'a PathBuf)>,
) -> DefaultHasher {
    let mut hasher = DefaultHasher::new();
    let version = std::env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    hasher.write(version.as_bytes());
    for (name, path) in files {
        hasher.write(name.as_bytes());
        hasher.write(&fs::read(path).expect("listed before"));
    }
    hasher
}
