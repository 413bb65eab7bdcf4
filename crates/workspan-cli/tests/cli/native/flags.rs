//! `workspan cflags`, `cxxflags` and `libs`.

use std::path::Path;
use std::process::Command;

use super::Native;
use crate::project::Ran;

#[test]
fn the_flags_name_folders_with_the_headers_and_nothing_else_is_printed() {
    let Some(native) = Native::new() else { return };
    let print = |line: &str| Ran::new(&mut native.command(line));
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
    let hooks = "-finstrument-functions -fno-omit-frame-pointer";
    print("cflags --functions")
        .succeeds()
        .prints(&format!("-fno-plt -I{folder} {hooks}\n"));
    print("cflags").prints(&c.stdout);
}

#[test]
fn a_program_built_with_them_needs_no_library() {
    let Some(native) = Native::new() else { return };
    let flags = native.cflags();
    let text =
        "#include <workspan.h>\nint main(void) { workspan_sync(); return workspan_active(); }";
    native.library("int workspan_active(void) { return 7; }", "active.so");
    for (more, active) in [
        ("", 7),
        ("-fno-pie -no-pie", 7),
        ("-fPIE -pie", 7),
        ("-DWORKSPAN_DISABLED", 0),
    ] {
        let flags = format!("{flags} -Wall -Wextra -Werror {more}");
        let program = native.gcc(text, "plain", &flags);
        Ran::new(&mut Command::new(&program)).succeeds();
        let mut with_library = Command::new(&program);
        Ran::new(with_library.env("LD_PRELOAD", native.path("active.so"))).exits(active);
    }
}

#[test]
fn help_explains() {
    let Some(native) = Native::new() else { return };
    let help = |command: &str| Ran::new(&mut native.command(&format!("{command} --help")));
    help("cxxflags")
        .succeeds()
        .shows("$(workspan cxxflags)")
        .shows("#include <tbb/…>")
        .shows("-fxray-instrument");
    help("run")
        .succeeds()
        .shows("Run a program that is built already")
        .shows("gcc -O2 -g -fopenmp")
        .shows("--libomp")
        .shows("--assume-cores");
}

#[test]
fn functions_are_measured_if_their_calls_are_reported() {
    let Some(native) = Native::new() else { return };
    native.stand_in();
    let flags = native.cflags();
    let text = "#include <workspan.h>\nint main(void) { workspan_sync(); return 0; }";
    let run = |program: &str| {
        let mut command = native.command(&format!("run --functions exact {program}"));
        Ran::new(command.env("WORKSPAN_LIBRARY", native.path("libworkspan.so")))
    };
    native.gcc(text, "silent", &flags);
    run("./silent")
        .exits(3)
        .prints("")
        .says("nothing in them that tells of calls")
        .says("$(workspan cflags --functions)")
        .says("-fxray-instrument");
    native.gcc(text, "hooked", &format!("{flags} -finstrument-functions"));
    run("./hooked").shows("LD_PRELOAD=");
    // It is enough if those of a library are.
    native.gcc(
        "int tells(void) { return 0; }",
        "libtells.so",
        "-shared -fPIC -Wl,-soname,libtells.so -finstrument-functions",
    );
    let link = native.link("-ltells");
    native.gcc(text, "links", &format!("{flags} {link}"));
    run("./links").shows("LD_PRELOAD=");
}
