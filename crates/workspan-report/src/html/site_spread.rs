//! How far the figures of a site vary over several runs.

use serde::Serialize;
use workspan_model::{RowOnWork, Runs, SiteSpread, Spread};

use super::number::rounded;
use crate::object::object;

/// Which run the figures of all sites are from.
pub(super) fn shown_run(runs: &Runs) -> impl Serialize {
    object! {
        // How many runs there were.
        runs: runs.runs.len(),
        // The number of the run that is shown; the first is 1.
        shown: runs.shown + 1,
    }
}

/// The least and the most of a site's figures.
#[derive(Serialize)]
pub(super) struct SiteSpreadView {
    /// In how many runs the site was reached; the figures are from those.
    runs: usize,
    count: [u64; 2],
    work: [u64; 2],
    span: [u64; 2],
    share_of_span: [f64; 2],
    stolen: [u64; 2],
}

impl SiteSpreadView {
    pub(super) fn new(site: &SiteSpread) -> Self {
        fn ends<T>(spread: Spread<T>) -> [T; 2] {
            [spread.least, spread.most]
        }
        let on_work = |figure: fn(&RowOnWork) -> u64| ends(site.spread(|row| figure(&row.on_work)));
        Self {
            runs: site.rows.len(),
            count: on_work(|row| row.top_count),
            work: on_work(|row| row.work.time().shown()),
            span: on_work(|row| row.span.time().shown()),
            share_of_span: ends(site.spread(|row| row.on_span.share)).map(rounded),
            stolen: on_work(|row| row.stolen),
        }
    }
}
