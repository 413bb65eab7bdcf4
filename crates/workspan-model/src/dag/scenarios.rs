//! The effects of a choice of changes, computed beforehand for a reader to choose from.

mod basis;
mod ready;

use super::change::Factors;
use super::{
    Change, ChangedCode, Code, CodeOnPath, Dag, DagFigures, DagTotals, Execution, ExpectedSpeedup,
};
use crate::simulation::clamped;
use crate::{Nanos, Prediction, Scheduler, Simulation, Span, Work};

pub use ready::{ReadyScenario, ReadySource, ready_scenarios};

use basis::{Basis, affordable_seeds};

/// How many pieces of code there are to choose from.
const MAX_PIECES: usize = 6;

/// Pieces with less than this share of the critical path are not worth changing.
const MIN_SHARE: f64 = 0.005;

/// How each piece can change.
const OPTIONS: [ScenarioOption; 6] = [
    ScenarioOption::Parallelise(2.0),
    ScenarioOption::Parallelise(4.0),
    ScenarioOption::Parallelise(16.0),
    ScenarioOption::Parallelise(64.0),
    ScenarioOption::SpeedUp(2.0),
    ScenarioOption::SpeedUp(4.0),
];

/// Changes of one or two pieces of code, and their effects.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenarios {
    /// The numbers of cores that the speedups are for.
    pub cores: Vec<u32>,
    /// The pieces to choose from, the one with the largest part of the critical path first.
    pub pieces: Vec<CodeOnPath>,
    /// How each piece can change.
    pub options: Vec<ScenarioOption>,
    /// The unchanged program.
    pub before: Scenario,
    /// Each option for each piece alone, then for two pieces at once.
    pub after: Vec<Scenario>,
    /// What they were computed on.
    pub basis: ScenarioBasis,
}

/// How much may be computed for scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScenarioLimits {
    /// The most vertices of a dag for figures and bounds; a larger dag is folded first.
    pub vertices: usize,
    /// How many vertices may be simulated for the predictions of all choices together, and again
    /// for each suggested change. If that is too few, there are no predictions.
    pub simulated: u64,
}

impl Default for ScenarioLimits {
    /// About half a second's worth.
    fn default() -> Self {
        Self {
            vertices: 65_536,
            simulated: 1_500_000,
        }
    }
}

/// The dag that scenarios were computed on: the recorded one, or a smaller one of the same work and
/// span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScenarioBasis {
    /// Its vertices.
    pub vertices: usize,
    /// Whether it is a folded one. The span of a changed program may then be too short, and the
    /// program is not simulated.
    pub is_folded: bool,
    /// How many simulated runs each prediction for one change is the median of; 0 if there are no
    /// predictions.
    pub seeds: u32,
    /// The same for two changes at once.
    pub seeds_of_two: u32,
}

/// How a piece of code changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScenarioOption {
    /// It becomes parallel by this factor: see [`Change::Parallelise`].
    Parallelise(f64),
    /// It becomes faster by this factor: see [`Change::SpeedUp`].
    SpeedUp(f64),
}

/// Some changes, and their effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// What is changed: pairs of an index into [`Scenarios::pieces`] and one into
    /// [`Scenarios::options`].
    pub chosen: Vec<(usize, usize)>,
    /// Work T₁.
    pub work: Work,
    /// Span T∞.
    pub span: Span,
    /// Burdened span T̂∞.
    pub burdened_span: Span,
    /// Parallelism T₁/T∞; 1 if the span is not positive.
    pub parallelism: f64,
    /// Burdened parallelism T₁/T̂∞; 1 if the burdened span is not positive.
    pub burdened_parallelism: f64,
    /// The speedup on each number of cores, over the unchanged program on one core.
    pub speedup: Vec<ExpectedSpeedup>,
}

impl ScenarioOption {
    /// This change, of `code`.
    pub fn change(self, code: ChangedCode) -> Change {
        match self {
            Self::Parallelise(factor) => Change::Parallelise { code, factor },
            Self::SpeedUp(factor) => Change::SpeedUp { code, factor },
        }
    }
}

/// The scenarios of `dag`: what [`what_if`](super::what_if()) computes for each, unless
/// [`Scenarios::basis`] is folded.
///
/// `known` are predictions for the unchanged program, used where it is not simulated again.
///
/// # Panics
/// If the dag is invalid, or `code` belongs to another dag.
pub fn scenarios(
    dag: &Dag,
    code: &Code,
    execution: Execution<'_>,
    limits: ScenarioLimits,
    known: &[Prediction],
) -> Scenarios {
    let path = DagFigures::new(dag, code).path;
    let worth = path.into_iter().filter(|part| part.share >= MIN_SHARE);
    let pieces: Vec<CodeOnPath> = worth.take(MAX_PIECES).collect();
    let codes = pieces
        .iter()
        .map(|piece| code.regions[piece.code].strand_regions.clone().into());
    let chosen = choices(pieces.len());
    let basis = Basis::new(dag, codes.collect(), limits.vertices);
    let seeds_for = |scenarios: usize| {
        if basis.is_folded() {
            return 0;
        }
        let vertices = limits.simulated / (1 + scenarios) as u64;
        affordable_seeds(dag, execution.cores, vertices)
    };
    let seeds_of_one = seeds_for(pieces.len() * OPTIONS.len());
    let seeds_of_two = seeds_for(chosen.len());
    let mut calculator = Calculator::new(&basis, dag.totals().work, execution);
    let mut before = calculator.scenario(Vec::new(), seeds_of_one);
    for (speedup, cores) in before.speedup.iter_mut().zip(execution.cores) {
        let known = known.iter().find(|known| known.cores == *cores);
        let known = known.map(|known| known.median.speedup);
        speedup.predicted = speedup.predicted.or(known);
    }
    Scenarios {
        cores: execution.cores.to_vec(),
        options: OPTIONS.to_vec(),
        before,
        after: chosen
            .into_iter()
            .map(|chosen| {
                let seeds = match chosen.len() {
                    1 => seeds_of_one,
                    _ => seeds_of_two,
                };
                calculator.scenario(chosen, seeds)
            })
            .collect(),
        basis: ScenarioBasis {
            vertices: basis.dag.vertices.len(),
            is_folded: basis.is_folded(),
            seeds: seeds_of_one,
            seeds_of_two,
        },
        pieces,
    }
}

/// Each option of each piece alone, then of two pieces at once.
fn choices(pieces: usize) -> Vec<Vec<(usize, usize)>> {
    let options = || 0..OPTIONS.len();
    let alone = (0..pieces).flat_map(|piece| options().map(move |option| (piece, option)));
    let alone: Vec<(usize, usize)> = alone.collect();
    let two_at_once = alone.iter().flat_map(|&first| {
        let others = alone.iter().filter(move |second| second.0 > first.0);
        others.map(move |&second| vec![first, second])
    });
    let one_each = alone.iter().map(|&only| vec![only]);
    one_each.chain(two_at_once).collect()
}

/// Computes scenarios on one dag.
struct Calculator<'a> {
    basis: &'a Basis<'a>,
    execution: Execution<'a>,
    /// Work of the unchanged dag, in ticks.
    work: i64,
    /// Whether a vertex of the dag has times that a simulation clamps.
    needs_clamping: bool,
    buffer: Vec<(i64, i64)>,
}

impl<'a> Calculator<'a> {
    fn new(basis: &'a Basis<'a>, work: i64, execution: Execution<'a>) -> Self {
        let mut vertices = basis.dag.vertices.iter();
        Self {
            needs_clamping: vertices.any(|vertex| clamped(vertex) != *vertex),
            buffer: Vec::new(),
            basis,
            execution,
            work,
        }
    }

    fn scenario(&mut self, chosen: Vec<(usize, usize)>, seeds: u32) -> Scenario {
        let (dag, pieces) = (&*self.basis.dag, &self.basis.pieces);
        let (mut parallel, mut faster) = (Factors::none(dag), Factors::none(dag));
        for &(piece, option) in &chosen {
            match OPTIONS[option] {
                ScenarioOption::Parallelise(factor) => parallel.multiply(&pieces[piece], factor),
                ScenarioOption::SpeedUp(factor) => faster.multiply(&pieces[piece], factor),
            }
        }
        let changed = |vertex: &_| faster.sped_up(&parallel.parallelised(vertex));
        let totals = dag.totals_with(&mut self.buffer, changed);
        let mut run = totals;
        if self.needs_clamping {
            run = dag.totals_with(&mut self.buffer, |vertex| clamped(&changed(vertex)));
        }
        let time = |ticks| dag.time_of(ticks);
        Scenario {
            work: time(totals.work).into(),
            span: time(totals.span).into(),
            burdened_span: time(totals.burdened_span).into(),
            parallelism: totals.parallelism().unwrap_or(1.0),
            burdened_parallelism: totals.burdened_parallelism().unwrap_or(1.0),
            speedup: self.speedup(&chosen, &totals, &run, seeds),
            chosen,
        }
    }

    fn speedup(
        &self,
        chosen: &[(usize, usize)],
        totals: &DagTotals,
        run: &DagTotals,
        seeds: u32,
    ) -> Vec<ExpectedSpeedup> {
        let dag = &self.basis.dag;
        let nanos = |ticks| dag.time_of(ticks).max(Nanos::from_nanos(1)).as_nanos();
        let gain = nanos(self.work) as f64 / nanos(totals.work) as f64;
        let [before, after] = [self.work, totals.work].map(|ticks| dag.time_of(ticks).into());
        let most = self.execution.most_speedup(before, after);
        let cores = self.execution.cores;
        let mut speedups: Vec<ExpectedSpeedup> = cores
            .iter()
            .map(|&cores| ExpectedSpeedup {
                bounds: run.bounds_at_most(cores, most).times(gain),
                predicted: None,
            })
            .collect();
        if seeds == 0 {
            return speedups;
        }
        let change = |&(piece, option): &(usize, usize)| {
            OPTIONS[option].change(self.basis.pieces[piece].clone())
        };
        let changes: Vec<Change> = chosen.iter().map(change).collect();
        let changed = dag.with_changes(&changes);
        let simulation = Simulation::new(&changed, self.execution.costs, Scheduler::Rayon);
        for (speedup, &cores) in speedups.iter_mut().zip(cores) {
            let prediction = simulation.prediction(cores, seeds);
            let predicted = prediction.median.speedup.min(most.lower) * gain;
            speedup.predicted = Some(predicted.min(speedup.bounds.upper));
        }
        speedups
    }
}
