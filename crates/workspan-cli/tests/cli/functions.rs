//! Functions on the span by sampling, and the source with its figures.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::project::{Project, line_of, read_json, workspan};

/// Nearly all of its span is `prepare`, which does its work in `crunch`.
const MAIN: &str = r#"
use std::hint::black_box;

#[inline(never)]
fn crunch(rounds: u64) -> u64 { // mark: crunch
    let mut number = 1_u64;
    for round in 0..rounds {
        number = black_box(number.wrapping_mul(6_364_136_223_846_793_005) ^ round);
    }
    number
}

#[inline(never)]
fn prepare() -> u64 { // mark: prepare
    crunch(400_000_000) + 1 // mark: calls
}

fn main() {
    let prepared = prepare(); // mark: main
    let (left, right) = rayon::join(|| crunch(4_000_000), || crunch(4_000_000)); // mark: join
    println!("{}", prepared ^ left ^ right);
}
"#;

/// The project after a run, with its JSON.
fn profiled(name: &str) -> (Project, Value) {
    let project = Project::new(name);
    project.write("src/main.rs", MAIN).lock();
    project
        .run(&[
            "run",
            "--json",
            "run.json",
            "--report",
            "report.txt",
            "-o",
            "kept.wsp",
        ])
        .succeeds();
    let json = read_json(&project.folder.join("run.json"));
    (project, json)
}

#[test]
fn the_report_names_the_function_that_the_span_is_made_of() {
    let (project, json) = profiled("functions_named");
    let functions = &json["samples"]["functions"];
    let first = &functions[0];
    assert_eq!(
        first["function"], "functions_named::prepare",
        "{functions:#}"
    );
    assert_eq!(first["file"], "src/main.rs");
    assert_eq!(first["line"], line_of(MAIN, "prepare"));
    assert_eq!(first["parallel"], false);
    let share = &first["serial"]["on_span"];
    assert!(share["lower"].as_f64().unwrap() > 0.8, "{share}");
    assert!(share["upper"].as_f64().unwrap() <= 1.0, "{share}");
    let caller = &first["callers"][0];
    assert_eq!(caller["function"], "functions_named::main");
    assert_eq!(caller["line"], line_of(MAIN, "main"));
    let hottest = &functions[first["hottest"]["function"].as_u64().unwrap() as usize];
    assert_eq!(hottest["function"], "functions_named::crunch");
    assert_eq!(json["verdict"]["function"], 0);
    let report = project.read("report.txt").replace('\n', " ");
    assert!(
        report.contains("of the span is in functions_named::prepare"),
        "{report}"
    );
    assert!(report.contains("What the span is made of, by "), "{report}");
}

/// Nearly all of its time goes to the C library, which keeps no frame pointers.
const ALLOCATING: &str = r#"
use std::hint::black_box;

#[inline(never)]
fn churn(rounds: usize) -> usize {
    let mut kept: Vec<Vec<u8>> = (0..64).map(|_| Vec::new()).collect();
    for round in 0..rounds {
        kept[round % 64] = black_box(Vec::with_capacity(1_100 + round * 7_919 % 60_000));
    }
    black_box(kept).len()
}

#[inline(never)]
fn fill(rounds: usize) -> usize {
    churn(rounds) + 1
}

fn main() {
    let (left, right) = rayon::join(|| fill(4_000_000), || fill(10));
    println!("{}", left + right);
}
"#;

#[test]
fn time_in_the_c_library_counts_for_its_caller() {
    let project = Project::new("functions_allocating");
    project.write("src/main.rs", ALLOCATING).lock();
    let is_seen = || {
        let json = project.profile(&[]);
        let functions = json["samples"]["functions"].as_array().unwrap();
        let share = |name: &str, measure: &str| {
            let row = functions.iter().find(|row| row["function"] == name);
            row.map_or(0.0, |row| {
                row[measure]["on_work"]["share"].as_f64().unwrap()
            })
        };
        // The stack goes on behind it, unless the allocator had more on the stack than a sample keeps (docs/limits.md). How often
        // that is depends on how the heap lies: for up to two thirds of the samples here.
        share("functions_allocating::churn", "self") > 0.8
            && share("functions_allocating::fill", "serial") > 0.2
    };
    // What else there is, is the start of the pool: more on a busy machine, where samples also come late.
    assert!((0..3).any(|_| is_seen()));
}

#[test]
fn a_run_that_is_not_sampled_has_no_functions() {
    let project = Project::new("functions_off");
    project.main("functions_off::fib(12);").lock();
    let json = project.profile(&["--sample-hz", "0", "-o", "kept.wsp"]);
    assert_eq!(json["samples"], Value::Null);
    workspan(&project.folder, &["annotate", "kept.wsp"])
        .succeeds()
        .says("the run was not sampled");
}

#[test]
fn lines_are_shown_with_what_they_run() {
    let (project, _) = profiled("functions_lines");
    let shown = |arguments: &[&str]| {
        let mut all = vec!["annotate", "kept.wsp"];
        all.extend(arguments);
        let ran = workspan(&project.folder, &all);
        ran.succeeds().does_not_say("warning");
        ran.stdout
    };
    let line = |page: &str, mark: &str| {
        let text = MAIN.lines().nth(line_of(MAIN, mark) - 1).unwrap().trim();
        let found = page.lines().find(|line| line.ends_with(text));
        found
            .unwrap_or_else(|| panic!("no {text} in {page}"))
            .to_owned()
    };
    let page = shown(&[]);
    assert!(page.contains("\nsrc/main.rs\n"), "{page}");
    // How the loop divides among its lines, the compiler decides: one of them has half at least.
    assert!(page.contains("██▌") || page.contains("███"), "{page}");
    // A sample may fall behind the call itself: the line's own share comes before that with calls.
    let shares = line(&page, "calls");
    let with_calls = (shares.split_whitespace())
        .filter_map(|word| word.strip_suffix('%')?.parse::<f64>().ok())
        .fold(0.0, f64::max);
    assert!(with_calls > 85.0, "{page}");
    assert!(page.contains("1 × join"), "{page}");
    // A function by its name, without the rest of the file.
    let page = shown(&["prepare", "--context", "0"]);
    assert!(line(&page, "prepare").contains("fn prepare"), "{page}");
    assert!(!page.contains("fn main"), "{page}");
    assert_eq!(shown(&["src/main.rs"]), shown(&["main.rs"]));
    workspan(&project.folder, &["annotate", "kept.wsp", "nobody"])
        .exits(2)
        .says("`nobody`")
        .says("src/main.rs");
    workspan(&project.folder, &["annotate", "missing.wsp"])
        .exits(4)
        .says("missing.wsp");
}

#[test]
fn a_source_that_is_missing_or_changed_is_told() {
    let (project, _) = profiled("functions_changed");
    let source = project.folder.join("src/main.rs");
    let file = fs::File::options().append(true).open(&source).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(60))
        .unwrap();
    workspan(&project.folder, &["annotate", "kept.wsp"])
        .succeeds()
        .says("`src/main.rs` was changed after the profile was made");
    // From elsewhere the source is found around the profile.
    let kept = project.folder.join("kept.wsp");
    let elsewhere = workspan(Path::new("/"), &["annotate".as_ref(), kept.as_os_str()]);
    assert!(elsewhere.succeeds().stdout.contains("fn crunch"));
    fs::remove_file(&source).unwrap();
    let ran = workspan(&project.folder, &["annotate", "kept.wsp"]);
    ran.succeeds().says("no source of `src/main.rs`");
    assert!(ran.stdout.contains("% "), "{}", ran.stdout);
}
