//! A row of sites in both executions.

use serde::Serialize;

use super::rounds::{Figures, Rounds};
use super::{Extent, ProgramInflation};
use crate::quantity::paired::confidence_of_each;
use crate::{Estimate, Nanos, PairedRatio, SiteKind, Span, Work};

/// A row is compared if it has this share of the work or of the span in one of the executions: less
/// cannot matter, and each comparison makes the others less certain.
pub const LEAST_SHARE: f64 = 0.01;

/// The comparison of the two executions of one row. Works, spans and counts are medians.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct Compared {
    /// The site, as an index into `sites`
    pub site: usize,
    /// Which strands: the site's own, or all that run in a region
    #[cfg_attr(feature = "schema", schemars(extend("enum" = Extent::ALL.map(Extent::name))))]
    pub extent: Extent,
    /// What can be said of the work
    #[cfg_attr(feature = "schema", schemars(extend("enum" = Judgement::ALL.map(Judgement::name))))]
    pub judgement: Judgement,
    // `None` if one execution did no work there.
    /// Inflation of the work
    pub work: Option<PairedRatio>,
    // `None` without task dags, or if the paths do not pass through it; what of it the dags do not
    // agree on is looked up by site.
    /// Inflation of its part of the parallel runs' critical path, strand by strand
    pub path: Option<PairedRatio>,
    /// Work by one worker
    pub oracle_work: Work,
    /// Work in parallel
    pub parallel_work: Work,
    /// What the critical path of the parallel runs has of it
    pub parallel_span: Span,
    /// Its share of the work in parallel
    pub work_share: f64,
    /// Its share of the span in parallel
    pub span_share: f64,
    /// Instances by one worker
    pub oracle_count: u64,
    /// Instances in parallel
    pub parallel_count: u64,
    // By the bound on greedy scheduling (T₁/P + T∞; Cilkview §2), in nanoseconds, or in events for a
    // counter. Negative if there is less work in parallel.
    /// What its inflation costs of the expected time: more work / threads + the inflated part of the span
    pub costs: f64,
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
        let work = |which| Estimate::over_runs(figures_of(which).map(|figures| figures.work));
        let count = |which| Estimate::over_runs(figures_of(which).map(|figures| figures.count));
        let [oracle_work, parallel_work] =
            [0, 1].map(|which| work(which).unwrap_or_default().value);
        let span = Estimate::over_runs(figures_of(1).map(|figures| figures.span));
        let parallel_span = span.unwrap_or_default().value;
        let kind = rounds.sites.rows[site].kind;
        let counts = [0, 1].map(|which| count(which).unwrap_or_default().value);
        let mut compared = Self {
            site,
            extent,
            work: None,
            path: None,
            oracle_work,
            parallel_work,
            parallel_span,
            work_share: parallel_work.time().share_of(program.parallel_work.time()),
            span_share: parallel_span.time().share_of(program.parallel_span.time()),
            oracle_count: counts[0],
            parallel_count: counts[1],
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
        let shares = [compared.work_share, compared.span_share, share_of_oracle];
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
        let figures = rounds.figures(self.site, self.extent);
        let both = figures.iter().filter_map(|&[oracle, parallel]| {
            let nanos = |figures: Figures| figures.work.time().as_nanos() as f64;
            Some((nanos(oracle?), nanos(parallel?)))
        });
        self.work = PairedRatio::from_pairs(both, confidence);
        self.path = PairedRatio::from_pairs(rounds.looked_up(self.site, self.extent), confidence);
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
            Nanos::from_nanos_f64(time.as_nanos() as f64 * (1.0 - 1.0 / inflation.ratio.value))
        };
        [
            more(self.parallel_work.time(), work),
            more(self.parallel_span.time(), on_path),
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

named! {
    /// What can be said about the inflation of a row.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String", inline))]
    #[serde(rename_all = "snake_case")]
    pub enum Judgement {
        /// More work in parallel, by more than the least inflation worth reporting: the whole
        /// interval lies above it.
        Inflated = "inflated",
        /// No such inflation: the whole interval lies below.
        NotInflated = "not_inflated",
        /// Less work in parallel, by as much: a larger cache, or work that only a single worker has
        /// to do.
        Deflated = "deflated",
        /// The interval allows for both.
        Unclear = "unclear",
        /// There are too few rounds for any interval to be certain enough.
        TooFewRounds = "too_few_rounds",
        /// Too small to be compared.
        Small = "small",
        /// The two executions did not do the same there.
        Differs = "differs",
        /// Only the parallel runs reached it.
        OnlyParallel = "only_parallel",
        /// Only the oracle runs reached it.
        OnlyOracle = "only_oracle",
    }
}

impl Judgement {
    /// What `ratio` says, if inflation by less than `least` is not worth reporting.
    pub(super) fn new(ratio: &PairedRatio, least: f64) -> Self {
        match ratio {
            paired if !paired.is_sure => Self::TooFewRounds,
            paired if paired.ratio.low > least => Self::Inflated,
            paired if paired.ratio.high < 1.0 / least => Self::Deflated,
            paired if paired.ratio.high < least => Self::NotInflated,
            _ => Self::Unclear,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_interval_has_to_lie_on_one_side() {
        let judged = |low, high, is_sure| {
            let ratio = PairedRatio {
                ratio: Estimate {
                    value: 1.0,
                    low,
                    high,
                },
                confidence: 0.99,
                is_sure,
                rounds: 9,
            };
            Judgement::new(&ratio, 1.1)
        };
        assert_eq!(judged(1.11, 3.0, true), Judgement::Inflated);
        assert_eq!(judged(1.10, 3.0, true), Judgement::Unclear);
        assert_eq!(judged(0.95, 1.09, true), Judgement::NotInflated);
        assert_eq!(judged(0.85, 1.09, true), Judgement::NotInflated);
        assert_eq!(judged(0.5, 0.9, true), Judgement::Deflated);
        assert_eq!(judged(1.5, 3.0, false), Judgement::TooFewRounds);
    }
}
