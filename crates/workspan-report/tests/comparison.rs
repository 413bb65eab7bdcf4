//! Comparisons of two profiles, against golden files.
//! `SNAPSHOTS=overwrite` blesses what is printed.

mod common;
mod profiles;

use common::{ASCII, complaints, json_of, schema, written};
use serde_json::{Value, json};
use snapbox::assert_data_eq;
use unicode_width::UnicodeWidthStr as _;
use workspan_model::{
    ComparisonOptions, Mismatch, Profile, Quantity, Span, Threshold, ThresholdLimit, Work,
    check_thresholds, compare, example, repeated,
};
use workspan_report::{CheckText, Compared, ComparisonText, Screen, check_json, comparison_json};

/// Ten runs of the quicksort, whose join takes `factor` times as long as in the example.
fn runs(factor: f64) -> Profile {
    let run = |run: i64| {
        let mut profile = example::quicksort();
        let times = |nanos: i64| (nanos as f64 * factor) as i64 + run * nanos / 2_000;
        profile.tree[1].on_span.local_span = Span::from_nanos(times(76_600_000));
        profile.tree[1].on_work.local_work = Work::from_nanos(times(1_038_600_000));
        profile.span = Span::from_nanos(21_400_000 + times(76_600_000));
        profile.burdened_span = Span::from_nanos(21_677_500 + times(76_600_000));
        profile
    };
    repeated((0..10).map(run).collect()).unwrap()
}

fn screens() -> [(&'static str, Screen); 3] {
    [
        ("80", Screen::default().with_width(80)),
        ("200", Screen::default().with_width(200)),
        ("ascii", ASCII),
    ]
}

fn golden(name: &str, screen: Screen, text: String) {
    assert!(
        text.lines().all(|line| line.width() <= screen.width),
        "{text}"
    );
    assert_data_eq!(text, common::golden(&format!("comparison/{name}")));
}

fn compared(screen: Screen, before: &Profile, after: &Profile) -> String {
    let comparison = compare(before, after, ComparisonOptions::default()).unwrap();
    let named = |profile, file| Compared { profile, file };
    let page = ComparisonText {
        screen,
        profiles: [named(before, "old.wsp"), named(after, "new.wsp")],
        limit: 10,
    };
    written(|output| page.render(&comparison, output))
}

/// The comparison's JSON, which follows its schema.
fn compared_json(before: &Profile, after: &Profile) -> Value {
    let comparison = compare(before, after, ComparisonOptions::default()).unwrap();
    let json = json_of(|output| comparison_json(&comparison, output));
    assert_eq!(complaints(&schema("comparison"), &json), [""; 0]);
    json
}

#[test]
fn comparisons() {
    let mut moved = runs(0.5);
    moved.sites[1].location.as_mut().unwrap().line += 3;
    for run in &mut moved.repetition.as_mut().unwrap().runs {
        for row in &mut run.sites {
            if let Some(place) = &mut row.location {
                place.line += 3;
            }
        }
    }
    let mut other = example::quicksort();
    other.run.assumed_cores = 128;
    other.sites[1].function = Some("quicksort::sort".to_owned());
    other.sites[1].location.as_mut().unwrap().line = 80;
    let found = |json: &Value, how: &str| {
        let sites = json["sites"].as_array().unwrap();
        sites.iter().any(|site| site["found"] == how)
    };
    assert!(found(&compared_json(&runs(1.0), &moved), "moved"));
    let lost = compared_json(&example::quicksort(), &other);
    assert!(found(&lost, "gained") && found(&lost, "lost"), "{lost:#}");
    for (name, screen) in screens() {
        let golden = |what: &str, text| golden(&format!("{what}.{name}.txt"), screen, text);
        golden("better", compared(screen, &runs(1.0), &moved));
        golden("one-run", compared(screen, &example::quicksort(), &other));
    }
}

#[test]
fn checks() {
    let threshold = |quantity, site: Option<&str>, limit| Threshold {
        quantity,
        site: site.map(str::to_owned),
        limit,
    };
    let thresholds = [
        threshold(Quantity::Span, None, ThresholdLimit::Growth(0.05)),
        threshold(Quantity::Work, None, ThresholdLimit::At(2e9)),
        threshold(
            Quantity::Work,
            Some("quicksort.rs:31"),
            ThresholdLimit::Growth(0.2),
        ),
        threshold(Quantity::Parallelism, None, ThresholdLimit::At(20.0)),
        threshold(Quantity::BurdenedSpan, None, ThresholdLimit::At(109.85e6)),
    ];
    let (before, after) = (runs(1.0), runs(1.15));
    let options = ComparisonOptions::default();
    let checked = check_thresholds(&after, Some(&before), &thresholds, options).unwrap();
    let mismatches = [Mismatch::Threads(2, 4)];
    for (name, screen) in screens() {
        let page = CheckText {
            screen,
            run: &after.run,
            is_strict: false,
            mismatches: &mismatches,
        };
        let text = written(|output| page.render(&checked, output));
        golden(&format!("check.{name}.txt"), screen, text);
    }
    let json =
        json_of(|output| check_json(&checked, &after.run.metric, false, &mismatches, output));
    assert_eq!(complaints(&schema("check"), &json), [""; 0]);
    let outcomes = json["thresholds"].as_array().unwrap().iter();
    let outcomes: Vec<&str> = outcomes.map(|it| it["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["exceeded", "held", "held", "exceeded", "open"]);
    assert_eq!(json["passed"], false);
    assert_eq!(json["metric"], json!({"name": "time", "unit": "ns"}));
}

#[test]
fn a_profile_compared_with_itself_has_not_changed() {
    for (name, profile) in profiles::all() {
        let json = compared_json(&profile, &profile);
        let sites = json["sites"].as_array().unwrap();
        assert!(sites.iter().all(|site| site["found"] == "both"), "{name}");
        assert!(
            json["totals"]
                .as_array()
                .unwrap()
                .iter()
                .all(|total| total["growth"] == 0.0)
        );
    }
}
