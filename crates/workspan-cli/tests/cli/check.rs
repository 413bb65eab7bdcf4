//! `workspan check`, baselines and `workspan.toml`.

use std::fs;

use tempfile::TempDir;

use crate::compare::{quiet, runs};
use crate::project::{self, Ran, workspan};
use crate::stand_in::StandIn;
use crate::stored::write;

/// A folder with `old.wsp`, `new.wsp` with a span 11.7% longer, and `workspan.toml`, which keeps
/// any other one from being used.
fn folder(configuration: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "old.wsp", &quiet(1.0), None);
    write(&folder, "new.wsp", &quiet(1.15), None);
    fs::write(folder.path().join("workspan.toml"), configuration).unwrap();
    // Alerts stand at files that exist.
    fs::create_dir(folder.path().join("examples")).unwrap();
    fs::write(folder.path().join("examples/quicksort.rs"), "").unwrap();
    folder
}

fn check(folder: &TempDir, options: &str) -> Ran {
    workspan(folder.path(), &format!("check new.wsp {options}"))
}

#[test]
fn a_regression_is_exit_code_3() {
    let folder = folder("");
    let check = |options: &str| check(&folder, options);
    check("--baseline old.wsp --max-span +5% --max-work +20%")
        .exits(3)
        .shows("Regression: 1 of 2 thresholds exceeded.")
        .shows("EXCEEDED")
        .shows("+5.00%");
    check("--baseline old.wsp --max-span +15% --max-burdened-span +15%")
        .succeeds()
        .shows("Passed: 2 of 2");
    check("--max-span 100ms").exits(3);
    check("--max-span 120ms --min-parallelism 10").succeeds();
    check("--min-parallelism 20").exits(3).shows("≥ 20.0");
    check("--baseline old.wsp --min-parallelism -1%").succeeds();
    check("--max-tasks 587_212").exits(3);
}

#[test]
fn an_uncertain_excess_passes_unless_the_check_is_strict() {
    let folder = folder("");
    // All ten runs are between 109.5 and 110.3 ms.
    check(&folder, "--max-span 109.7ms")
        .succeeds()
        .shows("not certain");
    check(&folder, "--max-span 109.7ms --strict")
        .exits(3)
        .shows("NOT CERTAIN");
}

#[test]
fn json_says_what_failed() {
    let folder = folder("");
    let ran = check(&folder, "--baseline old.wsp --max-span +5% --json -");
    let json = ran.exits(3).json();
    assert_eq!(json["passed"], false);
    let threshold = &json["thresholds"][0];
    assert_eq!(threshold["quantity"], "span");
    assert_eq!(threshold["outcome"], "exceeded");
    assert_eq!(threshold["growth"], 0.05);
    assert!(threshold["low"].as_f64().unwrap() > threshold["limit"].as_f64().unwrap());
}

#[test]
fn single_runs_are_judged_with_a_remark() {
    let folder = folder("");
    write(&folder, "new.wsp", &runs(&[1.15]), None);
    check(&folder, "--max-span 109ms")
        .exits(3)
        .shows("too few runs");
}

#[test]
fn thresholds_are_read_from_workspan_toml() {
    let folder = folder(
        "[check]\nbaseline = \"./old.wsp\"\n[thresholds]\nmax-span = \"+5%\"\nmin-parallelism = 8\n\
         [site.\"quicksort.rs:31\"]\nmax-work = \"1s\"\n",
    );
    check(&folder, "")
        .exits(3)
        .shows("2 of 3 thresholds exceeded")
        .shows("of quicksort.rs:31");
    check(&folder, "--max-span +20%").exits(3).shows("1 of 3");
    // Also in subfolders.
    let below = folder.path().join("deep/down");
    fs::create_dir_all(&below).unwrap();
    workspan(&below, "check ../../new.wsp")
        .exits(3)
        .shows("2 of 3");
}

#[test]
fn a_bad_workspan_toml_is_named_with_the_line() {
    let wrong = |configuration: &str| check(&folder(configuration), "");
    wrong("[thresholds]\nmax-spam = \"+5%\"\n")
        .exits(2)
        .says("workspan.toml")
        .says("line 2")
        .says("max-spam")
        .says("max-span");
    wrong("[threshold]\n")
        .exits(2)
        .says("line 1")
        .says("thresholds");
    wrong("[thresholds]\nmax-span = \"5%\"\n")
        .exits(2)
        .says("line 2")
        .says("needs a sign");
    wrong("[thresholds]\nmax-span = 12\n").exits(2).says("unit");
    wrong("[check]\nbaseline = \"../up\"\n[thresholds]\nmax-span = \"+1%\"\n").exits(4);
    wrong("[site.\"nowhere.rs:7\"]\nmax-work = \"1s\"\n")
        .exits(2)
        .says("max-work of `nowhere.rs:7`");
}

#[test]
fn nothing_to_check_is_an_error() {
    let folder = folder("");
    check(&folder, "").exits(2).says("nothing to check");
    check(&folder, "--max-span +5%")
        .exits(2)
        .says("max-span")
        .says("--baseline");
    check(&folder, "--max-span '5 parsecs'")
        .exits(2)
        .says("12ms");
    check(&folder, "--config none.toml")
        .exits(2)
        .says("none.toml");
}

#[test]
fn the_baseline_has_to_be_of_the_same_run() {
    let folder = folder("");
    let mut other = quiet(1.0);
    other.run.assumed_cores = 96;
    write(&folder, "old.wsp", &other, None);
    check(&folder, "--baseline old.wsp --max-span +50%")
        .exits(2)
        .says("96 cores before and 64 after")
        .says("--save-baseline");
}

#[test]
fn baselines_have_names() {
    let folder = folder("");
    let check = |options: &str| check(&folder, options);
    check("--baseline main --max-span +5%")
        .exits(4)
        .says("there is none yet");
    check("--save-baseline main")
        .succeeds()
        .says("baseline kept in");
    assert!(folder.path().join(".workspan/baselines/main.wsp").is_file());
    check("--baseline main --max-span +0%").succeeds();
    check("--baseline other --max-span +0%")
        .exits(4)
        .says("there are: main");
    // A profile that fails the check is not kept.
    check("--max-span 1ms --save-baseline bad").exits(3);
    assert!(!folder.path().join(".workspan/baselines/bad.wsp").exists());
    for name in ["../up", "a/b", ".."] {
        check(&format!("--save-baseline {name}"))
            .exits(2)
            .says("a name of letters");
    }
    workspan(folder.path(), "compare main new.wsp")
        .succeeds()
        .shows("No change");
}

#[test]
fn a_run_keeps_its_profile_as_a_baseline() {
    let program = StandIn::new("");
    program
        .run("--save-baseline main -o now.wsp --no-report")
        .succeeds();
    workspan(
        program.folder(),
        "check now.wsp --baseline main --max-span +0%",
    )
    .succeeds();
    program.run("--save-baseline ../main").exits(2);
}

/// A run that failed or ended early may have done less.
#[test]
fn incomplete_runs_are_refused() {
    let folder = folder("");
    let spoilt = |spoil: fn(&mut workspan_model::Run)| {
        let mut profile = quiet(1.0);
        spoil(&mut profile.run);
        write(&folder, "spoilt.wsp", &profile, None);
        for rest in [
            "spoilt.wsp --max-span 1s",
            "new.wsp --baseline ./spoilt.wsp --max-span +5%",
        ] {
            workspan(folder.path(), &format!("check {rest}"))
                .exits(2)
                .says("ended early");
        }
    };
    spoilt(|run| run.interrupted = true);
    spoilt(|run| run.exit = workspan_model::Exit::Code(1));
    spoilt(|run| run.unfinished_tasks = 1);
}

#[test]
fn a_sign_asks_for_a_percentage() {
    let folder = folder("");
    for limit in ["+100", "-20", "+2ms"] {
        check(&folder, &format!("--max-tasks {limit}"))
            .exits(2)
            .says("+5%");
    }
    check(&folder, "--max-span 1s --least-change 5%").exits(2);
}

#[test]
fn workflows_get_annotations_and_a_summary() {
    let folder = folder("");
    let summary = folder.path().join("summary.md");
    fs::write(&summary, "of an earlier step\n").unwrap();
    let run = |command: &str| {
        let options = "--format github";
        let mut command = project::command(folder.path(), &format!("{command} {options}"));
        Ran::new(command.env("GITHUB_STEP_SUMMARY", &summary))
    };
    let place = "file=examples/quicksort.rs,line=31,col=9,title=workspan%3A span";
    run("check new.wsp --baseline old.wsp --max-span +5% --min-parallelism 8")
        .exits(3)
        .shows("1 of 2 thresholds exceeded")
        .shows(&format!(
            "\n::error {place}::Span is 110 ms; the limit is ≤ +5.00%25"
        ));
    run("compare old.wsp new.wsp")
        .succeeds()
        .shows(&format!("\n::warning {place}::Span +11.7%25"));
    let summary = fs::read_to_string(summary).unwrap();
    assert!(
        summary.starts_with("of an earlier step\n### Regression"),
        "{summary}"
    );
    assert!(
        summary.contains("\n### Worse: work 14.7% more"),
        "{summary}"
    );
    let unwritable = folder.path().join("none/summary.md");
    let mut command =
        project::command(folder.path(), "check new.wsp --max-span 1s --format github");
    Ran::new(command.env("GITHUB_STEP_SUMMARY", unwritable))
        .succeeds()
        .says("the step has no summary");
    check(&folder, "--max-span 1ms --format github --json -")
        .exits(2)
        .says("both go to standard output");
}

#[test]
fn code_scanning_gets_findings_and_regressions() {
    let folder = folder("");
    let rules = |command: &str, code: i32| -> Vec<String> {
        let sarif = workspan(folder.path(), command).exits(code).json();
        let results = sarif["runs"][0]["results"].as_array().unwrap().clone();
        let rules = results
            .iter()
            .map(|it| it["ruleId"].as_str().unwrap().to_owned());
        rules.collect()
    };
    let findings = rules("export new.wsp --format sarif", 0);
    assert_eq!(findings[0], "WS001");
    let all = rules("check new.wsp --max-span 1ms --format sarif", 3);
    assert_eq!(all, [vec!["span".to_owned()], findings.clone()].concat());
    let saved = rules("check new.wsp --save-baseline main --format sarif", 0);
    assert_eq!(saved, findings, "without a threshold");
}

/// GitHub refuses the file if any result has no place, and shows only what is in the repository.
#[test]
fn places_are_in_the_repository() {
    let root = folder("");
    let below = root.path().join("below");
    fs::create_dir(root.path().join(".git")).unwrap();
    fs::rename(root.path().join("examples"), root.path().join("below")).unwrap();
    fs::create_dir(below.join("examples")).unwrap();
    fs::rename(
        below.join("quicksort.rs"),
        below.join("examples/quicksort.rs"),
    )
    .unwrap();
    let uris = || -> Vec<String> {
        let command = "check ../new.wsp --max-span 1ms --format sarif";
        let sarif = workspan(&below, command).exits(3).json();
        let results = sarif["runs"][0]["results"].as_array().unwrap().clone();
        let uri = |it: &serde_json::Value| {
            let place = &it["locations"][0]["physicalLocation"]["artifactLocation"];
            place["uri"].as_str().unwrap().to_owned()
        };
        results.iter().map(uri).collect()
    };
    let found = uris();
    assert!(found.len() > 1);
    assert!(found.iter().all(|uri| uri == "below/examples/quicksort.rs"));
    fs::remove_file(below.join("examples/quicksort.rs")).unwrap();
    assert_eq!(uris(), [""; 0], "it is of another repository");
}
