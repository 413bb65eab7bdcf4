//! What the stand-in for rayon-core does without a profile: it measures idle time, or runs calls in
//! place.
//!
//! Each check starts this executable again as one of `programs::PROGRAMS`, with the stand-in's
//! variables in the environment, so that the program runs on the main thread of its own process.
//! This takes a `main` instead of the usual harness.

mod elision;
mod idle;
mod programs;

use std::path::PathBuf;
use std::process::{Command, ExitCode, Output};

/// The variable that names the program that the process shall be.
const PROGRAM: &str = "WORKSPAN_MODES_PROGRAM";

/// Checks that judge time: run with `--ignored`.
const TIMED: &[(&str, fn())] = &[
    ("a known idle time is measured", idle::of_spins),
    (
        "what a worker runs while it waits is work",
        idle::with_work_meanwhile,
    ),
    (
        "all workers but one idle while the program is serial",
        idle::of_serial_code,
    ),
    (
        "scopes, spawns and broadcasts are accounted for",
        idle::of_scopes,
    ),
    (
        "a wait for threads that are busy is idle time",
        idle::of_tasks_that_others_come_to_late,
    ),
    ("a panic's handler is a task", idle::after_a_panic_handler),
    (
        "a thread in the pool it built is a worker",
        idle::of_a_current_thread,
    ),
    (
        "pools after one another are one pool",
        idle::of_several_pools,
    ),
    (
        "an interrupted program leaves its idle time",
        idle::after_a_signal,
    ),
];

/// All other checks.
const EXACT: &[(&str, fn())] = &[
    (
        "calls run in place and start no thread",
        elision::starts_no_thread,
    ),
    ("recursion is as deep as rayon's", elision::recurses_as_deep),
    ("results are rayon's", elision::gives_the_same_results),
    ("panics are rayon's", elision::panics_alike),
    ("an elided program never idles", elision::never_idles),
    (
        "a program that ends in a task leaves its idle time",
        idle::after_exit_and_panic,
    ),
    (
        "nothing is written without the variable",
        idle::unless_asked,
    ),
];

fn main() -> ExitCode {
    if let Ok(name) = std::env::var(PROGRAM) {
        programs::run(&name);
        return ExitCode::SUCCESS;
    }
    let filter = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let checks = match std::env::args().any(|word| word == "--ignored") {
        true => TIMED,
        false => EXACT,
    };
    let chosen = checks.iter().filter(|(name, _)| {
        filter
            .as_ref()
            .is_none_or(|word| name.contains(word.as_str()))
    });
    for (name, check) in chosen {
        // A check that fails panics.
        check();
        println!("{name} ... ok");
    }
    ExitCode::SUCCESS
}

/// This executable as program `name`, with these variables.
fn program(name: &str, variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a program has a path"));
    command.env(PROGRAM, name).env("RAYON_NUM_THREADS", "2");
    command.envs(variables.iter().copied());
    command
}

/// What a program printed, which must have succeeded.
fn printed(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{text}{error}", output.status);
    text
}

/// A file for this process in the folder for the files of tests.
fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    folder.join(format!("{name}-{}", std::process::id()))
}
