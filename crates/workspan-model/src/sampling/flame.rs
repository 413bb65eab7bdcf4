//! The logical call tree as a flame graph: which code stands on which, and how much of each
//! quantity belongs to which code.

mod difference;
mod measured;

use std::ops::AddAssign;

use indexmap::IndexMap;

use super::functions::{Identities, Logical, Place};
use crate::sites::path::row_of_site;
use crate::{Dag, Location, Nanos, NodeId, Profile, Samples, SiteRow, Span, Work};

pub use difference::FlameGrowth;
pub use measured::{FlameMeasure, MeasuredFlame};

/// A flame graph: frames, each after the one that it stands on. The first is the whole program.
///
/// The frames are the sites of the call tree and, between them, the user's functions that samples
/// saw. Recursion is folded, as in the call tree: a site that is already active has at most one
/// more frame, and a function that calls itself in the same task is a single frame.
///
/// The times of sites are measured, and those of frames add up to them. Samples only show how the
/// time of a node of the call tree divides among functions; time without samples stays with the
/// site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flame {
    /// The frames.
    pub frames: Vec<FlameFrame>,
    /// How many frames were too small to be kept.
    pub left_out: usize,
    /// Whether burdened spans are known.
    pub has_burdened: bool,
    /// Whether there are samples.
    pub has_samples: bool,
}

/// A frame, with everything that stands on it.
#[derive(Clone, Debug, PartialEq)]
pub struct FlameFrame {
    /// The frame that it stands on; `None` for the first alone.
    pub parent: Option<usize>,
    /// Its code.
    pub code: FlameCode,
    /// Its weight.
    pub weight: FlameWeight,
    /// Its weight in the profile that this one is compared with ([`Flame::compare`]).
    pub before: Option<FlameWeight>,
}

/// The code of a frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FlameCode {
    /// A site, as an index into the rows.
    Site {
        /// The row.
        row: usize,
        /// Whether the site is already active below.
        is_recursive: bool,
    },
    /// A function of the user's code.
    Function {
        /// Its name.
        name: String,
        /// Where it is defined.
        definition: Option<Location>,
    },
}

impl Flame {
    /// The `most` largest frames, in this profile or in the one that it is compared with.
    #[must_use]
    pub fn largest(self, most: usize) -> Self {
        let Some(whole) = self.frames.first() else {
            return self;
        };
        let share = |frame: &FlameFrame| {
            let before = frame.before.zip(whole.before);
            let before = before.map_or(0.0, |(frame, whole)| frame.largest_share_of(&whole));
            frame.weight.largest_share_of(&whole.weight).max(before)
        };
        let shares: Vec<f64> = self.frames.iter().map(share).collect();
        let mut descending = shares.clone();
        descending.sort_by(|one, other| other.total_cmp(one));
        let least = descending.get(most).copied().unwrap_or(0.0);
        let mut numbers: Vec<Option<usize>> = vec![None; self.frames.len()];
        let mut frames = Vec::new();
        for (index, frame) in self.frames.into_iter().enumerate() {
            let parent = frame.parent.and_then(|parent| numbers[parent]);
            let is_kept = shares[index] > least && parent.is_some();
            if index > 0 && !is_kept {
                continue;
            }
            numbers[index] = Some(frames.len());
            frames.push(FlameFrame { parent, ..frame });
        }
        Self {
            left_out: numbers.iter().filter(|number| number.is_none()).count(),
            frames,
            ..self
        }
    }
}

/// The flame graph of `profile` with the `most` largest frames; `rows` are the
/// [`site_rows`](crate::site_rows()).
///
/// # Panics
/// If the profile is invalid, or the dag is not from its run.
pub fn flame(profile: &Profile, rows: &[SiteRow], dag: Option<&Dag>, most: usize) -> Flame {
    let none = Samples::default();
    let samples = profile.samples.as_ref().unwrap_or(&none);
    let identities = Identities::new(profile, samples);
    let logical = Logical::new(profile, samples, &identities);
    let row_of_site = row_of_site(profile, rows);
    let own = own_parts(profile, dag);
    let mut builder = Builder::default();
    let mut sampled = Sampled::new(profile, samples);
    let mut frame_of_node: Vec<usize> = Vec::with_capacity(profile.tree.len());
    for (index, node) in profile.tree.iter().enumerate() {
        let below = node.parent.map(|parent| frame_of_node[parent.index()]);
        let around = logical.around_site(node.site);
        let below = below.map(|below| builder.functions(below, around.iter().rev()));
        let frame = match (row_of_site[node.site.index()], below) {
            // A site without a row has no figures of its own.
            (None, Some(below)) => below,
            (row, below) => {
                let row = row.expect("the root has a row");
                let is_recursive = node.recursive;
                builder.frame_on(below, Key::Site { row, is_recursive })
            }
        };
        frame_of_node.push(frame);
        builder.0[frame] += own[index];
    }
    for (index, stack) in samples.stacks.iter().enumerate() {
        let node = stack.node.index();
        let below = frame_of_node[node];
        let within: Vec<Place<'_>> = logical.within_task(index).collect();
        let part = sampled.part_of(stack.node, stack.on_work, stack.on_span, own[node]);
        let rest = &mut builder.0[below];
        rest.work += Work::from(-part.work.time());
        rest.span += Span::from(-part.span.time());
        rest.burdened_span += Span::from(-part.burdened_span.time());
        let top = builder.functions(below, within.iter().rev());
        builder.0[top] += part;
    }
    let flame = Flame {
        frames: builder.finish(&identities),
        left_out: 0,
        has_burdened: dag.is_some(),
        has_samples: !samples.stacks.is_empty(),
    };
    flame.largest(most)
}

/// What distinguishes a frame from the others on the same one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Site { row: usize, is_recursive: bool },
    Function(usize),
}

/// The weights of frames, by the frame that they stand on and what they are.
#[derive(Default)]
struct Builder(IndexMap<(Option<usize>, Key), FlameWeight>);

impl Builder {
    /// The frame of `key` on `below`, which is added if it is new.
    fn frame_on(&mut self, below: Option<usize>, key: Key) -> usize {
        let frame = self.0.entry((below, key));
        let index = frame.index();
        frame.or_default();
        index
    }

    /// The top frame after functions have been called on `below`, outermost first.
    fn functions<'a>(
        &mut self,
        below: usize,
        places: impl Iterator<Item = &'a Place<'a>>,
    ) -> usize {
        let mut top = below;
        for place in places {
            let key = Key::Function(place.function);
            let active = self.active(top, key);
            top = active.unwrap_or_else(|| self.frame_on(Some(top), key));
        }
        top
    }

    /// The frame of a function that already runs in the same task as `top`.
    fn active(&self, top: usize, key: Key) -> Option<usize> {
        let place = |frame: usize| *self.0.get_index(frame).expect("it has been added").0;
        let mut stack = std::iter::successors(Some(top), |&frame| place(frame).0)
            .take_while(|&frame| matches!(place(frame).1, Key::Function(_)));
        stack.find(|&frame| place(frame).1 == key)
    }

    /// The frames, with everything that stands on them.
    fn finish(mut self, identities: &Identities<'_>) -> Vec<FlameFrame> {
        for index in (1..self.0.len()).rev() {
            if let Some((&(Some(parent), _), &weight)) = self.0.get_index(index) {
                self.0[parent] += weight;
            }
        }
        let frames = self.0.into_iter();
        let frames = frames.map(|((parent, key), weight)| FlameFrame {
            parent,
            code: match key {
                Key::Site { row, is_recursive } => FlameCode::Site { row, is_recursive },
                Key::Function(function) => FlameCode::Function {
                    name: identities.name(function).unwrap_or_default().to_owned(),
                    definition: identities.definition(function).cloned(),
                },
            },
            weight,
            before: None,
        });
        frames.collect()
    }
}

/// The quantities that a frame's width can stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlameWeight {
    /// Work.
    pub work: Work,
    /// Time on the critical path.
    pub span: Span,
    /// Time on the longest burdened path; 0 without a task dag.
    pub burdened_span: Span,
    /// Samples on the work, in periods.
    pub samples: f64,
}

impl AddAssign for FlameWeight {
    fn add_assign(&mut self, other: Self) {
        self.work += other.work;
        self.span += other.span;
        self.burdened_span += other.burdened_span;
        self.samples += other.samples;
    }
}

impl FlameWeight {
    /// The shares that it has of `whole`: of the work, the span, the burdened span and the samples.
    pub fn shares_of(&self, whole: &Self) -> [f64; 4] {
        let samples = if whole.samples > 0.0 {
            self.samples / whole.samples
        } else {
            0.0
        };
        [
            self.work.time().share_of(whole.work.time()),
            self.span.time().share_of(whole.span.time()),
            self.burdened_span
                .time()
                .share_of(whole.burdened_span.time()),
            samples,
        ]
    }

    fn largest_share_of(&self, whole: &Self) -> f64 {
        self.shares_of(whole).into_iter().fold(0.0, f64::max)
    }
}

/// The own part of each node. The parts add up to the work and to the span of the program, and to
/// the longest burdened path of `dag`.
///
/// The profiler's cost is subtracted in mean values, so that the sum over many short strands may be
/// negative. The node above takes over such a debt. What is left of the span when the parts are
/// rounded to nanoseconds goes to the root.
fn own_parts(profile: &Profile, dag: Option<&Dag>) -> Vec<FlameWeight> {
    let burdened = dag.map(|dag| dag.burdened_path_by_node(profile.tree.len()));
    let parts = profile.tree.iter().enumerate().map(|(index, node)| {
        let burdened = burdened.as_ref();
        FlameWeight {
            work: node.on_work.local_work,
            span: node.on_span.local_span,
            burdened_span: burdened.map_or(Span::ZERO, |spans| spans[index]),
            samples: 0.0,
        }
    });
    let mut parts: Vec<FlameWeight> = parts.collect();
    let sum = |quantity: fn(&FlameWeight) -> Span| -> Nanos {
        let sum: Span = parts.iter().map(quantity).sum();
        sum.time()
    };
    let rest = profile.span.time() - sum(|part| part.span);
    let burdened_rest = dag.map_or(Nanos::ZERO, |dag| {
        dag.time_of(dag.totals().burdened_span) - sum(|part| part.burdened_span)
    });
    parts[0].span += rest.into();
    parts[0].burdened_span += burdened_rest.into();
    for (index, node) in profile.tree.iter().enumerate().rev() {
        let debt = take_debt(&mut parts[index]);
        if let Some(parent) = node.parent {
            parts[parent.index()] += debt;
        }
    }
    parts
}

/// Removes the negative quantities from `part` and returns them.
fn take_debt(part: &mut FlameWeight) -> FlameWeight {
    let debt = FlameWeight {
        work: part.work.min(Work::ZERO),
        span: part.span.min(Span::ZERO),
        burdened_span: part.burdened_span.min(Span::ZERO),
        samples: 0.0,
    };
    part.work = part.work.max(Work::ZERO);
    part.span = part.span.max(Span::ZERO);
    part.burdened_span = part.burdened_span.max(Span::ZERO);
    debt
}

/// The samples at each node.
struct Sampled {
    nodes: Vec<SampledNode>,
}

#[derive(Clone, Copy, Default)]
struct SampledNode {
    on_work: Share,
    on_span: Share,
}

impl Sampled {
    fn new(profile: &Profile, samples: &Samples) -> Self {
        let mut nodes = vec![SampledNode::default(); profile.tree.len()];
        for stack in &samples.stacks {
            let node = &mut nodes[stack.node.index()];
            node.on_work.all += stack.on_work;
            node.on_span.all += stack.on_span;
        }
        Self { nodes }
    }

    /// The part of the node's `own` weight that the samples of one stack stand for. To be called
    /// once for each stack.
    fn part_of(
        &mut self,
        node: NodeId,
        on_work: f64,
        on_span: f64,
        own: FlameWeight,
    ) -> FlameWeight {
        let node = &mut self.nodes[node.index()];
        let of_work = node.on_work.next(on_work);
        let of_span = node.on_span.next(on_span);
        FlameWeight {
            work: part_of(own.work.time(), of_work).into(),
            span: part_of(own.span.time(), of_span).into(),
            burdened_span: part_of(own.burdened_span.time(), of_span).into(),
            samples: on_work,
        }
    }
}

/// The samples of a node, some of which have had their part.
#[derive(Clone, Copy, Default)]
struct Share {
    all: f64,
    used: f64,
}

impl Share {
    /// Where the next `samples` are among all, as shares: from and to.
    fn next(&mut self, samples: f64) -> [f64; 2] {
        let from = self.used;
        self.used += samples;
        [from, self.used].map(|samples| {
            if self.all > 0.0 {
                (samples / self.all).min(1.0)
            } else {
                0.0
            }
        })
    }
}

/// The part of `whole` between two shares of it. Consecutive parts add up to the whole exactly.
fn part_of(whole: Nanos, [from, to]: [f64; 2]) -> Nanos {
    let until = |share: f64| Nanos::from_nanos_f64(whole.as_nanos() as f64 * share);
    until(to) - until(from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{example, site_rows};

    /// The quicksort with samples of `partition`, called by `sort`, which calls itself.
    fn sampled() -> Profile {
        let mut profile = example::quicksort();
        profile.samples = Some(example::samples(
            &["partition", "sort"],
            &[(1, &[0, 1, 1, 1], 750.0, 60.0), (1, &[1], 250.0, 0.0)],
        ));
        profile
    }

    fn summary(flame: &Flame) -> Vec<(Option<usize>, &str, i64, i64)> {
        let frames = flame.frames.iter();
        frames
            .map(|frame| {
                let name = match &frame.code {
                    FlameCode::Site { row: 0, .. } => "join",
                    FlameCode::Site { .. } => "program",
                    FlameCode::Function { name, .. } => name,
                };
                let [work, span] = [frame.weight.work.time(), frame.weight.span.time()];
                (frame.parent, name, work.as_nanos(), span.as_nanos())
            })
            .collect()
    }

    #[test]
    fn times_of_sites_divide_into_functions() {
        let profile = sampled();
        let rows = site_rows(&profile);
        let flame = flame(&profile, &rows, None, 100);
        assert_eq!(
            summary(&flame),
            [
                (None, "program", 1_060_000_000, 98_000_000),
                (Some(0), "quicksort::quicksort", 1_038_600_000, 76_600_000),
                (Some(1), "join", 1_038_600_000, 76_600_000),
                (Some(2), "sort", 1_038_600_000, 76_600_000),
                (Some(3), "partition", 778_950_000, 76_600_000),
            ]
        );
        assert_eq!(
            (flame.left_out, flame.has_samples, flame.has_burdened),
            (0, true, false)
        );
    }

    #[test]
    fn without_samples_there_are_the_sites_and_the_functions_around_them() {
        let profile = example::quicksort();
        let rows = site_rows(&profile);
        let dag = example::quicksort_dag();
        let flame = flame(&profile, &rows, Some(&dag), 100);
        assert_eq!(flame.frames.len(), 3);
        let whole = flame.frames[0].weight.burdened_span;
        assert_eq!(whole.time(), dag.time_of(dag.totals().burdened_span));
        assert!(flame.frames[2].weight.burdened_span < whole);
    }

    #[test]
    fn small_frames_are_left_out_with_what_stands_on_them() {
        let profile = sampled();
        let rows = site_rows(&profile);
        let flame = flame(&profile, &rows, None, 1);
        assert_eq!(flame.frames.len() + flame.left_out, 5);
        assert!(flame.frames.len() < 5);
    }
}
