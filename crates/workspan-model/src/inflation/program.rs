//! The whole program in both executions.

use super::compared::{Extent, Rounds, inflation_in_round};
use super::{PairedRatio, PathLookup};
use crate::scaling::CONFIDENCE;
use crate::{DifferentialRun, Nanos, Span, Spread, Work};

/// The two executions of the whole program, compared. Intervals are of 95%, each by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProgramInflation {
    /// Inflation of the work.
    pub work: PairedRatio,
    /// Inflation of the critical path of the parallel runs, its sites looked up in the oracle run: each site's part of the path
    /// divided by the inflation of the site's work in that round.
    pub path_by_site: Option<PairedRatio>,
    /// The same looked up strand by strand, where task dags were recorded.
    pub path_by_strand: Option<InflatedPath>,
    /// Work by one worker: the median.
    pub oracle_work: Work,
    /// Work in parallel: the median.
    pub parallel_work: Work,
    /// Span of the parallel runs: the median.
    pub span: Span,
    /// Time by one worker, from start to end: the median.
    pub oracle_elapsed: Nanos,
    /// Time in parallel, from start to end: the median.
    pub parallel_elapsed: Nanos,
    /// Tasks that one worker made, and that were made in parallel: the medians.
    pub tasks: [u64; 2],
    /// Threads of the oracle runs: one, unless the program sets their number itself. The most of all rounds.
    pub oracle_threads: u32,
    /// Time for which ready threads were off the processor, which is not counted, as a share of the work that is: of the oracle
    /// runs and of the parallel ones, the median.
    pub off_processor: [f64; 2],
    /// Rounds.
    pub rounds: u32,
}

/// Inflation of the critical path of the parallel runs, strand by strand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InflatedPath {
    /// The inflation.
    pub ratio: PairedRatio,
    /// Of this share of the path the dags agree; the rest is looked up by site. The least of all rounds.
    pub found: f64,
    /// The same of the critical paths of oracle runs in other oracle runs: what the choice of the longest path alone makes of the
    /// noise of its strands. `None` with one round.
    pub by_choice: Option<PairedRatio>,
}

/// Compares the executions; `None` without a round.
pub(super) fn program(rounds: &Rounds<'_>) -> Option<ProgramInflation> {
    let runs = &rounds.differential.runs;
    let of = |which: usize| rounds.runs.iter().map(move |round| &runs[round[which]]);
    let nanos = |work: Work| work.time().as_nanos() as f64;
    let works = of(0).zip(of(1)).map(|(oracle, parallel)| {
        (
            nanos(oracle.figures.totals.work),
            nanos(parallel.figures.totals.work),
        )
    });
    let median = |which: usize, figure: fn(&DifferentialRun) -> Nanos| {
        Some(Spread::of(of(which).map(figure))?.median)
    };
    let count = |which: usize| {
        let spawns = of(which).map(|run| run.figures.totals.spawns);
        Some(Spread::of(spawns)?.median)
    };
    let off = |which: usize| {
        let off = of(which).map(|run| {
            let work = run.figures.totals.work.time();
            run.off_processor.share_of(work)
        });
        Some(Spread::of(off)?.median)
    };
    let work = |run: &DifferentialRun| run.figures.totals.work.time();
    let elapsed = |run: &DifferentialRun| run.figures.totals.elapsed;
    Some(ProgramInflation {
        work: PairedRatio::of(works, CONFIDENCE)?,
        path_by_site: PairedRatio::of(paths_by_site(rounds), CONFIDENCE),
        path_by_strand: path_by_strand(rounds),
        oracle_work: median(0, work)?.into(),
        parallel_work: median(1, work)?.into(),
        span: median(1, |run| run.figures.totals.span.time())?.into(),
        oracle_elapsed: median(0, elapsed)?,
        parallel_elapsed: median(1, elapsed)?,
        tasks: [count(0)?, count(1)?],
        oracle_threads: of(0).map(|run| run.threads).max()?,
        off_processor: [off(0)?, off(1)?],
        rounds: rounds.runs.len() as u32,
    })
}

/// Of each round, the critical path of the parallel run as it would be in the oracle run, and as it is.
///
/// On the fly nobody knows which strands of a site lie on the path. So each site's part is taken to be inflated as the site's work
/// is. (The oracle's own critical path, site by site, would be another path: §5.3.)
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
            Some((path, rest(rounds, round, which, path)))
        });
        let pairs = looked_up.map(|(path, rest)| {
            let nanos = |span: Span| span.time().as_nanos() as f64;
            (
                nanos(path.oracle()) + rest,
                nanos(path.parallel() + path.elsewhere()),
            )
        });
        PairedRatio::of(pairs, CONFIDENCE)
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

/// What of a path was not found, as it would be in the other run: by the inflation of its sites, which there is none of among
/// oracle runs.
fn rest(rounds: &Rounds<'_>, round: [usize; 2], which: usize, path: &PathLookup) -> f64 {
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
