//! One module: what it defines, imports and names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The names of a path from the crate's root.
pub(crate) type Names = Vec<String>;

/// A module of a crate.
#[derive(Default)]
pub(crate) struct Module {
    /// Its file.
    pub(crate) file: PathBuf,
    /// Names of its items.
    pub(crate) items: BTreeSet<String>,
    /// The paths that its `use` items give to names, as written.
    pub(crate) imports: BTreeMap<String, Names>,
    /// Names that it re-exports.
    pub(crate) doors: BTreeSet<String>,
    /// Modules that it imports by globs.
    pub(crate) globs: Vec<Names>,
    /// Paths in its code, as written.
    pub(crate) paths: BTreeSet<Names>,
}
