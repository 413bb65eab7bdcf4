//! Keys that say what the amounts under them are.

use std::io::{self, Write};

use serde::Serialize;
use workspan_model::{Location, Metric};

use crate::object::{Document, object};

/// Keys of times in nanoseconds, whatever the metric is.
const TIMES: [&str; 5] = [
    "blocked_ns",
    "elapsed_ns",
    "off_processor_ns",
    "start_ns",
    "waited_ns",
];

/// The ends of the keys of times and of counts.
const TIME: &str = "_ns";
const COUNT: &str = "_count";

/// The key of an amount of `metric` that `key` names as a time: `work_count` instead of `work_ns`
/// for a metric that counts.
pub(crate) fn key_of(key: &str, metric: &Metric) -> String {
    match key.strip_suffix(TIME) {
        Some(amount) if !metric.is_time() && !TIMES.contains(&key) => format!("{amount}{COUNT}"),
        _ => key.to_owned(),
    }
}

/// The metric, unless it is the default one, which documents do not name.
pub(crate) fn non_default(metric: &Metric) -> Option<&Metric> {
    (!metric.is_default()).then_some(metric)
}

/// The key `metric`, for documents that have it unless the metric is the default one.
pub(crate) fn metric_key(metric: &Metric) -> Option<impl Document> {
    non_default(metric).map(|counted| {
        object! {
            /// What was measured of strands, where that is not just time
            metric: object! {
                /// As `--metric` takes it
                name: &counted.name,
                /// What several are called, such as `page faults`; `ns` of another kind of time
                unit: &counted.unit,
            },
        }
    })
}

/// Writes `document`, whose keys name amounts as times, over several lines.
///
/// # Errors
/// Any error from writing to `output`.
pub(crate) fn write_pretty(
    document: &impl Serialize,
    metric: &Metric,
    output: &mut dyn Write,
) -> io::Result<()> {
    write(metric, output, |output| {
        serde_json::to_writer_pretty(output, document)
    })
}

/// As [`write_pretty`], but in one line.
///
/// # Errors
/// Any error from writing to `output`.
pub(super) fn write_compact(
    document: &impl Serialize,
    metric: &Metric,
    output: &mut dyn Write,
) -> io::Result<()> {
    write(metric, output, |output| {
        serde_json::to_writer(output, document)
    })
}

/// Writes what `json` writes, its keys passed through [`key_of`]. Within a string, a quote has a
/// backslash before it: only a key ends in `_ns":`.
fn write(
    metric: &Metric,
    output: &mut dyn Write,
    json: impl FnOnce(&mut dyn Write) -> serde_json::Result<()>,
) -> io::Result<()> {
    const END: &str = "\":";
    if metric.is_time() {
        json(output)?;
        return writeln!(output);
    }
    let mut text = Vec::new();
    json(&mut text)?;
    for part in String::from_utf8_lossy(&text).split_inclusive(END) {
        let key = part.strip_suffix(END);
        match key.and_then(|part| part.rsplit_once('"')) {
            Some((before, key)) => write!(output, "{before}\"{}{END}", key_of(key, metric))?,
            None => output.write_all(part.as_bytes())?,
        }
    }
    writeln!(output)
}

/// A place whose column is 0 if it is not known.
pub(super) fn place(place: Option<&Location>) -> impl Document {
    with_column(place, place.map(|place| place.column))
}

/// A place whose column is `null` if it is not known.
pub(super) fn place_of_function(place: Option<&Location>) -> impl Document {
    with_column(place, known_column(place))
}

/// The column of a place, if it is known.
pub(super) fn known_column(place: Option<&Location>) -> Option<u32> {
    let column = place?.column;
    (column > 0).then_some(column)
}

fn with_column(place: Option<&Location>, shown_column: Option<u32>) -> impl Document {
    object! {
        /// `file:line:column`; null for the root, and where symbols do not give one
        location: place.map(ToString::to_string),
        /// The file, as the compiler named it
        file: place.map(|place| &place.file),
        /// The line, from 1
        line: place.map(|place| place.line),
        /// The column, from 1; 0 when not known
        column: shown_column,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn counts_are_not_called_times() {
        let text = "work_ns\": \"span_ns\":";
        let document = json!({"elapsed_ns": 5, "text": text, "of": [{"work_ns": 7}]});
        let written = |metric: &Metric| {
            let mut output = Vec::new();
            write_compact(&document, metric, &mut output).unwrap();
            serde_json::from_slice::<serde_json::Value>(&output).unwrap()
        };
        assert_eq!(written(&Metric::time()), document);
        let faults = Metric {
            name: "page-faults".to_owned(),
            unit: "page faults".to_owned(),
        };
        let counted = json!({"elapsed_ns": 5, "text": text, "of": [{"work_count": 7}]});
        assert_eq!(written(&faults), counted);
    }
}
