//! The user's own wrapper, runner and flags keep working.

use std::fs;

use crate::project::{Project, Ran, script};

const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// Writes a script into the project's folder. Returns its path.
fn script_in(project: &Project, name: &str, text: &str) -> String {
    let path = project.folder.join(name);
    script(&path, text);
    path.to_str().unwrap().to_owned()
}

#[test]
fn the_users_wrapper_compiles_everything_with_the_users_flags() {
    let body = "println!(\"{} {}\", cfg!(chained), chain_wrapper::fib(10));";
    let mut project = Project::with_main("chain_wrapper", body);
    project.target = project.folder.join("target");
    let log = project.folder.join("log");
    let wrapper = script_in(
        &project,
        "wrapper",
        &format!("echo \"$@\" >> '{}'\nexec \"$@\"", log.display()),
    );
    let mut command = project.command("run --json profile.json");
    let flags = "--cfg chained --check-cfg cfg(chained) -D warnings";
    Ran::new(
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
    assert_eq!(project.json("profile.json")["totals"]["spawns"], 88);
}

#[test]
fn a_wrapper_in_the_configuration_counts_too() {
    let mut project = Project::without_rayon("chain_configured");
    project.target = project.folder.join("target");
    project.main("").lock();
    script_in(
        &project,
        "wrapper",
        "echo called >> \"$CHAIN_LOG\"\nexec \"$@\"",
    );
    project.write(
        ".cargo/config.toml",
        "[build]\nrustc-wrapper = './wrapper'\n",
    );
    let log = project.folder.join("log");
    Ran::new(project.command("run").env("CHAIN_LOG", &log)).succeeds();
    assert!(log.is_file());
}

#[test]
fn the_users_runner_runs_the_program() {
    let body = "println!(\"{}\", chain_runner::fib(10));";
    let project = Project::with_main("chain_runner", body);
    let runner = script_in(&project, "runner", "echo \"runner $1\"\nshift\nexec \"$@\"");
    let variable = format!(
        "CARGO_TARGET_{}_RUNNER",
        TRIPLE.to_uppercase().replace('-', "_")
    );
    let mut command = project.command("run");
    Ran::new(command.env(variable, format!("{runner} variable")))
        .succeeds()
        .prints("runner variable\n55\n")
        .says("Parallelism");

    let setting = format!("target.{TRIPLE}.runner=['{runner}', 'command line']");
    project
        .run(&format!("run --config \"{setting}\""))
        .succeeds()
        .prints("runner command line\n55\n");

    project.write(
        ".cargo/config.toml",
        "[target.'cfg(unix)']\nrunner = ['./runner', 'cfg']\n",
    );
    project.run("run").succeeds().prints("runner cfg\n55\n");
}
