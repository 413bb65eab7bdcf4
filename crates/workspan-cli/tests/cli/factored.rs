//! `scale --factored`: a program that workspan has built, compared with a sequential one.

use serde_json::Value;

use crate::project::{Project, Ran, read_json, workspan};
use crate::scale::counted;

/// Adds numbers, with the argument `pool` on a pool of three threads of its own.
const MAIN: &str = r#"
let numbers: Vec<u64> = (0..3_000_000).collect();
let sum = || (0..20).map(|_| scale_factored::sum(&numbers)).max();
let own_pool = std::env::args().any(|argument| argument == "pool");
let sum = match own_pool {
    true => rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap().install(sum),
    false => sum(),
};
println!("{sum:?}");
"#;

const SCALE: &str = "scale --factored --threads 1,2 --runs 2 --json -";

fn has_baseline(ran: &Ran) -> bool {
    ran.json()["factored"]["is_baseline_one"] == false
}

#[test]
fn the_lost_speedup_is_split_by_cause() {
    let project = Project::with_main("scale_factored", MAIN);
    let ran = project.run(&format!("{SCALE} --elision --t1-per-p --check-output"));
    ran.succeeds().does_not_say("differ");
    assert!(!has_baseline(&ran));
    let document = ran.json();
    let points = document["factored"]["points"].as_array().unwrap();
    assert_eq!(points.len(), 2);
    let curves = [
        "linear",
        "elision",
        "maximal",
        "idle_time_specific",
        "inflation_specific",
        "actual",
    ];
    for curve in curves {
        assert!(points[1][curve]["value"].is_f64(), "{curve}: {document:#}");
    }
    assert_eq!(document["factored"]["imbalances"], Value::Array(Vec::new()));
    // The elision reveals it, without a sequential program.
    let mut gaps = document["factored"]["gaps"].as_array().unwrap().iter();
    assert!(gaps.any(|gap| gap["lost_to"] == "scheduling_overhead"));
    let sweep = read_json(&project.target.join("workspan/scale_factored.sweep.json"));
    for (kind, expected) in [
        ("plain", &[1, 1, 2, 2][..]),
        ("idle", &[1, 1, 2, 2]),
        ("one_worker", &[1, 1, 2, 2]),
        ("elision", &[1, 1]),
        ("baseline", &[]),
    ] {
        assert_eq!(counted(&sweep, kind), expected, "{kind}");
    }

    // The built program, without cargo.
    let built = project.target.join("workspan/release/scale_factored");
    let built = built.display();
    let scale = |rest: &str| workspan(&project.folder, &format!("{SCALE} {rest}"));
    let other = scale(&format!("--baseline true -- {built}"));
    other.succeeds().says("one profiled run");
    assert!(has_baseline(&other));
    assert!(other.json()["scaling"]["points"][1]["predicted"].is_f64());

    let failed = scale(&format!("--baseline \"sh -c 'exit 6'\" -- {built}"));
    failed
        .exits(6)
        .says("with the baseline the program ended with exit code 6")
        .says("there are no factored speedups");
    assert!(failed.json()["scaling"]["points"].is_array());

    let plain = project.target.join("release/scale_factored");
    scale(&format!("-- {}", plain.display()))
        .exits(2)
        .says("workspan has built");
    scale("-- ./nobody")
        .exits(127)
        .says("there is no such program")
        .does_not_say("workspan has built");

    // It has more workers than it was given.
    let pool = scale(&format!("--t1-per-p -- {built} pool"));
    pool.succeeds()
        .says("with 1 worker told of 1 thread the program had 3 workers");
    let imbalances = &pool.json()["factored"]["imbalances"];
    assert_eq!(imbalances.as_array().unwrap().len(), 4, "{imbalances}");
}

pub(crate) fn a_program_without_rayon_is_measured_plain(project: &Project) {
    let scale = |options: &str| project.run(&format!("scale --threads 1,2 --runs 3 {options}"));
    scale("--no-prediction").succeeds();
    scale("").succeeds().says("does not use rayon");
    scale("--factored")
        .exits(2)
        .says("measures the idle time of rayon's workers");
}
