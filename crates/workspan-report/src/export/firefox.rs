//! The processed profile format of the Firefox Profiler.
//!
//! The format is described by the types in `src/types/profile.ts` of
//! <https://github.com/firefox-devtools/profiler>, which reads files of all older versions. The
//! crate `fxprof-processed-profile` only writes whole numbers of at most 2³¹ as weights of samples,
//! and no lines, so the tables are written here.
#![allow(
    non_camel_case_types,
    non_snake_case,
    reason = "fields of objects and their types are named after the keys"
)]

use std::io;

use indexmap::IndexSet;
use serde::Serialize;
use serde_json::{Value, json};
use workspan_model::{FlameMeasure, MeasuredFlame};

use super::Stacks;
use super::stacks::Step;
use crate::object::object;

/// The version of the format that is written.
const VERSION: u32 = 49;

/// Writes a file for the [Firefox Profiler](https://profiler.firefox.com): a thread for each
/// measure, with that of `by` selected.
///
/// The order of the frames in time is made up: larger ones first. So the call tree and the flame
/// graph show all there is to see.
///
/// # Errors
/// Any error from writing to `output`.
///
/// # Panics
/// If the profile does not have the measure.
pub fn firefox(stacks: &Stacks, by: FlameMeasure, output: &mut dyn io::Write) -> io::Result<()> {
    let tables = Tables::new(stacks);
    let threads = stacks.measured.iter().enumerate();
    let threads = threads.map(|(number, measured)| thread(stacks, &tables, number, measured));
    let file = object! {
        meta: meta(stacks, by),
        libs: [(); 0],
        pages: [(); 0],
        threads: threads.collect::<Vec<_>>(),
    };
    serde_json::to_writer(&mut *output, &file)?;
    writeln!(output)
}

fn meta(stacks: &Stacks, by: FlameMeasure) -> Value {
    let threads = 0..stacks.measured.len();
    let selected = stacks.measures().position(|measure| measure == by);
    json!({
        "version": 24,
        "preprocessedProfileVersion": VERSION,
        "interval": 1,
        "startTime": stacks.started_at as f64 * 1e3,
        "processType": 0,
        "product": stacks.codes[0].name,
        "arguments": stacks.command,
        "importedFrom": stacks.creator,
        "stackwalk": 1,
        "debug": false,
        "symbolicated": true,
        "usesOnlyOneStackType": true,
        "sourceCodeIsNotOnSearchfox": true,
        "categories": CATEGORIES.map(|(name, color)| json!({
            "name": name, "color": color, "subcategories": ["Other"],
        })),
        "markerSchema": [],
        "extensions": { "length": 0, "baseURL": [], "id": [], "name": [] },
        "initialVisibleThreads": threads.collect::<Vec<usize>>(),
        "initialSelectedThreads": [selected],
        "keepProfileThreadOrder": true,
    })
}

/// Names and colours of the kinds of code. One has to be grey.
const CATEGORIES: [(&str, &str); 2] = [("Function", "grey"), ("Spawn site", "blue")];

/// What all threads have in common.
struct Tables<'a> {
    strings: Vec<&'a str>,
    funcs: Value,
    frames: Value,
    stacks: Value,
}

impl<'a> Tables<'a> {
    fn new(stacks: &'a Stacks) -> Self {
        let mut strings = IndexSet::new();
        let mut index_of = |text: &'a str| strings.insert_full(text).0;
        let codes = &stacks.codes;
        let known = |number: u32| (number > 0).then_some(number);
        let names: Vec<usize> = codes.iter().map(|code| index_of(&code.name)).collect();
        let files: Vec<Option<usize>> = codes
            .iter()
            .map(|code| code.file.as_deref().map(&mut index_of))
            .collect();
        let lines: Vec<Option<u32>> = codes.iter().map(|code| known(code.line)).collect();
        let columns: Vec<Option<u32>> = codes.iter().map(|code| known(code.column)).collect();
        let all = codes.len();
        let numbers: Vec<usize> = (0..all).collect();
        let categories: Vec<usize> = codes.iter().map(|code| usize::from(code.is_site)).collect();
        let frames = &stacks.frames;
        let prefixes: Vec<Option<usize>> = frames.iter().map(|frame| frame.parent).collect();
        let stack_frames: Vec<usize> = frames.iter().map(|frame| frame.code).collect();
        let stack_categories: Vec<usize> =
            stack_frames.iter().map(|&code| categories[code]).collect();
        Self {
            funcs: json!({
                "length": all, "name": names, "isJS": vec![false; all], "relevantForJS": vec![false; all],
                "resource": vec![-1; all], "fileName": files, "lineNumber": lines, "columnNumber": columns,
            }),
            frames: json!({
                "length": all, "address": vec![-1; all], "inlineDepth": vec![0; all], "category": categories,
                "subcategory": vec![0; all], "func": numbers, "nativeSymbol": vec![(); all],
                "innerWindowID": vec![(); all], "implementation": vec![(); all], "line": lines, "column": columns,
            }),
            stacks: json!({
                "length": frames.len(), "prefix": prefixes, "frame": stack_frames, "category": stack_categories,
                "subcategory": vec![0; frames.len()],
            }),
            strings: strings.into_iter().collect(),
        }
    }
}

fn thread(
    stacks: &Stacks,
    tables: &Tables<'_>,
    number: usize,
    measured: &MeasuredFlame,
) -> impl Serialize {
    object! {
        name: measured.measure.name(),
        processName: &stacks.codes[0].name,
        processType: "default",
        isMainThread: true,
        pid: "1",
        tid: number,
        processStartupTime: 0.0,
        processShutdownTime: None::<f64>,
        registerTime: 0.0,
        unregisterTime: None::<f64>,
        pausedRanges: [(); 0],
        samples: samples(stacks, measured),
        markers: json!({
            "length": 0, "data": [], "name": [], "startTime": [], "endTime": [], "phase": [], "category": [],
        }),
        stackTable: &tables.stacks,
        frameTable: &tables.frames,
        funcTable: &tables.funcs,
        stringArray: &tables.strings,
        resourceTable: json!({ "length": 0, "lib": [], "name": [], "host": [], "type": [] }),
        nativeSymbols: json!({ "length": 0, "libIndex": [], "address": [], "name": [], "functionSize": [] }),
    }
}

/// A sample for each frame that has something of its own: its weight is how much, its time the sum
/// of those before it.
fn samples(stacks: &Stacks, measured: &MeasuredFlame) -> impl Serialize {
    let is_time = stacks.is_time(measured.measure);
    let shown = |amount: u64| {
        if is_time {
            amount as f64 / 1e6
        } else {
            amount as f64
        }
    };
    let (mut frames, mut times, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    let mut before = 0;
    for step in stacks.walk(measured) {
        if let Step::Leave(frame) = step
            && measured.own[frame] > 0
        {
            frames.push(frame);
            times.push(shown(before));
            weights.push(shown(measured.own[frame]));
            before += measured.own[frame];
        }
    }
    object! {
        length: frames.len(),
        stack: frames,
        time: times,
        weight: weights,
        weightType: if is_time { "tracing-ms" } else { "samples" },
    }
}
