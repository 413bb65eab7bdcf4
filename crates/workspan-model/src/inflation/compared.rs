//! A row of sites in both executions.

use super::paired::confidence_of_each;
use super::rounds::{Figures, Rounds};
use super::{Extent, Judgement, PairedRatio, ProgramInflation};
use crate::{Nanos, SiteKind, Span, Spread, Work};

/// A row is compared if it has this share of the work or of the span in one of the executions: less
/// cannot matter, and each comparison makes the others less certain.
pub const LEAST_SHARE: f64 = 0.01;

/// The comparison of the two executions of one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// The row, as an index into [`Inflation::sites`](super::Inflation::sites).
    pub row: usize,
    /// Which of its strands are compared.
    pub extent: Extent,
    /// Inflation of the work. `None` if one execution did no work there.
    pub work: Option<PairedRatio>,
    /// Inflation of its part of the parallel runs' critical paths, looked up strand by strand in
    /// the oracle runs as far as the dags agree. `None` without task dags, or if the paths do not
    /// pass through it.
    pub path: Option<PairedRatio>,
    /// Work with one worker: the median.
    pub oracle: Work,
    /// Work in parallel: the median.
    pub parallel: Work,
    /// Its part of the critical path of the parallel runs: the median.
    pub span: Span,
    /// Its share of the work in parallel.
    pub share_of_work: f64,
    /// Its share of the span in parallel.
    pub share_of_span: f64,
    /// Instances with one worker and in parallel: the medians.
    pub counts: [u64; 2],
    /// How much of the expected time its inflation costs, in nanoseconds (for a counter: in
    /// events): (work − oracle work)/P plus the inflated part of the span, by the bound on greedy
    /// scheduling (T₁/P + T∞; Cilkview §2). Negative if there is less work in parallel.
    pub costs: f64,
    /// What can be said about the work.
    pub judgement: Judgement,
}

/// Every row that some run of the rounds reached, not judged yet.
pub(super) fn rows(rounds: &Rounds<'_>, program: &ProgramInflation) -> Vec<Compared> {
    let rows = rounds.rows();
    rows.filter_map(|(site, extent)| Compared::new(rounds, site, extent, program))
        .collect()
}

impl Compared {
    fn new(
        rounds: &Rounds<'_>,
        site: usize,
        extent: Extent,
        program: &ProgramInflation,
    ) -> Option<Self> {
        let figures = rounds.figures(site, extent);
        let figures_of = |which: usize| figures.iter().filter_map(move |pair| pair[which]);
        let [oracle, parallel] = [0, 1].map(|which| figures_of(which).count());
        let work = |which| Spread::new(figures_of(which).map(|figures| figures.work));
        let count = |which| Spread::new(figures_of(which).map(|figures| figures.count));
        let [oracle_work, parallel_work] =
            [0, 1].map(|which| work(which).unwrap_or_default().median);
        let span = Spread::new(figures_of(1).map(|figures| figures.span));
        let span = span.unwrap_or_default().median;
        let kind = rounds.sites.rows[site].kind;
        let counts = [0, 1].map(|which| count(which).unwrap_or_default().median);
        let mut compared = Self {
            row: site,
            extent,
            work: None,
            path: None,
            oracle: oracle_work,
            parallel: parallel_work,
            span,
            share_of_work: parallel_work.time().share_of(program.parallel_work.time()),
            share_of_span: span.time().share_of(program.span.time()),
            counts,
            costs: 0.0,
            judgement: match (oracle, parallel) {
                (0, 0) => return None,
                (0, _) => Judgement::OnlyParallel,
                (_, 0) => Judgement::OnlyOracle,
                _ if counts_differ(kind, counts) => Judgement::Differs,
                _ => Judgement::Unclear,
            },
        };
        let share_of_oracle = oracle_work.time().share_of(program.oracle_work.time());
        let shares = [
            compared.share_of_work,
            compared.share_of_span,
            share_of_oracle,
        ];
        if shares.iter().all(|&share| share < LEAST_SHARE) {
            compared.judgement = Judgement::Small;
        }
        Some(compared)
    }

    /// Whether its work is compared.
    pub(super) fn is_compared(&self) -> bool {
        self.judgement == Judgement::Unclear
    }

    /// Compares the work, as one of this many comparisons.
    pub(super) fn judge(&mut self, rounds: &Rounds<'_>, comparisons: usize, least: f64) {
        let confidence = confidence_of_each(comparisons);
        let figures = rounds.figures(self.row, self.extent);
        let both = figures.iter().filter_map(|&[oracle, parallel]| {
            let nanos = |figures: Figures| figures.work.time().as_nanos() as f64;
            Some((nanos(oracle?), nanos(parallel?)))
        });
        self.work = PairedRatio::from_pairs(both, confidence);
        self.path = PairedRatio::from_pairs(rounds.looked_up(self.row, self.extent), confidence);
        if let Some(work) = &self.work
            && self.is_compared()
        {
            self.judgement = Judgement::new(work, least);
        }
        let [more_work, more_span] = self.more().map(|more| more.as_nanos() as f64);
        self.costs = more_work / f64::from(rounds.differential.threads.max(1)) + more_span;
    }

    /// How much more work there is in parallel, and how much of the span is due to that. Without
    /// task dags, the part on the span is assumed to be inflated like the work.
    pub(crate) fn more(&self) -> [Nanos; 2] {
        let Some(work) = self.work else {
            return [Nanos::ZERO; 2];
        };
        let on_path = self.path.unwrap_or(work);
        let more = |time: Nanos, inflation: PairedRatio| {
            Nanos::from_nanos_f64(time.as_nanos() as f64 * (1.0 - 1.0 / inflation.value))
        };
        [
            more(self.parallel.time(), work),
            more(self.span.time(), on_path),
        ]
    }
}

/// Whether the executions reached a site such different numbers of times that their work is not
/// comparable. Rayon splits a parallel iterator further if a part was stolen, but the items are the
/// same.
fn counts_differ(kind: SiteKind, [oracle, parallel]: [u64; 2]) -> bool {
    !kind.is_iterator() && oracle.abs_diff(parallel) > oracle.max(parallel) / TOLERATED
}

/// Counts may differ by a hundredth: a program that waits by retrying retries a few times more.
const TOLERATED: u64 = 100;
