//! The command line explains itself.

use std::path::Path;

use crate::project::{Project, workspan};

#[test]
fn unknown_options_are_errors_with_a_suggestion() {
    let project = Project::without_rayon("help_unknown");
    for (line, reason) in [
        ("run --relase", "unexpected argument '--relase'"),
        ("run --relase", "--release"),
        ("run --assume-cores many", "or `real`"),
        ("run --burden 15000", "6.25us"),
        ("run --threads 0", ""),
        ("run --standstill 0", "0 is not in 1..=86400"),
        ("run --standstill soon", "--standstill <SECONDS>"),
        ("run --standstill 1 --emulate", "--emulate"),
        ("run --standstill 1 --metric page-faults", "--metric time"),
        ("test --clock sundial", "monotonic"),
        ("run --columns location,wrok", "no column `wrok`"),
        ("tets", "'test'"),
    ] {
        project.run(line).exits(2).says(reason);
    }
    workspan(Path::new("/"), "run").exits(2).says("PROGRAM");
}

#[test]
fn help_shows_our_options_cargos_and_the_exit_codes() {
    let project = Project::without_rayon("help_shown");
    for command in ["run", "test", "bench"] {
        let help = project.run(&format!("{command} --help"));
        for text in [
            "--assume-cores",
            "--burden",
            "--json",
            "--sort",
            "--tree",
            "--features",
            "--locked",
            "Exit codes",
        ] {
            help.succeeds().shows(text);
        }
    }
    workspan(Path::new("/"), "--help")
        .succeeds()
        .shows("cargo workspan run");
}
