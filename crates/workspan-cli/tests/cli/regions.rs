//! Named regions in a program that uses the crate `workspan`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::project::{Project, Ran, line_of, plain, workspan};

/// Every region takes a known number of units of processor time.
const MAIN: &str = r#"
use std::time::Duration;

#[repr(C)]
struct Time {
    seconds: i64,
    nanos: i64,
}

unsafe extern "C" {
    fn clock_gettime(clock: i32, time: *mut Time) -> i32;
}

/// Processor time of this thread.
fn processor_time() -> Duration {
    let mut time = Time { seconds: 0, nanos: 0 };
    unsafe { clock_gettime(3, &mut time) };
    Duration::new(time.seconds as u64, time.nanos as u32)
}

/// Works for this number of units.
fn spin(units: u32) {
    let end = processor_time() + units * Duration::from_millis(2);
    while processor_time() < end {}
}

#[workspan::function]
fn recursive(depth: u32) {
    spin(1);
    if depth > 1 {
        recursive(depth - 1);
    }
}

/// A region that outlives the function that opens it.
#[inline(never)]
fn open() -> workspan::Region {
    spin(1);
    let region = workspan::region("returned");
    spin(1);
    region
}

fn main() {
    // Starts the pool, which would be a part of the region otherwise.
    rayon::join(|| (), || ());
    let all = workspan::region("all"); // mark: all
    for round in 0..3 {
        let _round = workspan::region(format_args!("round {}", round % 2));
        spin(2);
        workspan::in_region("both", || rayon::join(|| spin(4), || spin(4))); // mark: both
    }
    drop(all);

    let first = workspan::region("first");
    spin(1);
    let second = workspan::region("second");
    spin(2);
    drop(first);
    spin(4);
    drop(second);

    let returned = open();
    spin(2);
    drop(returned);

    let unwound = std::panic::catch_unwind(|| {
        let _region = workspan::region("unwound");
        spin(3);
        std::panic::resume_unwind(Box::new(()));
    });
    assert!(unwound.is_err());

    std::thread::spawn(|| {
        let _region = workspan::region("on a thread");
        spin(2);
    })
    .join()
    .unwrap();

    rayon::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|_| {
                let _region = workspan::region("in a task");
                spin(1);
                let _inner = workspan::region_here!();
                spin(1);
            });
        }
    });

    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    workspan::in_region("installed", || {
        pool.install(|| {
            spin(1);
            workspan::in_region("in the pool", || spin(2));
        });
    });

    recursive(5);
    std::mem::forget(workspan::region("a name like no other"));
    println!("ran");
}
"#;

/// The line of a manifest that makes a package depend on the crate of this repository.
fn dependency() -> String {
    let regions = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("workspan");
    format!("workspan = {{ path = {regions:?} }}\n")
}

/// A project that uses the crate of this repository.
fn project(name: &str) -> Project {
    let project = Project::new(name);
    project.append("Cargo.toml", &dependency());
    project
}

fn regions<'a>(profile: &'a Value, name: &str) -> &'a Value {
    let regions = profile["regions"].as_array().unwrap();
    let mut found = regions.iter().filter(|region| region["name"] == name);
    let region = found.next();
    assert!(found.next().is_none(), "{name} twice");
    region.unwrap_or_else(|| panic!("no {name} in {regions:#?}"))
}

/// Times in a profile, in units, each with its expected value.
#[derive(Default)]
struct Times(Vec<Time>);

struct Time {
    name: String,
    found: f64,
    expected: f64,
}

impl Times {
    /// Adds a figure in nanoseconds of `of`, which should be `expected` units.
    fn add(&mut self, figures: &Value, key: &str, expected: f64, of: &str) {
        self.0.push(Time {
            name: format!("{key} of {of}"),
            found: figures[key].as_f64().unwrap() / 2e6,
            expected,
        });
    }
}

/// Name, instances, top instances, and units of work and span.
const EXPECTED: [(&str, u64, u64, f64, f64); 14] = [
    ("all", 1, 1, 30.0, 18.0),
    ("round 0", 2, 2, 20.0, 12.0),
    ("round 1", 1, 1, 10.0, 6.0),
    ("both", 3, 3, 24.0, 12.0),
    ("first", 1, 1, 3.0, 3.0),
    ("second", 1, 1, 6.0, 6.0),
    ("returned", 1, 1, 3.0, 3.0),
    ("unwound", 1, 1, 3.0, 3.0),
    ("on a thread", 1, 1, 2.0, 2.0),
    ("in a task", 6, 6, 12.0, 12.0),
    ("installed", 1, 1, 3.0, 3.0),
    ("in the pool", 1, 1, 2.0, 2.0),
    ("main", 6, 6, 6.0, 6.0),
    ("recursive", 5, 1, 5.0, 5.0),
];

/// Checks what does not depend on the machine, and returns the times, which do.
fn times(profile: &Value, name: &str) -> Times {
    let mut times = Times::default();
    for (region, count, top_count, work, span) in EXPECTED {
        let named = match region {
            "main" | "recursive" => format!("{name}::{region}"),
            _ => region.to_owned(),
        };
        let found = regions(profile, &named);
        let counts = (&found["count"], &found["top_count"]);
        assert_eq!(counts, (&count.into(), &top_count.into()), "{found:#}");
        assert_eq!(found["file"], "src/main.rs");
        let function = found["function"].as_str().unwrap_or_default();
        let in_function = match region {
            "recursive" => "recursive",
            "returned" => "open",
            _ => "main",
        };
        assert!(
            function.starts_with(&format!("{name}::{in_function}")),
            "{found:#}"
        );
        let sum = &found["sum"];
        assert!(
            sum["burdened_span_ns"].as_u64() >= sum["span_ns"].as_u64(),
            "{found:#}"
        );
        times.add(sum, "work_ns", work, region);
        times.add(sum, "span_ns", span, region);
    }
    let all = regions(profile, "all");
    assert_eq!(all["line"], line_of(MAIN, "all"));
    // Nothing else runs meanwhile, so the critical path passes through all of it.
    times.add(all, "on_span_ns", 18.0, "all");

    let both = regions(profile, "both");
    assert_eq!(both["line"], line_of(MAIN, "both"));
    let tasks = (&both["sum"]["spawns"], &both["sum"]["syncs"]);
    assert_eq!(tasks, (&3.into(), &3.into()));
    let instances = both["instances"].as_array().unwrap();
    assert_eq!(instances.len(), 3);
    assert!(instances.is_sorted_by_key(|instance| instance["start_ns"].as_u64()));
    for instance in instances {
        let figures = &instance["figures"];
        assert_eq!(figures["spawns"], 1);
        assert_eq!(figures["speedup"].as_array().unwrap().len(), 8);
        times.add(figures, "work_ns", 8.0, "an instance");
        times.add(figures, "span_ns", 4.0, "an instance");
    }
    times
}

fn project_of_main(name: &str) -> Project {
    let project = project(name);
    project.write("src/main.rs", MAIN).lock();
    project
}

fn every_region_is_there(name: &str, options: &str) -> Project {
    let project = project_of_main(name);
    times(&project.profile(options), name);
    project
}

const DEV: &str = "--dev --exact";
const LTO: &str = "--config=profile.release.lto=\"'fat'\" --config=profile.release.strip=true";
const FUNCTIONS: &str = "--functions exact";

#[test]
#[ignore = "judges time: ci/full timed"]
fn every_region_takes_as_long_as_written() {
    // The median of this number of runs counts, since other programs may disturb a single run.
    const RUNS: usize = 5;
    let name = "regions_timed";
    let project = project_of_main(name);
    for options in ["", DEV, LTO, FUNCTIONS] {
        let runs: Vec<Times> = (0..RUNS)
            .map(|_| times(&project.profile(options), name))
            .collect();
        for (index, time) in runs[0].0.iter().enumerate() {
            let mut found: Vec<f64> = runs.iter().map(|run| run.0[index].found).collect();
            found.sort_by(f64::total_cmp);
            let expected = time.expected;
            assert!(
                (expected * 0.9..expected * 1.1 + 0.2).contains(&found[RUNS / 2]),
                "{options} {}: {found:?} units, not {expected}",
                time.name
            );
        }
    }
}

#[test]
fn in_a_release_build_and_a_normal_build_has_no_trace_of_them() {
    let project = every_region_is_there("regions_release", "");
    let mut build = plain(std::process::Command::new("cargo"));
    build
        .current_dir(&project.folder)
        .env("CARGO_TARGET_DIR", &project.target)
        .args(["build", "--release", "--offline"]);
    Ran::new(&mut build).succeeds();
    let contents = fs::read(project.target.join("release/regions_release")).unwrap();
    for text in ["a name like no other", "workspan_region"] {
        let found = contents
            .windows(text.len())
            .any(|part| part == text.as_bytes());
        assert!(!found, "{text}");
    }
}

#[test]
fn in_a_dev_build_with_every_boundary_timed() {
    every_region_is_there("regions_dev", DEV);
}

#[test]
fn with_link_time_optimisation_and_stripping() {
    every_region_is_there("regions_lto", LTO);
}

#[test]
fn with_functions_measured_exactly() {
    every_region_is_there("regions_functions", FUNCTIONS);
}

#[test]
fn regions_are_in_every_output() {
    let project = project("regions_told");
    project
        .main(
            "for _ in 0..2 {\n\
                 let _region = workspan::region(\"twice, told\");\n\
                 regions_told::fib(12);\n\
             }",
        )
        .lock();
    project
        .run("run --instances -o kept.wsp")
        .succeeds()
        .says("Regions, by share of the span")
        .says("twice, told")
        .says("Instances of twice, told")
        .says("src/main.rs:3:");
    let report = |options: &str| workspan(&project.folder, &format!("report kept.wsp {options}"));
    report("").succeeds().does_not_show("Instances of");
    report("--regions-csv regions.csv").succeeds();
    let csv = project.read("regions.csv");
    assert_eq!(csv.lines().count(), 4, "{csv}");
    let mut records = csv.lines().skip(1);
    let place = "\"twice, told\",src/main.rs:3:";
    assert!(records.all(|record| record.starts_with(place)), "{csv}");
    let mut many = project.command("run --json bounded.json");
    Ran::new(many.env("WORKSPAN_INSTANCES", "1")).succeeds();
    let bounded = project.json("bounded.json");
    let region = regions(&bounded, "twice, told");
    assert_eq!(region["instances"].as_array().unwrap().len(), 1);
    assert_eq!(region["count"], 2);
}

#[test]
fn without_rayon_there_is_no_engine_and_the_program_runs() {
    let project = Project::without_rayon("regions_alone");
    project
        .append("Cargo.toml", &format!("[dependencies]\n{}", dependency()))
        .main("let _region = workspan::region(\"alone\");\nprintln!(\"ran\");")
        .lock();
    for line in ["run", "run --dev"] {
        let ran = project.run(line);
        ran.succeeds().prints("ran\n").says("does not use rayon");
    }
}
