//! `inflate`: a program on one worker and in parallel.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::project::{Project, Ran, command_apart, kept_apart, plain, read_json, workspan};
use crate::stand_in::StandIn;

/// A program whose join takes three times as long in parallel. It appends its number of threads to
/// `ran`.
fn hindered(script: &str) -> StandIn {
    StandIn::new(&format!(
        "echo $WORKSPAN_THREADS >>ran\necho output\n\
         if [ $WORKSPAN_THREADS = 1 ]; then join=900000; else join=2700000 span=1000000; fi\n{script}"
    ))
}

/// `workspan inflate OPTIONS` on the program.
fn inflate(program: &StandIn, options: &str) -> Ran {
    Ran::new(&mut command_apart(
        program.folder(),
        &format!("inflate --threads 2 {options} -- sh program"),
    ))
}

/// The file that keeps its runs.
fn kept(program: &StandIn) -> PathBuf {
    kept_apart(program.folder(), "sh.inflation.json")
}

/// The row of a site of this kind and of this extent.
fn row<'a>(json: &'a Value, kind: &str, extent: &str) -> &'a Value {
    let mut rows = json["metrics"][0]["rows"].as_array().unwrap().iter();
    let found = rows.find(|row| {
        let site = usize::try_from(row["site"].as_u64().unwrap()).unwrap();
        json["sites"][site]["kind"] == kind && row["extent"] == extent
    });
    found.unwrap_or_else(|| panic!("no {kind}, {extent} in {json:#}"))
}

#[test]
fn only_what_takes_longer_in_parallel_is_reported() {
    let program = hindered("");
    let ran = inflate(&program, "--runs 7 --json all.json");
    ran.succeeds()
        .shows("WS010")
        .shows("3.00 times the work of one")
        .shows("workspan bandwidth")
        .does_not_say("output")
        .does_not_show("output");
    let json = read_json(&program.folder().join("all.json"));
    let join = row(&json, "join", "own");
    assert_eq!(join["judgement"], "inflated");
    assert_eq!(join["work"]["value"], 3.0);
    assert_eq!(join["oracle_work"], 900_000);
    assert_eq!(row(&json, "root", "own")["judgement"], "not_inflated");
    let program_work = json["metrics"][0]["program"]["work"]["value"].as_f64();
    assert_eq!(program_work, Some(2.8));
    assert_eq!(json["findings"].as_array().unwrap().len(), 1);
    assert_eq!(json["findings"][0]["number"], "WS010");

    let file = kept(&program);
    let report = |options: &str| {
        let line = format!("report {} {options}", file.display());
        workspan(program.folder(), &line)
    };
    assert_eq!(report("--json -").succeeds().json(), json);
    for option in ["--html=a.html", "--csv=a.csv", "--open", "--path-of=root"] {
        report(option)
            .exits(2)
            .says("there is text and --json, but no --");
    }
    report("").succeeds().prints(&ran.stdout);
    let kept = fs::read_to_string(&file).unwrap();
    let other = kept.replacen(
        "\"differential_version\":1",
        "\"differential_version\":77",
        1,
    );
    fs::write(program.folder().join("other"), other).unwrap();
    assert!(!program.folder().join("sh.inflation.json").exists());
    workspan(program.folder(), "report other")
        .exits(4)
        .says("it is of version 77");
}

#[test]
fn executions_take_turns_in_random_order() {
    let program = hindered("");
    inflate(&program, "--runs 12 --seed 3 -o kept.json").succeeds();
    assert!(program.folder().join("kept.json").exists());
    let ran = fs::read_to_string(program.folder().join("ran")).unwrap();
    let ran: Vec<&str> = ran.lines().collect();
    assert_eq!(ran.len(), 1 + 2 * 12);
    assert_eq!(ran[0], "2", "the run to warm up");
    let rounds: Vec<&[&str]> = ran[1..].chunks(2).collect();
    assert!(rounds.iter().all(|round| round[0] != round[1]), "{ran:?}");
    for first in ["1", "2"] {
        assert!(rounds.iter().any(|round| round[0] == first), "{ran:?}");
    }
}

#[test]
fn too_few_rounds_and_other_tasks_are_reported() {
    let program = hindered("");
    inflate(&program, "--runs 2")
        .succeeds()
        .shows("that takes --runs 7 at least")
        .shows("No findings");
    let program = hindered("[ $WORKSPAN_THREADS = 1 ] || tasks=20");
    inflate(&program, "--runs 7")
        .succeeds()
        .shows("other tasks")
        .shows("One worker made 10 tasks, and 20 were made in parallel")
        .shows("No findings");
}

#[test]
fn a_run_that_fails_is_the_last() {
    let failing = hindered("if [ $(wc -l <ran) = 4 ]; then exit 7; fi");
    inflate(&failing, "--runs 7")
        .exits(7)
        .says("of round 2 ended with exit code 7")
        .says("/sh.inflation.json` compares");
    let report = format!("report {}", kept(&failing).display());
    workspan(failing.folder(), &report)
        .succeeds()
        .shows("1 round of a run");
    let killed = hindered("kill -9 $$");
    inflate(&killed, "--runs 7")
        .exits(137)
        .says("a run to warm up was interrupted by signal 9")
        .says("nothing to compare");
    let program = hindered("");
    inflate(&program, "--runs 1 -o /proc/nowhere/kept.json")
        .exits(4)
        .says("cannot be kept in");
    assert!(!program.folder().join("ran").exists());
}

#[test]
fn wrong_options_and_programs_are_refused_first() {
    let program = hindered("");
    for (wrong, said) in [
        ("--metric nonsense", "--metric: "),
        ("--threads 1", "1 is not in 2..=65535"),
        ("--runs 0", "0 is not in 1..=1000"),
        ("--least 0.5", "1.1 for a tenth more"),
    ] {
        workspan(program.folder(), &format!("inflate {wrong} -- sh program"))
            .exits(2)
            .says(said);
    }
    workspan(program.folder(), "inflate --threads 2 -- /bin/true")
        .exits(4)
        .says("no profile");
    let mut alone = Command::new("taskset");
    alone
        .args(["-c", "0", env!("CARGO_BIN_EXE_workspan")])
        .args(["inflate", "--", "sh", "program"])
        .current_dir(program.folder());
    Ran::new(&mut plain(alone))
        .exits(3)
        .says("this process has one processor")
        .says("--threads 2");
    assert!(!program.folder().join("ran").exists());
    workspan(Path::new("/"), "inflate").exits(2).says("PROGRAM");
}

const MAIN: &str = r#"
let numbers: Vec<u64> = (0..20_000).collect();
fn sum(numbers: &[u64]) -> u64 {
    if numbers.len() <= 500 {
        return (0..20).map(|round| numbers.iter().map(|number| number ^ round).sum::<u64>()).sum();
    }
    let (left, right) = numbers.split_at(numbers.len() / 2);
    let (left, right) = rayon::join(|| sum(left), || sum(right));
    left + right
}
println!("sum {}", sum(&numbers));
"#;

/// Real runs, whose times are not checked because other programs run at the same time.
#[test]
fn a_rayon_program_makes_the_same_tasks_in_both_executions() {
    let project = Project::with_main("inflated", MAIN);
    let line = "inflate --threads 2 --runs 2 --json -";
    let json = project.run(line).succeeds().says("round 2 of 2").json();
    let program = &json["metrics"][0]["program"];
    assert_eq!(program["oracle_threads"], 1);
    assert_eq!(program["oracle_tasks"], program["parallel_tasks"]);
    assert_eq!(json["runtime"], "rayon");
    let join = row(&json, "join", "own");
    assert_eq!(join["judgement"], "too_few_rounds");
    assert_eq!(join["oracle_count"], join["parallel_count"]);
    assert!(join["work"]["value"].as_f64().unwrap() > 0.0);
    // Subtrees near the grain may be folded in one run and not in the other.
    let path = &program["path_by_strand"];
    assert!(path["found_share"].as_f64().unwrap() > 0.0, "{path:#}");
    assert!(!path["by_choice"].is_null());
    let kept = project.target.join("workspan/inflated.inflation.json");
    assert!(kept.exists());
    let json = project
        .run(&format!("{line} --no-record"))
        .succeeds()
        .json();
    assert!(json["metrics"][0]["program"]["path_by_strand"].is_null());
}

pub(crate) fn a_program_without_tasks_is_refused(project: &Project) {
    project
        .run("inflate --threads 2 --runs 2")
        .exits(3)
        .says("all of it is one strand");
}
