//! Reports on sweeps, against golden files. `SNAPSHOTS=overwrite` blesses what is printed.

mod common;
mod sweeps;

use common::{complaints, json_of, schema, without_escapes, written};
use snapbox::{Data, assert_data_eq};
use sweeps::samples::{SAMPLES, Sample};
use unicode_width::UnicodeWidthStr;
use workspan_model::{Condition, Sweep};
use workspan_report::{Charset, ScalingReport, Screen};

impl Sample {
    fn text(&self, screen: Screen) -> String {
        written(|output| self.report().text(screen, output))
    }
}

fn golden(name: &str) -> Data {
    common::golden(&format!("scaling/{name}"))
}

#[test]
fn pages_look_as_blessed() {
    for sample in SAMPLES.iter() {
        for width in [80, 200] {
            let text = sample.text(Screen::default().with_width(width));
            assert_data_eq!(text, golden(&format!("{}.{width}.txt", sample.name)));
        }
    }
}

#[test]
fn lines_fit_the_width() {
    for sample in SAMPLES.iter() {
        for width in (40..=130).chain([200]) {
            for line in sample.text(Screen::default().with_width(width)).lines() {
                assert!(line.width() <= width, "{} at {width}: {line}", sample.name);
            }
        }
    }
}

#[test]
fn ascii_pages_are_ascii() {
    for sample in SAMPLES.iter() {
        let text = sample.text(Screen {
            charset: Charset::Ascii,
            ..Screen::default()
        });
        assert!(text.is_ascii(), "{text}");
        if sample.name == "cilksort" {
            assert_data_eq!(text, golden("cilksort.ascii.txt"));
        }
    }
}

#[test]
fn colour_changes_no_word() {
    for sample in SAMPLES.iter() {
        let coloured = sample.text(Screen {
            colour: true,
            ..Screen::default()
        });
        assert!(coloured.contains('\u{1b}'));
        assert!(without_escapes(&coloured) == sample.text(Screen::default()));
    }
}

#[test]
fn records_look_as_blessed() {
    for sample in SAMPLES.iter() {
        let records = written(|output| sample.report().csv(output));
        assert_data_eq!(records, golden(&format!("{}.csv", sample.name)));
    }
}

#[test]
fn records_have_the_same_columns_in_all_sweeps() {
    let header = |report: ScalingReport<'_>| {
        let records = written(|output| report.csv(output));
        records.lines().next().unwrap().to_owned()
    };
    let reports = || SAMPLES.iter().map(Sample::report);
    let mut headers: Vec<String> = reports()
        .filter(|report| report.scaling.is_some())
        .map(header)
        .collect();
    assert!(headers.len() > 2);
    headers.dedup();
    assert_eq!(headers.len(), 1, "{headers:?}");
    let nothing = reports().find(|report| report.scaling.is_some()).unwrap();
    let mut scaling = nothing.scaling.unwrap().clone();
    scaling.points.clear();
    let nothing = ScalingReport {
        scaling: Some(&scaling),
        ..nothing
    };
    assert_eq!(header(nothing), headers[0]);
}

#[test]
fn json_looks_as_blessed() {
    for sample in SAMPLES.iter() {
        let text = written(|output| sample.report().json(output));
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["schema_version"], 1);
        assert_data_eq!(text, golden(&format!("{}.json", sample.name)));
    }
}

#[test]
fn json_follows_its_schema() {
    let schema = schema("sweep");
    for sample in SAMPLES.iter() {
        let mut sweep = sample.sweep.clone();
        sweep.machine.conditions = vec![
            Condition::Busy { processors: 1.0 },
            Condition::Stolen { processors: 0.5 },
            Condition::ClockVaries {
                governor: "powersave".to_owned(),
            },
            Condition::Boost,
            Condition::HyperThreads,
            Condition::Virtual,
            Condition::Battery,
        ];
        let report = ScalingReport {
            sweep: &sweep,
            ..sample.report()
        };
        let document = json_of(|output| report.json(output));
        assert_eq!(complaints(&schema, &document), [""; 0], "{}", sample.name);
    }
}

#[test]
fn sweeps_round_trip_through_json() {
    for sample in SAMPLES.iter() {
        let text = serde_json::to_string(&sample.sweep).unwrap();
        assert_eq!(serde_json::from_str::<Sweep>(&text).unwrap(), sample.sweep);
    }
}
