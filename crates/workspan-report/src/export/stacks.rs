//! A flame graph with names, as all formats of stacks take it.

use std::collections::HashMap;

use workspan_model::{
    Flame, FlameCode, FlameMeasure, Location, MeasuredFlame, Metric, Nanos, Profile, SiteKind,
    SiteRow,
};

use crate::place::place;
use crate::program;
use crate::readable::readable;

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
    pub(super) codes: Vec<StackCode>,
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
        let mut known: HashMap<StackCode, usize> = HashMap::new();
        let mut codes = Vec::new();
        let frames = flame.frames.iter().map(|frame| {
            let code = match &frame.code {
                FlameCode::Site { row, .. } => StackCode::from_site(&rows[*row], program),
                FlameCode::Function { name, definition } => {
                    StackCode::named(name, definition.as_ref())
                }
            };
            let code = *known.entry(code).or_insert_with_key(|code| {
                codes.push(code.clone());
                codes.len() - 1
            });
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
