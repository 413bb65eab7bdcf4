//! Which code has to become parallel.

use super::change::Factors;
use super::critical_path::LongestPaths;
use super::figures::code_on_path;
use super::{Change, Code, Dag, DagFigures, RegionOnPath, Vertex};
use crate::run::lock::most_speedup;
use crate::{Nanos, Span, Work};

/// The most steps that are made.
const MAX_STEPS: usize = 64;

/// A parallelism of this many times the cores that a program can use is enough: stealing work costs
/// little then.
const ENOUGH: f64 = 10.0;

/// What the advice has to reach, and its limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The parallelism to reach.
    pub target: f64,
    /// By how much a step makes code parallel; at least 2.
    pub factor: f64,
    /// Code is not divided into strands shorter than this, because creating their tasks would cost
    /// too much.
    pub least_strand: Nanos,
    /// H: how long the lock that was held longest was held, from
    /// [`Execution::locked_in`](super::Execution::locked_in).
    pub locked: Work,
}

/// Which code has to become parallel, and what that gains.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// The unchanged program.
    pub before: DagFigures,
    /// The steps, each after the one before.
    pub steps: Vec<AdviceStep>,
    /// What the steps add up to: each piece of code once, in order of first appearance.
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
    /// Time of its strands on the critical path before this step.
    pub span: Span,
    /// `span` as a share of the whole path.
    pub share: f64,
    /// Number of its strands on the path.
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
    /// The product of the factors of its steps.
    pub factor: f64,
    /// Its share of the critical path of the unchanged program.
    pub share: f64,
}

/// Why there is no further step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AdviceEnd {
    /// The target is reached.
    Reached,
    /// Half of the longest strand on the critical path would be shorter than strands may become.
    TooShort {
        /// The longest strand left on the path.
        longest: Nanos,
    },
    /// The parallelism is ten times the speedup that a lock allows. More parallel code gains
    /// nothing.
    Locked {
        /// T₁/H: no speedup exceeds it.
        most_speedup: f64,
    },
    /// The limit on steps is reached. More steps would gain little, because several paths have
    /// about the same length.
    TooMany,
}

impl AdviceEnd {
    /// Its name in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reached => "reached",
            Self::TooShort { .. } => "too_short",
            Self::Locked { .. } => "locked",
            Self::TooMany => "too_many",
        }
    }
}

/// TaskProf's automatic identification of regions (dissertation §4.3, Algorithm 12): makes the code
/// that contributes most to the critical path parallel, over and over, until the target is reached
/// or tasks would be too small.
///
/// Where TaskProf takes the code of the longest strand, this takes the code whose strands
/// contribute most together, since a loop or a recursion has many. Code whose strands are too short
/// for the whole factor gets a smaller one, of at least 2, or is skipped. A folded subtree counts
/// as strands of average length.
///
/// Takes the time of one longest path per step.
///
/// # Panics
/// If the dag is invalid, or `code` belongs to another dag.
pub fn advise(dag: &Dag, code: &Code, goal: Goal) -> Advice {
    advise_with(dag, code, goal, |_| ())
}

/// Like [`advise`], and calls `on_step` with each step as soon as it is made.
///
/// # Panics
/// If the dag is invalid, or `code` belongs to another dag.
pub fn advise_with(
    dag: &Dag,
    code: &Code,
    goal: Goal,
    mut on_step: impl FnMut(&AdviceStep),
) -> Advice {
    let mut factors = Factors::none(dag);
    let least_strand = dag.ticks_of(goal.least_strand.as_nanos() as f64).max(1);
    let mut longest_paths = LongestPaths::new(dag);
    let before = DagFigures::with(&mut longest_paths, dag, code, Vertex::clone);
    let (_, mut path) = longest_paths.compute(Vertex::clone);
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
        if steps.len() == MAX_STEPS {
            break AdviceEnd::TooMany;
        }
        let on_path = dag.regions_on_with(&path, |vertex| factors.parallelised(vertex));
        let parts = code_on_path(code, &on_path);
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
        let (totals, next_path) = longest_paths.compute(|vertex| factors.parallelised(vertex));
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
        on_step(&step);
        steps.push(step);
        path = next_path;
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
            factors.parallelised(vertex)
        }),
        before,
        steps,
        advised,
        end,
    }
}

impl Advice {
    /// The advice as changes of the program.
    pub fn changes(&self, code: &Code) -> Vec<Change> {
        let change = |advised: &AdvisedCode| Change::Parallelise {
            code: code.regions[advised.code].strand_regions.clone().into(),
            factor: advised.factor,
        };
        self.advised.iter().map(change).collect()
    }
}
