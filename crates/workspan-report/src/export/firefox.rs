//! The processed profile format of the Firefox Profiler.
//!
//! The format is described by the types in `src/types/profile.ts` of <https://github.com/firefox-devtools/profiler>, which reads
//! files of all older versions. `fxprof-processed-profile` writes whole numbers of at most 2³¹ as weights of samples, and no
//! lines; so the tables are written here.

use std::collections::HashMap;
use std::io;

use serde::Serialize;
use serde_json::{Value, json};
use workspan_model::{FlameMeasure, MeasuredFlame};

use super::Stacks;
use super::stacks::Step;

/// The version of the format that is written.
const VERSION: u32 = 49;

/// Writes a file for the [Firefox Profiler](https://profiler.firefox.com): a thread a measure, of which that of `by` is selected.
///
/// The order of the frames in time is made up: the larger ones first. So its call tree and its flame graph tell all that there
/// is.
///
/// # Errors
/// Those of `output`.
///
/// # Panics
/// When the measure is not known of the profile.
pub fn firefox(stacks: &Stacks, by: FlameMeasure, output: &mut dyn io::Write) -> io::Result<()> {
    let tables = Tables::of(stacks);
    let file = File {
        meta: meta(stacks, by),
        libs: [],
        pages: [],
        threads: (0..)
            .zip(&stacks.measured)
            .map(|(number, measured)| Thread::of(stacks, &tables, number, measured))
            .collect(),
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

#[derive(Serialize)]
struct File<'a> {
    meta: Value,
    libs: [(); 0],
    pages: [(); 0],
    threads: Vec<Thread<'a>>,
}

/// What all threads have in common.
struct Tables<'a> {
    strings: Vec<&'a str>,
    funcs: Value,
    frames: Value,
    stacks: Value,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Thread<'a> {
    name: &'static str,
    process_name: &'a str,
    process_type: &'static str,
    is_main_thread: bool,
    pid: &'static str,
    tid: usize,
    process_startup_time: f64,
    process_shutdown_time: Option<f64>,
    register_time: f64,
    unregister_time: Option<f64>,
    paused_ranges: [(); 0],
    samples: Samples,
    markers: Value,
    stack_table: &'a Value,
    frame_table: &'a Value,
    func_table: &'a Value,
    string_array: &'a [&'a str],
    resource_table: Value,
    native_symbols: Value,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Samples {
    length: usize,
    stack: Vec<usize>,
    time: Vec<f64>,
    weight: Vec<f64>,
    weight_type: &'static str,
}

impl<'a> Tables<'a> {
    fn of(stacks: &'a Stacks) -> Self {
        let mut strings = Strings::default();
        let codes = &stacks.codes;
        let known = |number: u32| (number > 0).then_some(number);
        let names: Vec<usize> = codes
            .iter()
            .map(|code| strings.index_of(&code.name))
            .collect();
        let files: Vec<Option<usize>> = codes
            .iter()
            .map(|code| code.file.as_deref().map(|file| strings.index_of(file)))
            .collect();
        let lines: Vec<Option<u32>> = codes.iter().map(|code| known(code.line)).collect();
        let columns: Vec<Option<u32>> = codes.iter().map(|code| known(code.column)).collect();
        let all = codes.len();
        let numbers: Vec<usize> = (0..all).collect();
        let categories: Vec<usize> = codes.iter().map(|code| usize::from(code.is_site)).collect();
        let frames = &stacks.frames;
        let prefixes: Vec<Option<usize>> = frames.iter().map(|frame| frame.parent).collect();
        let of_stacks: Vec<usize> = frames.iter().map(|frame| frame.code).collect();
        let of_stacks_categories: Vec<usize> =
            of_stacks.iter().map(|&code| categories[code]).collect();
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
                "length": frames.len(), "prefix": prefixes, "frame": of_stacks, "category": of_stacks_categories,
                "subcategory": vec![0; frames.len()],
            }),
            strings: strings.all,
        }
    }
}

impl<'a> Thread<'a> {
    fn of(
        stacks: &'a Stacks,
        tables: &'a Tables<'a>,
        number: usize,
        measured: &MeasuredFlame,
    ) -> Self {
        Self {
            name: measured.measure.name(),
            process_name: &stacks.codes[0].name,
            process_type: "default",
            is_main_thread: true,
            pid: "1",
            tid: number,
            process_startup_time: 0.0,
            process_shutdown_time: None,
            register_time: 0.0,
            unregister_time: None,
            paused_ranges: [],
            samples: Samples::of(stacks, measured),
            markers: json!({
                "length": 0, "data": [], "name": [], "startTime": [], "endTime": [], "phase": [], "category": [],
            }),
            stack_table: &tables.stacks,
            frame_table: &tables.frames,
            func_table: &tables.funcs,
            string_array: &tables.strings,
            resource_table: json!({ "length": 0, "lib": [], "name": [], "host": [], "type": [] }),
            native_symbols: json!({ "length": 0, "libIndex": [], "address": [], "name": [], "functionSize": [] }),
        }
    }
}

impl Samples {
    /// One for each frame that has something of its own: how much of it, after how much of others.
    fn of(stacks: &Stacks, measured: &MeasuredFlame) -> Self {
        let is_time = stacks.is_time(measured.measure);
        let shown = |amount: u64| match is_time {
            true => amount as f64 / 1e6,
            false => amount as f64,
        };
        let mut samples = Self {
            length: 0,
            stack: Vec::new(),
            time: Vec::new(),
            weight: Vec::new(),
            weight_type: if is_time { "tracing-ms" } else { "samples" },
        };
        let mut before = 0;
        for step in stacks.walk(measured) {
            match step {
                Step::Leave(frame) if measured.own[frame] > 0 => {
                    samples.length += 1;
                    samples.stack.push(frame);
                    samples.time.push(shown(before));
                    samples.weight.push(shown(measured.own[frame]));
                    before += measured.own[frame];
                }
                _ => {}
            }
        }
        samples
    }
}

#[derive(Default)]
struct Strings<'a> {
    all: Vec<&'a str>,
    known: HashMap<&'a str, usize>,
}

impl<'a> Strings<'a> {
    fn index_of(&mut self, text: &'a str) -> usize {
        let next = self.all.len();
        let index = *self.known.entry(text).or_insert(next);
        if index == next {
            self.all.push(text);
        }
        index
    }
}
