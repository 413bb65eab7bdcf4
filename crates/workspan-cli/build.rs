//! A hash of the code that wraps rustc: what that compiles has to be compiled again when it
//! changes. And an executable without symbols, a sixth smaller, where it is not to be debugged.
#![forbid(unsafe_code)]

use std::hash::{DefaultHasher, Hasher as _};
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = "src/rustc";
    println!("cargo::rerun-if-changed={folder}");
    let mut texts = Vec::new();
    read(Path::new(folder), &mut texts)?;
    texts.sort();
    let mut hasher = DefaultHasher::new();
    texts.iter().for_each(|text| hasher.write(text));
    println!("cargo::rustc-env=WORKSPAN_WRAPPER={:016x}", hasher.finish());
    let is = |variable, value| env::var(variable).is_ok_and(|text| text == value);
    if is("PROFILE", "release") && is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-link-arg-bins=-Wl,--strip-all");
    }
    Ok(())
}

/// The files below a folder.
fn read(folder: &Path, texts: &mut Vec<Vec<u8>>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read(&path, texts)?;
        } else {
            texts.push(fs::read(path)?);
        }
    }
    Ok(())
}
