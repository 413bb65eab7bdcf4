//! The protocol buffer of pprof.
//!
//! The messages are those of `profile.proto` of <https://github.com/google/pprof>, with only the
//! fields that are set here.

use std::io;

use flate2::Compression;
use flate2::write::GzEncoder;
use indexmap::IndexSet;
use prost::Message as _;
use workspan_model::{FlameMeasure, MeasuredFlame};

use super::Stacks;
use super::stacks::StackCode;

/// Writes a profile for pprof and other readers of its format: compressed by gzip, with a sample
/// type for each measure, of which `by` is the default.
///
/// # Errors
/// Any error from writing to `output`.
///
/// # Panics
/// If the profile does not have the measure.
pub fn pprof(stacks: &Stacks, by: FlameMeasure, output: &mut dyn io::Write) -> io::Result<()> {
    let profile = profile(stacks, by);
    let mut compressed = GzEncoder::new(output, Compression::default());
    io::Write::write_all(&mut compressed, &profile.encode_to_vec())?;
    compressed.finish().map(|_| ())
}

fn profile(stacks: &Stacks, by: FlameMeasure) -> Profile {
    // The empty one comes first.
    let mut strings = IndexSet::from([String::new()]);
    let mut index_of = |text: &str| strings.insert_full(text.to_owned()).0 as i64;
    // Code of the same name in the same file is one function.
    let mut functions = IndexSet::new();
    let mut id_of = |code: &StackCode| {
        let file = code.file.as_deref().unwrap_or_default();
        let function = (index_of(&code.name), index_of(file));
        functions.insert_full(function).0 as u64 + 1
    };
    let locations = (1..).zip(&stacks.codes).map(|(id, code)| Location {
        id,
        mapping_id: MAPPING,
        line: vec![Line {
            function_id: id_of(code),
            line: code.line.into(),
            column: code.column.into(),
        }],
    });
    let location = locations.collect();
    let functions = (1..).zip(functions).map(|(id, (name, filename))| Function {
        id,
        name,
        system_name: name,
        filename,
    });
    let sample_type = |measured: &MeasuredFlame| {
        let measure = measured.measure;
        let unit = if stacks.is_time(measure) {
            "nanoseconds"
        } else {
            "count"
        };
        (measure.name().replace(' ', "_"), unit)
    };
    let mut sample_types = Vec::new();
    for measured in &stacks.measured {
        let (name, unit) = sample_type(measured);
        sample_types.push(ValueType {
            kind: index_of(&name),
            unit: index_of(unit),
        });
    }
    let (default, _) = sample_type(stacks.by(by));
    Profile {
        sample_type: sample_types,
        sample: samples(stacks),
        mapping: vec![Mapping {
            id: MAPPING,
            filename: index_of(&stacks.codes[0].name),
            has_functions: true,
            has_filenames: true,
            has_line_numbers: true,
        }],
        location,
        function: functions.collect(),
        time_nanos: i64::try_from(stacks.started_at)
            .unwrap_or(0)
            .saturating_mul(1_000_000_000),
        duration_nanos: stacks.elapsed.as_nanos(),
        comment: vec![index_of(&stacks.command), index_of(&stacks.creator)],
        default_sample_type: index_of(&default),
        string_table: strings.into_iter().collect(),
    }
}

/// The only mapping: it says that all names are known.
const MAPPING: u64 = 1;

/// A sample for each frame that has something of its own.
fn samples(stacks: &Stacks) -> Vec<Sample> {
    let values = |frame: usize| {
        let own = stacks.measured.iter().map(|measured| measured.own[frame]);
        own.map(|own| i64::try_from(own).unwrap_or(i64::MAX))
            .collect()
    };
    let samples = (0..stacks.frames.len()).map(|frame| Sample {
        location_id: stacks
            .stack(frame)
            .into_iter()
            .rev()
            .map(|frame| stacks.frames[frame].code as u64 + 1)
            .collect(),
        value: values(frame),
    });
    samples
        .filter(|sample| sample.value.iter().any(|&value| value > 0))
        .collect()
}

#[derive(Clone, PartialEq, prost::Message)]
struct Profile {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
    #[prost(message, repeated, tag = "3")]
    mapping: Vec<Mapping>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(int64, tag = "9")]
    time_nanos: i64,
    #[prost(int64, tag = "10")]
    duration_nanos: i64,
    #[prost(int64, repeated, tag = "13")]
    comment: Vec<i64>,
    #[prost(int64, tag = "14")]
    default_sample_type: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    kind: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Sample {
    /// The innermost first.
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Mapping {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "5")]
    filename: i64,
    #[prost(bool, tag = "7")]
    has_functions: bool,
    #[prost(bool, tag = "8")]
    has_filenames: bool,
    #[prost(bool, tag = "9")]
    has_line_numbers: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(uint64, tag = "2")]
    mapping_id: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Line>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function_id: u64,
    #[prost(int64, tag = "2")]
    line: i64,
    #[prost(int64, tag = "3")]
    column: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
    #[prost(int64, tag = "3")]
    system_name: i64,
    #[prost(int64, tag = "4")]
    filename: i64,
}
