//! What a choice of changes would give, computed beforehand for a reader to choose from.

mod basis;
mod ready;

use super::change::Factors;
use super::{
    Change, ChangedCode, Code, CodeOnPath, Dag, DagFigures, DagTotals, Execution, ExpectedSpeedup,
};
use crate::simulation::as_run;
use crate::{
    Nanos, ParallelismInterval, Prediction, Scheduler, Simulation, Span, Work,
    speedup_bounds_within,
};

pub use ready::{ReadyScenario, ReadySource, ready_scenarios};

use basis::{Basis, Runs};

/// So many pieces of code are there to choose from.
const MOST_PIECES: usize = 6;

/// Pieces with less than this share of the critical path are not worth a change.
const LEAST_SHARE: f64 = 0.005;

/// What can become of a piece.
const OPTIONS: [ScenarioOption; 6] = [
    ScenarioOption::Parallelise(2.0),
    ScenarioOption::Parallelise(4.0),
    ScenarioOption::Parallelise(16.0),
    ScenarioOption::Parallelise(64.0),
    ScenarioOption::SpeedUp(2.0),
    ScenarioOption::SpeedUp(4.0),
];

/// Changes of one or two pieces of code, and what they would give.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenarios {
    /// Numbers of cores that speedups are for.
    pub cores: Vec<u32>,
    /// The pieces to choose from, the largest part of the critical path first.
    pub pieces: Vec<CodeOnPath>,
    /// What can become of each.
    pub options: Vec<ScenarioOption>,
    /// The program as it is.
    pub before: Scenario,
    /// Each option for each piece by itself, then for two pieces at once.
    pub after: Vec<Scenario>,
    /// What they were computed on.
    pub basis: ScenarioBasis,
}

/// How much may be computed for scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScenarioLimits {
    /// The most vertices of a dag that figures and bounds are computed of; a larger one is folded.
    pub vertices: usize,
    /// How many vertices may be run for the predictions of all choices together, and again for each change that is advised. There
    /// are none if that is too few.
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

/// The dag that scenarios were computed on: the recorded one, or a smaller one of the same work and span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScenarioBasis {
    /// Its vertices.
    pub vertices: usize,
    /// Whether it is a folded one. The span of a changed program may then come out too short, and it is not run.
    pub is_folded: bool,
    /// How many runs each prediction for one change is the median of; 0 if there is none.
    pub seeds: u32,
    /// The same for two changes at once.
    pub seeds_of_two: u32,
}

/// What becomes of a piece of code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScenarioOption {
    /// It is made parallel: see [`Change::Parallelise`].
    Parallelise(f64),
    /// It is made faster: see [`Change::SpeedUp`].
    SpeedUp(f64),
}

/// Some changes, and what they give.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// What is changed: an index into [`Scenarios::pieces`] and one into [`Scenarios::options`] each.
    pub chosen: Vec<(usize, usize)>,
    /// Work T₁.
    pub work: Work,
    /// Span T∞.
    pub span: Span,
    /// Burdened span T̂∞.
    pub burdened_span: Span,
    /// T₁/T∞; 1 without span.
    pub parallelism: f64,
    /// T₁/T̂∞; 1 without span.
    pub burdened_parallelism: f64,
    /// On each number of cores, against the program as it is on one core.
    pub speedup: Vec<ExpectedSpeedup>,
}

impl ScenarioOption {
    /// The change of some code that it is.
    pub fn of(self, code: ChangedCode) -> Change {
        match self {
            Self::Parallelise(factor) => Change::Parallelise { code, factor },
            Self::SpeedUp(factor) => Change::SpeedUp { code, factor },
        }
    }
}

/// The scenarios of `dag`: what [`what_if`](super::what_if) says of each, as far as [`Scenarios::basis`] is not folded.
///
/// `known` are predictions for the program as it is, for where it is not run again.
///
/// # Panics
/// When the dag is not valid for `code`.
pub fn scenarios(
    dag: &Dag,
    code: &Code,
    execution: Execution<'_>,
    limits: ScenarioLimits,
    known: &[Prediction],
) -> Scenarios {
    let path = DagFigures::of(dag, code).path;
    let worth = path.into_iter().filter(|part| part.share >= LEAST_SHARE);
    let pieces: Vec<CodeOnPath> = worth.take(MOST_PIECES).collect();
    let codes = pieces
        .iter()
        .map(|piece| code.regions[piece.code].strand_regions.clone().into());
    let chosen = choices(pieces.len());
    let basis = Basis::of(dag, codes.collect(), limits.vertices);
    let runs_of = |scenarios: usize| match basis.is_folded() {
        true => Runs { seeds: 0 },
        false => Runs::of(
            dag,
            execution.cores,
            limits.simulated / (1 + scenarios) as u64,
        ),
    };
    let of_one = runs_of(pieces.len() * OPTIONS.len());
    let of_two = runs_of(chosen.len());
    let mut computing = Computing::of(&basis, dag.totals().work, execution);
    let mut before = computing.scenario(Vec::new(), of_one);
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
                let runs = if chosen.len() > 1 { of_two } else { of_one };
                computing.scenario(chosen, runs)
            })
            .collect(),
        basis: ScenarioBasis {
            vertices: basis.dag.vertices.len(),
            is_folded: basis.is_folded(),
            seeds: of_one.seeds,
            seeds_of_two: of_two.seeds,
        },
        pieces,
    }
}

/// Each option of each piece, then of two pieces at once.
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

/// Computes scenarios of one dag.
struct Computing<'a> {
    basis: &'a Basis<'a>,
    execution: Execution<'a>,
    /// Work of the dag as it is, in ticks.
    work: i64,
    /// Whether no time of a vertex fell below zero.
    is_as_run: bool,
    room: Vec<(i64, i64)>,
}

impl<'a> Computing<'a> {
    fn of(basis: &'a Basis<'a>, work: i64, execution: Execution<'a>) -> Self {
        let mut vertices = basis.dag.vertices.iter();
        Self {
            is_as_run: vertices.all(|vertex| as_run(vertex) == *vertex),
            room: Vec::new(),
            basis,
            execution,
            work,
        }
    }

    fn scenario(&mut self, chosen: Vec<(usize, usize)>, runs: Runs) -> Scenario {
        let (dag, pieces) = (&*self.basis.dag, &self.basis.pieces);
        let (mut parallel, mut faster) = (Factors::none(dag), Factors::none(dag));
        for &(piece, option) in &chosen {
            match OPTIONS[option] {
                ScenarioOption::Parallelise(factor) => parallel.multiply(&pieces[piece], factor),
                ScenarioOption::SpeedUp(factor) => faster.multiply(&pieces[piece], factor),
            }
        }
        let changed = |vertex: &_| faster.sped_up(&parallel.parallelised(vertex, dag.burden));
        let totals = dag.totals_with(&mut self.room, changed);
        let run = match self.is_as_run {
            true => totals,
            false => dag.totals_with(&mut self.room, |vertex| as_run(&changed(vertex))),
        };
        let time = |ticks| dag.time_of(ticks);
        Scenario {
            work: time(totals.work).into(),
            span: time(totals.span).into(),
            burdened_span: time(totals.burdened_span).into(),
            parallelism: totals.parallelism().unwrap_or(1.0),
            burdened_parallelism: totals.burdened_parallelism().unwrap_or(1.0),
            speedup: self.speedup(&chosen, &totals, &run, runs),
            chosen,
        }
    }

    fn speedup(
        &self,
        chosen: &[(usize, usize)],
        totals: &DagTotals,
        run: &DagTotals,
        runs: Runs,
    ) -> Vec<ExpectedSpeedup> {
        let dag = &self.basis.dag;
        let nanos = |ticks| dag.time_of(ticks).max(Nanos::from_nanos(1)).as_nanos();
        let gain = nanos(self.work) as f64 / nanos(totals.work) as f64;
        let [before, after] = [self.work, totals.work].map(|ticks| dag.time_of(ticks).into());
        let most = self.execution.most_speedup(before, after);
        let parallelism =
            |span: i64| ParallelismInterval::exactly(run.work.max(1) as f64 / span.max(1) as f64);
        let parallel = parallelism(run.span).at_most(most);
        let burdened = parallelism(run.burdened_span).after(most);
        let cores = self.execution.cores;
        let mut speedups: Vec<ExpectedSpeedup> = cores
            .iter()
            .map(|&cores| ExpectedSpeedup {
                bounds: speedup_bounds_within(parallel, burdened, cores).times(gain),
                predicted: None,
            })
            .collect();
        if runs.seeds == 0 {
            return speedups;
        }
        let change = |&(piece, option): &(usize, usize)| {
            OPTIONS[option].of(self.basis.pieces[piece].clone())
        };
        let changes: Vec<Change> = chosen.iter().map(change).collect();
        let changed = dag.with_changes(&changes);
        let simulation = Simulation::new(&changed, self.execution.costs, Scheduler::Rayon);
        for (speedup, &cores) in speedups.iter_mut().zip(cores) {
            let prediction = simulation.prediction(cores, runs.seeds);
            let predicted = prediction.median.speedup.min(most.lower) * gain;
            speedup.predicted = Some(predicted.min(speedup.bounds.upper));
        }
        speedups
    }
}
