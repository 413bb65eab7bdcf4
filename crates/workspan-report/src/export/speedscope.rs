//! The file format of speedscope.
#![allow(
    non_camel_case_types,
    non_snake_case,
    reason = "fields of objects and their types are named after the keys"
)]

use std::io;

use serde::Serialize;
use workspan_model::{FlameMeasure, MeasuredFlame};

use super::Stacks;
use super::stacks::{StackCode, Step};
use crate::object::object;

/// Writes a file for [speedscope](https://www.speedscope.app): a profile for each measure, with
/// that of `by` shown first.
///
/// The order of the frames in time is made up: larger ones first. So the views `Left Heavy` and
/// `Sandwich` show all there is to see.
///
/// # Errors
/// Any error from writing to `output`.
///
/// # Panics
/// If the profile does not have the measure.
pub fn speedscope(stacks: &Stacks, by: FlameMeasure, output: &mut dyn io::Write) -> io::Result<()> {
    let profiles = stacks.measured.iter();
    let file = object! {
        #[serde(rename = "$schema")]
        schema: "https://www.speedscope.app/file-format-schema.json",
        exporter: &stacks.creator,
        name: &stacks.command,
        activeProfileIndex: stacks.measures().position(|measure| measure == by),
        shared: object! { frames: stacks.codes.iter().map(Frame::new).collect::<Vec<_>>() },
        profiles: profiles.map(|measured| profile(stacks, measured)).collect::<Vec<_>>(),
    };
    serde_json::to_writer(&mut *output, &file)?;
    writeln!(output)
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
    fn new(code: &'a StackCode) -> Self {
        let known = |number: u32| (number > 0).then_some(number);
        Self {
            name: &code.name,
            file: code.file.as_deref(),
            line: known(code.line),
            col: known(code.column),
        }
    }
}

fn profile(stacks: &Stacks, measured: &MeasuredFlame) -> impl Serialize {
    let mut before = 0;
    let events = stacks.walk(measured).into_iter().map(|step| {
        let (mark, index) = match step {
            Step::Enter(index) => ("O", index),
            Step::Leave(index) => {
                before += measured.own[index];
                ("C", index)
            }
        };
        object! {
            #[serde(rename = "type")]
            kind: mark,
            frame: stacks.frames[index].code,
            at: before,
        }
    });
    object! {
        #[serde(rename = "type")]
        kind: "evented",
        name: measured.measure.name(),
        unit: if stacks.is_time(measured.measure) { "nanoseconds" } else { "none" },
        startValue: 0,
        endValue: measured.total(),
        events: events.collect::<Vec<_>>(),
    }
}
