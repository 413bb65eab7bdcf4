//! `workspan compare` and `workspan merge`.

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use workspan_format::wsp;
use workspan_model::{Profile, Span, Work, example, repeated};

use crate::emulated::has_emulator;
use crate::project::{Project, Ran, workspan};

/// The quicksort with its join's own span and work times these, in run after run.
pub(crate) fn runs(factors: &[f64]) -> Profile {
    let run = |&factor: &f64| {
        let mut profile = example::quicksort();
        let times = |nanos: f64| (nanos * factor) as i64;
        profile.tree[1].on_span.local_span = Span::from_nanos(times(76_600_000.0));
        profile.tree[1].on_work.local_work = Work::from_nanos(times(1_038_600_000.0));
        profile.span = Span::from_nanos(21_400_000 + times(76_600_000.0));
        profile.burdened_span = profile.span;
        profile
    };
    repeated(factors.iter().map(run).collect()).unwrap()
}

/// Ten quiet runs, times this.
pub(crate) fn quiet(factor: f64) -> Profile {
    let factors: Vec<f64> = (0..10)
        .map(|run| factor * (1.0 + f64::from(run) / 1e3))
        .collect();
    runs(&factors)
}

pub(crate) fn write(folder: &Path, name: &str, profile: &Profile) {
    wsp::write(&folder.join(name), profile, None).unwrap();
}

/// A folder with `old.wsp` and `new.wsp`.
fn folder(old: &Profile, new: &Profile) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "old.wsp", old);
    write(folder.path(), "new.wsp", new);
    folder
}

fn compare(folder: &TempDir, options: &[&str]) -> Ran {
    let arguments = [&["compare", "old.wsp", "new.wsp"], options].concat();
    workspan(folder.path(), &arguments)
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn a_longer_span_is_told_with_its_place() {
    let folder = folder(&quiet(1.0), &quiet(1.15));
    let ran = compare(
        &folder,
        &["--csv", "out.csv", "--json", "out.json", "--svg", "out.svg"],
    );
    ran.succeeds()
        .shows("Worse: work 14.7% more, span 11.7% more, burdened span 11.7% more.")
        .shows("quicksort 10000000 (old.wsp, 10 runs)")
        .shows("98.3 ms")
        .shows("upper bound before")
        .shows("examples/quicksort.rs:31:9 ")
        .shows("--least-change");
    let json = std::fs::read_to_string(folder.path().join("out.json")).unwrap();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["verdict"], "worse");
    assert_eq!(json["basis"]["runs_before"], 10);
    assert_eq!(json["totals"][1]["quantity"], "span");
    assert_eq!(json["totals"][1]["change"], "grown");
    assert_eq!(json["sites"][0]["found"], "both");
    let csv = std::fs::read_to_string(folder.path().join("out.csv")).unwrap();
    assert!(
        csv.starts_with("found,kind,name,location,figure,before"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 1 + 6 + 2 * 2);
    let svg = std::fs::read_to_string(folder.path().join("out.svg")).unwrap();
    assert!(svg.contains("lower bound after"));
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn nothing_is_told_where_nothing_changed() {
    let folder = folder(&quiet(1.0), &quiet(1.0));
    compare(&folder, &[])
        .succeeds()
        .shows("No change")
        .shows("the same");
    let ran = compare(&folder, &["--csv"]);
    assert!(!ran.succeeds().stdout.contains("grown"), "{ran:?}");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn one_run_each_tells_nothing_from_noise() {
    let folder = folder(&runs(&[1.0]), &runs(&[1.15]));
    let ran = compare(&folder, &[]);
    ran.succeeds()
        .shows("No verdict")
        .shows("one run of each")
        .shows("not known")
        .shows("--runs 5");
    let json: Value = serde_json::from_str(&compare(&folder, &["--json", "-"]).stdout).unwrap();
    assert_eq!(json["verdict"], "unknown");
    assert_eq!(json["totals"][0]["growth_low"], Value::Null);
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn exact_clocks_tell_the_last_digit() {
    let exact = |factor: f64| {
        let mut profile = runs(&[factor]);
        profile.run.clock = "virtual".to_owned();
        profile
    };
    let folder = folder(&exact(1.0), &exact(1.000_001));
    compare(&folder, &[])
        .succeeds()
        .shows("Worse")
        .shows("98,000,076 ns")
        .shows("repeats exactly");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn other_runs_are_told_with_what_to_do() {
    let mut new = quiet(1.0);
    new.run.command[1] = "5".to_owned();
    new.run.assumed_cores = 96;
    compare(&folder(&quiet(1.0), &new), &[])
        .succeeds()
        .shows("`10000000` before and `5` after")
        .shows("--assume-cores");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn moved_gained_and_lost_sites() {
    let mut moved = runs(&[1.0]);
    moved.sites[1].location.as_mut().unwrap().line = 44;
    compare(&folder(&runs(&[1.5]), &moved), &[])
        .succeeds()
        .shows("has moved: it stood at examples/quicksort.rs:31:9");
    let mut other = runs(&[1.0]);
    other.sites[1].function = Some("quicksort::other".to_owned());
    other.sites[1].location.as_mut().unwrap().line = 44;
    compare(&folder(&runs(&[1.0]), &other), &[])
        .succeeds()
        .shows("Sites gained")
        .shows("Sites lost");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn what_is_no_profile_is_refused() {
    let folder = folder(&quiet(1.0), &runs(&[1.0; 9]));
    std::fs::write(folder.path().join("text.wsp"), "text").unwrap();
    let run = |arguments: &[&str]| workspan(folder.path(), arguments);
    run(&["compare", "none.wsp", "new.wsp"])
        .exits(4)
        .says("none.wsp");
    run(&["compare", "old.wsp", "text.wsp"])
        .exits(4)
        .says("not a workspan profile");
    let mut newer = std::fs::read(folder.path().join("old.wsp")).unwrap();
    newer[8] = 99;
    std::fs::write(folder.path().join("newer.wsp"), newer).unwrap();
    run(&["compare", "newer.wsp", "new.wsp"])
        .exits(4)
        .says("format version 99");
    run(&["compare", "old.wsp", "new.wsp", "--paired"])
        .exits(2)
        .says("10 runs before and 9 after");
    run(&["compare", "old.wsp", "new.wsp", "--least-change", "two"])
        .exits(2)
        .says("percentage");
    run(&["compare", "main", "new.wsp"])
        .exits(4)
        .says("no baseline `main`");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn runs_of_their_own_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    for (name, factor) in [("a.wsp", 1.0), ("b.wsp", 1.2), ("c.wsp", 1.1)] {
        write(folder.path(), name, &runs(&[factor]));
    }
    let run = |arguments: &[&str]| workspan(folder.path(), arguments);
    run(&["merge", "-o", "all.wsp", "a.wsp", "b.wsp", "c.wsp"]).succeeds();
    let merged = wsp::read(&folder.path().join("all.wsp")).unwrap();
    assert_eq!(merged.span, runs(&[1.1]).span);
    assert_eq!(merged.repetition.unwrap().runs.len(), 3);
    run(&["merge", "-o", "again.wsp", "all.wsp", "a.wsp"])
        .exits(2)
        .says("several runs already");
    let mut other = runs(&[1.0]);
    other.run.command.push("more".to_owned());
    write(folder.path(), "other.wsp", &other);
    run(&["merge", "-o", "again.wsp", "a.wsp", "other.wsp"])
        .exits(2)
        .says("no other run of the same");
}

/// A program of which half of the span is a serial loop, and longer by so many percent as it is told.
fn spinning(name: &str) -> Project {
    let project = Project::new(name);
    project
        .main(
            "let percent: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
             let spin = |steps: u64| {
                 let mut value = 1_u64;
                 for _ in 0..steps { value = std::hint::black_box(value.wrapping_mul(3)); }
                 value
             };
             spin(400_000 * (100 + 2 * percent));
             std::hint::black_box(rayon::join(|| spin(40_000_000), || spin(40_000_000)));",
        )
        .lock();
    project
}

/// Whatever else the machine does, and with one run each.
#[test]
#[ignore = "judges time: ci/full timed"]
fn instructions_are_compared_to_the_last_one() {
    if !has_emulator() {
        return;
    }
    let project = spinning("compared_exactly");
    let measure = |file: &str, percent: &str| {
        let measuring = [
            "run",
            "--emulate",
            "--still-clock",
            "--release",
            "--no-report",
        ];
        let rest = ["-o", file, "--", percent];
        project.run(&[&measuring[..], &rest].concat()).succeeds();
    };
    let run = |arguments: &[&str]| workspan(&project.folder, arguments);
    // In a run of some dozens, a thread of the pool and the main one want one lock as the pool starts (docs/emulate.md).
    let tries = std::iter::repeat_with(|| {
        measure("a.wsp", "00");
        measure("b.wsp", "00");
        run(&["compare", "a.wsp", "b.wsp"])
    });
    for (number, ran) in tries.take(3).enumerate() {
        ran.succeeds();
        if number == 2 || ran.stdout.contains("No change: ") {
            ran.shows("No change: work, span and burdened span are the same.")
                .shows("in instructions");
            break;
        }
        eprintln!("not the same: {}", ran.stdout);
    }
    measure("c.wsp", "01");
    run(&["compare", "a.wsp", "c.wsp"])
        .succeeds()
        .shows("Worse: ");
    let limits = [
        "--max-work",
        "+0%",
        "--max-span",
        "+0%",
        "--max-burdened-span",
        "+0%",
    ];
    let check = ["check", "b.wsp", "--baseline", "a.wsp"];
    run(&[&check[..], &limits].concat()).succeeds();
    run(&["check", "b.wsp", "--max-span", "5"]).exits(3);
    run(&["check", "b.wsp", "--max-span", "5ms"])
        .exits(2)
        .says("counts");
}

/// Of a program that is built and run: runs in turns, of the same program and of one whose span is twice as long. Other tests run beside
/// this one, and may take as much from one run as a small change does, for as long as the test lasts: how small a change is told, shows
/// `ci/compare`, which has the machine for itself. Where a change is still hidden, or made, all is run again, and more often.
#[test]
#[ignore = "judges time: ci/full timed"]
fn a_longer_span_of_a_real_program_is_told_and_nothing_of_the_same() {
    let project = spinning("compared");
    let program = project.target.join("workspan/release/compared");
    project
        .run(&["run", "--release", "--no-report", "--", "0"])
        .succeeds();
    let run = |arguments: &[&str]| {
        workspan(&project.folder, arguments)
            .succeeds()
            .stdout
            .clone()
    };
    let alarmed = |with: &str, rounds: usize| -> Vec<String> {
        for name in ["old", "new"] {
            let of = |round: usize| format!("{name}-{round}.wsp");
            let files: Vec<String> = (0..rounds).map(of).collect();
            let mut merge = vec!["merge", "-o", name];
            merge.extend(files.iter().map(String::as_str));
            if name == "old" {
                for round in 0..rounds {
                    for (name, percent) in [("old", "0"), ("new", with)] {
                        let file = format!("{name}-{round}.wsp");
                        let program = program.to_str().unwrap();
                        let measuring = ["run", "--no-report", "--no-record", "--sample-hz", "0"];
                        let rest = ["--clock", "thread", "-o", &file, "--", program, percent];
                        run(&[&measuring[..], &rest].concat());
                    }
                }
            }
            run(&merge);
        }
        let json = run(&["compare", "./old", "./new", "--json", "-"]);
        let json: Value = serde_json::from_str(&json).unwrap();
        let totals = json["totals"].as_array().unwrap().iter();
        let changed =
            totals.filter(|total| total["change"] == "grown" || total["change"] == "shrunk");
        changed
            .map(|total| total["quantity"].as_str().unwrap().to_owned())
            .collect()
    };
    let in_some_try = |with: &str, is_wanted: &dyn Fn(&[String]) -> bool| {
        let mut tries = [10, 20, 40].into_iter().map(|rounds| alarmed(with, rounds));
        tries.any(|alarms| is_wanted(&alarms))
    };
    assert!(in_some_try("0", &|alarms| alarms.is_empty()));
    assert!(in_some_try("100", &|alarms| alarms.contains(&"span".to_owned())));
}
