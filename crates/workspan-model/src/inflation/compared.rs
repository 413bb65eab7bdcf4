//! A row of sites in both executions.

use super::paired::confidence_of_each;
use super::{
    Differential, ExecutionKind, Judgement, LEAST_SHARE, PairedRatio, ProgramInflation, Sites,
};
use crate::{Nanos, SiteKind, SiteRow, Span, Spread, Work};

/// The two executions of one row, compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// The row, as an index into [`Inflation::sites`](super::Inflation::sites).
    pub row: usize,
    /// Which strands of it.
    pub extent: Extent,
    /// Inflation of the work. `None` if one execution did none there.
    pub work: Option<PairedRatio>,
    /// Inflation of what the parallel runs' critical paths have of it, looked up strand by strand in the oracle runs as far as the
    /// dags agree. `None` without task dags, and where the paths do not come.
    pub path: Option<PairedRatio>,
    /// Work by one worker: the median.
    pub oracle: Work,
    /// Work in parallel: the median.
    pub parallel: Work,
    /// What the critical path of the parallel runs has of it: the median.
    pub span: Span,
    /// Its share of the work in parallel.
    pub share_of_work: f64,
    /// Its share of the span in parallel.
    pub share_of_span: f64,
    /// Instances by one worker, and in parallel: the medians.
    pub counts: [u64; 2],
    /// What its inflation costs of the expected time, in nanoseconds (of a counter: events): (work − oracle work)/P, and the
    /// inflated part of the span, by the bound on greedy scheduling (T₁/P + T∞; Cilkview §2). Below 0 where there is less work in
    /// parallel.
    pub costs: f64,
    /// What can be said of the work.
    pub judgement: Judgement,
}

/// Which strands of a row are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Its own: over all rows they are the whole work.
    Own,
    /// With all that they wait for: a region from its beginning to its end.
    Whole,
}

impl Extent {
    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Whole => "whole",
        }
    }

    /// Work and span of a row to this extent.
    fn of(self, row: &SiteRow) -> Figures {
        let (on_work, on_span) = (&row.on_work, &row.on_span);
        let (work, span) = match self {
            Self::Own => (on_work.local_work, on_span.local_span),
            Self::Whole => {
                let span = on_span.top_call_site.span;
                (on_work.work, span.unwrap_or(on_span.local_span))
            }
        };
        Figures {
            work,
            span,
            count: on_work.count,
        }
    }
}

/// The figures of a row in one run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Figures {
    pub(super) work: Work,
    pub(super) span: Span,
    count: u64,
}

/// The rounds of a metric in which both executions succeeded: of each, the oracle run and the parallel one, as indices.
pub(super) struct Rounds<'a> {
    pub(super) differential: &'a Differential,
    sites: &'a Sites,
    pub(super) runs: Vec<[usize; 2]>,
}

impl<'a> Rounds<'a> {
    pub(super) fn of(differential: &'a Differential, metric: &str, sites: &'a Sites) -> Self {
        let last = differential.runs.iter().map(|run| run.round).max();
        let runs = (1..=last.unwrap_or(0)).filter_map(|round| {
            let run = |execution| differential.run_of(metric, round, execution);
            Some([run(ExecutionKind::Oracle)?, run(ExecutionKind::Parallel)?])
        });
        Self {
            differential,
            sites,
            runs: runs.collect(),
        }
    }

    /// How many sites there are.
    pub(super) fn sites(&self) -> usize {
        self.sites.rows.len()
    }

    /// The site of a row of a run.
    pub(super) fn site_of(&self, run: usize, row: usize) -> usize {
        self.sites.of_runs[run][row]
    }

    /// The figures of a site in the two runs of a round; nothing where one did not come there.
    pub(super) fn in_round(
        &self,
        round: [usize; 2],
        site: usize,
        extent: Extent,
    ) -> [Option<Figures>; 2] {
        round.map(|run| {
            let row = self.row_in(run, site)?;
            Some(extent.of(&self.differential.runs[run].figures.sites[row]))
        })
    }

    /// The same of each round.
    pub(super) fn figures(&self, site: usize, extent: Extent) -> Vec<[Option<Figures>; 2]> {
        let rounds = self.runs.iter();
        rounds
            .map(|&round| self.in_round(round, site, extent))
            .collect()
    }

    fn row_in(&self, run: usize, site: usize) -> Option<usize> {
        self.sites.of_runs[run].iter().position(|&of| of == site)
    }

    /// What the critical path of each round's parallel run has of a site, where it was looked up: in the oracle run, and in the
    /// parallel one. What was not found is taken to be inflated as the site's work is.
    fn looked_up(&self, site: usize, extent: Extent) -> Vec<(f64, f64)> {
        let nanos = |span: Span| span.time().as_nanos() as f64;
        let looked_up = self.runs.iter().filter_map(|&round| {
            let path = self.differential.runs[round[1]].path.as_ref()?;
            let row = self.row_in(round[1], site)?;
            let parts = match extent {
                Extent::Own => &path.own,
                Extent::Whole => &path.whole,
            };
            let part = parts.iter().find(|part| part.row == row)?;
            let inflation = inflation_in_round(self.in_round(round, site, extent));
            let rest = nanos(part.elsewhere);
            Some((
                nanos(part.oracle) + rest / inflation,
                nanos(part.parallel) + rest,
            ))
        });
        looked_up.collect()
    }

    /// Every site, with each extent of it that is compared.
    fn rows(&self) -> impl Iterator<Item = (usize, Extent)> {
        let rows = self.sites.rows.iter().enumerate();
        let held = rows.filter(|(_, row)| !row.kind.is_lock());
        held.flat_map(|(site, row)| {
            let whole = (row.kind == SiteKind::Region).then_some((site, Extent::Whole));
            whole.into_iter().chain([(site, Extent::Own)])
        })
    }
}

/// Inflation of a site's work in one round; none where one of the runs did nothing there.
pub(super) fn inflation_in_round(figures: [Option<Figures>; 2]) -> f64 {
    let works = figures.map(|figures| figures.map_or(0, |figures| figures.work.time().shown()));
    match works {
        [0, _] | [_, 0] => 1.0,
        [oracle, parallel] => parallel as f64 / oracle as f64,
    }
}

/// Every row that some run of the rounds came to, not judged yet.
pub(super) fn rows(rounds: &Rounds<'_>, program: &ProgramInflation) -> Vec<Compared> {
    let rows = rounds.rows();
    rows.filter_map(|(site, extent)| Compared::of(rounds, site, extent, program))
        .collect()
}

impl Compared {
    fn of(
        rounds: &Rounds<'_>,
        site: usize,
        extent: Extent,
        program: &ProgramInflation,
    ) -> Option<Self> {
        let figures = rounds.figures(site, extent);
        let of = |which: usize| figures.iter().filter_map(move |pair| pair[which]);
        let [oracle, parallel] = [of(0).count(), of(1).count()];
        let work = |which| Spread::of(of(which).map(|figures| figures.work));
        let count = |which| Spread::of(of(which).map(|figures| figures.count));
        let [oracle_work, parallel_work] =
            [0, 1].map(|which| work(which).unwrap_or_default().median);
        let span = Spread::of(of(1).map(|figures| figures.span));
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
                _ if did_other_things(kind, counts) => Judgement::Differs,
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

    /// Compares the work, as one of so many comparisons.
    pub(super) fn judge(&mut self, rounds: &Rounds<'_>, comparisons: usize, least: f64) {
        let confidence = confidence_of_each(comparisons);
        let figures = rounds.figures(self.row, self.extent);
        let both = figures.iter().filter_map(|&[oracle, parallel]| {
            let nanos = |figures: Figures| figures.work.time().as_nanos() as f64;
            Some((nanos(oracle?), nanos(parallel?)))
        });
        self.work = PairedRatio::of(both, confidence);
        self.path = PairedRatio::of(rounds.looked_up(self.row, self.extent), confidence);
        if let Some(work) = &self.work
            && self.is_compared()
        {
            self.judgement = Judgement::of(work, least);
        }
        let [more_work, more_span] = self.more().map(|more| more.as_nanos() as f64);
        self.costs = more_work / f64::from(rounds.differential.threads.max(1)) + more_span;
    }

    /// How much more work there is in parallel, and how much of the span is due to that. Without task dags the part on the span
    /// is taken to be inflated as the work is.
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

/// Whether the executions came to a site so differently often that their work is not of the same things. Rayon divides a parallel
/// iterator once more where a part was stolen, but the items are the same.
fn did_other_things(kind: SiteKind, [oracle, parallel]: [u64; 2]) -> bool {
    let is_divided_anew = matches!(
        kind,
        SiteKind::ParIter | SiteKind::ParBridge | SiteKind::ParSort
    );
    !is_divided_anew && oracle.abs_diff(parallel) > oracle.max(parallel) / TOLERATED
}

/// Counts may differ by a hundredth: a program that waits by trying again tries a few times more.
const TOLERATED: u64 = 100;
