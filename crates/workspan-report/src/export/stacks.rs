//! A flame graph with names, as all formats of stacks take it.

use std::io;

use indexmap::IndexSet;
use inferno::flamegraph::{self, Options};
use serde::Serialize;
use workspan_model::{
    Flame, FlameCode, FlameMeasure, Location, MeasuredFlame, Metric, Nanos, Profile, SiteKind,
    SiteRow,
};

use crate::notation::place::place;
use crate::notation::program;
use crate::notation::readable::readable;
use crate::object::object;

/// The flame graph of a profile, with the names that its frames have in files for other tools.
///
/// Control characters and the like are escaped in all names; anything else that a format cannot
/// hold is up to its writer.
#[derive(Clone, Debug)]
pub struct Stacks {
    /// The program and its arguments.
    pub(super) command: String,
    /// The version of workspan that made the profile.
    pub(super) creator: String,
    /// When the run was started, in seconds since 1970-01-01 UTC.
    pub(super) started_at: u64,
    /// How long it took.
    pub(super) elapsed: Nanos,
    /// The code of the frames, each once; the program first.
    pub(super) codes: IndexSet<StackCode>,
    /// The frames, each after the one that it stands on.
    pub(super) frames: Vec<StackFrame>,
    /// What amounts of work and span count.
    metric: Metric,
    /// What the frames have of each known measure.
    pub(super) measured: Vec<MeasuredFlame>,
}

/// Code that may run in several places of the call tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct StackCode {
    pub(super) name: String,
    /// The source file; `None` if no symbols name it.
    pub(super) file: Option<String>,
    /// The line of the site, or of the function's definition; 0 if unknown.
    pub(super) line: u32,
    /// The column; 0 if unknown.
    pub(super) column: u32,
    /// Whether it is a site, not a function seen in samples.
    pub(super) is_site: bool,
}

/// A frame of the flame graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackFrame {
    /// The frame that it stands on; `None` only for the first.
    pub(super) parent: Option<usize>,
    /// Its code, as an index into the codes.
    pub(super) code: usize,
}

/// A step of a walk over all frames that have something of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Enter(usize),
    Leave(usize),
}

impl Stacks {
    /// The frames of `flame`, which was made of `profile` and its
    /// [`site_rows`](workspan_model::site_rows), `rows`.
    ///
    /// # Panics
    /// If the flame graph was made of other rows.
    pub fn new(profile: &Profile, rows: &[SiteRow], flame: &Flame) -> Self {
        let command = &profile.run.command;
        let program = program::name(command);
        let mut codes = IndexSet::new();
        let frames = flame.frames.iter().map(|frame| {
            let code = match &frame.code {
                FlameCode::Site { row, .. } => StackCode::from_site(&rows[*row], program),
                FlameCode::Function { name, definition } => {
                    StackCode::named(name, definition.as_ref())
                }
            };
            let code = codes.insert_full(code).0;
            let parent = frame.parent;
            StackFrame { parent, code }
        });
        let frames = frames.collect();
        Self {
            command: readable(&command.join(" ")),
            creator: format!("workspan {}", readable(&profile.run.workspan_version)),
            started_at: profile.run.started_at,
            elapsed: profile.run.elapsed,
            metric: profile.run.metric.clone(),
            codes,
            frames,
            measured: flame
                .measures()
                .map(|measure| flame.measured(measure))
                .collect(),
        }
    }

    /// The measures that the profile has.
    pub fn measures(&self) -> impl Iterator<Item = FlameMeasure> {
        self.measured.iter().map(|measured| measured.measure)
    }

    /// Whether amounts of `measure` are nanoseconds.
    pub(super) fn is_time(&self, measure: FlameMeasure) -> bool {
        measure.is_time() && self.metric.is_time()
    }

    /// What amounts of `measure` count; `None` for times.
    pub(super) fn counted(&self, measure: FlameMeasure) -> Option<&str> {
        if self.is_time(measure) {
            None
        } else if measure.is_time() {
            Some(&self.metric.unit)
        } else {
            Some("samples")
        }
    }

    /// What the frames have of `measure`.
    ///
    /// # Panics
    /// If the measure is not known.
    pub(super) fn by(&self, measure: FlameMeasure) -> &MeasuredFlame {
        let mut measured = self.measured.iter();
        measured
            .find(|measured| measured.measure == measure)
            .expect("only measures that are known are asked for")
    }

    /// The frames below `frame`, and `frame` itself: outermost first.
    pub(super) fn stack(&self, frame: usize) -> Vec<usize> {
        let parent = |frame: &usize| self.frames[*frame].parent;
        let mut stack: Vec<usize> = std::iter::successors(Some(frame), parent).collect();
        stack.reverse();
        stack
    }

    /// A walk over all frames that have something of a measure, the largest on each frame first. A
    /// frame's own part comes right before it is left.
    pub(super) fn walk(&self, measured: &MeasuredFlame) -> Vec<Step> {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.frames.len()];
        for (index, frame) in self.frames.iter().enumerate() {
            if let (Some(parent), true) = (frame.parent, measured.whole[index] > 0) {
                children[parent].push(index);
            }
        }
        let mut steps = Vec::new();
        let mut to_do = Vec::new();
        if measured.total() > 0 {
            to_do.push(Step::Enter(0));
        }
        while let Some(step) = to_do.pop() {
            steps.push(step);
            if let Step::Enter(frame) = step {
                to_do.push(Step::Leave(frame));
                let children = &mut children[frame];
                children.sort_by_key(|&frame| measured.whole[frame]);
                to_do.extend(children.iter().map(|&frame| Step::Enter(frame)));
            }
        }
        steps
    }
}

impl StackCode {
    fn from_site(row: &SiteRow, program: &str) -> Self {
        let location = row.location.as_ref();
        let code = match (row.kind, &row.name) {
            (SiteKind::Root, _) if program.is_empty() => Self::named("(program)", None),
            (SiteKind::Root, _) => Self::named(program, None),
            (SiteKind::Function, Some(name)) => Self::named(name, location),
            (SiteKind::Region, Some(name)) => Self::named(&format!("region {name}"), location),
            (kind, _) => Self::named(&format!("{kind} at {}", place(row)), location),
        };
        let is_site = true;
        Self { is_site, ..code }
    }

    fn named(name: &str, location: Option<&Location>) -> Self {
        let name = match name {
            "" => "(unknown)".to_owned(),
            name => readable(name),
        };
        Self {
            name,
            file: location.map(|location| readable(&location.file)),
            line: location.map_or(0, |location| location.line),
            column: location.map_or(0, |location| location.column),
            is_site: false,
        }
    }
}

/// Writes collapsed stacks: frames with semicolons between, a space, and how much is the last
/// frame's own, in nanoseconds or samples.
///
/// # Errors
/// Any error from writing to `output`.
///
/// # Panics
/// If the profile does not have the measure.
pub fn collapsed(stacks: &Stacks, by: FlameMeasure, output: &mut dyn io::Write) -> io::Result<()> {
    for line in lines(stacks, by) {
        writeln!(output, "{line}")?;
    }
    Ok(())
}

/// The lines of the file.
pub(super) fn lines(stacks: &Stacks, by: FlameMeasure) -> impl Iterator<Item = String> {
    let names: Vec<String> = stacks.codes.iter().map(name).collect();
    let own = stacks.by(by).own.iter().enumerate();
    own.filter(|(_, own)| **own > 0).map(move |(frame, own)| {
        let stack = stacks.stack(frame).into_iter();
        let stack: Vec<&str> = stack
            .map(|frame| names[stacks.frames[frame].code].as_str())
            .collect();
        format!("{} {own}", stack.join(";"))
    })
}

/// A name as a line can hold it. Semicolons become colons, as in the scripts that introduced the
/// format. A number at its end would be taken for a count, and the line for one with two columns of
/// them, so an underscore goes before it.
fn name(code: &StackCode) -> String {
    let name = code.name.replace(';', ":");
    match name.rsplit_once(' ') {
        Some((words, number)) if number.parse::<f64>().is_ok() => format!("{words}_{number}"),
        _ => name,
    }
}

/// Writes a flame graph as SVG, drawn by inferno: in a browser, it can be searched and zoomed.
///
/// # Errors
/// Any error from writing to `output`, or if the program has nothing of the measure.
///
/// # Panics
/// If the profile does not have the measure.
pub fn flamegraph(stacks: &Stacks, by: FlameMeasure, output: &mut dyn io::Write) -> io::Result<()> {
    let mut options = Options::default();
    options.title = stacks.command.clone();
    options.subtitle = Some(format!("by {}", by.name()));
    options.count_name = stacks.counted(by).unwrap_or("ns").to_owned();
    // Colours by name: a frame has the same colour in every picture.
    options.hash = true;
    let lines: Vec<String> = lines(stacks, by).collect();
    let lines = lines.iter().map(String::as_str);
    flamegraph::from_lines(&mut options, lines, output)
}

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
