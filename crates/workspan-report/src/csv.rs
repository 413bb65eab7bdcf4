//! Rows of the JSON as comma-separated values: a column for each key. A key within an object follows
//! that of the object: `on_work_count`. In a list of objects, the first member of each tells them
//! apart: `speedup_64_lower`.

use std::borrow::Cow;
use std::io;

use serde::Serialize;
use serde_json::{Map, Value};
use workspan_model::{
    Analysis, BandwidthPoint, Comparison, Estimate, FactoredPoint, Metric, MissingProcessors,
    Nanos, Prediction, Profile, Region, RegionFigures, ScalingPoint, SpeedupLimits,
};

use crate::json::{self, key_of};
use crate::notation::readable::readable_lines;
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
        let sites = analysis.sites.iter().map(json::site);
        write(
            // The root is always there.
            sites.clone().next(),
            sites,
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
        profile: &Profile,
        analysis: &Analysis,
        output: &mut dyn io::Write,
    ) -> io::Result<()> {
        let sample = Region {
            sum: RegionFigures {
                speedup: SpeedupLimits::default().table(profile.run.assumed_cores),
                ..RegionFigures::default()
            },
            ..Region::default()
        };
        let sample = json::region_records(&sample).next();
        let records = analysis.regions.iter().flat_map(json::region_records);
        write(sample, records, &analysis.metric, output)
    }
}

impl Predictions<'_> {
    /// Writes the speedups, a record for each number of cores.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn csv(&self, output: &mut dyn io::Write) -> io::Result<()> {
        let predictions = self.curve.predictions.iter().map(json::prediction);
        let sample = Prediction::default();
        let sample = json::prediction(&sample);
        write(sample, predictions, &self.profile.run.metric, output)
    }
}

impl ScalingReport<'_> {
    /// Writes a record for each number of threads or, of bandwidth, of copies.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn csv(&self, output: &mut dyn io::Write) -> io::Result<()> {
        let ratio = Some(Estimate::default());
        let nanos = Some(Estimate::<Nanos>::default());
        let lacked = Some(MissingProcessors::default());
        if let (None, Some(bandwidth)) = (self.scaling, self.bandwidth) {
            let sample = BandwidthPoint {
                processor_growth: ratio,
                lacked,
                ..BandwidthPoint::default()
            };
            let copies = bandwidth.points.iter().map(json::bandwidth_point);
            let sample = json::bandwidth_point(&sample);
            return write(sample, copies, &Metric::time(), output);
        }
        let point = ScalingPoint {
            speedup: ratio,
            efficiency: ratio,
            processor_growth: ratio,
            lacked,
            ..ScalingPoint::default()
        };
        let factored = FactoredPoint {
            idle: nanos,
            inflation: nanos,
            elision: ratio,
            idle_specific: ratio,
            inflation_specific: ratio,
            measuring: ratio,
            lacked,
            ..FactoredPoint::default()
        };
        let sample = json::scaling_record(&point, &[], Some(&factored));
        write(sample, self.records(), &Metric::time(), output)
    }
}

/// Writes what has changed between two profiles, a record for each figure.
///
/// # Errors
/// Any error from writing to `output`.
pub fn comparison_csv(comparison: &Comparison, output: &mut dyn io::Write) -> io::Result<()> {
    write(
        // The totals are always there.
        json::comparison_records(comparison).next(),
        json::comparison_records(comparison),
        &Metric::time(),
        output,
    )
}

/// Writes a header, the names of `sample`, which has all that a row may have, and the rows.
fn write(
    sample: impl Serialize,
    rows: impl IntoIterator<Item = impl Serialize>,
    metric: &Metric,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let sample = record(sample, metric)?;
    let mut writer = csv::Writer::from_writer(output);
    writer.write_record(sample.keys())?;
    for row in rows {
        let record = record(row, metric)?;
        debug_assert_eq!(
            record
                .iter()
                .find(|(name, value)| !value.is_null() && !sample.contains_key(*name)),
            None,
            "every value has a column"
        );
        let cells = sample
            .keys()
            .map(|name| record.get(name).map_or_else(String::new, text));
        writer.write_record(cells.map(|cell| safe(&cell).into_owned()))?;
    }
    writer.flush()
}

/// The names and values of a row.
fn record(row: impl Serialize, metric: &Metric) -> io::Result<Map<String, Value>> {
    let mut record = Map::new();
    flatten(
        String::new(),
        serde_json::to_value(row)?,
        metric,
        &mut record,
    );
    Ok(record)
}

/// Adds the value at `name`, or its members, to the record.
fn flatten(name: String, value: Value, metric: &Metric, record: &mut Map<String, Value>) {
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
        Value::Array(items) if items.is_empty() => {
            record.insert(name, Value::Null);
        }
        Value::Array(items) if items.iter().all(Value::is_object) => {
            for item in items {
                let mut members = item.as_object().into_iter().flatten();
                if let Some((_, first)) = members.next() {
                    let rest = members.map(|(key, member)| (key.clone(), member.clone()));
                    flatten(within(&text(first)), rest.collect(), metric, record);
                }
            }
        }
        Value::Array(items) => {
            let words: Vec<String> = items.iter().map(text).collect();
            record.insert(name, Value::String(words.join(" ")));
        }
        other => {
            record.insert(name, other);
        }
    }
}

/// The value without the quotes of JSON; empty if it is not known.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
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
    use super::{safe, write};
    use serde_json::json;
    use workspan_model::Metric;

    fn written(sample: &serde_json::Value, rows: &[serde_json::Value]) -> String {
        let mut output = Vec::new();
        write(sample, rows, &Metric::time(), &mut output).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn columns_do_not_depend_on_the_rows() {
        let sample = json!({"a": 1, "of": {"b": 2, "c": 3}, "at": [{"cores": 2, "lower": 1.0}]});
        let header = "a,of_b,of_c,at_2_lower\n";
        assert_eq!(written(&sample, &[]), header);
        let unknown = json!({"a": 5, "of": null, "at": []});
        assert_eq!(written(&sample, &[unknown]), format!("{header}5,,,\n"));
    }

    #[test]
    fn members_of_lists_are_words_or_columns() {
        let row = json!({
            "words": ["x", 2, -1.5, true, {}],
            "objects": [{}, {"name": "y", "size": 4}],
            "none": [],
        });
        let expected = "words,objects_y_size,none\nx 2 -1.5 true {},4,\n";
        assert_eq!(written(&row, std::slice::from_ref(&row)), expected);
    }

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
