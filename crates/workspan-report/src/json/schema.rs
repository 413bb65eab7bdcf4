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
use crate::{InflationReport, ScalingReport};

/// What the schema says of the whole document.
struct About {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Whether figures may be negative.
    has_growths: bool,
}

/// The schema of documents of this type.
fn schema<T: JsonSchema>(about: &About) -> String {
    let mut settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(RecursiveTransform(exact));
    if !about.has_growths {
        settings = settings.with_transform(RecursiveTransform(not_negative));
    }
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = schema.to_value();
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
    serde_json::to_string_pretty(&schema).unwrap() + "\n"
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
        let key = key.trim_end_matches("_ns");
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

/// A figure of a finding: its key, its types and its description.
type Figure = (&'static str, &'static [&'static str], &'static str);

/// The figures that findings of some diagnosis have as evidence.
const EVIDENCE: [Figure; 26] = [
    ("parallelism", &["number"], "Of the program: WS001, WS002"),
    ("burdened_parallelism", &["number"], "Of the program: WS002"),
    (
        "site_parallelism",
        &["number", "null"],
        "Of the site's instances, with all that they run: WS001",
    ),
    (
        "span_share",
        &["number"],
        "What the site's own code has of the span, functions and regions that run in it included: WS001, WS003, WS006 of a bridge, WS007",
    ),
    (
        "work_share",
        &["number"],
        "The time of the code, or under the lock, as a share of the work: WS003, WS009",
    ),
    (
        "time_ns",
        &["integer"],
        "How long the code runs alone, in nanoseconds: WS003",
    ),
    (
        "tasks",
        &["number"],
        "Tasks: of all (WS002, WS005), of an outermost instance (WS004, WS008), at a time (WS007); means in the latter",
    ),
    (
        "task_ns",
        &["integer"],
        "Work of the own strands of a task, on average, in nanoseconds: WS002, WS005, WS008",
    ),
    (
        "tasking_overhead",
        &["number", "null"],
        "Cost of making and scheduling the site's tasks, as a share of the program's work, null if the runtime's costs are not known: WS002, WS008",
    ),
    (
        "depth",
        &["number"],
        "Instances on the critical path, one inside the other, on average: WS004",
    ),
    (
        "balanced_depth",
        &["number"],
        "That depth if each branch had half: WS004",
    ),
    (
        "longest_task_ns",
        &["integer"],
        "The piece that the span waits for, on average over the loops on the critical path, in nanoseconds: WS004",
    ),
    (
        "even_task_ns",
        &["integer"],
        "What it would take if all took the same, in nanoseconds: WS004",
    ),
    ("stolen", &["integer"], "Tasks that were stolen: WS005"),
    (
        "steal_cost",
        &["number"],
        "Their number times the burden, as a share of the work: WS005",
    ),
    (
        "blocked_ns",
        &["integer"],
        "How long strands waited of their own will, in nanoseconds: WS006",
    ),
    (
        "blocked_share",
        &["number"],
        "This as a share of the time of the site's own code: WS006",
    ),
    (
        "enough_tasks",
        &["number"],
        "Tasks that would keep every core busy, given how often a part was stolen: WS008",
    ),
    (
        "inside_site",
        &["integer", "null"],
        "Index into `sites` of a parallel loop around it that has enough tasks for the cores: WS008",
    ),
    (
        "held_ns",
        &["integer"],
        "For how long the lock was held, in nanoseconds: WS009",
    ),
    (
        "held_here_ns",
        &["integer"],
        "For how long it was held from this site, in nanoseconds: WS009",
    ),
    ("places", &["integer"], "How many sites acquire it: WS009"),
    (
        "acquisitions",
        &["integer"],
        "How often it was acquired: WS009",
    ),
    (
        "waits",
        &["integer"],
        "How many of these took longer than a microsecond: WS009",
    ),
    (
        "waited_ns",
        &["integer"],
        "How long all acquisitions took, in nanoseconds: WS009",
    ),
    (
        "most_speedup",
        &["number"],
        "No number of cores makes the program more times as fast as one: WS009",
    ),
];

/// The figures of a finding on inflation.
const EVIDENCE_OF_INFLATION: [Figure; 9] = [
    ("inflation", &["number"], "Inflation of the site's own work"),
    ("inflation_low", &["number"], "Lower end of its interval"),
    ("inflation_high", &["number"], "Upper end of its interval"),
    (
        "path_inflation",
        &["number", "null"],
        "Inflation of its part of the critical path, strand by strand",
    ),
    (
        "more_ns",
        &["integer"],
        "How much more work that is, in nanoseconds",
    ),
    (
        "work_share",
        &["number"],
        "Its share of the work in parallel",
    ),
    (
        "span_share",
        &["number"],
        "Its share of the span in parallel",
    ),
    ("threads", &["integer"], "Threads of the parallel runs"),
    (
        "counter_inflation",
        &["number", "null"],
        "Inflation of the counter that names the cause",
    ),
];

/// The schema of the evidence of a finding.
pub(super) fn evidence(_: &mut SchemaGenerator) -> Schema {
    figures(&EVIDENCE)
}

/// The schema of the evidence of a finding on inflation.
pub(super) fn evidence_of_inflation(_: &mut SchemaGenerator) -> Schema {
    figures(&EVIDENCE_OF_INFLATION)
}

fn figures(figures: &[Figure]) -> Schema {
    let properties = figures.iter().map(|&(key, types, description)| {
        let of_key = json!({"type": types, "description": description, "minimum": 0});
        (key.to_owned(), of_key)
    });
    json_schema!({"type": "object", "properties": Map::from_iter(properties)})
}

/// Asserts that the schema in `docs` is that of what the function makes.
fn assert_written<A, T: JsonSchema>(_: impl FnOnce(A) -> T, about: &About) {
    let file = format!(
        "{}/../../docs/{}.schema.json",
        env!("CARGO_MANIFEST_DIR"),
        about.name
    );
    let written = Data::read_from(file.as_ref(), Some(DataFormat::Text)).raw();
    assert_data_eq!(schema::<T>(about), written);
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
    assert_written(
        |(profile, analysis): (&'static Profile, &'static Analysis)| document(profile, analysis),
        &about,
    );
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
