//! Finds out whether the compiler accepts unstable features, as build scripts do.

use std::env::var_os;
use std::path::PathBuf;
use std::process::{Command, Stdio};

fn main() {
    assert_eq!(var_os("RUSTC_BOOTSTRAP"), None);
    println!("cargo::rustc-check-cfg=cfg(unstable)");
    let folder = PathBuf::from(var_os("OUT_DIR").unwrap());
    let file = folder.join("probe.rs");
    std::fs::write(&file, "#![feature(never_type)] pub fn f() -> ! { loop {} }").unwrap();
    let compiler = [var_os("RUSTC_WRAPPER"), var_os("RUSTC")];
    let mut words = compiler.into_iter().flatten();
    let status = Command::new(words.next().unwrap())
        .args(words)
        .args(["--crate-name", "probe", "--crate-type", "lib"])
        .args(["--emit", "metadata", "--out-dir"])
        .arg(&folder)
        .arg(&file)
        .stderr(Stdio::null())
        .status();
    if status.unwrap().success() {
        println!("cargo::rustc-cfg=unstable");
    }
}
