//! Alerts, as GitHub and code scanning take them.

mod common;
#[allow(dead_code, reason = "the tests of the report use all of them")]
mod profiles;

use common::{complaints_of_draft_7, golden, json_of, written};
use serde_json::Value;
use snapbox::assert_data_eq;
use workspan_model::{
    ComparisonOptions, Location, Profile, Quantity, Span, Threshold, ThresholdLimit, Work, analyse,
    check_thresholds, compare, example,
};
use workspan_report::{
    Alert, CheckText, Compared, ComparisonText, Rule, Screen, Severity, annotations, check_alerts,
    comparison_alerts, finding_alerts, sarif,
};

/// The quicksort, whose figures repeat exactly and whose join takes `factor` times as long.
fn quicksort(factor: f64) -> Profile {
    let mut profile = example::quicksort();
    profile.run.clock = "virtual".to_owned();
    let times = |nanos: f64| (nanos * factor) as i64;
    profile.tree[1].on_span.local_span = Span::from_nanos(times(76_600_000.0));
    profile.tree[1].on_work.local_work = Work::from_nanos(times(1_038_600_000.0));
    profile.span = Span::from_nanos(21_400_000 + times(76_600_000.0));
    profile.burdened_span = profile.span;
    profile
}

const SITE: &str = "quicksort.rs:31";

fn thresholds() -> [Threshold; 3] {
    let threshold = |quantity, site: Option<&str>, limit| Threshold {
        quantity,
        site: site.map(str::to_owned),
        limit,
    };
    [
        threshold(Quantity::Span, None, ThresholdLimit::Growth(0.05)),
        threshold(Quantity::Work, Some(SITE), ThresholdLimit::At(1e9)),
        threshold(Quantity::Tasks, None, ThresholdLimit::Growth(0.0)),
    ]
}

#[test]
fn what_is_beyond_a_limit_is_shown_at_its_line() {
    let (before, after) = (quicksort(1.0), quicksort(1.15));
    let options = ComparisonOptions::default();
    let comparison = compare(&before, &after, options).unwrap();
    let thresholds = thresholds();
    let checked = check_thresholds(&after, Some(&before), &thresholds, options).unwrap();
    let alerts = |comparison| check_alerts(&checked, &after.run, false, comparison);
    let commands = |alerts: &[Alert]| written(|output| annotations(alerts, output));
    assert_data_eq!(
        commands(&alerts(Some(&comparison))),
        golden("alerts/check.txt")
    );
    let places = |alerts: &[Alert]| -> Vec<bool> {
        let places = alerts.iter().map(|alert| alert.location.is_some());
        places.collect()
    };
    assert_eq!(places(&alerts(None)), [false, true], "nothing is to blame");
    let worse = comparison_alerts(&comparison, &after.run);
    assert_data_eq!(commands(&worse), golden("alerts/comparison.txt"));
    let better = compare(&after, &before, options).unwrap();
    assert_eq!(comparison_alerts(&better, &before.run), []);
}

#[test]
fn text_cannot_end_a_command() {
    let alert = Alert {
        rule: Rule::Figure(Quantity::Span),
        severity: Severity::Error,
        location: Some(Location::new("a,b:c%.rs", 1, 0)),
        text: "one\r\n::error::two".to_owned(),
    };
    let commands = written(|output| annotations(&[alert], output));
    let expected =
        "::error file=a%2Cb%3Ac%25.rs,line=1,title=workspan%3A span::one%0D%0A::error::two\n";
    assert_eq!(commands, expected);
}

#[test]
fn text_cannot_end_a_cell() {
    let profile = quicksort(1.0);
    let limit = Threshold {
        quantity: Quantity::Work,
        site: Some(SITE.to_owned()),
        limit: ThresholdLimit::At(1e9),
    };
    let options = ComparisonOptions::default();
    let mut checked = check_thresholds(&profile, None, &[limit], options).unwrap();
    checked[0].threshold.site = Some("a|b_c<d>".to_owned());
    let page = CheckText {
        screen: Screen::default(),
        run: &profile.run,
        is_strict: false,
        mismatches: &[],
    };
    let summary = written(|output| page.summary(&checked, output));
    assert!(summary.contains(r"of a\|b\_c\<d> |"), "{summary}");
}

#[test]
fn summaries_are_markdown() {
    let (before, after) = (quicksort(1.0), quicksort(1.15));
    let options = ComparisonOptions::default();
    let thresholds = thresholds();
    let checked = check_thresholds(&after, Some(&before), &thresholds, options).unwrap();
    let page = CheckText {
        screen: Screen::default(),
        run: &after.run,
        is_strict: false,
        mismatches: &[],
    };
    let summary = written(|output| page.summary(&checked, output));
    assert_data_eq!(summary, golden("alerts/check.md"));
    let comparison = compare(&before, &after, options).unwrap();
    let named = |profile, file| Compared { profile, file };
    let page = ComparisonText {
        screen: Screen::default(),
        profiles: [named(&before, "old.wsp"), named(&after, "new.wsp")],
        limit: 10,
    };
    let summary = written(|output| page.summary(&comparison, output));
    assert_data_eq!(summary, golden("alerts/comparison.md"));
}

/// The alerts as SARIF that follows the published schema.
fn valid(alerts: &[Alert]) -> Value {
    let document = json_of(|output| sarif(alerts, output));
    assert_eq!(complaints_of_draft_7(SCHEMA, &document), [""; 0]);
    document
}

/// As OASIS has published it, with the pattern of languages that its errata correct.
const SCHEMA: &str = include_str!("sarif-schema-2.1.0.json");

#[test]
fn sarif_follows_its_schema() {
    for (name, profile) in profiles::all() {
        let alerts = finding_alerts(&analyse(&profile));
        let document = valid(&alerts);
        let results = document["runs"][0]["results"].as_array().unwrap();
        let placed = alerts.iter().filter(|alert| alert.location.is_some());
        assert_eq!(results.len(), placed.count(), "{name}");
        for result in results {
            assert_eq!(result["locations"].as_array().unwrap().len(), 1, "{name}");
        }
    }
    let without_results = serde_json::json!({"version": "2.1.0", "runs": [{"results": [{}]}]});
    assert!(!complaints_of_draft_7(SCHEMA, &without_results).is_empty());
}

#[test]
fn sarif_has_rules_places_and_help() {
    let mut alerts = finding_alerts(&analyse(&example::quicksort()));
    let document = valid(&alerts);
    let run = &document["runs"][0];
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "WS001");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "examples/quicksort.rs");
    assert_eq!(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
    assert_eq!(place["region"]["startLine"], 31);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let rule = rules.iter().find(|rule| rule["id"] == "WS001").unwrap();
    let help = rule["help"]["markdown"].as_str().unwrap();
    assert!(help.contains("## What to try"), "{help}");
    let page = rule["helpUri"].as_str().unwrap();
    let page = page.split_once("/main/").unwrap().1;
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    assert!(std::path::Path::new(root).join(page).exists(), "{page}");
    alerts[0].location = Some(Location::new("/a b/100%.rs", 7, 0));
    let place = &valid(&alerts)["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "file:///a%20b/100%25.rs");
    assert_eq!(place["region"], serde_json::json!({"startLine": 7}));
}
