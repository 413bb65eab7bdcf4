//! Gives the plug-in the hash of the sources that it is made of, by which workspan knows its own.

use std::hash::Hasher as _;
use std::path::Path;

#[path = "../workspan-engine/sources.rs"]
mod sources;

fn main() {
    let folders = ["workspan_emulator"];
    let all = sources::in_folders(Path::new("../workspan-engine"), &folders, Some("rs"));
    println!(
        "cargo::rustc-env=WORKSPAN_SOURCES={:016x}",
        sources::hash(&all).finish()
    );
}
