//! Named regions in a program that uses the crate `workspan`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::project::{Project, Ran, line_of, plain, read_json, workspan};

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

/// So many units of work.
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
    std::mem::forget(workspan::region("forgotten"));
    println!("ran");
}
"#;

/// A project that uses the crate of this repository.
fn project(name: &str) -> Project {
    let project = Project::new(name);
    let regions = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("workspan");
    let dependency = format!("workspan = {{ path = {:?} }}\n", regions);
    project.append("Cargo.toml", &dependency);
    project
}

fn regions<'a>(profile: &'a Value, name: &str) -> &'a Value {
    let regions = profile["regions"].as_array().unwrap();
    let mut found = regions.iter().filter(|region| region["name"] == name);
    let region = found.next();
    assert!(found.next().is_none(), "{name} twice");
    region.unwrap_or_else(|| panic!("no {name} in {regions:#?}"))
}

/// Times that are not as they should be.
#[derive(Default)]
struct Deviations(Vec<String>);

impl Deviations {
    /// Whether the nanoseconds of `figures` are so many units.
    fn check(&mut self, figures: &Value, key: &str, units: f64, of: &str) {
        let found = figures[key].as_f64().unwrap() / 2e6;
        if found < units * 0.9 || found > units * 1.1 + 0.2 {
            self.0
                .push(format!("{key} of {of}: {found} units, not {units}"));
        }
    }
}

/// Name, instances, top instances, units of work and of span.
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

/// Checks what does not depend on the machine, and tells which times are off: processor time is lengthened by interrupts and
/// page faults, now and then.
fn deviations(profile: &Value, name: &str) -> Vec<String> {
    let mut deviations = Deviations::default();
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
        deviations.check(sum, "work_ns", work, region);
        deviations.check(sum, "span_ns", span, region);
    }
    let all = regions(profile, "all");
    assert_eq!(all["line"], line_of(MAIN, "all"));
    // Nothing else runs at its time, so that the critical path goes all through it.
    deviations.check(all, "on_span_ns", 18.0, "all");

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
        deviations.check(figures, "work_ns", 8.0, "an instance");
        deviations.check(figures, "span_ns", 4.0, "an instance");
    }
    deviations.0
}

fn every_region_is_as_written(name: &str, options: &[&str]) {
    let project = project(name);
    project.write("src/main.rs", MAIN).lock();
    // The clock that the program spins by, which stands still while others have the processor.
    let options = [&["--clock", "thread"], options].concat();
    let mut off = Vec::new();
    for _ in 0..5 {
        off = deviations(&project.profile(&options), name);
        if off.is_empty() {
            return;
        }
        eprintln!("{name} again: {off:#?}");
    }
    panic!("{off:#?}");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn in_a_release_build() {
    every_region_is_as_written("regions_release", &[]);
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn in_a_dev_build_with_every_boundary_timed() {
    every_region_is_as_written("regions_dev", &["--dev", "--exact"]);
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn with_link_time_optimisation_and_stripping() {
    every_region_is_as_written(
        "regions_lto",
        &[
            "--config=profile.release.lto='fat'",
            "--config=profile.release.strip=true",
        ],
    );
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn with_functions_measured_exactly() {
    every_region_is_as_written("regions_functions", &["--functions", "exact"]);
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn they_are_told_in_every_form() {
    let project = project("regions_told");
    project
        .main(
            "for _ in 0..2 {\n\
                 let _region = workspan::region(\"twice, told\");\n\
                 regions_told::fib(12);\n\
             }",
        )
        .lock();
    let (kept, csv) = (
        project.folder.join("kept.wsp"),
        project.folder.join("regions.csv"),
    );
    let ran = project.run(&["run", "--instances", "-o", kept.to_str().unwrap()]);
    ran.succeeds()
        .says("Regions, by share of the span")
        .says("twice, told")
        .says("Instances of twice, told")
        .says("src/main.rs:3:");
    let report = |arguments: &[&str]| {
        let mut all = vec!["report", kept.to_str().unwrap()];
        all.extend(arguments);
        let ran = workspan(&project.folder, &all);
        ran.succeeds();
        ran.stdout
    };
    assert!(!report(&[]).contains("Instances of"), "{}", report(&[]));
    report(&["--regions-csv", csv.to_str().unwrap()]);
    let csv = fs::read_to_string(csv).unwrap();
    assert_eq!(csv.lines().count(), 4, "{csv}");
    assert!(
        csv.lines()
            .skip(1)
            .all(|line| line.starts_with("\"twice, told\",src/main.rs,3,")),
        "{csv}"
    );
    let mut many = project.workspan(&["run", "--json", "bounded.json"]);
    Ran::of(many.env("WORKSPAN_INSTANCES", "1")).succeeds();
    let bounded = read_json(&project.folder.join("bounded.json"));
    let region = regions(&bounded, "twice, told");
    assert_eq!(region["instances"].as_array().unwrap().len(), 1);
    assert_eq!(region["count"], 2);
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn without_rayon_there_is_no_engine_and_the_program_runs() {
    let project = Project::without_rayon("regions_alone");
    let regions = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("workspan");
    project
        .append(
            "Cargo.toml",
            &format!("[dependencies]\nworkspan = {{ path = {regions:?} }}\n"),
        )
        .main("let _region = workspan::region(\"alone\");\nprintln!(\"ran\");")
        .lock();
    for options in [&["run"][..], &["run", "--dev"]] {
        let ran = project.run(options);
        ran.succeeds().prints("ran\n").says("does not use rayon");
    }
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn a_program_that_is_built_as_ever_has_no_trace_of_them() {
    let project = project("regions_normal");
    project
        .main(
            "let _region = workspan::region(\"a name like no other\");\n\
             println!(\"{}\", regions_normal::fib(5));",
        )
        .lock();
    let mut build = plain(std::process::Command::new("cargo"));
    build
        .current_dir(&project.folder)
        .env("CARGO_TARGET_DIR", &project.target)
        .args(["build", "--release", "--offline"]);
    Ran::of(&mut build).succeeds();
    let contents = fs::read(project.target.join("release/regions_normal")).unwrap();
    for text in ["a name like no other", "workspan_region"] {
        let found = contents
            .windows(text.len())
            .any(|part| part == text.as_bytes());
        assert!(!found, "{text}");
    }
}
