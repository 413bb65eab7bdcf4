//! A static library of C, compiled without frame pointers.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    let source = "../c/without_frames.c";
    println!("cargo::rerun-if-changed={source}");
    let out = env::var("OUT_DIR").unwrap();
    let object = Path::new(&out).join("without_frames.o");
    let archive = Path::new(&out).join("libwithout_frames.a");
    let options = ["-O2", "-fomit-frame-pointer", "-fPIC", "-c", source, "-o"];
    run(Command::new("cc").args(options).arg(&object));
    run(Command::new("ar").arg("rcs").arg(&archive).arg(&object));
    println!("cargo::rustc-link-search=native={out}");
    println!("cargo::rustc-link-arg-bins=-lwithout_frames");
}

fn run(command: &mut Command) {
    assert!(command.status().unwrap().success(), "{command:?}");
}
