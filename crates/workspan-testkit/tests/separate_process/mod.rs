//! Programs of a test that need a process of their own.

use std::process::Command;

/// Runs of each program, most of which must be right: a machine that is busy otherwise may spoil
/// one.
const RUNS: usize = 5;

/// Runs `test` of this executable in processes of its own, with these variables, by which it knows
/// that it is the program. Most of the runs must succeed.
pub fn expect_most_to_succeed(about: &str, test: &str, variables: &[(&str, &str)]) {
    let failures = (0..RUNS).filter_map(|_| run(test, variables).err());
    let failures: Vec<String> = failures.collect();
    assert!(2 * failures.len() < RUNS, "{about}: {failures:#?}");
}

/// The same once.
#[allow(dead_code, reason = "not every test binary needs it")]
pub fn expect_success(about: &str, test: &str, variables: &[(&str, &str)]) {
    if let Err(failure) = run(test, variables) {
        panic!("{about}: {failure}");
    }
}

fn run(test: &str, variables: &[(&str, &str)]) -> Result<(), String> {
    let output = Command::new(std::env::current_exe().expect("a test knows its file"))
        .args(["--exact", "--nocapture", "--test-threads=1"])
        .args(["--include-ignored", test])
        .envs(variables.iter().copied())
        .env("RUST_BACKTRACE", "0")
        .output()
        .expect("a test can start its own file");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    eprint!("{errors}");
    output.status.success().then_some(()).ok_or(errors)
}
