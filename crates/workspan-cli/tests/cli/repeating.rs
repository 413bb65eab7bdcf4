//! `--runs`.

use std::fs::{self, File};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;

use crate::project::{Project, Ran, command, read_json, workspan};
use crate::signals::started_in_group;
use crate::stand_in::StandIn;

/// A program that knows how often it has run before, as `$before`.
fn counting(script: &str) -> StandIn {
    StandIn::new(&format!(
        "before=$(cat before 2>/dev/null || echo 0)\necho $((before + 1)) >before\n{script}"
    ))
}

/// A program whose runs have spans of 500, 300 and 400 µs.
fn varying() -> StandIn {
    counting("echo \"output $before\"\ncase $before in 0) span=500000;; 1) span=300000;; esac")
}

#[test]
fn every_figure_has_its_median_and_spread() {
    let program = varying();
    let ran = program.run("--full --runs 3 -o all.wsp --json all.json");
    ran.succeeds()
        .prints("output 0\noutput 1\noutput 2\n")
        .says("run 1 of 3 …")
        .says("run 3 of 3 …")
        .says("400 µs  (300 … 500 µs)")
        .says("2.50  (2.00 … 3.33)")
        .says("run 3, the one with the")
        .says("200 … 400 µs");
    assert_eq!(ran.stderr.matches("Parallelism profile").count(), 1);
    let json = read_json(&program.folder().join("all.json"));
    assert_eq!(json["totals"]["span_ns"], 400_000);
    let span = json!({"median": 400_000, "least": 300_000, "most": 500_000});
    assert_eq!(json["spread"]["totals"]["span_ns"], span);
    assert_eq!(json["spread"]["sites"][0]["runs"], 3);
    assert_eq!(json["runs"][1]["totals"]["span_ns"], 300_000);
    let again = workspan(program.folder(), "report all.wsp --json -");
    assert_eq!(again.succeeds().json(), json);
}

#[test]
fn the_first_run_that_fails_is_the_last() {
    let program = counting("if [ $before = 1 ]; then exit 7; fi");
    program
        .run("--runs 5 --json all.json")
        .exits(7)
        .says("run 2 of 5 ended with exit code 7")
        .does_not_say("run 3 of 5")
        .does_not_say("\nTry: ");
    assert!(!program.folder().join("all.json").exists());
    let killed = counting("if [ $before = 1 ]; then kill -TERM $$; fi");
    killed
        .run("--runs 2")
        .exits(143)
        .says("run 2 of 2 was interrupted by signal 15");
}

#[test]
fn an_interruption_ends_the_repetition_even_if_the_program_survives_it() {
    let program =
        StandIn::new("trap true INT\necho ready\nwhile [ ! -e interrupted ]; do sleep 0.02; done");
    let mut command = command(program.folder(), "run --runs 2 -- sh program");
    let child = started_in_group(&mut command);
    kill_process_group(Pid::from_child(&child), Signal::INT).unwrap();
    fs::write(program.folder().join("interrupted"), "").unwrap();
    Ran::from(child.wait_with_output().unwrap())
        .exits(130)
        .says("run 1 of 2 was interrupted by signal 2")
        .does_not_say("run 2 of 2");
}

#[test]
fn a_run_without_a_profile_does_not_get_that_of_the_previous_run() {
    let program = counting("if [ $before = 1 ]; then exit 0; fi");
    program.run("--runs 2").exits(4).says("run 2 of 2");
}

#[test]
fn every_run_reads_standard_input_from_the_same_place() {
    let program = StandIn::new("cat");
    fs::write(program.folder().join("input"), "text\n").unwrap();
    let run = |input: Stdio| {
        let mut command = command(program.folder(), "run --runs 2 -- sh program");
        Ran::new(command.stdin(input))
    };
    let file = File::open(program.folder().join("input")).unwrap();
    run(file.into())
        .succeeds()
        .prints("text\ntext\n")
        .does_not_say("pipe");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(writer);
    run(reader.into())
        .succeeds()
        .says("standard input is a pipe");
}

pub(crate) fn a_program_that_cargo_builds_is_built_once_and_run_often(project: &Project) {
    project
        .run("run --runs 2 --json out.json")
        .succeeds()
        .prints("55\n55\n")
        .says("run 2 of 2");
    let json = project.json("out.json");
    let spawns = json!({"median": 88, "least": 88, "most": 88});
    assert_eq!(json["spread"]["totals"]["spawns"], spawns);
    assert_eq!(json["spread"]["sites"].as_array().unwrap().len(), 2);
}

#[test]
fn tests_and_benches_are_not_repeated() {
    let project = Project::without_rayon("repeating_refused");
    for command in ["test", "bench"] {
        project
            .run(&format!("{command} --runs 2"))
            .exits(2)
            .says("--runs repeats one program")
            .says("workspan run --runs 2 -- PROGRAM");
        project
            .run(&format!("{command} --help"))
            .does_not_show("--runs");
    }
    project.run("run --runs 0").exits(2).says("1..=1000");
}

#[test]
fn a_baseline_is_of_runs_without_a_profile_on_one_processor_and_on_all() {
    // Its work exceeds what a shell takes, and it was cut for more cores than it has threads.
    let program = StandIn::new(
        "echo ${RAYON_NUM_THREADS-all}${WORKSPAN_PROFILE+, profiled} >>order\n\
         [ -n \"$WORKSPAN_PROFILE\" ] || exit 0\njoin=900000000000",
    );
    program
        .run("--baseline --json all.json")
        .succeeds()
        .says("on all processors and on one: 6 of 6 …")
        .says("\nToday: ");
    let order = fs::read_to_string(program.folder().join("order")).unwrap();
    let pairs = "all\n1\n".repeat(6);
    let profiled = "all, profiled\n".repeat(2);
    assert_eq!(order, pairs + &profiled);
    let json = read_json(&program.folder().join("all.json"));
    let baseline = &json["baseline"];
    assert_eq!(baseline["pairs"], 6);
    assert!(baseline["lower"].as_f64() <= baseline["speedup"].as_f64());
}

#[test]
fn a_program_that_fails_without_a_profile_has_a_report_without_a_baseline() {
    StandIn::new("[ -n \"$WORKSPAN_PROFILE\" ] || exit 7")
        .run("--baseline")
        .succeeds()
        .says("--baseline is left out: a run without a profile ended with exit code 7")
        .does_not_say("\nToday: ");
}

#[test]
fn with_a_baseline_every_run_reads_the_input() {
    let program = StandIn::new("cat >>seen\n[ -n \"$WORKSPAN_PROFILE\" ] || exit 0");
    let input = program.folder().join("input");
    fs::write(&input, "line\n").unwrap();
    let mut command = command(program.folder(), "run --baseline -- sh program");
    command.stdin(File::open(&input).unwrap());
    Ran::from(command.output().unwrap()).succeeds();
    let seen = fs::read_to_string(program.folder().join("seen")).unwrap();
    // Twelve plain runs and the profiled one; another one where that did more work than a shell.
    assert!(seen.lines().count() >= 13, "{seen}");
}
