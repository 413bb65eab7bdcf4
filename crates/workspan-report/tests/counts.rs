//! Reports of a metric that counts events: nothing that is a count is called a time.

mod common;
mod profiles;

use std::fs;

use common::{complaints, golden, json_of, schema, written};
use snapbox::assert_data_eq;
use workspan_model::example::{quicksort, quicksort_dag};
use workspan_model::{BurdenSource, Metric, Mismatch, Nanos, Profile, analyse, analyse_with_dag};
use workspan_report::{Csv, Json, RegionsCsv, Renderer, Screen, Text, mismatch_sentence};

/// Keys of times in nanoseconds, whatever the metric is.
const TIMES: [&str; 5] = [
    "blocked_ns",
    "elapsed_ns",
    "off_processor_ns",
    "start_ns",
    "waited_ns",
];

fn counted(mut profile: Profile) -> Profile {
    profile.run.metric = Metric {
        name: "instructions".to_owned(),
        unit: "instructions".to_owned(),
    };
    profile.run.clock = "counter".to_owned();
    profile.run.burden = Nanos::from_nanos(15_000);
    profile.run.burden_source = Some(BurdenSource::Cilkview);
    profile.run.off_processor = Nanos::ZERO;
    profile
}

fn all() -> [(&'static str, Profile); 12] {
    profiles::all().map(|(name, profile)| (name, counted(profile)))
}

fn rendered(renderer: &impl Renderer, profile: &Profile) -> String {
    written(|output| renderer.render(profile, &analyse(profile), output))
}

fn text(profile: &Profile) -> String {
    let text = Text {
        screen: Screen {
            width: 100,
            ..Screen::default()
        },
        instances: true,
        engine: true,
        ..Text::default()
    };
    rendered(&text, profile)
}

#[test]
fn documents_follow_the_schema_of_counts() {
    let schema = schema("profile-counts");
    for (name, profile) in all() {
        let document = serde_json::from_str(&rendered(&Json, &profile)).unwrap();
        assert_eq!(complaints(&schema, &document), [""; 0], "{name}");
    }
    let profile = counted(quicksort());
    let analysis = analyse_with_dag(&profile, Some(&quicksort_dag()));
    let document = json_of(|output| Json.render(&profile, &analysis, output));
    assert_eq!(complaints(&schema, &document), [""; 0]);
    assert_eq!(document["metric"]["name"], "instructions");
    assert_eq!(document["predicted"]["costs_source"], "burden");
    assert_eq!(document["predicted"]["costs"]["steal_count"], 15_000.0);
    assert_eq!(document["totals"]["work_count"], 1_060_000_000);
    assert_eq!(document["totals"]["elapsed_ns"], 561_000_000);
}

#[test]
fn columns_name_counts() {
    let quicksort = counted(quicksort());
    let header = |text: String| text.lines().next().unwrap_or_default().to_owned();
    for header in [
        header(rendered(&Csv, &quicksort)),
        header(rendered(&RegionsCsv, &counted(profiles::regions()))),
    ] {
        let columns: Vec<&str> = header.split(',').collect();
        let has = |name| columns.iter().any(|column| column.ends_with(name));
        assert!(has("work_count") && has("blocked_ns"));
        let times = columns.iter().filter(|column| column.ends_with("_ns"));
        let lie = times
            .copied()
            .find(|column| !TIMES.iter().any(|time| column.ends_with(time)));
        assert_eq!(lie, None);
    }
}

/// If nothing is blocked or waited for and regions begin at once, only lines about times have a
/// time other than 0.
#[test]
fn texts_call_no_count_a_time() {
    const OF_TIME: [&str; 7] = [
        "Blocked",
        "A signal ended it after",
        // How long a task should be does not depend on what was counted.
        "10 µs or more",
        "Elapsed",
        "Start",
        "Calibration",
        "Writing",
    ];
    for (name, profile) in all() {
        let mut profile = profile;
        for node in &mut profile.tree {
            node.on_work.blocked = Nanos::ZERO;
        }
        let uses = profile.locks.iter_mut().flat_map(|lock| &mut lock.uses);
        for one in uses.chain(&mut profile.other_locks) {
            one.waited = Nanos::ZERO;
        }
        for instance in &mut profile.instances {
            instance.start = Nanos::ZERO;
        }
        let text = text(&profile);
        let units = [" ns", " µs", " ms", " s "];
        let is_time = |line: &str| units.iter().any(|unit| format!("{line} ").contains(unit));
        let is_allowed = |line: &str| OF_TIME.iter().any(|words| line.contains(words));
        let without_zeros = |line: &str| line.replace(" 0 ns", "");
        let lie = text
            .lines()
            .find(|line| is_time(&without_zeros(line)) && !is_allowed(line));
        assert_eq!(lie, None, "{name}:\n{text}");
        assert!(text.contains("instructions"), "{name}");
    }
}

#[test]
fn burdens_that_differ_are_counts() {
    let metric = counted(quicksort()).run.metric;
    let sentence = mismatch_sentence(&Mismatch::Burden(15_000, 30_000, metric));
    let begin = "The burden was 15.0k instructions a task before and 30.0k instructions after";
    assert!(sentence.starts_with(begin), "{sentence}");
}

/// The page knows what its amounts count, and writes only times as times.
#[test]
fn the_page_writes_what_a_lock_is_held_for_as_an_amount() {
    let script = format!("{}/assets/html/locks.js", env!("CARGO_MANIFEST_DIR"));
    let script = fs::read_to_string(script).unwrap();
    assert!(script.contains("${amount(held)}") && !script.contains("duration("));
}

#[test]
fn the_report_looks_as_blessed() {
    assert_data_eq!(text(&counted(quicksort())), golden("counts.txt"));
}
