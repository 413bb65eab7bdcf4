//! Rows of the JSON as comma-separated values: a column for each key. A key within an object follows
//! that of the object: `on_work_count`. In a list of objects, the first member of each tells them
//! apart: `speedup_64_lower`.

use std::borrow::Cow;
use std::io;

use serde::Serialize;
use serde_json::Value;
use workspan_model::{Analysis, Comparison, Metric, Profile};

use crate::json::{self, key_of};
use crate::readable::readable_lines;
use crate::{Predictions, Renderer, ScalingReport};

/// The sites, a record each. Unknown values are empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Csv;

impl Renderer for Csv {
    fn render(
        &self,
        _: &Profile,
        analysis: &Analysis,
        output: &mut dyn io::Write,
    ) -> io::Result<()> {
        write(
            analysis.sites.iter().map(json::site),
            &analysis.metric,
            output,
        )
    }
}

/// The regions, a record each, followed by those of their instances.
#[derive(Clone, Copy, Debug, Default)]
pub struct RegionsCsv;

impl Renderer for RegionsCsv {
    fn render(
        &self,
        _: &Profile,
        analysis: &Analysis,
        output: &mut dyn io::Write,
    ) -> io::Result<()> {
        let records = analysis.regions.iter().flat_map(json::region_records);
        write(records, &analysis.metric, output)
    }
}

impl Predictions<'_> {
    /// Writes the speedups, a record for each number of cores.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn csv(&self, output: &mut dyn io::Write) -> io::Result<()> {
        let predictions = self.curve.predictions.iter().map(json::prediction);
        write(predictions, &self.profile.run.metric, output)
    }
}

impl ScalingReport<'_> {
    /// Writes a record for each number of threads or, of bandwidth, of copies.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn csv(&self, output: &mut dyn io::Write) -> io::Result<()> {
        match (self.scaling, self.bandwidth) {
            (None, Some(bandwidth)) => {
                let copies = bandwidth.points.iter().map(json::bandwidth_point);
                write(copies, &Metric::time(), output)
            }
            _ => write(self.records(), &Metric::time(), output),
        }
    }
}

/// Writes what has changed between two profiles, a record for each figure.
///
/// # Errors
/// Any error from writing to `output`.
pub fn comparison_csv(comparison: &Comparison, output: &mut dyn io::Write) -> io::Result<()> {
    write(
        json::comparison_records(comparison),
        &Metric::time(),
        output,
    )
}

fn write(
    rows: impl IntoIterator<Item = impl Serialize>,
    metric: &Metric,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let mut records = Vec::new();
    for row in rows {
        let mut record = serde_json::Map::new();
        flatten(
            String::new(),
            serde_json::to_value(row)?,
            metric,
            &mut record,
        );
        records.push(record);
    }
    let mut names: Vec<&String> = Vec::new();
    for name in records.iter().flat_map(serde_json::Map::keys) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    // An object that is not always known has columns for its members only.
    let all = names.clone();
    names.retain(|name| {
        let is_object = |other: &&String| {
            let is_null =
                |record: &serde_json::Map<_, _>| record.get(*name).is_none_or(Value::is_null);
            other.starts_with(&format!("{name}_")) && records.iter().all(is_null)
        };
        !all.iter().any(is_object)
    });
    let mut writer = csv::Writer::from_writer(output);
    if !names.is_empty() {
        writer.write_record(&names)?;
    }
    for record in &records {
        let cells = names
            .iter()
            .map(|name| match record.get(*name).unwrap_or(&Value::Null) {
                Value::Null => String::new(),
                Value::String(text) => safe(text).into_owned(),
                other => other.to_string(),
            });
        writer.write_record(cells)?;
    }
    writer.flush()
}

/// Adds the value at `name`, or its members, to the record.
fn flatten(
    name: String,
    value: Value,
    metric: &Metric,
    record: &mut serde_json::Map<String, Value>,
) {
    let within = |member: &str| match name.as_str() {
        "" => member.to_owned(),
        name => format!("{name}_{member}"),
    };
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                flatten(within(&key_of(&key, metric)), member, metric, record);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for item in items {
                let mut members = Vec::from_iter(item.as_object().cloned().unwrap_or_default());
                let first = members.remove(0).1.to_string();
                flatten(within(&first), Value::from_iter(members), metric, record);
            }
        }
        Value::Array(items) if items.is_empty() => {
            record.insert(name, Value::Null);
        }
        Value::Array(items) => {
            let words = items.iter().map(|item| item.as_str().unwrap_or_default());
            let words = words.collect::<Vec<_>>().join(" ");
            record.insert(name, Value::String(words));
        }
        other => {
            record.insert(name, other);
        }
    }
}

/// The cell so that a spreadsheet takes it for text or for a number, but never for a formula: a
/// quote goes before what would be one.
fn safe(cell: &str) -> Cow<'_, str> {
    let begins_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if begins_formula && cell.parse::<f64>().is_err() {
        return format!("'{}", readable_lines(cell)).into();
    }
    readable_lines(cell).into()
}

#[cfg(test)]
mod tests {
    use super::safe;

    #[test]
    fn no_cell_is_a_formula() {
        for (cell, written) in [
            ("=1+1", "'=1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("+x", "'+x"),
            ("-x", "'-x"),
            ("-12.5", "-12.5"),
            ("+3", "+3"),
            ("src/a.rs", "src/a.rs"),
            ("a\u{202e}b\u{1b}", r"a\u{202e}b\u{1b}"),
            ("", ""),
        ] {
            assert_eq!(safe(cell), written);
        }
    }
}
