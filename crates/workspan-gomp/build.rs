//! Gives the library the hash of the sources that it comes with, by which workspan knows its own.

use std::collections::BTreeMap;
use std::hash::Hasher as _;
use std::path::Path;

#[path = "../workspan-engine/sources.rs"]
mod sources;

fn main() {
    let mut all = BTreeMap::new();
    for name in ["workspan_rt", "workspan_capi", "workspan_gomp"] {
        let folder = Path::new("../workspan-engine").join(name);
        let files = sources::files(&folder, Some("rs")).into_iter();
        all.extend(files.map(|(file, path)| (format!("{name}/{file}"), path)));
    }
    let hash = sources::hash(&all).finish();
    println!("cargo::rustc-env=WORKSPAN_SOURCES={hash:016x}");
}
