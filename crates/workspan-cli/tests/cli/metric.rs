//! `--metric` and `workspan counters`.

use std::fs::{self, File};

use serde_json::Value;

use crate::project::{Project, Ran, command, read_json, workspan};
use crate::skip::skip;
use crate::stand_in::StandIn;

/// The tests of these events, which show whether the machine can count them.
fn counters(names: &str) -> Vec<Value> {
    let ran = workspan(&std::env::temp_dir(), &format!("counters {names} --json"));
    let document = ran.succeeds().json();
    assert_eq!(document["version"], 1);
    document["counters"].as_array().unwrap().clone()
}

/// Why page faults cannot be counted here, if so; a test is then skipped.
fn no_page_faults() -> Option<String> {
    let problem = counters("page-faults")[0]["problem"].take();
    let problem = problem.as_str().map(str::to_owned);
    if let Some(problem) = &problem {
        skip("kernel-counters", problem);
    }
    problem
}

#[test]
fn every_counter_is_tested() {
    let all = counters("");
    assert!(all.len() > 60, "{}", all.len());
    for counter in &all {
        let (count, problem) = (&counter["count"], &counter["problem"]);
        assert!(count.is_null() != problem.is_null(), "{counter}");
    }
    let faults = &counters("page-faults")[0];
    assert_eq!(faults["kind"], "software");
    assert_eq!(faults["unit"], "page faults");
    match faults["count"].as_u64() {
        // The loop touches 64 new pages.
        Some(count) => assert!((64..200).contains(&count), "{count}"),
        None => skip("kernel-counters", &faults["problem"].to_string()),
    }
    workspan(&std::env::temp_dir(), "counters --all")
        .succeeds()
        .shows("page-faults")
        .shows("LLC-store-misses");
}

#[test]
fn unknown_names_are_errors_with_a_suggestion() {
    for line in [
        "counters page-fualts",
        "run --metric page-fualts -- true",
        "run --metric time,page-fualts -- true",
    ] {
        workspan(&std::env::temp_dir(), line)
            .exits(2)
            .says("there is no event `page-fualts`; there is `page-faults`");
    }
}

/// Each metric is measured once, in the way that the options ask for.
#[test]
fn metrics_that_contradict_other_options_are_refused() {
    let twice = "time is there twice";
    let not_time = "--emulate counts instructions, and not time";
    let not_faults = "--emulate counts instructions, and not page-faults";
    for (options, why) in [
        ("--metric time,time", twice),
        ("--metric time --metric page-faults,time", twice),
        ("--emulate --metric time", not_time),
        ("--emulate --metric time,instructions", not_time),
        ("--emulate --metric instructions,time", not_time),
        ("--emulate --metric page-faults", not_faults),
    ] {
        workspan(&std::env::temp_dir(), &format!("run {options} -- true"))
            .exits(2)
            .says(why);
    }
}

/// If the processor's events cannot be counted, the command says why and ends before it starts the
/// program.
#[test]
fn events_that_cannot_be_counted_are_refused_before_the_program_starts() {
    let program = StandIn::new("echo started\nheader='metric cycles cycles'");
    let names = ["cycles", "r1", "LLC-load-misses"];
    for (name, counter) in names.into_iter().zip(counters(&names.join(" "))) {
        let ran = program.run(&format!("--metric {name}"));
        match counter["problem"].as_str() {
            Some(problem) => {
                ran.exits(3).says(problem).prints("");
            }
            None => {
                eprintln!("{name} can be counted here");
                ran.succeeds().prints("started\n");
            }
        }
    }
}

#[test]
fn the_engine_gets_the_metric_and_figures_in_its_unit() {
    if no_page_faults().is_some() {
        return;
    }
    let program = StandIn::new(
        "echo \"$WORKSPAN_METRIC $WORKSPAN_BURDEN $WORKSPAN_GRAIN_NANOS\"\nheader='metric page-faults page faults'",
    );
    for (options, expected) in [
        ("", "time 15000cycles 10000\n"),
        ("--metric page-faults", "page-faults 0 1\n"),
        (
            "--metric page-faults --burden 30 --grain 5",
            "page-faults 30 5\n",
        ),
        ("--metric task-clock", "task-clock 15000cycles 10000\n"),
    ] {
        program.run(options).succeeds().prints(expected);
    }
    for (options, why) in [
        ("--burden 6us", "so many page faults"),
        ("--burden measured", "so many page faults"),
        ("--grain 10us", "a number of page faults"),
        ("--clock tsc", "page-faults is counted"),
    ] {
        program
            .run(&format!("--metric page-faults {options}"))
            .exits(2)
            .says(why)
            .prints("");
    }
    program.run("--burden 300").exits(2).says("6.25us");
}

#[test]
fn counts_are_reported_as_counts() {
    if no_page_faults().is_some() {
        return;
    }
    let program = StandIn::new("header='metric page-faults page faults'");
    program
        .run("--full --metric page-faults --json all.json -o all.wsp")
        .succeeds()
        .says("Parallelism profile, in page faults")
        .says("counts of page faults, not times")
        .says("7,500 page faults to move a task")
        .does_not_say("400 µs");
    let json = read_json(&program.folder().join("all.json"));
    assert_eq!(json["metric"]["name"], "page-faults");
    assert_eq!(json["totals"]["span_count"], 400_000);
    assert_eq!(json["totals"]["elapsed_ns"], 900_000);
    assert_eq!(json["program"]["burden_source"], "unknown");
    let again = workspan(program.folder(), "report all.wsp --json -");
    assert_eq!(again.succeeds().json(), json);
}

#[test]
fn several_metrics_are_measured_one_after_another() {
    if no_page_faults().is_some() {
        return;
    }
    let program = StandIn::new(
        "read line\necho \"$WORKSPAN_METRIC $line\"\n\
         if [ $WORKSPAN_METRIC != time ]; then span=7000 header=\"metric $WORKSPAN_METRIC faults\"; fi",
    );
    fs::write(program.folder().join("input"), "read\n").unwrap();
    let mut run = command(
        program.folder(),
        "run --full --metric time,page-faults,minor-faults --json all.json -- sh program",
    );
    let ran = Ran::new(run.stdin(File::open(program.folder().join("input")).unwrap()));
    ran.succeeds()
        .prints("time read\npage-faults read\nminor-faults read\n")
        .says("By metric")
        .says("the same for page-faults …");
    assert_eq!(ran.stderr.matches("Parallelism profile").count(), 1);
    let of = |file: &str| read_json(&program.folder().join(file));
    assert_eq!(of("all.json")["totals"]["span_ns"], 400_000);
    let faults = of("all-page-faults.json");
    assert_eq!(faults["totals"]["span_count"], 7_000);
    assert_eq!(faults["metric"]["unit"], "faults");
    let minor = of("all-minor-faults.json");
    assert_eq!(minor["metric"]["name"], "minor-faults");
    let failing = StandIn::new("if [ $WORKSPAN_METRIC != time ]; then exit 7; fi");
    failing
        .run("--metric time,page-faults,minor-faults")
        .exits(7)
        .does_not_say("minor-faults …");
}

#[test]
fn a_thread_that_cannot_count_leaves_no_profile() {
    if no_page_faults().is_some() {
        return;
    }
    let program =
        StandIn::new("header='metric page-faults page faults\nmetric_problem there was no room'");
    program
        .run("--metric page-faults")
        .exits(4)
        .says("in a thread of the program there was no room")
        .does_not_say("\nTry: ");
}

/// A program that touches known numbers of pages in its tasks.
#[test]
fn page_faults_of_a_rayon_program_have_work_and_span() {
    if no_page_faults().is_some() {
        return;
    }
    let project = Project::new("metric_faults");
    project
        .write(
            "src/main.rs",
            "unsafe extern \"C\" { fn prctl(option: i32, argument: u64, more: u64, and: u64, rest: u64) -> i32; }\n\
             fn touch(pages: usize) {\n\
                 for _ in 0..pages / 100 {\n\
                     std::hint::black_box(vec![1_u8; 100 * 4096].leak());\n\
                 }\n\
             }\n\
             fn main() {\n\
                 // No large pages.\n\
                 unsafe { prctl(41, 1, 0, 0, 0) };\n\
                 touch(1_000);\n\
                 rayon::join(|| touch(3_000), || rayon::join(|| touch(12_000), || touch(6_000)));\n\
             }\n",
        )
        .lock();
    let profile = project.profile("--metric page-faults");
    let total = |name: &str| profile["totals"][name].as_u64().unwrap();
    let (work, span) = (total("work_count"), total("span_count"));
    eprintln!("work {work}, span {span} page faults");
    // The start of the program, its threads and the engine cause some hundred more.
    assert!((22_000..22_800).contains(&work), "{work}");
    assert!((13_000..13_800).contains(&span), "{span}");
    assert_eq!(profile["program"]["clock"], "counter");
    let kept = project.kept("metric_faults");
    let kept = kept.display();
    let answers = workspan(&project.folder, &format!("predict {kept} --json"));
    let answers = answers.succeeds().json();
    assert_eq!(answers["costs_source"], "burden");
    assert!(answers["speedup"][0]["time_count"].as_u64() >= Some(22_000));
    workspan(&project.folder, &format!("dag {kept}"))
        .succeeds()
        .shows("22.")
        .shows("Grain")
        .does_not_show(" ms")
        .does_not_show("µs");
}

/// Without rayon there is no engine to count with.
pub(crate) fn a_program_without_rayon_counts_nothing(project: &Project) {
    if no_page_faults().is_some() {
        return;
    }
    project
        .run("run --metric page-faults")
        .exits(4)
        .says("nothing in it counts page-faults");
}
