//! Compiles C and C++ with sleds: one object linked into the program, one shared library.

use std::env::var;
use std::process::Command;

fn run(command: &mut Command) {
    assert!(command.status().unwrap().success(), "{command:?}");
}

fn main() {
    let folder = var("OUT_DIR").unwrap();
    let compile = |source: &str| {
        let object = format!("{folder}/{source}.o");
        run(Command::new(var("CLANG").unwrap())
            .args(["-O2", "-g", "-fPIC", "-fno-omit-frame-pointer"])
            .args(["-fxray-instrument", "-fxray-instruction-threshold=1"])
            .args(["-c", source, "-o", &object]));
        object
    };
    run(Command::new("ar").args([
        "crs",
        &format!("{folder}/liblinked.a"),
        &compile("linked.c"),
    ]));
    run(Command::new("cc")
        .args(["-shared", "-o", &format!("{folder}/libshared.so")])
        .arg(compile("shared.cpp")));
    println!("cargo::rustc-link-search=native={folder}");
    println!("cargo::rustc-link-lib=static=linked");
    println!("cargo::rustc-link-lib=dylib=shared");
    println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
}
