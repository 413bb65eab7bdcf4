//! How much more work a parallel run does than the one-worker run of the same program: differential analysis (TaskProf,
//! dissertation ch. 5).
//!
//! A [`Differential`] holds the figures of runs of one program, some by one worker, the *oracle*, some in parallel. Both make the
//! same tasks, since both are told of the same number of cores; so what a strand takes longer in parallel is interference:
//! sharing of caches, of memory, of whatever the cores have in common. [`inflation`] compares them, run by run, site by site.

mod cause;
mod compared;
mod differential;
mod judgement;
mod matching;
mod paired;
mod path;
mod program;

use std::collections::HashMap;

use crate::findings::inflated;
use crate::site_row::{RowKey, row_key};
use crate::{Finding, SiteRow};

pub use cause::InflationCause;
pub use compared::{Compared, Extent};
pub use differential::{DIFFERENTIAL_VERSION, Differential, DifferentialRun, ExecutionKind};
pub use judgement::Judgement;
pub use paired::PairedRatio;
pub use path::{LookedUp, PathLookup, look_up_path};
pub use program::{InflatedPath, ProgramInflation};

use compared::Rounds;

/// A row is compared if it has this share of the work or of the span in one of the executions: what has less cannot matter, and
/// each comparison makes the others less sure.
pub const LEAST_SHARE: f64 = 0.01;

/// What the runs of a [`Differential`] say.
#[derive(Clone, Debug, PartialEq)]
pub struct Inflation {
    /// The sites, those of the first parallel run first; without figures of a run of their own.
    pub sites: Vec<SiteRow>,
    /// What each metric says, in the order in which they were asked for.
    pub metrics: Vec<MetricInflation>,
    /// What follows, the greatest gain first. Rows are indices into `sites`.
    pub findings: Vec<Finding>,
}

/// What one metric says.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricInflation {
    /// The metric.
    pub metric: String,
    /// The whole program.
    pub program: ProgramInflation,
    /// The rows, those first whose inflation costs most of the expected time.
    pub rows: Vec<Compared>,
    /// How many of them are compared: so many intervals all hold at once, with 95% confidence.
    pub comparisons: usize,
    /// How many rounds that takes at least.
    pub rounds_needed: u32,
    /// Of how many of its runs the counts are estimates.
    pub estimates: usize,
}

impl MetricInflation {
    /// Whether it is a time, of which inflation is lost time.
    pub fn is_time(&self) -> bool {
        self.a_nano().is_some()
    }

    /// About how many of its amounts a nanosecond has; `None` if it is no time.
    pub(crate) fn a_nano(&self) -> Option<f64> {
        a_nano(&self.metric)
    }
}

/// About how many cycles a processor runs in a nanosecond.
const CYCLES_A_NANO: f64 = 3.0;

/// How many of what a metric counts a nanosecond has; `None` if that takes no time by itself.
fn a_nano(metric: &str) -> Option<f64> {
    // Without the modes of the processor in which it counts.
    match metric.split(':').next().unwrap_or_default() {
        "time" | "task-clock" | "cpu-clock" => Some(1.0),
        "cycles" | "cpu-cycles" | "ref-cycles" => Some(CYCLES_A_NANO),
        _ => None,
    }
}

/// Compares the executions of `differential`.
///
/// For each metric and row, the figure of a round is the ratio of its parallel run to its oracle run, which ran right before or
/// after it; the inflation is the median of these ratios, and its interval lies between two of them, by order statistics, whatever
/// the distribution ([`PairedRatio`]). The intervals of all rows of a metric are made so wide that they hold at once (Bonferroni:
/// each at 1 − 5%/n for n compared rows); that of the whole program stands alone, at 95%.
///
/// Metrics without a round in which both executions succeeded are left out.
pub fn inflation(differential: &Differential) -> Inflation {
    let sites = Sites::of(differential);
    let metrics: Vec<MetricInflation> = differential
        .metrics()
        .into_iter()
        .filter_map(|metric| metric_inflation(differential, metric, &sites))
        .collect();
    let findings = inflated(differential, &metrics);
    Inflation {
        sites: sites.rows,
        metrics,
        findings,
    }
}

fn metric_inflation(
    differential: &Differential,
    metric: &str,
    sites: &Sites,
) -> Option<MetricInflation> {
    let rounds = Rounds::of(differential, metric, sites);
    let program = program::program(&rounds)?;
    let mut rows = compared::rows(&rounds, &program);
    let comparisons = rows.iter().filter(|row| row.is_compared()).count();
    for row in &mut rows {
        row.judge(&rounds, comparisons, differential.least);
    }
    rows.sort_by(|one, other| {
        other
            .costs
            .total_cmp(&one.costs)
            .then(one.row.cmp(&other.row))
    });
    let runs = differential.runs.iter();
    let estimates = runs.filter(|run| run.metric == metric && run.is_estimate);
    Some(MetricInflation {
        metric: metric.to_owned(),
        program,
        rows,
        comparisons,
        rounds_needed: paired::rounds_needed(comparisons),
        estimates: estimates.count(),
    })
}

/// The sites of all runs, each once.
struct Sites {
    rows: Vec<SiteRow>,
    /// Of each run, and of each row in it, the site.
    of_runs: Vec<Vec<usize>>,
}

impl Sites {
    fn of(differential: &Differential) -> Self {
        let runs = &differential.runs;
        let is_parallel = |&run: &usize| runs[run].execution == ExecutionKind::Parallel;
        let (first, last): (Vec<usize>, Vec<usize>) = (0..runs.len()).partition(is_parallel);
        let mut index_of_key: HashMap<RowKey<'_>, usize> = HashMap::new();
        let mut rows: Vec<SiteRow> = Vec::new();
        let mut of_runs = vec![Vec::new(); runs.len()];
        for run in first.into_iter().chain(last) {
            for row in &runs[run].figures.sites {
                let index = *index_of_key.entry(row_key(row)).or_insert(rows.len());
                if index == rows.len() {
                    rows.push(row.clone());
                }
                of_runs[run].push(index);
            }
        }
        Self { rows, of_runs }
    }
}

#[cfg(test)]
mod tests;
