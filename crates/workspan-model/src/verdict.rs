//! The answer in one sentence: does the program scale, and what limits it?

use crate::{Profile, SiteRow, SpeedupBounds, Totals, speedup_bounds};

/// Whether the program scales to a number of cores, and what limits it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// What to expect on the cores that the run assumed (the real ones when it assumed none).
    pub bounds: SpeedupBounds,
    /// What limits the speedup there.
    pub limit: Limit,
}

/// What limits the speedup. Rows are indices into the site rows given to [`verdict`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// No parallel construct was executed.
    OneStrand,
    /// Nothing yet: at least half of linear speedup is to be expected.
    None,
    /// The cost of moving tasks: the burdened parallelism is less than half of the parallelism.
    Migration {
        /// The site with the most instances on the critical path.
        row: usize,
    },
    /// The chain of dependencies.
    Span {
        /// The site with the largest share of it.
        row: usize,
    },
}

/// The verdict on a profile.
///
/// # Panics
/// When there are no rows.
pub fn verdict(profile: &Profile, totals: &Totals, rows: &[SiteRow]) -> Verdict {
    let run = &profile.run;
    let cores = match run.assumed_cores {
        0 => run.threads.max(profile.machine.cores),
        assumed => assumed,
    };
    let bounds = speedup_bounds(totals.parallelism, totals.burdened_parallelism, cores);
    let limit = if totals.constructs == 0 {
        Limit::OneStrand
    } else if bounds.lower >= f64::from(cores) / 2.0 {
        Limit::None
    } else if totals.burdened_parallelism < totals.parallelism / 2.0 {
        Limit::Migration {
            row: row_of_most(rows, |row| row.on_span.count),
        }
    } else {
        Limit::Span {
            row: row_of_most(rows, |row| row.on_span.local_span),
        }
    };
    Verdict { bounds, limit }
}

fn row_of_most<K: Ord>(rows: &[SiteRow], key: impl Fn(&SiteRow) -> K) -> usize {
    let rows = rows.iter().enumerate().rev();
    rows.max_by_key(|(_, row)| key(row))
        .expect("the root has a row")
        .0
}
