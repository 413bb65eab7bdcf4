//! How much more work a parallel run does than a run of the same program with one worker:
//! differential analysis (TaskProf, dissertation ch. 5).
//!
//! A [`Differential`] holds the figures of runs of one program, some with one worker, the *oracle*,
//! and some in parallel. Both create the same tasks, since both are told the same number of cores;
//! so if a strand takes longer in parallel, the cause is interference: sharing of caches, of
//! memory, of whatever the cores have in common. [`inflation`] compares them, run by run and site
//! by site.

mod compared;
mod differential;
mod findings;
mod matching;
mod metric;
mod path;
mod program;
mod rounds;

use rounds::{Rounds, Sites};

use crate::quantity::paired::rounds_needed;
use crate::{Finding, SiteRow};

pub use compared::{Compared, Judgement, LEAST_SHARE};
pub use differential::{DIFFERENTIAL_VERSION, Differential, DifferentialRun, ExecutionKind};
pub use metric::MetricInflation;
pub use path::{LookedUp, PathLookup, look_up_path};
pub use program::{InflatedPath, ProgramInflation};
pub use rounds::Extent;

/// The result of comparing the runs of a [`Differential`].
#[derive(Clone, Debug, PartialEq)]
pub struct Inflation {
    /// The sites, starting with those of the first parallel run. The rows serve to identify them:
    /// their figures are just those of the first run that has the site.
    pub sites: Vec<SiteRow>,
    /// The comparison by each metric, in the order in which the metrics were requested.
    pub metrics: Vec<MetricInflation>,
    /// The findings, in descending order of gain. Rows are indices into `sites`.
    pub findings: Vec<Finding>,
}

/// Compares the executions of `differential`.
///
/// For each metric and row, the figure of a round is the ratio of its parallel run to its oracle
/// run, which ran right before or after it. The inflation is the median of these ratios, and its
/// interval lies between two of them, by order statistics, whatever the distribution
/// ([`PairedRatio`](crate::PairedRatio)). The intervals of all rows of a metric are made wide enough
/// to hold at once (Bonferroni: each at 1 − 5%/n for n compared rows); that of the whole program
/// stands alone, at 95%.
///
/// Metrics without a round in which both executions succeeded are left out.
pub fn inflation(differential: &Differential) -> Inflation {
    let sites = Sites::new(differential);
    let metrics: Vec<MetricInflation> = differential
        .metrics()
        .into_iter()
        .filter_map(|metric| metric_inflation(differential, metric, &sites))
        .collect();
    let findings = findings::findings(differential, &metrics);
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
    let rounds = Rounds::new(differential, metric, sites);
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
            .then(one.site.cmp(&other.site))
    });
    let runs = differential.runs.iter();
    let estimates = runs.filter(|run| run.metric == metric && run.is_estimate);
    Some(MetricInflation {
        metric: metric.to_owned(),
        program,
        rows,
        comparisons,
        rounds_needed: rounds_needed(comparisons),
        estimates: estimates.count(),
    })
}

#[cfg(test)]
mod tests;
