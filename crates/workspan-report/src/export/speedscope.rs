//! The file format of speedscope.

use std::io;

use serde::Serialize;
use workspan_model::{FlameMeasure, MeasuredFlame};

use super::Stacks;
use super::stacks::{StackCode, Step};

/// Writes a file for [speedscope](https://www.speedscope.app): a profile a measure, of which that of `by` is shown first.
///
/// The order of the frames in time is made up: the larger ones first. So its views `Left Heavy` and `Sandwich` tell all that
/// there is.
///
/// # Errors
/// Those of `output`.
///
/// # Panics
/// When the measure is not known of the profile.
pub fn speedscope(stacks: &Stacks, by: FlameMeasure, output: &mut dyn io::Write) -> io::Result<()> {
    let file = File {
        schema: "https://www.speedscope.app/file-format-schema.json",
        exporter: &stacks.creator,
        name: &stacks.command,
        active_profile_index: stacks.measures().position(|measure| measure == by),
        shared: Shared {
            frames: stacks.codes.iter().map(Frame::of).collect(),
        },
        profiles: stacks
            .measured
            .iter()
            .map(|measured| Profile::of(stacks, measured))
            .collect(),
    };
    serde_json::to_writer(&mut *output, &file)?;
    writeln!(output)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    exporter: &'a str,
    name: &'a str,
    active_profile_index: Option<usize>,
    shared: Shared<'a>,
    profiles: Vec<Profile>,
}

#[derive(Serialize)]
struct Shared<'a> {
    frames: Vec<Frame<'a>>,
}

#[derive(Serialize)]
struct Frame<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    col: Option<u32>,
}

impl<'a> Frame<'a> {
    fn of(code: &'a StackCode) -> Self {
        let known = |number: u32| (number > 0).then_some(number);
        Self {
            name: &code.name,
            file: code.file.as_deref(),
            line: known(code.line),
            col: known(code.column),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Profile {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'static str,
    unit: &'static str,
    start_value: u64,
    end_value: u64,
    events: Vec<Event>,
}

#[derive(Serialize)]
struct Event {
    #[serde(rename = "type")]
    kind: &'static str,
    frame: usize,
    at: u64,
}

impl Profile {
    fn of(stacks: &Stacks, measured: &MeasuredFlame) -> Self {
        let mut at = 0;
        let events = stacks.walk(measured).into_iter().map(|step| {
            let (kind, frame) = match step {
                Step::Enter(frame) => ("O", frame),
                Step::Leave(frame) => {
                    at += measured.own[frame];
                    ("C", frame)
                }
            };
            let frame = stacks.frames[frame].code;
            Event { kind, frame, at }
        });
        Self {
            kind: "evented",
            name: measured.measure.name(),
            unit: match stacks.is_time(measured.measure) {
                true => "nanoseconds",
                false => "none",
            },
            start_value: 0,
            end_value: measured.total(),
            events: events.collect(),
        }
    }
}
