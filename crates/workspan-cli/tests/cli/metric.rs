//! `--metric` and `workspan counters`.

use serde_json::Value;

use crate::project::{Project, Ran, read_json, workspan};
use crate::stand_in::StandIn;

/// What the machine can count of these events: their tests, by their names.
fn counters(names: &[&str]) -> Vec<Value> {
    let arguments = [&["counters"][..], names, &["--json"]].concat();
    let ran = workspan(&std::env::temp_dir(), &arguments);
    let document: Value = serde_json::from_str(&ran.succeeds().stdout).unwrap();
    assert_eq!(document["version"], 1);
    document["counters"].as_array().unwrap().clone()
}

/// Why page faults cannot be counted here, if they cannot; a test then says so and passes.
fn no_page_faults() -> Option<String> {
    let problem = counters(&["page-faults"])[0]["problem"].take();
    let problem = problem.as_str().map(str::to_owned);
    if let Some(problem) = &problem {
        eprintln!("skipped: {problem}");
    }
    problem
}

#[test]
fn every_counter_is_tested() {
    let all = counters(&[]);
    assert!(all.len() > 60, "{}", all.len());
    for counter in &all {
        let (count, problem) = (&counter["count"], &counter["problem"]);
        assert!(count.is_null() != problem.is_null(), "{counter}");
    }
    let faults = &counters(&["page-faults"])[0];
    assert_eq!(faults["kind"], "software");
    assert_eq!(faults["unit"], "page faults");
    match faults["count"].as_u64() {
        // The loop touches 64 new pages.
        Some(count) => assert!((64..200).contains(&count), "{count}"),
        None => eprintln!("not counted here: {}", faults["problem"]),
    }
    let table = workspan(&std::env::temp_dir(), &["counters", "--all"]);
    table
        .succeeds()
        .shows("page-faults")
        .shows("LLC-store-misses");
}

#[test]
fn names_that_are_none_are_told_with_those_like_them() {
    let unknown = |arguments: &[&str]| {
        workspan(&std::env::temp_dir(), arguments)
            .exits(2)
            .says("there is no event `page-fualts`; there is `page-faults`");
    };
    unknown(&["counters", "page-fualts"]);
    unknown(&["run", "--metric", "page-fualts", "--", "true"]);
    unknown(&["run", "--metric", "time,page-fualts", "--", "true"]);
}

/// Each metric is measured once, and by what was asked for.
#[test]
fn metrics_that_contradict_other_options_are_refused() {
    let refused = |options: &[&str], why: &str| {
        let arguments = [&["run"][..], options, &["--", "true"]].concat();
        workspan(&std::env::temp_dir(), &arguments)
            .exits(2)
            .says(why);
    };
    refused(&["--metric", "time,time"], "time is there twice");
    refused(
        &["--metric", "time", "--metric", "page-faults,time"],
        "time is there twice",
    );
    for metrics in ["time", "time,instructions", "instructions,time"] {
        refused(
            &["--emulate", "--metric", metrics],
            "--emulate counts instructions, and not time",
        );
    }
    refused(
        &["--emulate", "--metric", "page-faults"],
        "--emulate counts instructions, and not page-faults",
    );
}

/// The processor's events: the command ends before the program is started where they cannot be counted, and says why.
#[test]
fn what_cannot_be_counted_is_said_before_the_program_starts() {
    let program = StandIn::new("echo started\nheader='metric cycles cycles'");
    for (name, counter) in ["cycles", "r1", "LLC-load-misses"]
        .into_iter()
        .zip(counters(&["cycles", "r1", "LLC-load-misses"]))
    {
        let ran = program.run(&["--metric", name]);
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
fn the_engine_is_told_what_to_count_and_in_what_the_rest_is() {
    if no_page_faults().is_some() {
        return;
    }
    let program = StandIn::new(
        "echo \"$WORKSPAN_METRIC $WORKSPAN_BURDEN $WORKSPAN_GRAIN_NANOS\"\nheader='metric page-faults page faults'",
    );
    let told = |options: &[&str], expected: &str| {
        program.run(options).succeeds().prints(expected);
    };
    told(&[], "time 15000cycles 10000\n");
    told(&["--metric", "page-faults"], "page-faults 0 1\n");
    told(
        &["--metric", "page-faults", "--burden", "30", "--grain", "5"],
        "page-faults 30 5\n",
    );
    told(
        &["--metric", "task-clock"],
        "task-clock 15000cycles 10000\n",
    );
    for (options, why) in [
        (["--burden", "6us"], "so many page faults"),
        (["--burden", "measured"], "so many page faults"),
        (["--grain", "10us"], "a number of page faults"),
        (["--clock", "tsc"], "page-faults is counted"),
    ] {
        let options = [&["--metric", "page-faults"][..], &options].concat();
        program.run(&options).exits(2).says(why).prints("");
    }
    program.run(&["--burden", "300"]).exits(2).says("6.25us");
}

#[test]
fn counts_are_reported_as_counts() {
    if no_page_faults().is_some() {
        return;
    }
    let program = StandIn::new("header='metric page-faults page faults'");
    let ran = program.run(&[
        "--metric",
        "page-faults",
        "--json",
        "all.json",
        "-o",
        "all.wsp",
    ]);
    ran.succeeds()
        .says("Parallelism profile, in page faults")
        .says("counts of page faults, not times")
        .says("7,500 page faults to move a task")
        .does_not_say("400 µs");
    let json = read_json(&program.folder().join("all.json"));
    assert_eq!(json["metric"]["name"], "page-faults");
    assert_eq!(json["totals"]["span_count"], 400_000);
    assert_eq!(json["totals"]["elapsed_ns"], 900_000);
    assert_eq!(json["program"]["burden_source"], "unknown");
    let again = workspan(program.folder(), &["report", "all.wsp", "--json", "-"]);
    let again: Value = serde_json::from_str(&again.succeeds().stdout).unwrap();
    assert_eq!(again, json);
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
    std::fs::write(program.folder().join("input"), "read\n").unwrap();
    let input = std::fs::File::open(program.folder().join("input")).unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_workspan"));
    let options = [
        "--metric",
        "time,page-faults,minor-faults",
        "--json",
        "all.json",
    ];
    command
        .current_dir(program.folder())
        .arg("run")
        .args(options)
        .args(["--", "sh", "program"])
        .stdin(input);
    let ran = Ran::of(&mut command);
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
    assert_eq!(
        of("all-minor-faults.json")["metric"]["name"],
        "minor-faults"
    );
    let failing = StandIn::new("if [ $WORKSPAN_METRIC != time ]; then exit 7; fi");
    let ran = failing.run(&["--metric", "time,page-faults,minor-faults"]);
    ran.exits(7).does_not_say("minor-faults …");
}

#[test]
fn a_thread_that_cannot_count_leaves_no_profile() {
    if no_page_faults().is_some() {
        return;
    }
    let program =
        StandIn::new("header='metric page-faults page faults\nmetric_problem there was no room'");
    program
        .run(&["--metric", "page-faults"])
        .exits(4)
        .says("in a thread of the program there was no room")
        .does_not_say("Parallelism profile");
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
    let profile = project.profile(&["--metric", "page-faults"]);
    let (work, span) = (
        &profile["totals"]["work_count"],
        &profile["totals"]["span_count"],
    );
    let (work, span) = (work.as_u64().unwrap(), span.as_u64().unwrap());
    eprintln!("work {work}, span {span} page faults");
    // Of the start of the program, its threads and the engine there are some hundred more.
    assert!((22_000..22_800).contains(&work), "{work}");
    assert!((13_000..13_800).contains(&span), "{span}");
    assert_eq!(profile["program"]["clock"], "counter");
    let kept = project.kept("metric_faults");
    let kept = kept.to_str().unwrap();
    let answers = workspan(&project.folder, &["predict", kept, "--json"]);
    let answers: Value = serde_json::from_str(&answers.succeeds().stdout).unwrap();
    assert_eq!(answers["costs_source"], "burden");
    assert!(answers["speedup"][0]["time_count"].as_u64() >= Some(22_000));
    let dag = workspan(&project.folder, &["dag", kept]);
    dag.succeeds().shows("22.").shows("Grain");
    assert!(
        !dag.stdout.contains(" ms") && !dag.stdout.contains("µs"),
        "{}",
        dag.stdout
    );
}

/// Without rayon there is no engine to count with.
#[test]
fn a_program_without_rayon_counts_nothing() {
    if no_page_faults().is_some() {
        return;
    }
    let project = Project::without_rayon("metric_no_rayon");
    project.main("println!(\"done\");").lock();
    project
        .run(&["run", "--metric", "page-faults"])
        .exits(4)
        .says("nothing in it counts page-faults");
}
