//! The user's own wrapper, runner and flags keep working.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::project::Project;

const TRIPLE: &str = "x86_64-unknown-linux-gnu";

fn script(project: &Project, name: &str, text: &str) -> String {
    project.write(name, &format!("#!/bin/sh\n{text}\n"));
    let path = project.folder.join(name);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn the_users_wrapper_compiles_everything_with_the_users_flags() {
    let mut project = Project::new("chain_wrapper");
    project.target = project.folder.join("target");
    project
        .main("println!(\"{} {}\", cfg!(chained), chain_wrapper::fib(10));")
        .lock();
    let log = project.folder.join("log");
    let wrapper = script(
        &project,
        "wrapper",
        &format!("echo \"$@\" >> '{}'\nexec \"$@\"", log.display()),
    );
    let profile = project.folder.join("profile.json");
    let mut command = project.workspan(&["run", "--json", profile.to_str().unwrap()]);
    let flags = "--cfg chained --check-cfg cfg(chained) -D warnings";
    crate::project::Ran::of(
        command
            .env("RUSTC_WRAPPER", &wrapper)
            .env("RUSTFLAGS", flags),
    )
    .succeeds()
    .prints("true 55\n");
    let log = fs::read_to_string(log).unwrap();
    for name in [
        "rayon_core_real",
        "workspan_rt",
        "rayon_core",
        "rayon",
        "chain_wrapper",
    ] {
        assert!(
            log.contains(&format!("--crate-name {name} ")),
            "{name} in {log}"
        );
    }
    let profile = crate::project::read_json(&profile);
    assert_eq!(profile["totals"]["spawns"], 88);
}

#[test]
fn a_wrapper_in_the_configuration_counts_too() {
    let mut project = Project::without_rayon("chain_configured");
    project.target = project.folder.join("target");
    project.main("").lock();
    script(
        &project,
        "wrapper",
        "echo called >> \"$CHAIN_LOG\"\nexec \"$@\"",
    );
    project.write(
        ".cargo/config.toml",
        "[build]\nrustc-wrapper = './wrapper'\n",
    );
    let log = project.folder.join("log");
    let mut command = project.workspan(&["run"]);
    crate::project::Ran::of(command.env("CHAIN_LOG", &log)).succeeds();
    assert!(log.is_file());
}

#[test]
fn the_users_runner_runs_the_program() {
    let project = Project::new("chain_runner");
    project
        .main("println!(\"{}\", chain_runner::fib(10));")
        .lock();
    let runner = script(&project, "runner", "echo \"runner $1\"\nshift\nexec \"$@\"");
    let variable = format!(
        "CARGO_TARGET_{}_RUNNER",
        TRIPLE.to_uppercase().replace('-', "_")
    );
    let mut command = project.workspan(&["run"]);
    crate::project::Ran::of(command.env(variable, format!("{runner} variable")))
        .succeeds()
        .prints("runner variable\n55\n")
        .says("Parallelism");

    let setting = format!("target.{TRIPLE}.runner=['{runner}', 'command line']");
    project
        .run(&["run", "--config", &setting])
        .succeeds()
        .prints("runner command line\n55\n");

    project.write(
        ".cargo/config.toml",
        "[target.'cfg(unix)']\nrunner = ['./runner', 'cfg']\n",
    );
    project.run(&["run"]).succeeds().prints("runner cfg\n55\n");
}
