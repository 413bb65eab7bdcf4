//! Tests that the schemas in `docs` are those of what is written. `SNAPSHOTS=overwrite` writes them.

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use snapbox::data::DataFormat;
use snapbox::{Data, assert_data_eq};
use workspan_model::{Analysis, Checked, Comparison, Metric, Mismatch, Profile};

use super::comparison::{check_document, comparison_document};
use super::document::document;
use super::kept::kept_document;
use super::keys::{AMOUNT, ending};
use crate::object::Document;
use crate::{InflationReport, KeptProfile, ScalingReport};

/// What the schema says of the whole document.
struct About {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Whether figures may be negative.
    has_growths: bool,
}

/// The schema of documents of this type on amounts of `metric`.
fn schema<T: JsonSchema>(about: &About, metric: &Metric) -> Value {
    let mut settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(RecursiveTransform(exact));
    if !about.has_growths {
        settings = settings.with_transform(RecursiveTransform(not_negative));
    }
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = schema.to_value();
    schema.sort_all_objects();
    let mut shared = Shared::default();
    shared.count(&schema);
    let members = schema.as_object_mut().unwrap();
    members
        .values_mut()
        .for_each(|member| shared.share(member, ""));
    if !shared.definitions.is_empty() {
        let definitions = members.entry("$defs").or_insert_with(|| json!({}));
        definitions
            .as_object_mut()
            .unwrap()
            .extend(shared.definitions);
    }
    schema["$id"] = json!(format!(
        "https://github.com/workspan/workspan/blob/main/docs/{}.schema.json",
        about.name
    ));
    schema["title"] = json!(about.title);
    schema["description"] = json!(about.description);
    let text = schema.to_string();
    let text = text.replace(&format!("{AMOUNT}\""), &format!("{}\"", ending(metric)));
    serde_json::from_str(&text).unwrap()
}

/// Objects that occur more than once, apart from their descriptions.
#[derive(Default)]
struct Shared {
    /// How often each does.
    counts: BTreeMap<String, usize>,
    /// The names of those that were met.
    names: BTreeMap<String, String>,
    definitions: Map<String, Value>,
}

impl Shared {
    fn count(&mut self, value: &Value) {
        if let Some(object) = without_description(value) {
            *self.counts.entry(object).or_default() += 1;
        }
        match value {
            Value::Object(members) => members.values().for_each(|member| self.count(member)),
            Value::Array(members) => members.iter().for_each(|member| self.count(member)),
            _ => {}
        }
    }

    /// Puts references in their places; `key` is that under which `value` stands.
    fn share(&mut self, value: &mut Value, key: &str) {
        let object = without_description(value);
        match value {
            Value::Object(members) => {
                for (inner, member) in members.iter_mut() {
                    let is_key = !["properties", "items", "anyOf"].contains(&inner.as_str());
                    self.share(member, if is_key { inner } else { key });
                }
            }
            Value::Array(members) => members
                .iter_mut()
                .for_each(|member| self.share(member, key)),
            _ => {}
        }
        let Some(object) = object.filter(|object| self.counts[object] > 1) else {
            return;
        };
        let definitions = &mut self.definitions;
        let key = key.trim_end_matches(AMOUNT).trim_end_matches("_ns");
        let members = value.as_object_mut().unwrap();
        let description = members.remove("description");
        let name = self.names.entry(object).or_insert_with(|| {
            let same = definitions
                .keys()
                .filter(|name| name.starts_with(key))
                .count();
            let name = if same == 0 {
                key.to_owned()
            } else {
                format!("{key}_{same}")
            };
            definitions.insert(name.clone(), Value::Object(members.clone()));
            name
        });
        *value = json!({"$ref": format!("#/$defs/{name}")});
        if let Some(description) = description {
            value["description"] = description;
        }
    }
}

/// The schema of an object as text, without its description.
fn without_description(value: &Value) -> Option<String> {
    let mut members = value.as_object()?.clone();
    // That of the keys of an object is none.
    if !members.get("properties")?.is_object() || !members.contains_key("required") {
        return None;
    }
    members.remove("description");
    Some(Value::Object(members).to_string())
}

/// Objects have no other keys; how wide a number is says nothing of JSON, and what kind of value is
/// one of several follows from these.
fn exact(schema: &mut Schema) {
    schema.remove("format");
    if schema.get("const").or(schema.get("enum")).is_some() {
        schema.remove("type");
        schema.remove("minimum");
    }
    if schema.get("properties").is_some() {
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
}

/// No figure of a report is negative.
fn not_negative(schema: &mut Schema) {
    let is_number = |kind: &Value| kind == "number";
    let kind = schema.get("type");
    let numbers = kind.is_some_and(|kind| {
        is_number(kind)
            || kind
                .as_array()
                .is_some_and(|kinds| kinds.iter().any(is_number))
    });
    if numbers {
        schema.insert("minimum".to_owned(), json!(0));
    }
}

/// The figures of findings, in sections: key, types and description.
const EVIDENCE: &str = include_str!("../../explanations/evidence.txt");

/// The schema of the evidence of a finding.
pub(super) fn evidence(_: &mut SchemaGenerator) -> Schema {
    figures("[profile]\n")
}

/// The schema of the evidence of a finding on inflation.
pub(super) fn evidence_of_inflation(_: &mut SchemaGenerator) -> Schema {
    figures("[inflation]\n")
}

fn figures(section: &str) -> Schema {
    let (_, lines) = EVIDENCE.split_once(section).unwrap();
    let lines = lines.lines().take_while(|line| !line.is_empty());
    let properties = lines.map(|line| {
        let (head, description) = line.split_once(": ").unwrap();
        let (key, types) = head.split_once(' ').unwrap();
        let types: Vec<&str> = types.split(' ').collect();
        let of_key = json!({"type": types, "description": description, "minimum": 0});
        (key.to_owned(), of_key)
    });
    json_schema!({"type": "object", "properties": Map::from_iter(properties)})
}

/// Asserts that the schema in `docs` is that of what the function makes.
fn assert_written<A, T: JsonSchema>(_: impl FnOnce(A) -> T, about: &About) {
    assert_kept(schema::<T>(about, &Metric::time()), about);
}

fn assert_kept(mut schema: Value, about: &About) {
    let file = format!(
        "{}/../../docs/{}.schema.json",
        env!("CARGO_MANIFEST_DIR"),
        about.name
    );
    let written = Data::read_from(file.as_ref(), Some(DataFormat::Text)).raw();
    schema.sort_all_objects();
    let schema = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    assert_data_eq!(schema, written);
}

#[test]
fn of_reports() {
    let about = About {
        name: "profile",
        title: "Report of workspan",
        description: "What `--json FILE` writes: a profile of a task-parallel program and what follows from it. Times are in \
                      nanoseconds, shares from 0 to 1, what is not known is null. For a metric that counts events in place of \
                      time, profile-counts.schema.json describes it: keys end in `_count` in place of `_ns`, except those of \
                      times.",
        has_growths: false,
    };
    assert_written(of_profile, &about);
}

fn of_profile((profile, analysis): (&'static Profile, &'static Analysis)) -> impl Document {
    document(profile, analysis)
}

#[test]
fn of_reports_of_counts() {
    fn schema_of<A, T: JsonSchema>(_: impl FnOnce(A) -> T, about: &About) -> Value {
        let events = Metric {
            name: String::new(),
            unit: "events".to_owned(),
        };
        schema::<T>(about, &events)
    }
    let about = About {
        name: "profile-counts",
        title: "Report of workspan, of a metric that counts events",
        description: "What `--json FILE` writes of a metric that counts events, such as instructions: profile.schema.json, with keys \
                      that end in `_count` in place of `_ns`, but for what is a time all the same. Amounts under `_count` are events of \
                      `metric`, times are in nanoseconds.",
        has_growths: false,
    };
    let mut schema = schema_of(of_profile, &about);
    schema["required"]
        .as_array_mut()
        .unwrap()
        .push(json!("metric"));
    let rate = &mut schema["properties"]["machine"]["properties"]["ticks_per_second"];
    *rate = json!({"description": "A count has no rate", "type": "null"});
    assert_kept(schema, &about);
}

#[test]
fn of_comparisons_and_checks() {
    let about = About {
        name: "comparison",
        title: "Comparison of two profiles by workspan",
        description: "What `--json FILE` of `workspan compare` writes. Amounts are in the unit of the metric, growths and weights \
                      are shares; what is not known is null.",
        has_growths: true,
    };
    assert_written(
        |comparison: &'static Comparison| comparison_document(comparison),
        &about,
    );
    let about = About {
        name: "check",
        title: "Thresholds checked by workspan",
        description: "What `--json FILE` of `workspan check` writes. Amounts are in the unit of the metric; what is not known \
                      is null.",
        has_growths: true,
    };
    type Arguments = (
        &'static [Checked],
        &'static Metric,
        bool,
        &'static [Mismatch],
    );
    assert_written(
        |(checked, metric, is_strict, mismatches): Arguments| {
            check_document(checked, metric, is_strict, mismatches)
        },
        &about,
    );
}

#[test]
fn of_lists() {
    let about = About {
        name: "list",
        title: "Profiles that workspan has kept",
        description: "What `--json FILE` of `workspan list` writes. What is not known is null.",
        has_growths: false,
    };
    assert_written(
        |profiles: &'static [KeptProfile]| kept_document(profiles),
        &about,
    );
}

#[test]
fn of_sweeps_and_inflation() {
    let about = About {
        name: "sweep",
        title: "Report of workspan on a sweep",
        description: "What `--json FILE` of `workspan scale` and `workspan bandwidth` writes: what runs of a program on several numbers of threads say. Times are in nanoseconds, shares from 0 to 1, what is not known is null.",
        has_growths: true,
    };
    assert_written(
        |report: &'static ScalingReport<'static>| report.document(),
        &about,
    );
    let about = About {
        name: "inflation",
        title: "Report of workspan on work inflation",
        description: "What `--json FILE` of `workspan inflate`, and of `workspan report` on the runs that it keeps, writes: work in parallel against that of one worker. Works and spans are in nanoseconds for the metric `time`, else counts; shares are from 0 to 1, what is not known is null.",
        has_growths: true,
    };
    assert_written(
        |report: &'static InflationReport<'static>| report.document(),
        &about,
    );
}
