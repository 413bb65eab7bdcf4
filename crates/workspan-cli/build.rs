//! Embeds the sources that are compiled into a profiled program: every `.rs` file below
//! `embedded/<crate name>/` (links to the crates next door, which `cargo package` replaces by
//! copies), and a hash over them and over the code that drives the compiler.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs};

const EMBEDDED_CRATES: [&str; 2] = ["workspan_rt", "rayon_core"];

fn main() {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut hasher = DefaultHasher::new();
    hasher.write(
        env::var("CARGO_PKG_VERSION")
            .expect("cargo sets it")
            .as_bytes(),
    );

    let mut table = String::from("pub(super) const FILES: &[(&str, &str)] = &[\n");
    for name in EMBEDDED_CRATES {
        let root = package.join("embedded").join(name);
        let root = root.canonicalize().unwrap_or_else(|error| {
            panic!(
                "{}: {error}: the sources of {name} are missing",
                root.display()
            )
        });
        for (relative, path) in rust_files(&root) {
            let relative = format!("{name}/{relative}");
            hasher.write(relative.as_bytes());
            hasher.write(&fs::read(&path).expect("listed above"));
            writeln!(
                table,
                "    ({relative:?}, include_str!({:?})),",
                path.display().to_string()
            )
            .expect("writing to a string");
        }
    }
    table.push_str("];\n");
    for path in rust_files(&package.join("src/rustc")).values() {
        hasher.write(&fs::read(path).expect("listed above"));
    }
    writeln!(
        table,
        "pub(super) const HASH: &str = \"{:016x}\";",
        hasher.finish()
    )
    .expect("writing to a string");
    fs::write(out.join("sources.rs"), table).expect("OUT_DIR is writable");
}

/// The Rust files below `root`, by their path relative to it.
fn rust_files(root: &Path) -> BTreeMap<String, PathBuf> {
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in entries {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let relative = path.strip_prefix(root).expect("below it");
                files.insert(relative.to_str().expect("ASCII names").to_owned(), path);
            }
        }
    }
    files
}
