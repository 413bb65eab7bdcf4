//! Embeds the sources that are compiled into a profiled program: every file below `embedded/<name>/` (links to the crates
//! next door, which `cargo package` replaces by copies), and for each set of them a hash over them and over the code that
//! makes use of them.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

mod sources;

use sources::{files, hash};

/// Files that are written together.
struct Set {
    /// Name of the constant.
    name: &'static str,
    /// What the name of their folder begins with.
    prefix: &'static str,
    /// Their folders below `embedded`, and how they are called where they are written.
    folders: &'static [(&'static str, &'static str)],
    /// Whose end their names have.
    extension: Option<&'static str>,
    /// The code that makes use of them, and changes what becomes of them.
    users: &'static [&'static str],
}

const SETS: [Set; 4] = [
    Set {
        name: "INSTRUMENTATION",
        prefix: "src",
        folders: &[("workspan_rt", "workspan_rt"), ("rayon_core", "rayon_core")],
        extension: Some("rs"),
        users: &["src/rustc"],
    },
    Set {
        name: "LIBRARY",
        prefix: "lib-src",
        folders: &[
            ("workspan_rt", "workspan_rt"),
            ("workspan_capi", "workspan_capi"),
        ],
        extension: Some("rs"),
        users: &[],
    },
    Set {
        name: "EMULATOR",
        prefix: "emulator-src",
        folders: &[("workspan_emulator", "workspan_emulator")],
        extension: Some("rs"),
        users: &[],
    },
    Set {
        name: "HEADERS",
        prefix: "include",
        folders: &[("include", "")],
        extension: None,
        users: &[],
    },
];

fn main() {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let constants: String = SETS.iter().map(|set| constant(set, &package)).collect();
    fs::write(out.join("embedded.rs"), constants).expect("OUT_DIR is writable");
}

/// The Rust source of a set's constant.
fn constant(set: &Set, package: &Path) -> String {
    let mut all = BTreeMap::new();
    for (folder, shown) in set.folders {
        let root = package.join("embedded").join(folder);
        let root = root
            .canonicalize()
            .unwrap_or_else(|error| panic!("{}: {error}: the sources are missing", root.display()));
        for (relative, path) in files(&root, set.extension) {
            let name = if shown.is_empty() {
                relative
            } else {
                format!("{shown}/{relative}")
            };
            all.insert(name, path);
        }
    }
    let mut table = String::new();
    for (name, path) in &all {
        writeln!(
            table,
            "        ({name:?}, include_str!({:?})),",
            path.display().to_string()
        )
        .expect("writing to a string");
    }
    let mut hasher = hash(&all);
    for user in set.users {
        for path in files(&package.join(user), Some("rs")).values() {
            hasher.write(&fs::read(path).expect("listed above"));
        }
    }
    format!(
        "pub(crate) const {}: Sources = Sources {{\n    prefix: {:?},\n    hash: \"{:016x}\",\n    \
         files: &[\n{table}    ],\n}};\n",
        set.name,
        set.prefix,
        hasher.finish()
    )
}
