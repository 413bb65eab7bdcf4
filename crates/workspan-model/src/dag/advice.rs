//! Which code has to become parallel.

use super::change::Factors;
use super::critical_path::LongestPaths;
use super::figures::on_path;
use super::{Change, Code, Dag, DagFigures, RegionOnPath, Vertex};
use crate::lock::most_speedup;
use crate::{Nanos, Span, Work};

/// More steps than this are not made.
const MOST_STEPS: usize = 64;

/// A parallelism of so many times the cores that a program can use is enough: stealing work costs little then.
const ENOUGH: f64 = 10.0;

/// What advice is to reach, and what for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The parallelism to reach.
    pub target: f64,
    /// By how much a step makes code parallel, from 2 on.
    pub factor: f64,
    /// Code is not divided into strands shorter than this: creating tasks would cost too much.
    pub least_strand: Nanos,
    /// H: time for which the lock was held that was held longest, as [`Execution::locked_in`](super::Execution::locked_in) has it.
    pub locked: Work,
}

/// Which code has to become parallel, and what that gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// The program as it is.
    pub before: DagFigures,
    /// One after another.
    pub steps: Vec<AdviceStep>,
    /// What they add up to: each code that is in a step, in the order of the first.
    pub advised: Vec<AdvisedCode>,
    /// Why there is no further step.
    pub end: AdviceEnd,
    /// The program after all steps.
    pub after: DagFigures,
}

/// A step: the code with the largest share of the critical path becomes parallel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdviceStep {
    /// The code, as an index into [`Code::regions`].
    pub code: usize,
    /// What it contributed to the critical path.
    pub span: Span,
    /// It, as a share of the whole path.
    pub share: f64,
    /// How many of its strands lay on the path.
    pub strands: u64,
    /// By how much it becomes parallel in this step.
    pub factor: f64,
    /// The parallelism after this step.
    pub parallelism: f64,
    /// The burdened parallelism after this step.
    pub burdened_parallelism: f64,
}

/// Code, and how parallel it has to become.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdvisedCode {
    /// The code, as an index into [`Code::regions`].
    pub code: usize,
    /// The factors of its steps, multiplied.
    pub factor: f64,
    /// Its share of the critical path of the program as it is.
    pub share: f64,
}

/// Why there is no further step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AdviceEnd {
    /// The target is reached.
    Reached,
    /// Half of the longest strand on the critical path would be shorter than what tasks have to be.
    TooShort {
        /// The longest strand that is left on the path.
        longest: Nanos,
    },
    /// The parallelism is ten times the speedup that a lock allows: code becoming parallel gives nothing more.
    Locked {
        /// T₁/H: no speedup exceeds it.
        most_speedup: f64,
    },
    /// So many steps were made that more of them gain little: paths of about the same length lie beside one another.
    TooMany,
}

/// TaskProf's automatic identification of regions (dissertation §4.3, Algorithm 12): the code that contributes most to
/// the critical path becomes parallel, over and over, until the target is reached or tasks would be too small.
///
/// Where TaskProf takes the code of the longest strand, this takes the code with the largest contribution of all its
/// strands together, since a loop or a recursion has many. Code whose strands are too short for the whole factor gets a
/// smaller one, of 2 at least, or is passed over. A folded subtree counts as strands of the average length.
///
/// Takes the time of one longest path a step.
///
/// # Panics
/// When the dag is not valid for `code`.
pub fn advise(dag: &Dag, code: &Code, goal: Goal) -> Advice {
    advise_with(dag, code, goal, |_| ())
}

/// As [`advise`], and tells each step as soon as it is made.
///
/// # Panics
/// When the dag is not valid for `code`.
pub fn advise_with(
    dag: &Dag,
    code: &Code,
    goal: Goal,
    mut made: impl FnMut(&AdviceStep),
) -> Advice {
    let mut factors = Factors::none(dag);
    let least_strand = dag.ticks_of(goal.least_strand.as_nanos() as f64).max(1);
    let mut longest_paths = LongestPaths::of(dag);
    let before = DagFigures::with(&mut longest_paths, dag, code, Vertex::clone);
    let (_, mut path) = longest_paths.with(Vertex::clone);
    let mut advised: Vec<AdvisedCode> = Vec::new();
    let mut steps: Vec<AdviceStep> = Vec::new();
    let mut parallelism = before.parallelism;
    let most_speedup = most_speedup(before.work, goal.locked);
    let enough = ENOUGH * most_speedup;
    let end = loop {
        if parallelism >= goal.target {
            break AdviceEnd::Reached;
        }
        if parallelism >= enough {
            break AdviceEnd::Locked { most_speedup };
        }
        if steps.len() == MOST_STEPS {
            break AdviceEnd::TooMany;
        }
        let changed = |vertex: &_| factors.parallelised(vertex, dag.burden);
        let parts = on_path(code, &dag.regions_on_with(&path, changed));
        let affordable = |part: &RegionOnPath| {
            let pieces = (part.longest / least_strand) as f64;
            pieces.min(goal.factor)
        };
        let Some((index, part)) = parts.iter().find(|(_, part)| affordable(part) >= 2.0) else {
            let longest = parts.iter().map(|(_, part)| part.longest).max();
            let longest = dag.time_of(longest.unwrap_or(0));
            break AdviceEnd::TooShort { longest };
        };
        let factor = affordable(part);
        factors.multiply(&code.regions[*index].strand_regions.clone().into(), factor);
        let (totals, path_then) =
            longest_paths.with(|vertex| factors.parallelised(vertex, dag.burden));
        parallelism = totals.parallelism().unwrap_or(f64::INFINITY);
        let step = AdviceStep {
            code: *index,
            span: dag.time_of(part.span).into(),
            share: part.span as f64 / path.span.max(1) as f64,
            strands: part.strands,
            factor,
            parallelism,
            burdened_parallelism: totals.burdened_parallelism().unwrap_or(f64::INFINITY),
        };
        made(&step);
        steps.push(step);
        path = path_then;
        match advised.iter_mut().find(|advised| advised.code == *index) {
            Some(advised) => advised.factor *= factor,
            None => {
                let at_first = before.path.iter().find(|part| part.code == *index);
                advised.push(AdvisedCode {
                    code: *index,
                    factor,
                    share: at_first.map_or(0.0, |part| part.share),
                });
            }
        }
    };
    Advice {
        after: DagFigures::with(&mut longest_paths, dag, code, |vertex| {
            factors.parallelised(vertex, dag.burden)
        }),
        before,
        steps,
        advised,
        end,
    }
}

impl Advice {
    /// What is advised, as changes of a program.
    pub fn changes(&self, code: &Code) -> Vec<Change> {
        let change = |advised: &AdvisedCode| Change::Parallelise {
            code: code.regions[advised.code].strand_regions.clone().into(),
            factor: advised.factor,
        };
        self.advised.iter().map(change).collect()
    }
}
