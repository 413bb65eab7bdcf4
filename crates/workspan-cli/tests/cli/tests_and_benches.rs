//! `cargo workspan test` and `cargo workspan bench`.

use crate::project::{Project, read_json};

fn project(name: &str) -> Project {
    let project = Project::new(name);
    project
        .append("Cargo.toml", "[[bench]]\nname = 'timing'\nharness = false\n")
        .write(
            "tests/integration.rs",
            &format!("#[test]\nfn fib() {{ assert_eq!({name}::fib(10), 55); }}\n#[test]\nfn other() {{}}\n"),
        )
        .write(
            "benches/timing.rs",
            &format!(
                "fn main() {{ println!(\"{{}} {{:?}}\", {name}::fib(10), std::env::args().collect::<Vec<_>>()); }}"
            ),
        )
        .lock();
    project
}

#[test]
fn every_test_program_is_profiled_and_documentation_tests_run() {
    let project = project("suite_tests");
    let json = project.folder.join("tests.json");
    let ran = project.run(&["test", "--json", json.to_str().unwrap()]);
    ran.succeeds()
        .says("tests-integration.json")
        .says("Doc-tests");
    assert!(
        ran.stdout.contains("test tests::sums ... ok"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("test fib ... ok"), "{}", ran.stdout);
    assert!(ran.stdout.contains("documented (line"), "{}", ran.stdout);
    assert_eq!(
        ran.stderr.matches("Parallelism profile").count(),
        2,
        "{}",
        ran.stderr
    );
    let later = read_json(&project.folder.join("tests-integration.json"));
    assert_eq!(later["totals"]["spawns"], 88);
    assert!(read_json(&json)["totals"]["spawns"].as_u64().is_some());
}

#[test]
fn filters_and_arguments_reach_the_tests() {
    let project = project("suite_filters");
    let ran = project.run(&[
        "test",
        "--test",
        "integration",
        "fib",
        "--",
        "--exact",
        "--nocapture",
    ]);
    ran.succeeds();
    assert!(
        ran.stdout
            .contains("1 passed; 0 failed; 0 ignored; 0 measured; 1 filtered out")
    );
    project
        .run(&["test", "--no-run"])
        .succeeds()
        .does_not_say("Parallelism");
}

#[test]
fn failing_tests_fail_the_command() {
    let project = Project::new("suite_failure");
    project
        .write(
            "tests/wrong.rs",
            "#[test]\nfn wrong() { assert_eq!(suite_failure::fib(10), 54); }",
        )
        .lock();
    project
        .run(&["test", "--test", "wrong"])
        .exits(101)
        .says("Parallelism profile")
        .says("test failed");
}

#[test]
fn benchmarks_are_profiled() {
    let project = project("suite_benches");
    let json = project.folder.join("bench.json");
    let ran = project.run(&[
        "bench",
        "--bench",
        "timing",
        "--json",
        json.to_str().unwrap(),
        "--",
        "x",
    ]);
    ran.succeeds().says("bench");
    assert!(
        ran.stdout.starts_with("55 [") && ran.stdout.contains("\"x\", \"--bench\""),
        "{ran:?}"
    );
    assert_eq!(read_json(&json)["totals"]["spawns"], 88);
    assert_eq!(read_json(&json)["program"]["exit_code"], 0);
}

#[test]
fn test_programs_without_rayon_are_mentioned_only() {
    let project = Project::without_rayon("suite_serial");
    project
        .write("tests/serial.rs", "#[test]\nfn nothing() {}")
        .lock();
    project
        .run(&["test"])
        .succeeds()
        .says("`serial` does not use rayon")
        .does_not_say("Parallelism profile");
}
