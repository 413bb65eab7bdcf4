//! The findings of the examples: each bad one gets its own finding first, each repaired one none.
//!
//! This is a test binary of its own, since measurements need cores that no build keeps busy.

#[path = "../cli/project.rs"]
#[allow(dead_code, reason = "shared with the tests of the other commands")]
mod project;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::project::{Ran, most_of_three, plain, read_json, words, workspan};

/// Makes measurements run one at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The results of a run of an example: the report, the JSON and the numbers of the findings.
struct Profiled {
    report: String,
    json: Value,
    numbers: Vec<String>,
}

/// Profiles an example of this repository with these arguments. Asserts that `is_right` holds for
/// most runs, and returns the last of those. It cannot hold for all: time that the hypervisor takes
/// from a strand may make it the longest.
#[track_caller]
fn mostly(is_right: impl Fn(&Profiled) -> bool, example: &str) -> Profiled {
    let mut right = None;
    let attempt = || {
        let run = profiled(example);
        let is_right = is_right(&run);
        if !is_right {
            eprintln!("{example}: {}", run.report);
        }
        right = Some(run);
        is_right
    };
    assert!(most_of_three(attempt), "{example}: most runs are wrong");
    right.expect("there is a run")
}

/// Profiles an example once, as users do: the words of `example` are its name and its arguments.
fn profiled(example: &str) -> Profiled {
    let _alone = alone();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().unwrap();
    let json: PathBuf = folder.path().join("profile.json");
    let mut example = words(example);
    let arguments = example.split_off(1);
    let ran = Ran::new(
        plain(Command::new(env!("CARGO_BIN_EXE_cargo-workspan")))
            .current_dir(repository)
            .env(
                "CARGO_TARGET_DIR",
                Path::new(env!("CARGO_TARGET_TMPDIR")).join("shared"),
            )
            .args(["workspan", "run", "--locked", "--full"])
            .arg("--json")
            .arg(&json)
            .args(["-p", "workspan-examples", "--example"])
            .args(example)
            .arg("--")
            .args(arguments),
    );
    let report = ran.succeeds().stderr.clone();
    let json = read_json(&json);
    let findings = json["findings"].as_array().unwrap().iter();
    let number = |finding: &Value| finding["number"].as_str().unwrap().to_owned();
    let numbers = findings.map(number).collect();
    Profiled {
        report,
        json,
        numbers,
    }
}

/// Asserts which finding comes first in most runs, and that the report shows it.
#[track_caller]
fn assert_first(number: &str, example: &str) -> Value {
    assert_first_with(number, example, |_| true)
}

/// The same, and asserts that `holds` is true of the finding in most runs.
#[track_caller]
fn assert_first_with(number: &str, example: &str, holds: impl Fn(&Value) -> bool) -> Value {
    let is_right = |run: &Profiled| {
        let is_first = run.numbers.first().is_some_and(|first| first == number);
        is_first && holds(&run.json["findings"][0])
    };
    let mut profiled = mostly(is_right, example);
    let (_, shown) = profiled.report.split_once("\nFindings\n").unwrap();
    assert!(shown.trim_start().starts_with(number), "{shown}");
    let hint = format!("workspan explain {number}");
    assert!(shown.contains(&hint), "{shown}");
    profiled.json["findings"][0].take()
}

#[track_caller]
fn assert_none(example: &str) {
    let profiled = mostly(|run| run.numbers.is_empty(), example);
    let report = profiled.report;
    assert!(report.contains("No findings: "), "{report}");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn ws001_a_serial_partition() {
    let is_serial = |finding: &Value| finding["evidence"]["parallelism"].as_f64().unwrap() < 16.0;
    let finding = assert_first_with("WS001", "quicksort 4000000", is_serial);
    let text = finding["text"].as_str().unwrap();
    assert!(text.contains("quicksort.rs"), "{text}");
    assert_none("quicksort_parallel_partition 10000000");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn ws002_a_task_for_each_call() {
    let finding = assert_first("WS002", "fib 30");
    assert_eq!(finding["evidence"]["tasks"], 1_346_268);
    assert_none("fib 40 20");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn ws002_an_inner_loop() {
    // The threads hardly ever have a task: then the run cannot tell how the program scales, and has
    // no findings, but blames the tasks of the inner loop.
    let blames_tasks = |run: &Profiled| {
        run.json["books"]["discrepancy"] == "fine_tasks"
            && run.report.contains("Make the tasks larger")
            && run.report.contains("those of the par_iter at")
    };
    mostly(
        |run| blames_tasks(run) || run.numbers == ["WS002"],
        "snippets B 50000",
    );
    assert_first("WS002", "stencil naive 96 4");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn ws003_a_serial_step() {
    let finding = assert_first("WS003", "kmeans");
    assert!(finding["within"].is_u64(), "{finding}");
    assert_none("kmeans 2000000 10 parallel");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn ws004_a_part_split_off() {
    // A strand that the machine interrupts can end the longest path early.
    let is_deep = |finding: &Value| finding["evidence"]["depth"].as_f64().unwrap() > 1_000.0;
    assert_first_with("WS004", "skewed peel", is_deep);
    assert_none("skewed halve");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn ws005_tasks_handed_out_one_by_one() {
    assert_first("WS005", "handout single");
    assert_none("handout divided");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn ws006_writing_behind_a_lock() {
    let waits = |finding: &Value| finding["evidence"]["blocked_share"].as_f64().unwrap() > 0.5;
    assert_first_with("WS006", "journal each", waits);
    assert_none("journal together");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn ws006_a_bridge() {
    assert_first("WS006", "bridge bridge");
    assert_none("bridge range");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn ws007_two_iterations() {
    let finding = assert_first("WS007", "snippets A 100000");
    assert_eq!(finding["evidence"]["tasks"], 2.0);
    assert_none("snippets C 100000");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn ws007_large_nodes() {
    // With smaller nodes, improving the serial code would gain as much, or more.
    assert_first("WS007", "bfs 200 8192");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn ws008_a_task_for_each_item() {
    assert_first("WS008", "chunks ones 4000000");
    assert_none("chunks default");
}

#[test]
fn findings_are_explained() {
    let folder = Path::new("/");
    let all = workspan(folder, "explain");
    assert_eq!(all.succeeds().stdout.lines().count(), 13);
    for line in all.stdout.lines() {
        let (number, title) = line.split_once(": ").unwrap();
        let one = workspan(folder, &format!("explain {number}"));
        let heading = format!("# {number}: {title}\n");
        assert!(one.succeeds().stdout.starts_with(&heading), "{heading}");
    }
    workspan(folder, "explain WS999")
        .exits(2)
        .says("WS001 to WS013");
}
