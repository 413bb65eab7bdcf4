//! `workspan cilk2c` starts an executable of its own.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use crate::project::{Ran, copy_workspan, script};

#[test]
fn the_executable_is_found_beside_workspan_or_in_path() {
    let installed = tempfile::tempdir().unwrap();
    let workspan = installed.path().join("cargo-workspan");
    copy_workspan(&workspan);
    let path = tempfile::tempdir().unwrap();
    let run = || {
        let mut command = Command::new(&workspan);
        command.arg0("workspan").env("PATH", path.path());
        Ran::new(command.args(["cilk2c", "a.c", "-o", "b.c", "--help"]))
    };
    let install = |folder: &Path, name: &str| {
        let text = format!("echo {name}: \"$@\"; exit 7");
        script(&folder.join("workspan-cilk2c"), &text);
    };
    run().exits(3).says("docs/cilk.md says how to install it");
    install(path.path(), "in PATH");
    run().exits(7).prints("in PATH: a.c -o b.c --help\n");
    install(installed.path(), "beside");
    run().exits(7).prints("beside: a.c -o b.c --help\n");
}
