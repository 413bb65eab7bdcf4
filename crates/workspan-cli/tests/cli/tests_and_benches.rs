//! `cargo workspan test` and `cargo workspan bench`.

use crate::project::Project;

/// A single test, so that what it profiles is built once.
#[test]
fn tests_and_benches_are_profiled() {
    let project = Project::new("suite");
    project
        .append("Cargo.toml", "[[bench]]\nname = 'timing'\nharness = false\n")
        .write(
            "tests/integration.rs",
            "#[test]\nfn fib() { assert_eq!(suite::fib(10), 55); }\n#[test]\nfn other() {}\n",
        )
        .write(
            "benches/timing.rs",
            "fn main() { println!(\"{} {:?}\", suite::fib(10), std::env::args().collect::<Vec<_>>()); }",
        )
        .lock();
    every_test_program_is_profiled_and_documentation_tests_run(&project);
    filters_and_arguments_reach_the_tests(&project);
    benchmarks_are_profiled(&project);
    failing_tests_fail_the_command(&project);
}

fn every_test_program_is_profiled_and_documentation_tests_run(project: &Project) {
    for name in ["suite", "integration"] {
        // Left in the target directory, which tests share, by another state of the commands.
        let _ = std::fs::remove_file(project.kept(name));
    }
    let ran = project.run("test --json tests.json");
    ran.succeeds()
        .says("tests-integration.json")
        .says("Doc-tests")
        .shows("test tests::sums ... ok")
        .shows("test fib ... ok")
        .shows("documented (line")
        .does_not_say("\nTry: ");
    let (_, table) = ran
        .stderr
        .split_once("workspan · 2 programs, worst first")
        .unwrap();
    for name in ["suite", "integration"] {
        let is_of_program = |line: &&str| line.split_whitespace().next() == Some(name);
        assert_eq!(table.lines().filter(is_of_program).count(), 1, "{table}");
    }
    let later = project.json("tests-integration.json");
    assert_eq!(later["totals"]["spawns"], 88);
    for name in ["suite", "integration"] {
        assert!(project.kept(&format!("test/{name}")).is_file());
        assert!(!project.kept(name).exists(), "a program may have that name");
    }
    project
        .run("list integration")
        .succeeds()
        .shows("test/integration.wsp");
    let first = project.json("tests.json");
    assert!(first["totals"]["spawns"].as_u64().is_some());
}

fn filters_and_arguments_reach_the_tests(project: &Project) {
    project
        .run("test --test integration fib -- --exact --nocapture")
        .succeeds()
        .shows("1 passed; 0 failed; 0 ignored; 0 measured; 1 filtered out");
    // The tests of the library run none of this name.
    project
        .run("test --tests fib -- --exact")
        .succeeds()
        .says("\nTry: ")
        .does_not_say("worst first");
    project
        .run("test --no-run")
        .succeeds()
        .does_not_say("Parallelism");
}

fn benchmarks_are_profiled(project: &Project) {
    let ran = project.run("bench --bench timing --json bench.json -- x");
    ran.succeeds()
        .says("bench")
        .says("\nTry: ")
        .shows("\"x\", \"--bench\"");
    assert!(ran.stdout.starts_with("55 ["), "{ran:?}");
    assert!(project.kept("bench/timing").is_file());
    let json = project.json("bench.json");
    assert_eq!(json["totals"]["spawns"], 88);
    assert_eq!(json["program"]["exit_code"], 0);
}

fn failing_tests_fail_the_command(project: &Project) {
    project.write(
        "tests/wrong.rs",
        "#[test]\nfn wrong() { assert_eq!(suite::fib(10), 54); }",
    );
    project
        .run("test --test wrong")
        .exits(101)
        .says("\nTry: ")
        .says("test failed");
}

#[test]
fn test_programs_without_rayon_are_only_mentioned() {
    let project = Project::without_rayon("suite_serial");
    project
        .write("tests/serial.rs", "#[test]\nfn nothing() {}")
        .lock();
    project
        .run("test")
        .succeeds()
        .says("`serial` does not use rayon")
        .does_not_say("\nTry: ");
}
