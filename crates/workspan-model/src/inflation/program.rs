//! The whole program in both executions.

use super::rounds::{Rounds, inflation_in_round};
use super::{Extent, PairedRatio, PathLookup};
use crate::scaling::CONFIDENCE;
use crate::{DifferentialRun, Nanos, Span, Spread, Work};

/// The comparison of the two executions of the whole program. Intervals are 95%, each on its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProgramInflation {
    /// Inflation of the work.
    pub work: PairedRatio,
    /// Inflation of the critical path of the parallel runs, looked up by site in the oracle run:
    /// each site's part of the path is divided by the inflation of the site's work in that round.
    pub path_by_site: Option<PairedRatio>,
    /// The same, looked up strand by strand, if task dags were recorded.
    pub path_by_strand: Option<InflatedPath>,
    /// Work with one worker: the median.
    pub oracle_work: Work,
    /// Work in parallel: the median.
    pub parallel_work: Work,
    /// Span of the parallel runs: the median.
    pub span: Span,
    /// Time with one worker, from start to end: the median.
    pub oracle_elapsed: Nanos,
    /// Time in parallel, from start to end: the median.
    pub parallel_elapsed: Nanos,
    /// Tasks created with one worker and in parallel: the medians.
    pub tasks: [u64; 2],
    /// The greatest number of threads of an oracle run: 1, unless the program sets the number
    /// itself.
    pub oracle_threads: u32,
    /// Time that ready threads were off the processor, which is not counted, as a share of the
    /// work, which is: the medians of the oracle runs and of the parallel ones.
    pub off_processor: [f64; 2],
    /// The number of rounds.
    pub rounds: u32,
}

/// Inflation of the critical path of the parallel runs, strand by strand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InflatedPath {
    /// The inflation.
    pub ratio: PairedRatio,
    /// The share of the path on which the dags agree, the least of all rounds; the rest is looked
    /// up by site.
    pub found: f64,
    /// The same for the critical paths of oracle runs, looked up in other oracle runs: the apparent
    /// inflation that arises from noise in the strands merely because the longest path is chosen.
    /// `None` with only one round.
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
        Some(Spread::new(runs_of(which).map(figure))?.median)
    };
    let spawns = |which: usize| {
        let spawns = runs_of(which).map(|run| run.figures.totals.spawns);
        Some(Spread::new(spawns)?.median)
    };
    let off_processor = |which: usize| {
        let shares = runs_of(which).map(|run| run.off_processor.share_of(work(run)));
        Some(Spread::new(shares)?.median)
    };
    let elapsed = |run: &DifferentialRun| run.figures.totals.elapsed;
    Some(ProgramInflation {
        work: PairedRatio::from_pairs(works, CONFIDENCE)?,
        path_by_site: PairedRatio::from_pairs(paths_by_site(rounds), CONFIDENCE),
        path_by_strand: path_by_strand(rounds),
        oracle_work: median(0, work)?.into(),
        parallel_work: median(1, work)?.into(),
        span: median(1, |run| run.figures.totals.span.time())?.into(),
        oracle_elapsed: median(0, elapsed)?,
        parallel_elapsed: median(1, elapsed)?,
        tasks: [spawns(0)?, spawns(1)?],
        oracle_threads: runs_of(0).map(|run| run.threads).max()?,
        off_processor: [off_processor(0)?, off_processor(1)?],
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
        found: found.fold(1.0, f64::min),
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
