//! The protocol buffer of pprof.
//!
//! The messages are those of `profile.proto` of <https://github.com/google/pprof>, with only the
//! fields that are set here.

use std::collections::HashMap;
use std::io;

use flate2::Compression;
use flate2::write::GzEncoder;
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
    let mut strings = Strings::new();
    let mut functions = Functions::default();
    let locations = (1..).zip(&stacks.codes).map(|(id, code)| Location {
        id,
        mapping_id: MAPPING,
        line: vec![Line {
            function_id: functions.id_of(code, &mut strings),
            line: code.line.into(),
            column: code.column.into(),
        }],
    });
    let location = locations.collect();
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
            kind: strings.index_of(&name),
            unit: strings.index_of(unit),
        });
    }
    let (default, _) = sample_type(stacks.by(by));
    Profile {
        sample_type: sample_types,
        sample: samples(stacks),
        mapping: vec![Mapping {
            id: MAPPING,
            filename: strings.index_of(&stacks.codes[0].name),
            has_functions: true,
            has_filenames: true,
            has_line_numbers: true,
        }],
        location,
        function: functions.all,
        time_nanos: i64::try_from(stacks.started_at)
            .unwrap_or(0)
            .saturating_mul(1_000_000_000),
        duration_nanos: stacks.elapsed.as_nanos(),
        comment: vec![
            strings.index_of(&stacks.command),
            strings.index_of(&stacks.creator),
        ],
        default_sample_type: strings.index_of(&default),
        string_table: strings.all,
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

/// The strings of a profile, the empty one first.
struct Strings {
    all: Vec<String>,
    known: HashMap<String, i64>,
}

impl Strings {
    fn new() -> Self {
        let mut strings = Self {
            all: Vec::new(),
            known: HashMap::new(),
        };
        strings.index_of("");
        strings
    }

    fn index_of(&mut self, text: &str) -> i64 {
        if let Some(&index) = self.known.get(text) {
            return index;
        }
        let index = self.all.len() as i64;
        self.all.push(text.to_owned());
        self.known.insert(text.to_owned(), index);
        index
    }
}

/// The functions of a profile: code of the same name in the same file.
#[derive(Default)]
struct Functions {
    all: Vec<Function>,
    known: HashMap<(i64, i64), u64>,
}

impl Functions {
    fn id_of(&mut self, code: &StackCode, strings: &mut Strings) -> u64 {
        let name = strings.index_of(&code.name);
        let filename = strings.index_of(code.file.as_deref().unwrap_or_default());
        let next = self.all.len() as u64 + 1;
        let id = *self.known.entry((name, filename)).or_insert(next);
        if id == next {
            self.all.push(Function {
                id,
                name,
                system_name: name,
                filename,
            });
        }
        id
    }
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
