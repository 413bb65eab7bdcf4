//! How far the figures of a site vary over several runs.

use serde::Serialize;
use workspan_model::{Runs, SiteSpread, Spread};

use super::number::{nanos, rounded};

/// Of which run the figures of all sites are.
#[derive(Serialize)]
pub(super) struct ShownRunView {
    /// How many runs there were.
    runs: usize,
    /// Which of them is shown, the first is 1.
    shown: usize,
}

impl ShownRunView {
    pub(super) const fn of(runs: &Runs) -> Self {
        Self {
            runs: runs.runs.len(),
            shown: runs.shown + 1,
        }
    }
}

/// The least and the most of figures of a site.
#[derive(Serialize)]
pub(super) struct SiteSpreadView {
    /// In how many runs it was reached; the figures are of those.
    runs: usize,
    count: [u64; 2],
    work: [u64; 2],
    span: [u64; 2],
    share_of_span: [f64; 2],
    stolen: [u64; 2],
}

impl SiteSpreadView {
    pub(super) fn of(site: &SiteSpread) -> Self {
        fn ends<T, N>(spread: Spread<T>, number: impl Fn(T) -> N) -> [N; 2] {
            [spread.least, spread.most].map(number)
        }
        Self {
            runs: site.runs,
            count: ends(site.top_count, |count| count),
            work: ends(site.work, |work| nanos(work.time())),
            span: ends(site.span, |span| nanos(span.time())),
            share_of_span: ends(site.share_of_span, rounded),
            stolen: ends(site.stolen, |count| count),
        }
    }
}
