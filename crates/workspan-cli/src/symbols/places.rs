//! Shortens the paths of source files.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The folders that paths are shown relative to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Places {
    /// The folder that the user is in.
    pub(crate) folder: PathBuf,
    /// The folder that the compiler's relative paths start from.
    pub(crate) workspace: Option<PathBuf>,
}

impl Places {
    /// The shortest unambiguous name of a file: relative to the user's folder if the file is in it,
    /// from the crate's name on in a downloaded crate, from `library` on in the standard library.
    pub(crate) fn shorten(&self, file: &str) -> String {
        let path = Path::new(file);
        let absolute = match &self.workspace {
            Some(workspace) if path.is_relative() => workspace.join(path),
            _ => path.to_owned(),
        };
        if let Ok(inside) = absolute.strip_prefix(&self.folder) {
            return inside.display().to_string();
        }
        let absolute = absolute.display().to_string();
        downloaded(&absolute)
            .or_else(|| standard_library(&absolute))
            .unwrap_or(absolute)
    }
}

/// Shortens `…/registry/src/INDEX/name-version/src/lib.rs` and
/// `…/git/checkouts/name-hash/revision/src/lib.rs` to the part from the name on.
fn downloaded(file: &str) -> Option<String> {
    if let Some((_, rest)) = file.split_once("/registry/src/") {
        return Some(rest.split_once('/')?.1.to_owned());
    }
    let (_, rest) = file.split_once("/git/checkouts/")?;
    let (checkout, rest) = rest.split_once('/')?;
    let (_revision, rest) = rest.split_once('/')?;
    let name = checkout.rsplit_once('-').map_or(checkout, |(name, _)| name);
    Some(format!("{name}/{rest}"))
}

/// Shortens `/rustc/HASH/library/core/src/lib.rs`, and the same in a toolchain's `rust-src`, to the
/// part from `library` on.
fn standard_library(file: &str) -> Option<String> {
    if let Some(dependency) = file.strip_prefix(DEPENDENCIES) {
        return Some(dependency.to_owned());
    }
    is_standard_library(file).then(|| {
        file.split_once("/library/")
            .map_or_else(|| file.to_owned(), |(_, rest)| format!("library/{rest}"))
    })
}

/// Where the compiled standard library keeps its dependencies, such as hashbrown.
const DEPENDENCIES: &str = "/rust/deps/";

/// Whether a file belongs to the standard library.
pub(super) fn is_standard_library(file: &str) -> bool {
    file.starts_with("/rustc/")
        || file.starts_with(DEPENDENCIES)
        || file.contains("/lib/rustlib/src/rust/library/")
}

/// Whether a file is the engine's, some functions of which have C's names.
pub(super) fn is_engine(file: &str) -> bool {
    file.contains("/workspan_rt/")
}

/// Whether a file is a header of an installed library, or one of workspan's.
pub(super) fn is_installed_header(file: &str) -> bool {
    ["/usr/include/", "/usr/local/include/", "/usr/lib/"]
        .iter()
        .any(|folder| file.starts_with(folder))
        || file.contains("/workspan/include-")
}

/// Whether two names, one of which may be relative, can name the same file.
pub(super) fn same_file(one: &str, other: &str) -> bool {
    Path::new(one).ends_with(other) || Path::new(other).ends_with(one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        Places {
            folder: "/home/me/project/app".into(),
            workspace: Some("/home/me/project".into()),
        }
    }

    #[test]
    fn workspans_headers_are_no_code_of_the_program() {
        assert!(is_installed_header(
            "/root/.cache/workspan/include-0123abcd/workspan/tbb/detached.h"
        ));
        assert!(!is_installed_header("/home/me/workspan/tbb/group.h"));
    }

    #[test]
    fn files_of_the_users_folder_are_relative_to_it() {
        assert_eq!(
            places().shorten("/home/me/project/app/src/main.rs"),
            "src/main.rs"
        );
        assert_eq!(places().shorten("app/src/main.rs"), "src/main.rs");
        assert_eq!(
            places().shorten("other/src/lib.rs"),
            "/home/me/project/other/src/lib.rs"
        );
    }

    #[test]
    fn downloaded_crates_start_at_their_name() {
        assert_eq!(
            places().shorten("/c/registry/src/index.crates.io-1949cf8c6b5b557f/a-1.2.3/src/lib.rs"),
            "a-1.2.3/src/lib.rs"
        );
        assert_eq!(
            places().shorten("/c/git/checkouts/a-b-0123abcd/9f8e7d6/src/lib.rs"),
            "a-b/src/lib.rs"
        );
    }

    #[test]
    fn the_standard_library_starts_at_library() {
        assert_eq!(
            places().shorten("/rustc/0123abcd/library/core/src/iter/mod.rs"),
            "library/core/src/iter/mod.rs"
        );
        let dependency = "/rust/deps/hashbrown-0.16.1/src/raw.rs";
        assert_eq!(places().shorten(dependency), "hashbrown-0.16.1/src/raw.rs");
        assert!(is_standard_library(dependency));
        assert!(is_engine(
            "target/workspan/src-1f/workspan_rt/constructs/user_thread/mod.rs"
        ));
        assert!(!is_engine("src/runtime.rs"));
    }

    #[test]
    fn relative_and_absolute_names_can_be_the_same_file() {
        assert!(same_file(
            "/home/me/project/app/src/main.rs",
            "app/src/main.rs"
        ));
        assert!(!same_file("/home/me/project/app/src/main.rs", "src/lib.rs"));
    }
}
