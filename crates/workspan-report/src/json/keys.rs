//! Keys by what the amounts under them are.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};
use workspan_model::Metric;

/// What is a time in nanoseconds whatever was measured.
const TIMES: [&str; 5] = [
    "blocked_ns",
    "elapsed_ns",
    "off_processor_ns",
    "start_ns",
    "waited_ns",
];

/// The end of keys of times, and of counts.
const TIME: &str = "_ns";
const COUNT: &str = "_count";

/// The key of an amount of `metric` that `key` names as a time: `work_count` for `work_ns` of a metric that counts.
pub(crate) fn key_of(key: &str, metric: &Metric) -> String {
    match key.strip_suffix(TIME) {
        Some(amount) if !metric.is_time() && !TIMES.contains(&key) => format!("{amount}{COUNT}"),
        _ => key.to_owned(),
    }
}

/// The metric, for documents that tell it: where it is another than time.
pub(crate) fn told(metric: &Metric) -> Option<&Metric> {
    (!metric.is_default()).then_some(metric)
}

/// Writes `document`, whose keys name amounts as times, in lines of its own.
///
/// # Errors
/// Those of `output`.
pub(crate) fn write_pretty(
    document: &impl Serialize,
    metric: &Metric,
    output: &mut dyn Write,
) -> io::Result<()> {
    write(document, metric, PrettyFormatter::new(), output)
}

/// The same in one line.
///
/// # Errors
/// Those of `output`.
pub(super) fn write_compact(
    document: &impl Serialize,
    metric: &Metric,
    output: &mut dyn Write,
) -> io::Result<()> {
    write(document, metric, CompactFormatter, output)
}

fn write(
    document: &impl Serialize,
    metric: &Metric,
    layout: impl Formatter,
    output: &mut dyn Write,
) -> io::Result<()> {
    let keys = Keys {
        layout,
        metric,
        in_key: false,
    };
    document.serialize(&mut Serializer::with_formatter(&mut *output, keys))?;
    writeln!(output)
}

/// A layout with keys after [`key_of`].
struct Keys<'a, F> {
    layout: F,
    metric: &'a Metric,
    in_key: bool,
}

impl<F: Formatter> Formatter for Keys<'_, F> {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.layout.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.layout.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.layout.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.layout.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.layout.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.layout.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.in_key = true;
        self.layout.begin_object_key(writer, first)
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.in_key = false;
        self.layout.end_object_key(writer)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.layout.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.layout.end_object_value(writer)
    }

    /// Keys of ours hold nothing to escape, so that a fragment is a whole one.
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        match self.in_key {
            true => writer.write_all(key_of(fragment, self.metric).as_bytes()),
            false => writer.write_all(fragment.as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn counts_are_not_called_times() {
        let document = json!({"elapsed_ns": 5, "text": "work_ns", "of": [{"work_ns": 7}]});
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
        let counted = json!({"elapsed_ns": 5, "text": "work_ns", "of": [{"work_count": 7}]});
        assert_eq!(written(&faults), counted);
    }
}
