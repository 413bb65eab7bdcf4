//! `workspan predict`.

use serde_json::Value;
use tempfile::TempDir;

use crate::project::{Ran, workspan};
use crate::stored::stored;

fn predict(folder: &TempDir, options: &str) -> Ran {
    workspan(folder.path(), &format!("predict q.wsp {options}"))
}

fn json(folder: &TempDir, options: &str) -> Value {
    predict(folder, &format!("--json {options}"))
        .succeeds()
        .json()
}

const FREE: &str = "--steal-cost 0ns --failed-steal-cost 0ns --hand-back-cost 0ns \
                    --wake-up-cost 0ns --spawn-cost 0ns";

#[test]
fn predictions_lie_between_the_bounds() {
    let folder = stored();
    let text = predict(&folder, "--cores 1..4,64");
    let text = &text.succeeds().stdout;
    for cores in ["1", "2", "3", "4", "64"] {
        let row = |line: &str| line.split_whitespace().next() == Some(cores);
        assert!(text.lines().any(row), "{cores} in {text}");
    }
    let document = json(&folder, "--cores 1..64 --seeds 3");
    assert_eq!(document["version"], 1);
    assert_eq!(document["truncated"], false);
    let rows = document["speedup"].as_array().unwrap();
    assert_eq!(rows.len(), 64);
    for row in rows {
        let figure = |name: &str| row[name].as_f64().unwrap();
        assert!(figure("least") <= figure("median") && figure("median") <= figure("most"));
        assert!(figure("most") <= figure("upper") * (1.0 + 1e-12), "{row}");
    }
    assert_eq!(rows[0]["median"], 1.0);
    assert_eq!(rows[0]["seeds"], 1);
    assert_eq!(rows[1]["seeds"], 3);
}

#[test]
fn options_set_the_costs_and_the_scheduler() {
    let folder = stored();
    let with = |more: &str| json(&folder, &format!("--cores 8 {FREE} {more}"));
    let cilk = with("--scheduler cilk");
    assert_eq!(cilk["scheduler"], "cilk");
    assert_eq!(cilk["costs_source"], "given");
    let free = cilk["costs"].as_object().unwrap().values();
    assert!(free.clone().all(|cost| cost == 0.0), "{cilk}");
    assert_eq!(cilk["speedup"][0]["scheduling_ns"], 0);
    let rayon = with("");
    assert_eq!(rayon["scheduler"], "rayon");
    let dear = json(&folder, "--cores 8 --steal-cost 1ms --wake-up-cost 1ms");
    assert_eq!(dear["costs"]["steal_ns"], 1e6);
    let speedup = |document: &Value| document["speedup"][0]["median"].as_f64().unwrap();
    assert!(speedup(&dear) < speedup(&rayon), "{dear}");
}

#[test]
fn csv_has_a_record_for_each_number_of_cores() {
    let folder = stored();
    let ran = predict(&folder, "--csv --cores 2,4");
    let mut records = ran.succeeds().stdout.lines();
    assert!(records.next().unwrap().starts_with("cores,lower,median,"));
    assert!(records.next().unwrap().starts_with("2,"));
    assert!(records.next().unwrap().starts_with("4,"));
    assert_eq!(records.next(), None);
}

#[test]
fn the_report_of_a_profile_with_a_dag_predicts_too() {
    let folder = stored();
    workspan(folder.path(), "report q.wsp")
        .succeeds()
        .shows("\n  predicted ");
    workspan(folder.path(), "report plain.wsp")
        .succeeds()
        .does_not_show("\n  predicted ");
}

#[test]
fn a_missing_dag_and_wrong_options_are_explained() {
    let folder = stored();
    workspan(folder.path(), "predict plain.wsp")
        .exits(4)
        .says("plain.wsp holds no task dag")
        .says("--record");
    for (options, reason) in [
        ("--cores 0", "from 1 to"),
        ("--cores 8..2", "above its last"),
        ("--seeds 0", "0 is not in 1.."),
        ("--scheduler tbb", "[possible values: rayon, cilk]"),
        ("--steal-cost 5", "400ns"),
        ("--steal-cost '5 days'", "6.25us"),
    ] {
        predict(&folder, options).exits(2).says(reason);
    }
}
