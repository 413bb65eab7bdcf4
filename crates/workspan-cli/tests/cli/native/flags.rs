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
    let hooks = "-finstrument-functions -fno-omit-frame-pointer";
    Ran::of(&mut native.command(&["cflags", "--functions"]))
        .succeeds()
        .prints(&format!("-fno-plt -I{folder} {hooks}\n"));
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
        .shows("#include <tbb/…>")
        .shows("-fxray-instrument");
    help(&["run", "--help"])
        .succeeds()
        .shows("Run a program that is built already")
        .shows("gcc -O2 -g -fopenmp")
        .shows("--libomp")
        .shows("--assume-cores");
}

#[test]
fn functions_are_measured_where_something_tells_of_their_calls() {
    let Some(native) = Native::new() else { return };
    native.stand_in();
    let flags = Ran::of(&mut native.command(&["cflags"])).stdout;
    let flags: Vec<&str> = flags.split_whitespace().collect();
    let text = "#include <workspan.h>\nint main(void) { workspan_sync(); return 0; }";
    let run = |program: &str| {
        let mut command = native.command(&["run", "--functions", "exact", program]);
        command.env("WORKSPAN_LIBRARY", native.path("libworkspan.so"));
        Ran::of(&mut command)
    };
    native.gcc(text, "silent", &flags);
    run("./silent")
        .exits(3)
        .prints("")
        .says("nothing in them that tells of calls")
        .says("$(workspan cflags --functions)")
        .says("-fxray-instrument");
    let hooked = [&flags[..], &["-finstrument-functions"]].concat();
    native.gcc(text, "hooked", &hooked);
    run("./hooked").shows("LD_PRELOAD=");
    // The functions of a library may be all that tell.
    let library = "int tells(void) { return 0; }";
    let soname = "-Wl,-soname,libtells.so";
    let of_library = ["-shared", "-fPIC", soname, "-finstrument-functions"];
    native.gcc(library, "libtells.so", &of_library);
    let run_path = format!("-Wl,-rpath,{}", native.path("").display());
    let link = ["-L.", "-Wl,--no-as-needed", "-ltells", &run_path];
    native.gcc(text, "links", &[&flags[..], &link].concat());
    run("./links").shows("LD_PRELOAD=");
}
