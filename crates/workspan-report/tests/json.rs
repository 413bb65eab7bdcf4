//! The report as JSON, against its schema.

mod common;
mod profiles;

use std::sync::LazyLock;

use common::{json_of, schema};
use serde_json::{Value, json};
use workspan_model::example::{quicksort, quicksort_dag, timed_quicksort};
use workspan_model::{
    BurdenSource, MeasureKind, Nanos, On, Profile, SiteKind, analyse, analyse_with_dag,
};
use workspan_report::{Json, KeptProfile, Renderer, SCHEMA_VERSION, kept_json};

fn rendered(profile: &Profile) -> Value {
    json_of(|output| Json.render(profile, &analyse(profile), output))
}

static SCHEMA: LazyLock<Value> = LazyLock::new(|| schema("profile"));

fn complaints(document: &Value) -> Vec<String> {
    common::complaints(&SCHEMA, document)
}

#[test]
fn reports_follow_the_schema() {
    for (name, profile) in profiles::all() {
        assert_eq!(complaints(&rendered(&profile)), [""; 0], "{name}");
    }
}

#[test]
fn every_kind_of_site_follows_the_schema() {
    for kind in SiteKind::ALL
        .into_iter()
        .filter(|&kind| kind != SiteKind::Root)
    {
        let (_, mut profile) = profiles::all()[0].clone();
        profile.sites[1].kind = kind;
        assert_eq!(complaints(&rendered(&profile)), [""; 0], "{kind}");
    }
}

#[test]
fn predictions_follow_the_schema() {
    let profile = quicksort();
    let analysis = analyse_with_dag(&profile, Some(&quicksort_dag()));
    let document = json_of(|output| Json.render(&profile, &analysis, output));
    assert_eq!(complaints(&document), [""; 0]);
    let predictions = &analysis.predicted.unwrap().predictions;
    let speedup = document["predicted"]["speedup"].as_array().unwrap();
    assert_eq!(speedup.len(), predictions.len());
    assert_eq!(speedup[0]["cores"], 2);
    assert_eq!(speedup[0]["median"], predictions[0].speedup.value);
    assert_eq!(rendered(&profile)["predicted"], Value::Null);
}

#[test]
fn timelines_follow_the_schema() {
    let document = rendered(&timed_quicksort());
    assert_eq!(complaints(&document), [""; 0]);
    let timeline = &document["books"]["timeline"];
    assert_eq!(timeline["part_ns"], 4_000_000);
    assert_eq!(timeline["strands_ns"][6], 6_000_000);
    assert_eq!(timeline["without_task_ns"][6], 1_000_000);
}

/// The schema rejects what a consumer could not read, so that following it means something.
#[test]
fn the_schema_rejects_missing_and_mistyped_keys() {
    let (_, profile) = &profiles::all()[1];
    let document = rendered(profile);
    for key in document.as_object().unwrap().keys() {
        let mut without = document.clone();
        without.as_object_mut().unwrap().remove(key);
        assert_eq!(complaints(&without).len(), 1, "{key} removed");
        let mut mistyped = document.clone();
        mistyped[key] = Value::Bool(true);
        assert_eq!(complaints(&mistyped).len(), 1, "{key} mistyped");
    }
    let mut negative = document;
    negative["sites"][0]["on_work"]["work_ns"] = (-1).into();
    assert_eq!(complaints(&negative).len(), 1);
}

#[test]
fn figures_are_those_of_the_model() {
    let (_, profile) = &profiles::all()[0];
    let (document, analysis) = (rendered(profile), analyse(profile));
    assert_eq!(document["schema_version"], SCHEMA_VERSION);
    assert_eq!(document["program"]["exit_code"], 0);
    assert_eq!(document["program"]["signal"], Value::Null);
    assert_eq!(document["totals"]["work_ns"], 1_060_000_000);
    assert_eq!(
        document["totals"]["parallelism"],
        analysis.totals.parallelism.value
    );
    assert_eq!(document["speedup"].as_array().unwrap().len(), 8);
    let site = &document["sites"][0];
    assert_eq!(site["location"], "examples/quicksort.rs:31:9");
    assert_eq!(site["kind"], "join");
    assert_eq!(site["on_work"]["count"], 587_213);
    assert_eq!(site["on_span"]["share"], analysis.sites[0].on_span.share);
    assert_eq!(document["verdict"]["site"], 0);
}

#[test]
fn measures_and_paths_are_those_of_the_model() {
    let profile = profiles::functions();
    let (document, analysis) = (rendered(&profile), analyse(&profile));
    for (index, row) in analysis.sites.iter().enumerate() {
        let site = &document["sites"][index];
        assert_eq!(site["name"], json!(row.name));
        for on in On::ALL {
            for kind in MeasureKind::ALL {
                let measure = row.measure(on, kind);
                let kind = kind.name().replace('-', "_");
                let expected = json!({
                    "work_ns": measure.work.unwrap().time().shown(),
                    "span_ns": measure.span.unwrap().time().shown(),
                    "parallelism": measure.parallelism,
                    "count": measure.count,
                });
                assert_eq!(site[format!("on_{}", on.name())][kind], expected);
            }
        }
        let path = site["path"].as_array().unwrap();
        let share: f64 = path
            .iter()
            .map(|part| part["share"].as_f64().unwrap())
            .sum();
        assert!((share - 1.0).abs() < 1e-9);
    }
    // `partition` is its own path.
    let path = json!([{"site": 0, "local_span_ns": 208_545_167, "count": 76, "share": 1.0}]);
    assert_eq!(document["sites"][0]["path"], path);
    assert_eq!(document["sites"][0]["callee"], "examples/quicksort.rs:12:1");
}

#[test]
fn what_an_older_profile_lacks_is_null() {
    let (_, old) = &profiles::all()[1];
    let site = &rendered(old)["sites"][0];
    assert_eq!(site["path"], Value::Null);
    let local =
        json!({"work_ns": 2_930_000_000_u64, "span_ns": null, "parallelism": null, "count": 4});
    assert_eq!(site["on_work"]["local"], local);
    assert_eq!(site["on_span"]["top_caller"]["work_ns"], Value::Null);
    assert_eq!(site["on_span"]["top_caller"]["span_ns"], 1_466_000_000);
}

#[test]
fn regions_have_their_instances() {
    let document = rendered(&profiles::regions());
    let sort = &document["regions"][0];
    assert_eq!((&sort["name"], &sort["count"]), (&json!("sort"), &json!(5)));
    assert_eq!(sort["sum"]["span_interval"]["lower_ns"], 249_000_000);
    assert_eq!(sort["instances"][0]["figures"]["parallelism"], 18.0);
    let unfinished = &document["regions"][2];
    assert_eq!(unfinished["sum"]["parallelism"], Value::Null);
    assert_eq!(unfinished["sum"]["speedup"], json!([]));
}

#[test]
fn every_limit_has_a_name_of_its_own() {
    let limits: Vec<Value> = profiles::all()
        .iter()
        .map(|(_, profile)| rendered(profile)["verdict"]["limit"].take())
        .collect();
    let names = [
        "span",
        "interrupted",
        "migration",
        "none",
        "one_strand",
        "unfollowed",
    ];
    assert_eq!(limits[..6], names.map(Value::from));
}

#[test]
fn a_measured_burden_comes_with_its_costs() {
    let mut profile = profiles::fib();
    profile.run.burden_source = Some(BurdenSource::Measured(profiles::machine_costs()));
    let document = rendered(&profile);
    assert_eq!(complaints(&document), [""; 0]);
    assert_eq!(document["program"]["burden_source"], "measured");
    assert_eq!(document["machine"]["costs"]["steal_ns"]["median"], 520.0);
    profile.run.burden_source = None;
    let document = rendered(&profile);
    assert_eq!(complaints(&document), [""; 0]);
    assert_eq!(document["machine"]["costs"], Value::Null);
}

#[test]
fn several_runs_are_written_one_by_one_and_together() {
    let document = rendered(&profiles::runs());
    let works: Vec<u64> = document["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["totals"]["work_ns"].as_u64().unwrap())
        .collect();
    let spread = &document["spread"];
    assert_eq!((&spread["runs"], &spread["shown"]), (&json!(3), &json!(1)));
    let work = json!({"median": works[1], "least": works[2], "most": works[0]});
    assert_eq!(spread["totals"]["work_ns"], work);
    assert_eq!(document["totals"]["work_ns"], works[1]);
    let sort = spread["sites"].as_array().unwrap().iter();
    let sort = sort
        .clone()
        .find(|site| site["kind"] == "par_sort")
        .unwrap();
    assert_eq!(sort["runs"], 2);
    assert_eq!(
        sort["stolen"],
        json!({"median": 99, "least": 99, "most": 108})
    );
    let one = rendered(&profiles::fib());
    assert_eq!((&one["runs"], &one["spread"]), (&json!([]), &Value::Null));
}

#[test]
fn intervals_of_the_span_and_counts_of_the_engine_are_written() {
    let document = rendered(&profiles::fib());
    assert_eq!(document["program"]["timing"], "shared");
    let totals = &document["totals"];
    let interval = json!({"lower_ns": 400, "upper_ns": 1_488});
    assert_eq!(totals["span_interval"], interval);
    // Without a dag, it may be more.
    assert_eq!(totals["parallelism_interval"]["upper"], Value::Null);
    let engine = &document["engine"];
    assert_eq!(engine["counts"]["clock_reads"], 96_311);
    assert_eq!(engine["counts"]["of_a_later_version"], -3);
    assert_eq!(engine["boundaries_per_task"], 3.0);
    let mut may_be_nothing = profiles::fib();
    may_be_nothing.timing.span_open = Nanos::from_nanos(930);
    let document = rendered(&may_be_nothing);
    assert_eq!(
        document["totals"]["parallelism_interval"]["upper"],
        Value::Null
    );
    assert_eq!(complaints(&document), [""; 0]);
}

#[test]
fn functions_have_intervals() {
    let document = rendered(&profiles::sampled());
    let samples = &document["samples"];
    let first = &samples["functions"][0];
    assert_eq!(document["verdict"]["function"], 0);
    assert_eq!(first["function"], "sorting::partition");
    assert_eq!(first["location"], "examples/src/sorting.rs:14:9");
    assert_eq!(first["callers"][0]["function"], "quicksort::quicksort");
    assert_eq!(first["callers"][0]["line"], 30);
    let share = &first["serial"]["on_span"];
    let figure = |key: &str| share[key].as_f64().unwrap();
    assert!(figure("lower") < figure("share") && figure("share") < figure("upper"));
    let hottest = first["hottest"]["function"].as_u64().unwrap() as usize;
    assert_eq!(samples["functions"][hottest]["function"], "sorting::less");
    assert_eq!(
        samples["functions"][hottest]["physical_self"]["on_work"]["samples"],
        0.0
    );
    let without = rendered(&profiles::fib());
    assert_eq!(
        (&without["samples"], &without["verdict"]["function"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn a_signal_stands_for_the_exit_code() {
    let (_, profile) = &profiles::all()[1];
    let document = rendered(profile);
    assert_eq!(document["program"]["exit_code"], Value::Null);
    assert_eq!(document["program"]["signal"], 2);
    assert_eq!(document["sites"][6]["on_work"]["local_work_ns"], 0);
    assert_eq!(document["sites"][5]["on_work"]["parallelism"], Value::Null);
}

#[test]
fn lists_follow_their_schema() {
    let kept = profiles::all().into_iter().map(|(_, profile)| KeptProfile {
        run: profile.run,
        age: 7,
        path: "target/workspan/app.wsp".into(),
        file: String::new(),
    });
    let kept: Vec<KeptProfile> = kept.collect();
    let json = json_of(|output| kept_json(&kept, output));
    assert_eq!(common::complaints(&schema("list"), &json), [""; 0]);
    assert_eq!(json["profiles"][0]["file"], "target/workspan/app.wsp");
}
