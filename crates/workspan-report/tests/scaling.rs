//! What sweeps say, against golden files. `SNAPSHOTS=overwrite` blesses what is printed.

mod sweeps;

use snapbox::{Data, assert_data_eq};
use sweeps::samples::{SAMPLES, Sample};
use unicode_width::UnicodeWidthStr;
use workspan_model::{Condition, Sweep};
use workspan_report::{Charset, ScalingReport, Screen};

impl Sample {
    fn text(&self, screen: Screen) -> String {
        let mut output = Vec::new();
        self.report().text(screen, &mut output).unwrap();
        String::from_utf8(output).unwrap()
    }
}

fn golden(name: &str) -> Data {
    let path = format!("{}/tests/golden/scaling/{name}", env!("CARGO_MANIFEST_DIR"));
    Data::read_from(path.as_ref(), Some(snapbox::data::DataFormat::Text)).raw()
}

#[test]
fn pages_look_as_blessed() {
    for sample in SAMPLES.iter() {
        for width in [80, 200] {
            let text = sample.text(Screen::default().of_width(width));
            assert_data_eq!(text, golden(&format!("{}.{width}.txt", sample.name)));
        }
    }
}

#[test]
fn lines_fit_the_width() {
    for sample in SAMPLES.iter() {
        for width in (40..=130).chain([200]) {
            for line in sample.text(Screen::default().of_width(width)).lines() {
                assert!(line.width() <= width, "{} at {width}: {line}", sample.name);
            }
        }
    }
}

#[test]
fn in_ascii_there_is_nothing_else() {
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
        let mut plain = String::new();
        for part in coloured.split('\u{1b}') {
            plain.push_str(match plain.is_empty() {
                true => part,
                false => part.split_once('m').unwrap().1,
            });
        }
        assert!(plain.trim_start() == sample.text(Screen::default()).trim_start());
    }
}

#[test]
fn records_look_as_blessed() {
    for sample in SAMPLES.iter() {
        let mut output = Vec::new();
        sample.report().csv(&mut output).unwrap();
        let records = String::from_utf8(output).unwrap();
        assert_data_eq!(records, golden(&format!("{}.csv", sample.name)));
    }
}

#[test]
fn json_looks_as_blessed() {
    for sample in SAMPLES.iter() {
        let mut output = Vec::new();
        sample.report().json(&mut output).unwrap();
        let document: serde_json::Value = serde_json::from_slice(&output).unwrap();
        assert_eq!(document["schema_version"], 1);
        let text = String::from_utf8(output).unwrap();
        assert_data_eq!(text, golden(&format!("{}.json", sample.name)));
    }
}

#[test]
fn json_follows_its_schema() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sweep.schema.json");
    let schema = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
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
        let mut output = Vec::new();
        report.json(&mut output).unwrap();
        let document = serde_json::from_slice(&output).unwrap();
        let complaints = validator.iter_errors(&document);
        let complaints: Vec<String> = complaints
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert_eq!(complaints, [""; 0], "{}", sample.name);
    }
}

#[test]
fn a_sweep_comes_back_from_its_file() {
    for sample in SAMPLES.iter() {
        let text = serde_json::to_string(&sample.sweep).unwrap();
        assert_eq!(serde_json::from_str::<Sweep>(&text).unwrap(), sample.sweep);
    }
}
