//! Gives the plug-in the hash of the sources that it is made of, by which workspan knows its own.

use std::path::Path;

use sources::{files, hash};

mod sources;

fn main() {
    println!("cargo::rerun-if-changed=sources.rs");
    let files = files(Path::new("src"), Some("rs"));
    let named = files
        .into_iter()
        .map(|(file, path)| (format!("workspan_emulator/{file}"), path))
        .collect::<std::collections::BTreeMap<_, _>>();
    let hash = std::hash::Hasher::finish(&hash(&named));
    println!("cargo::rustc-env=WORKSPAN_SOURCES={hash:016x}");
}
