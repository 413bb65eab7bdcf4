//! Gives the library the hash of the sources that it comes with, by which workspan knows its own.

use std::hash::Hasher as _;
use std::path::Path;

#[path = "../workspan-engine/sources.rs"]
mod sources;

fn main() {
    let folders = ["workspan_rt", "workspan_capi", "workspan_gomp"];
    let all = sources::in_folders(Path::new("../workspan-engine"), &folders, Some("rs"));
    println!(
        "cargo::rustc-env=WORKSPAN_SOURCES={:016x}",
        sources::hash(&all).finish()
    );
}
