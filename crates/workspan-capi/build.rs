//! Gives the library the name by which programs that are linked with it find the one that is loaded already, and the hash of
//! the sources that it is made of, by which workspan knows its own.

use std::collections::BTreeMap;
use std::hash::Hasher as _;
use std::path::Path;

mod sources;

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libworkspan.so");
    println!("cargo::rerun-if-changed=sources.rs");
    let mut all = BTreeMap::new();
    for (name, folder) in [
        ("workspan_rt", "../workspan-rt/src"),
        ("workspan_capi", "src"),
    ] {
        // Beside a crate that was taken out of the repository there is no other.
        if Path::new(folder).is_dir() {
            let files = sources::files(Path::new(folder), Some("rs"));
            all.extend(
                files
                    .into_iter()
                    .map(|(file, path)| (format!("{name}/{file}"), path)),
            );
        }
    }
    let hash = sources::hash(&all).finish();
    println!("cargo::rustc-env=WORKSPAN_SOURCES={hash:016x}");
}
