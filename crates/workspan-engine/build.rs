//! Makes constants of the sources: their texts, and a hash over them.
#![forbid(unsafe_code)]

use std::fmt::Write as _;
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

mod sources;

/// Files that are written together.
struct Set {
    /// Name of the constant, and what it is.
    name: &'static str,
    documentation: &'static str,
    /// What the name of their folder begins with.
    prefix: &'static str,
    /// Their folders.
    folders: &'static [&'static str],
    /// Whether they keep the names of these where they are written.
    keeps_folders: bool,
    /// Whose end their names have.
    extension: Option<&'static str>,
}

const SETS: [Set; 4] = [
    Set {
        name: "INSTRUMENTATION",
        documentation: "The engine, and what stands in for rayon-core.",
        prefix: "src",
        folders: &["workspan_rt", "rayon_core"],
        keeps_folders: true,
        extension: Some("rs"),
    },
    Set {
        name: "LIBRARY",
        documentation:
            "The engine in a library for C and C++, and what tells it of GCC's OpenMP runtime.",
        prefix: "lib-src",
        folders: &["workspan_rt", "workspan_capi", "workspan_gomp"],
        keeps_folders: true,
        extension: Some("rs"),
    },
    Set {
        name: "EMULATOR",
        documentation: "The plug-in for QEMU.",
        prefix: "emulator-src",
        folders: &["workspan_emulator"],
        keeps_folders: true,
        extension: Some("rs"),
    },
    Set {
        name: "HEADERS",
        documentation: "What C and C++ programs include.",
        prefix: "include",
        folders: &["include"],
        keeps_folders: false,
        extension: None,
    },
];

fn main() {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let constants: String = SETS.iter().map(|set| constant(set, &package)).collect();
    fs::write(out.join("sources.rs"), constants).expect("OUT_DIR is writable");
}

/// The Rust source of a set's constant.
fn constant(set: &Set, package: &Path) -> String {
    let all = match set.keeps_folders {
        true => sources::in_folders(package, set.folders, set.extension),
        false => (set.folders.iter())
            .flat_map(|folder| sources::files(&package.join(folder), set.extension))
            .collect(),
    };
    let mut table = String::new();
    for (name, path) in &all {
        let path = path.display().to_string();
        writeln!(table, "        ({name:?}, include_str!({path:?})),")
            .expect("writing to a string");
    }
    format!(
        "/// {}\npub const {}: Sources = Sources {{\n    prefix: {:?},\n    hash: \"{:016x}\",\n    \
         files: &[\n{table}    ],\n}};\n",
        set.documentation,
        set.name,
        set.prefix,
        sources::hash(&all).finish()
    )
}
