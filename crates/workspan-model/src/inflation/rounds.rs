//! The rounds of a differential analysis: the runs of both executions that are compared.

use indexmap::IndexMap;
use serde::Serialize;

use super::{Differential, ExecutionKind};
use crate::profile::site_row::{RowKey, row_key};
use crate::{SiteKind, SiteRow, Span, Work};

/// The sites of all runs, each once.
pub(super) struct Sites {
    pub(super) rows: Vec<SiteRow>,
    /// For each run, the site of each of its rows.
    site_of_row: Vec<Vec<usize>>,
}

impl Sites {
    pub(super) fn new(differential: &Differential) -> Self {
        let runs = &differential.runs;
        let is_parallel = |&run: &usize| runs[run].execution == ExecutionKind::Parallel;
        let (first, last): (Vec<usize>, Vec<usize>) = (0..runs.len()).partition(is_parallel);
        let mut rows: IndexMap<RowKey<'_>, SiteRow> = IndexMap::new();
        let mut site_of_row = vec![Vec::new(); runs.len()];
        for run in first.into_iter().chain(last) {
            for row in &runs[run].figures.sites {
                let site = rows.entry(row_key(row));
                site_of_row[run].push(site.index());
                site.or_insert_with(|| row.clone());
            }
        }
        Self {
            rows: rows.into_values().collect(),
            site_of_row,
        }
    }
}

named! {
    /// Which strands of a row are compared.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String", inline))]
    #[serde(rename_all = "snake_case")]
    pub enum Extent {
        /// Its own; over all rows these make up the whole work.
        Own = "own",
        /// With everything that they wait for: a region from its beginning to its end.
        Whole = "whole",
    }
}

impl Extent {
    /// The figures of a row to this extent.
    fn figures(self, row: &SiteRow) -> Figures {
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
    pub(super) count: u64,
}

/// The rounds of a metric in which both executions succeeded.
pub(super) struct Rounds<'a> {
    pub(super) differential: &'a Differential,
    pub(super) sites: &'a Sites,
    /// For each round, the indices of the oracle run and the parallel one.
    pub(super) runs: Vec<[usize; 2]>,
}

impl<'a> Rounds<'a> {
    pub(super) fn new(differential: &'a Differential, metric: &str, sites: &'a Sites) -> Self {
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

    /// The number of sites.
    pub(super) fn sites(&self) -> usize {
        self.sites.rows.len()
    }

    /// The site of a row of a run.
    pub(super) fn site_of(&self, run: usize, row: usize) -> usize {
        self.sites.site_of_row[run][row]
    }

    /// The figures of a site in the two runs of a round; `None` for a run that did not reach it.
    pub(super) fn in_round(
        &self,
        round: [usize; 2],
        site: usize,
        extent: Extent,
    ) -> [Option<Figures>; 2] {
        round.map(|run| {
            let row = self.row_in(run, site)?;
            Some(extent.figures(&self.differential.runs[run].figures.sites[row]))
        })
    }

    /// The same for each round.
    pub(super) fn figures(&self, site: usize, extent: Extent) -> Vec<[Option<Figures>; 2]> {
        let rounds = self.runs.iter();
        rounds
            .map(|&round| self.in_round(round, site, extent))
            .collect()
    }

    fn row_in(&self, run: usize, site: usize) -> Option<usize> {
        let mut sites = self.sites.site_of_row[run].iter();
        sites.position(|&other| other == site)
    }

    /// The part of a site in the critical path of each round's parallel run, if it was looked up:
    /// in the oracle run, and in the parallel one. What was not found is assumed to be inflated
    /// like the site's work.
    pub(super) fn looked_up(&self, site: usize, extent: Extent) -> Vec<(f64, f64)> {
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

    /// Every site with each extent of it that is compared.
    pub(super) fn rows(&self) -> impl Iterator<Item = (usize, Extent)> {
        let rows = self.sites.rows.iter().enumerate();
        let with_nodes = rows.filter(|(_, row)| !row.kind.is_lock());
        with_nodes.flat_map(|(site, row)| {
            let whole = (row.kind == SiteKind::Region).then_some((site, Extent::Whole));
            whole.into_iter().chain([(site, Extent::Own)])
        })
    }
}

/// Inflation of a site's work in one round; 1 if one of the runs did nothing there.
pub(super) fn inflation_in_round(figures: [Option<Figures>; 2]) -> f64 {
    let works = figures.map(|figures| figures.map_or(0, |figures| figures.work.time().shown()));
    match works {
        [0, _] | [_, 0] => 1.0,
        [oracle, parallel] => parallel as f64 / oracle as f64,
    }
}
