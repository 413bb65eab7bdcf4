//! `scale --factored`: a program that workspan has built, beside a sequential one.

use serde_json::Value;

use crate::project::{Project, Ran, read_json, workspan};
use crate::scale::{counted, json_of};

/// Adds numbers; on a pool of three threads of its own if it is told so.
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

const OPTIONS: [&str; 8] = [
    "scale",
    "--factored",
    "--threads",
    "1,2",
    "--runs",
    "2",
    "--json",
    "-",
];

/// Runs that count, of a kind.
fn runs(sweep: &Value, kind: &str) -> Vec<u64> {
    let mut runs = counted(sweep);
    runs.sort();
    let of_kind = runs.into_iter().filter(|(name, _)| name == kind);
    of_kind.map(|(_, threads)| threads).collect()
}

fn baseline_of(ran: &Ran) -> (Value, Value) {
    let factored = &json_of(ran)["factored"];
    (
        factored["is_baseline_one"].clone(),
        factored["is_baseline_slow"].clone(),
    )
}

#[test]
fn the_speedup_is_split_into_what_it_is_lost_to() {
    let project = Project::new("scale_factored");
    project.main(MAIN);
    project.lock();
    let more = ["--elision", "--t1-per-p", "--check-output"];
    let ran = project.run(&[&OPTIONS[..], &more].concat());
    ran.succeeds().does_not_say("differ");
    assert_eq!(baseline_of(&ran), (true.into(), false.into()));
    let document = json_of(&ran);
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
    // The elision tells it, without a sequential program.
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
        assert_eq!(runs(&sweep, kind), expected, "{kind}");
    }

    // The program that is built, without cargo.
    let built = project.target.join("workspan/release/scale_factored");
    let built = built.to_str().unwrap();
    let scale = |more: &[&str], program: &[&str]| {
        workspan(
            &project.folder,
            &[&OPTIONS[..], more, &["--"], program].concat(),
        )
    };
    let slow = scale(&["--baseline", "sleep 1.5"], &[built]);
    slow.succeeds().says("one profiled run");
    assert_eq!(baseline_of(&slow), (false.into(), true.into()));
    assert!(json_of(&slow)["scaling"]["points"][1]["predicted"].is_f64());

    let failed = scale(&["--baseline", "sh -c 'exit 6'"], &[built]);
    failed
        .exits(6)
        .says("with the baseline the program ended with exit code 6")
        .says("there are no factored speedups");
    assert!(json_of(&failed)["scaling"]["points"].is_array());

    let plain = project.target.join("release/scale_factored");
    scale(&[], &[plain.to_str().unwrap()])
        .exits(2)
        .says("workspan has built");
    scale(&[], &["./nobody"])
        .exits(127)
        .says("there is no such program")
        .does_not_say("workspan has built");

    // Its workers are not those that it was told of.
    let pool = scale(&["--t1-per-p"], &[built, "pool"]);
    pool.succeeds()
        .says("with 1 worker told of 1 thread the program had 3 workers");
    let imbalances = &json_of(&pool)["factored"]["imbalances"];
    assert_eq!(imbalances.as_array().unwrap().len(), 4, "{imbalances}");
}

#[test]
fn a_program_without_rayon_is_measured_plain() {
    let project = Project::without_rayon("scale_serial");
    project.main("println!(\"nothing\");");
    project.lock();
    let scale = |more: &[&str]| {
        let options = ["scale", "--threads", "1,2", "--runs", "3"];
        project.run(&[&options[..], more].concat())
    };
    scale(&["--no-prediction"]).succeeds();
    scale(&[]).succeeds().says("does not use rayon");
    scale(&["--factored"])
        .exits(2)
        .says("measures the idle time of rayon's workers");
}
