//! Functions on the span, found by sampling, and the annotated source.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::project::{Project, Ran, line_of, most_of_three, workspan};

/// Nearly all of its span is `prepare`, which works in `crunch`.
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

/// A single test, since one run shows all of it.
#[test]
#[ignore = "judges time: ci/full timed"]
fn functions_and_lines_have_shares_of_the_span() {
    let project = Project::new("functions_named");
    project.write("src/main.rs", MAIN).lock();
    project
        .run("run --full --json run.json --report report.txt -o kept.wsp")
        .succeeds();
    the_report_names_the_function_that_the_span_is_made_of(&project);
    lines_are_annotated_with_their_shares_and_sites(&project);
    a_missing_or_changed_source_is_reported(&project);
}

fn the_report_names_the_function_that_the_span_is_made_of(project: &Project) {
    let json = project.json("run.json");
    let functions = &json["samples"]["functions"];
    let first = &functions[0];
    let name = "functions_named::prepare";
    assert_eq!(first["function"], name, "{functions:#}");
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

fn annotate(project: &Project, options: &str) -> Ran {
    workspan(&project.folder, &format!("annotate kept.wsp {options}"))
}

fn lines_are_annotated_with_their_shares_and_sites(project: &Project) {
    let shown = |options: &str| {
        let ran = annotate(project, options);
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
    let page = shown("");
    assert!(page.contains("\nsrc/main.rs\n"), "{page}");
    // The compiler decides how the loop divides among its lines. One of them has at least half.
    assert!(page.contains("██▌") || page.contains("███"), "{page}");
    // A sample may hit just after the call, which counts as the line's own: the greater share is
    // the one with calls.
    let shares = line(&page, "calls");
    let with_calls = (shares.split_whitespace())
        .filter_map(|word| word.strip_suffix('%')?.parse::<f64>().ok())
        .fold(0.0, f64::max);
    assert!(with_calls > 85.0, "{page}");
    assert!(page.contains("1 × join"), "{page}");
    // A name selects a function, without the rest of the file.
    let page = shown("prepare --context 0");
    assert!(line(&page, "prepare").contains("fn prepare"), "{page}");
    assert!(!page.contains("fn main"), "{page}");
    assert_eq!(shown("src/main.rs"), shown("main.rs"));
    annotate(project, "nobody")
        .exits(2)
        .says("`nobody`")
        .says("src/main.rs");
    workspan(&project.folder, "annotate missing.wsp")
        .exits(4)
        .says("missing.wsp");
}

fn a_missing_or_changed_source_is_reported(project: &Project) {
    let source = project.folder.join("src/main.rs");
    let file = fs::File::options().append(true).open(&source).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(60))
        .unwrap();
    annotate(project, "")
        .succeeds()
        .says("`src/main.rs` was changed after the profile was made");
    // From another folder, the source is found relative to the profile.
    let kept = project.folder.join("kept.wsp");
    workspan(Path::new("/"), &format!("annotate {}", kept.display()))
        .succeeds()
        .shows("fn crunch");
    fs::remove_file(&source).unwrap();
    annotate(project, "")
        .succeeds()
        .says("no source of `src/main.rs`")
        .shows("% ");
}

/// Spends nearly all of its time in the C library, which keeps no frame pointers.
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

/// The share of the work in a function alone (`self`), or including its serial calls (`serial`).
fn share_of(json: &Value, function: &str, measure: &str) -> f64 {
    let functions = json["samples"]["functions"].as_array().unwrap();
    let row = functions.iter().find(|row| row["function"] == function);
    row.map_or(0.0, |row| {
        row[measure]["on_work"]["share"].as_f64().unwrap()
    })
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn time_in_the_c_library_counts_for_its_caller() {
    let project = Project::new("functions_allocating");
    project.write("src/main.rs", ALLOCATING).lock();
    let is_seen = || {
        let json = project.profile("");
        let (churn, fill) = (
            share_of(&json, "functions_allocating::churn", "self"),
            share_of(&json, "functions_allocating::fill", "serial"),
        );
        churn > 0.95 && fill > 0.95
    };
    // The rest is the start of the pool. It takes more on a busy machine, where samples also come
    // late.
    assert!(most_of_three(is_seen));
}

/// C code that keeps arbitrary data in the register of the frame pointer and on the stack, both
/// while it computes and while it calls back.
const WITHOUT_FRAME_POINTERS: &str = r#"
__attribute__((noinline)) static long spin(long rounds, long any) {
#ifdef __x86_64__
    register long word __asm__("rbp") = any;
#else
    register long word __asm__("x29") = any;
#endif
    long sum = 0;
    while (rounds-- > 0) {
        __asm__ volatile("" : "+r"(word));
        sum += word ^ rounds;
    }
    return sum;
}

__attribute__((noinline)) long search(long rounds, long depth) {
    volatile long words[64];
    for (long word = 0; word < 64; word++)
        words[word] = word % 3 ? -1 : (long)words + 8 * word;
    if (depth > 0)
        return search(rounds, depth - 1) + words[depth];
    return spin(rounds, -1) + words[3];
}

__attribute__((noinline)) long calls_back(long (*back)(long), long any) {
    volatile long words[16];
    for (long word = 0; word < 16; word++)
        words[word] = any * word;
#ifdef __x86_64__
    register long word __asm__("rbp") = (long)words;
#else
    register long word __asm__("x29") = (long)words;
#endif
    __asm__ volatile("" : "+r"(word));
    long sum = back(any);
    __asm__ volatile("" : "+r"(word));
    return sum + word + words[3];
}
"#;

const CALLING_C: &str = r#"
use rayon::prelude::*;

#[link(name = "search", kind = "static")]
unsafe extern "C" {
    fn search(rounds: i64, depth: i64) -> i64;
    fn calls_back(back: extern "C" fn(i64) -> i64, any: i64) -> i64;
}

#[inline(never)]
fn caller(rounds: i64) -> i64 {
    unsafe { search(rounds, 20) | 1 }
}

extern "C" fn back(any: i64) -> i64 {
    (0..2 + any % 3).into_par_iter().map(|number| number ^ any).sum() // mark: called back
}

fn main() {
    for any in 0..300 {
        unsafe { calls_back(back, any << 20) };
    }
    let rounds = std::env::args().nth(1).unwrap().parse().unwrap();
    let (left, right) = rayon::join(|| caller(rounds), || caller(rounds));
    println!("{}", left.min(right) != 0);
}
"#;

const BUILDING_C: &str = r#"
use std::process::Command;

fn main() {
    let folder = std::env::var("OUT_DIR").unwrap();
    let run = |program: &str, arguments: &[&str]| {
        assert!(Command::new(program).args(arguments).status().unwrap().success());
    };
    let object = format!("{folder}/search.o");
    run("cc", &["-O2", "-fomit-frame-pointer", "-fPIC", "-c", "search.c", "-o", &object]);
    run("ar", &["crs", &format!("{folder}/libsearch.a"), &object]);
    println!("cargo::rustc-link-search=native={folder}");
}
"#;

fn calling_c(name: &str) -> Project {
    let project = Project::new(name);
    project
        .write("src/main.rs", CALLING_C)
        .write("search.c", WITHOUT_FRAME_POINTERS)
        .write("build.rs", BUILDING_C)
        .lock();
    project
}

#[test]
fn data_on_the_stacks_of_c_is_not_mistaken_for_sites() {
    let json = calling_c("sites_below_c").profile("-- 1");
    let sites = json["sites"].as_array().unwrap();
    let is_called_back = |site: &Value| site["line"] == line_of(CALLING_C, "called back");
    assert!(sites.len() < 10, "{sites:#?}");
    assert!(sites.iter().any(is_called_back), "{sites:#?}");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn code_without_frame_pointers_has_its_callers() {
    let project = calling_c("functions_of_c");
    let is_seen = || {
        let json = project.profile("-- 400000000");
        let share = share_of(&json, "functions_of_c::caller", "serial");
        eprintln!("{share} of the work");
        share > 0.95
    };
    assert!(most_of_three(is_seen));
}

pub(crate) fn a_run_that_is_not_sampled_has_no_functions(project: &Project) {
    let json = project.profile("--sample-hz 0 -o kept.wsp");
    assert_eq!(json["samples"], Value::Null);
    annotate(project, "")
        .succeeds()
        .says("the run was not sampled");
}
