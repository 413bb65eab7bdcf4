//! The whole program in both executions.

use serde::Serialize;

use super::rounds::{Rounds, inflation_in_round};
use super::{Extent, PathLookup};
use crate::quantity::median::CONFIDENCE;
use crate::{DifferentialRun, Estimate, Nanos, PairedRatio, Span, Work};

/// The comparison of the two executions of the whole program: medians, of oracle runs and of
/// parallel ones. Intervals are 95%, each on its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct ProgramInflation {
    /// Rounds in which both executions succeeded
    pub rounds: u32,
    /// A ratio of parallel runs over runs by one worker, with its interval
    pub work: PairedRatio,
    // Each site's part of the path is divided by the inflation of the site's work in that round.
    /// Inflation of the parallel runs' critical path, its sites looked up in the oracle runs
    pub path_by_site: Option<PairedRatio>,
    /// Inflation of the critical path, strand by strand, where task dags were recorded
    pub path_by_strand: Option<InflatedPath>,
    /// Work by one worker
    pub oracle_work: Work,
    /// Work in parallel
    pub parallel_work: Work,
    /// Span of the parallel runs
    pub parallel_span: Span,
    /// From start to end by one worker, in nanoseconds
    #[serde(rename = "oracle_elapsed_ns")]
    pub oracle_elapsed: Nanos,
    /// From start to end in parallel, in nanoseconds
    #[serde(rename = "parallel_elapsed_ns")]
    pub parallel_elapsed: Nanos,
    /// Tasks that one worker made
    pub oracle_tasks: u64,
    /// Tasks that were made in parallel
    pub parallel_tasks: u64,
    // The greatest number of a run.
    /// Threads of the runs by one worker: more than 1 if the program sets their number itself
    pub oracle_threads: u32,
    /// Time for which ready threads were off the processor, as a share of the work, which does not
    /// include it
    pub oracle_off_processor: f64,
    /// That share of the parallel runs
    pub parallel_off_processor: f64,
}

/// Inflation of the critical path of the parallel runs, strand by strand.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct InflatedPath {
    /// The inflation.
    #[serde(flatten)]
    pub ratio: PairedRatio,
    /// Of this share of the path the dags agree; the rest is looked up by site. The least of all rounds
    pub found_share: f64,
    // The longest path of one run is chosen with its noise. `None` with only one round.
    /// Inflation of oracle runs against one another: what choosing the longest path makes of noise
    pub by_choice: Option<PairedRatio>,
}

/// Compares the executions; `None` without a round.
pub(super) fn program(rounds: &Rounds<'_>) -> Option<ProgramInflation> {
    let runs = &rounds.differential.runs;
    let runs_of = |which: usize| rounds.runs.iter().map(move |round| &runs[round[which]]);
    let work = |run: &DifferentialRun| run.figures.totals.work.time();
    let nanos = |run: &DifferentialRun| work(run).as_nanos() as f64;
    let works = runs_of(0)
        .zip(runs_of(1))
        .map(|(oracle, parallel)| (nanos(oracle), nanos(parallel)));
    let median = |which: usize, figure: fn(&DifferentialRun) -> Nanos| {
        Some(Estimate::over_runs(runs_of(which).map(figure))?.value)
    };
    let spawns = |which: usize| {
        let spawns = runs_of(which).map(|run| run.figures.totals.spawns);
        Some(Estimate::over_runs(spawns)?.value)
    };
    let off_processor = |which: usize| {
        let shares = runs_of(which).map(|run| run.off_processor.share_of(work(run)));
        Some(Estimate::over_runs(shares)?.value)
    };
    let elapsed = |run: &DifferentialRun| run.figures.totals.elapsed;
    Some(ProgramInflation {
        work: PairedRatio::from_pairs(works, CONFIDENCE)?,
        path_by_site: PairedRatio::from_pairs(paths_by_site(rounds), CONFIDENCE),
        path_by_strand: path_by_strand(rounds),
        oracle_work: median(0, work)?.into(),
        parallel_work: median(1, work)?.into(),
        parallel_span: median(1, |run| run.figures.totals.span.value.time())?.into(),
        oracle_elapsed: median(0, elapsed)?,
        parallel_elapsed: median(1, elapsed)?,
        oracle_tasks: spawns(0)?,
        parallel_tasks: spawns(1)?,
        oracle_threads: runs_of(0).map(|run| run.threads).max()?,
        oracle_off_processor: off_processor(0)?,
        parallel_off_processor: off_processor(1)?,
        rounds: rounds.runs.len() as u32,
    })
}

/// For each round, the length of the parallel run's critical path as it would be in the oracle run,
/// and as it is.
///
/// While a program runs, it is not known which strands of a site lie on the path. So each site's
/// part is assumed to be inflated like the site's work. (The oracle's own critical path, site by
/// site, would be a different path: §5.3.)
fn paths_by_site(rounds: &Rounds<'_>) -> Vec<(f64, f64)> {
    let mut paths = vec![(0.0, 0.0); rounds.runs.len()];
    for site in 0..rounds.sites() {
        let figures = rounds.figures(site, Extent::Own);
        for (path, figures) in paths.iter_mut().zip(figures) {
            let span = figures[1].map_or(Span::ZERO, |parallel| parallel.span);
            let part = span.time().shown() as f64;
            path.0 += part / inflation_in_round(figures);
            path.1 += part;
        }
    }
    paths
}

fn path_by_strand(rounds: &Rounds<'_>) -> Option<InflatedPath> {
    let ratio_of = |which: usize| {
        let looked_up = rounds.runs.iter().filter_map(move |&round| {
            let run = &rounds.differential.runs[round[which]];
            let path = run.path.as_ref()?;
            Some((path, not_found(rounds, round, which, path)))
        });
        let pairs = looked_up.map(|(path, not_found)| {
            let nanos = |span: Span| span.time().as_nanos() as f64;
            (
                nanos(path.oracle()) + not_found,
                nanos(path.parallel() + path.elsewhere()),
            )
        });
        PairedRatio::from_pairs(pairs, CONFIDENCE)
    };
    let found = rounds.runs.iter().filter_map(|&[_, parallel]| {
        let path = rounds.differential.runs[parallel].path.as_ref()?;
        Some(path.found_share())
    });
    Some(InflatedPath {
        ratio: ratio_of(1)?,
        found_share: found.fold(1.0, f64::min),
        by_choice: ratio_of(0),
    })
}

/// How long the part of a path that was not found would be in the other run, by the inflation of
/// its sites; between oracle runs there is none.
fn not_found(rounds: &Rounds<'_>, round: [usize; 2], which: usize, path: &PathLookup) -> f64 {
    let inflation = |row: usize| match which {
        0 => 1.0,
        _ => {
            let site = rounds.site_of(round[1], row);
            inflation_in_round(rounds.in_round(round, site, Extent::Own))
        }
    };
    let parts = path.own.iter();
    parts
        .map(|part| part.elsewhere.time().shown() as f64 / inflation(part.row))
        .sum()
}
