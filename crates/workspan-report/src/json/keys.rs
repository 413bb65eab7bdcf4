//! Keys that say what the amounts under them are.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};
use workspan_model::{Location, Metric};

use crate::object::{Document, object};

/// The end of keys in documents as they are made, under which are amounts of the metric. Times
/// that are none end in `_ns`.
pub(super) const AMOUNT: &str = "_amount";

/// The end of keys in its place.
pub(crate) fn ending(metric: &Metric) -> &'static str {
    if metric.is_time() { "_ns" } else { "_count" }
}

/// `key` as reports of `metric` have it: `work_ns` or `work_count` for `work_amount`.
pub(crate) fn key_of<'a>(key: &'a str, metric: &Metric) -> Cow<'a, str> {
    match key.strip_suffix(AMOUNT) {
        Some(amount) => Cow::Owned(format!("{amount}{}", ending(metric))),
        None => Cow::Borrowed(key),
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

/// Writes `document` over several lines.
///
/// # Errors
/// Any error from writing to `output`.
pub(crate) fn write_pretty(
    document: &impl Serialize,
    metric: &Metric,
    output: &mut dyn Write,
) -> io::Result<()> {
    write(document, PrettyFormatter::new(), metric, output)
}

/// Writes `document` in one line.
///
/// # Errors
/// Any error from writing to `output`.
pub(crate) fn write_compact(
    document: &impl Serialize,
    metric: &Metric,
    output: &mut dyn Write,
) -> io::Result<()> {
    write(document, CompactFormatter, metric, output)
}

fn write(
    document: &impl Serialize,
    layout: impl Formatter,
    metric: &Metric,
    mut output: &mut dyn Write,
) -> io::Result<()> {
    let keys = Keys {
        layout,
        metric,
        is_key: false,
    };
    document.serialize(&mut Serializer::with_formatter(&mut output, keys))?;
    writeln!(output)
}

/// Writes keys as [`key_of`] has them.
struct Keys<'a, F> {
    layout: F,
    metric: &'a Metric,
    is_key: bool,
}

macro_rules! as_laid_out {
    ($($method:ident($($is_first:ident)?);)+) => {$(
        fn $method<W: ?Sized + Write>(&mut self, writer: &mut W $(, $is_first: bool)?) -> io::Result<()> {
            self.layout.$method(writer $(, $is_first)?)
        }
    )+};
}

impl<F: Formatter> Formatter for Keys<'_, F> {
    as_laid_out! {
        begin_array();
        end_array();
        begin_array_value(is_first);
        end_array_value();
        begin_object();
        end_object();
        begin_object_value();
        end_object_value();
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        is_first: bool,
    ) -> io::Result<()> {
        self.is_key = true;
        self.layout.begin_object_key(writer, is_first)
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.is_key = false;
        self.layout.end_object_key(writer)
    }

    // No key has characters that are escaped, which would divide it.
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        text: &str,
    ) -> io::Result<()> {
        let text = match self.is_key {
            true => key_of(text, self.metric),
            false => text.into(),
        };
        writer.write_all(text.as_bytes())
    }
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
    fn keys_of_amounts_say_what_these_are() {
        let text = "work_amount\": \"span_amount";
        let document = |ending: &str| {
            let work = format!("work{ending}");
            json!({"elapsed_ns": 5, "text": text, "of": [{work: 7, "name": "work_amount"}]})
        };
        let written = |metric: &Metric| {
            let mut output = Vec::new();
            write_compact(&document(AMOUNT), metric, &mut output).unwrap();
            serde_json::from_slice::<serde_json::Value>(&output).unwrap()
        };
        assert_eq!(written(&Metric::time()), document("_ns"));
        let faults = Metric {
            name: "page-faults".to_owned(),
            unit: "page faults".to_owned(),
        };
        assert_eq!(written(&faults), document("_count"));
    }
}
