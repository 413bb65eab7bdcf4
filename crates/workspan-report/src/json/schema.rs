//! Tests that the schemas in `docs` are those of what is written. `SNAPSHOTS=overwrite` writes them.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use snapbox::data::DataFormat;
use snapbox::{Data, assert_data_eq};
use workspan_model::{ComparisonOptions, Metric, analyse, compare, example};

use super::comparison::{check_document, comparison_document};
use super::document::document;

/// What the schema says of the whole document.
struct About {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Whether figures may be negative.
    has_growths: bool,
}

/// The schema of documents of this type.
fn schema<T: JsonSchema>(_: &T, about: &About) -> String {
    let mut settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(RecursiveTransform(exact));
    if !about.has_growths {
        settings = settings.with_transform(RecursiveTransform(not_negative));
    }
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = schema.to_value();
    schema["$id"] = json!(format!(
        "https://github.com/workspan/workspan/blob/main/docs/{}.schema.json",
        about.name
    ));
    schema["title"] = json!(about.title);
    schema["description"] = json!(about.description);
    serde_json::to_string_pretty(&schema).unwrap() + "\n"
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

/// The figures that findings of some diagnosis have as evidence, each with its types.
const EVIDENCE: [(&str, &[&str], &str); 26] = [
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
        "The same if each branch had half: WS004",
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

/// The schema of the evidence of a finding.
pub(super) fn evidence(_: &mut SchemaGenerator) -> Schema {
    let properties = EVIDENCE.map(|(key, types, description)| {
        let of_key = json!({"type": types, "description": description, "minimum": 0});
        (key.to_owned(), of_key)
    });
    json_schema!({"type": "object", "properties": Map::from_iter(properties)})
}

fn assert_written<T: JsonSchema>(document: &T, about: &About) {
    let file = format!(
        "{}/../../docs/{}.schema.json",
        env!("CARGO_MANIFEST_DIR"),
        about.name
    );
    let written = Data::read_from(file.as_ref(), Some(DataFormat::Text)).raw();
    assert_data_eq!(schema(document, about), written);
}

#[test]
fn of_reports() {
    let profile = example::quicksort();
    let about = About {
        name: "profile",
        title: "Report of workspan",
        description: "What `--json FILE` writes: a profile of a task-parallel program and what follows from it. Times are in \
                      nanoseconds, shares from 0 to 1, what is not known is null. For a metric that counts events in place of \
                      time, profile-counts.schema.json describes it: keys end in `_count` in place of `_ns`, except those of \
                      times.",
        has_growths: false,
    };
    assert_written(&document(&profile, &analyse(&profile)), &about);
}

#[test]
fn of_comparisons_and_checks() {
    let profile = example::quicksort();
    let comparison = compare(&profile, &profile, ComparisonOptions::default()).unwrap();
    let about = About {
        name: "comparison",
        title: "Comparison of two profiles by workspan",
        description: "What `--json FILE` of `workspan compare` writes. Amounts are in the unit of the metric, growths and weights are shares; what is not known is null.",
        has_growths: true,
    };
    assert_written(&comparison_document(&comparison), &about);
    let about = About {
        name: "check",
        title: "Thresholds checked by workspan",
        description: "What `--json FILE` of `workspan check` writes. Amounts are in the unit of the metric; what is not known \
                      is null.",
        has_growths: true,
    };
    assert_written(&check_document(&[], &Metric::time(), false, &[]), &about);
}
