//! The command line explains itself.

use std::path::Path;

use crate::project::{Project, workspan};

#[test]
fn unknown_options_are_errors_with_a_suggestion() {
    let project = Project::without_rayon("help_unknown");
    project
        .run(&["run", "--relase"])
        .exits(2)
        .says("unexpected argument '--relase'")
        .says("--release");
    project
        .run(&["run", "--assume-cores", "many"])
        .exits(2)
        .says("or `real`");
    project
        .run(&["run", "--burden", "15000"])
        .exits(2)
        .says("6.25us");
    project.run(&["run", "--threads", "0"]).exits(2);
    project
        .run(&["test", "--clock", "sundial"])
        .exits(2)
        .says("monotonic");
    project
        .run(&["run", "--columns", "location,wrok"])
        .exits(2)
        .says("no column `wrok`");
    project.run(&["tets"]).exits(2).says("'test'");
    workspan(Path::new("/"), &["run"]).exits(2).says("PROGRAM");
}

#[test]
fn help_shows_our_options_cargos_and_the_exit_codes() {
    let project = Project::without_rayon("help_shown");
    for command in ["run", "test", "bench"] {
        let ran = project.run(&[command, "--help"]);
        let help = &ran.succeeds().stdout;
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
            assert!(help.contains(text), "{text} in {help}");
        }
    }
    let ran = workspan(Path::new("/"), &["--help"]);
    assert!(ran.succeeds().stdout.contains("cargo workspan run"));
}
