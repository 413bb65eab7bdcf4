//! Gives the plug-in the hash of the sources that it is made of, by which workspan knows its own.

use std::collections::BTreeMap;
use std::hash::Hasher as _;
use std::path::Path;

#[path = "../workspan-engine/sources.rs"]
mod sources;

fn main() {
    let folder = Path::new("../workspan-engine/workspan_emulator");
    let files = sources::files(folder, Some("rs")).into_iter();
    let named: BTreeMap<_, _> = files
        .map(|(file, path)| (format!("workspan_emulator/{file}"), path))
        .collect();
    let hash = sources::hash(&named).finish();
    println!("cargo::rustc-env=WORKSPAN_SOURCES={hash:016x}");
}
