//! The user's own wrapper, runner and flags keep working.

use std::fs;

use crate::project::{LIBRARY, Project, Ran, read_json, script};

const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// Writes a script into the project's folder. Returns its path.
fn script_in(project: &Project, name: &str, text: &str) -> String {
    let path = project.folder.join(name);
    script(&path, text);
    path.to_str().unwrap().to_owned()
}

/// A single test, because everything is built anew: with a compiler and a wrapper of the user's, from
/// another folder, and into a folder and a cache of its own.
#[test]
fn the_users_compiler_wrapper_flags_and_folders_are_used() {
    let project = Project::in_folder("chain_wrapper", "with some spaces");
    project
        .append("Cargo.toml", "[dependencies]\nrayon = \"1\"\n")
        .write("src/lib.rs", LIBRARY)
        .main("println!(\"{} {}\", cfg!(chained), chain_wrapper::fib(10));")
        .lock();
    let log = project.folder.join("log");
    let text = format!("echo \"$@\" >> '{}'\nexec \"$@\"", log.display());
    let wrapper = script_in(&project, "wrapper", &text);
    let text = "case \"$*\" in *instrument-xray*) exit 1 ;; esac\nexec rustc \"$@\"";
    let compiler = script_in(&project, "rustc", text);
    let target = project.folder.join("the target");
    let elsewhere = tempfile::tempdir().unwrap();
    let run = |options: &str| {
        let mut command = project.command(&format!(
            "run --manifest-path '{}' --target {TRIPLE} --target-dir '{}' {options}",
            project.folder.join("Cargo.toml").display(),
            target.display()
        ));
        let flags = "--cfg chained --check-cfg cfg(chained) -D warnings";
        command
            .current_dir(elsewhere.path())
            .env("XDG_CACHE_HOME", elsewhere.path().join("cache"))
            .env("RUSTC", &compiler)
            .env("RUSTC_WRAPPER", &wrapper)
            .env("RUSTFLAGS", flags);
        Ran::new(&mut command)
    };
    run("--json out.json -o out.wsp")
        .succeeds()
        .prints("true 55\n")
        .says("\nTry: ");
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
    let json = read_json(&elsewhere.path().join("out.json"));
    assert_eq!(json["program"]["exit_code"], 0);
    assert_eq!(json["totals"]["spawns"], 88);
    assert!(elsewhere.path().join("out.wsp").is_file());
    assert!(target.join("workspan/chain_wrapper.wsp").is_file());
    assert!(target.join("workspan").join(TRIPLE).is_dir());

    // This compiler makes no sleds.
    run("--functions exact")
        .exits(3)
        .says("has no XRay sleds")
        .says("#[workspan::function]")
        .prints("");
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
        .says("\nTry: ");

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
