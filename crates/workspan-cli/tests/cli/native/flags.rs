//! `workspan cflags`, `cxxflags` and `libs`.

use std::path::Path;
use std::process::Command;

use super::Native;
use crate::project::Ran;

#[test]
fn the_flags_name_folders_with_the_headers_and_nothing_else_is_printed() {
    let Some(native) = Native::new() else { return };
    let print = |command: &str| Ran::of(&mut native.command(&[command]));
    let c = print("cflags");
    let folder = c
        .succeeds()
        .stdout
        .strip_prefix("-fno-plt -I")
        .unwrap()
        .trim_end();
    assert!(Path::new(folder).join("workspan.h").is_file(), "{folder}");
    assert_eq!(c.stderr, "");
    let overlay = Path::new(folder).join("workspan/overlay");
    print("cxxflags")
        .succeeds()
        .prints(&format!("-fno-plt -I{} -I{folder}\n", overlay.display()));
    print("libs").succeeds().prints("\n");
    print("cflags").prints(&c.stdout);
}

#[test]
fn a_program_built_with_them_needs_no_library() {
    let Some(native) = Native::new() else { return };
    let flags = Ran::of(&mut native.command(&["cflags"])).stdout;
    let text =
        "#include <workspan.h>\nint main(void) { workspan_sync(); return workspan_active(); }";
    native.library("int workspan_active(void) { return 7; }", "active.so");
    for (more, active) in [
        (&[][..], 7),
        (&["-fno-pie", "-no-pie"], 7),
        (&["-fPIE", "-pie"], 7),
        (&["-DWORKSPAN_DISABLED"], 0),
    ] {
        let mut all: Vec<&str> = flags.split_whitespace().collect();
        all.extend(["-Wall", "-Wextra", "-Werror"]);
        all.extend(more);
        let program = native.gcc(text, "plain", &all);
        Ran::of(&mut Command::new(&program)).succeeds();
        let mut with_library = Command::new(&program);
        Ran::of(with_library.env("LD_PRELOAD", native.path("active.so"))).exits(active);
    }
}

#[test]
fn help_teaches() {
    let Some(native) = Native::new() else { return };
    let help = |arguments: &[&str]| Ran::of(&mut native.command(arguments));
    help(&["cxxflags", "--help"])
        .succeeds()
        .shows("$(workspan cxxflags)")
        .shows("#include <tbb/…>");
    help(&["run", "--help"])
        .succeeds()
        .shows("Run a program that is built already")
        .shows("gcc -O2 -g -fopenmp")
        .shows("--libomp")
        .shows("--assume-cores");
}
