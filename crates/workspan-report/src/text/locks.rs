//! The program's locks, and how far they let it scale.

use std::io;

use workspan_model::{Analysis, LockRow};

use super::page::Page;
use super::table::TableOf;
use crate::notation::figures::{amount, duration, percent, ratio, short_count};
use crate::notation::place::place;
use crate::sentences::words;

/// Locks held for less of the work are not shown: fewer than a thousand cores never wait for them
/// for long.
const LEAST_SHARE: f64 = 0.001;

/// Prints at most `most` locks.
pub(super) fn print(page: &mut Page<'_>, analysis: &Analysis, most: usize) -> io::Result<()> {
    let locks: Vec<&LockRow> = analysis
        .locks
        .iter()
        .filter(|lock| lock.work_share >= LEAST_SHARE)
        .collect();
    if locks.is_empty() {
        return Ok(());
    }
    page.heading("Locks, by the time for which they were held")?;
    let metric = &analysis.metric;
    // The figures are those of all places of a lock together.
    let places = locks.iter().take(most).flat_map(|lock| {
        let places = lock.places.iter().enumerate();
        places.map(move |(index, (row, _))| (&analysis.sites[*row], (index == 0).then_some(lock)))
    });
    page.table(
        TableOf::new(places)
            .flexible("location", |(site, _)| place(site))
            .left("kind", |(site, _)| site.kind.name())
            .sparse("acquired", |(_, it)| Some(short_count((*it)?.acquisitions)))
            .sparse("held", |(_, it)| Some(amount((*it)?.held.time(), metric)))
            .sparse("share\nof work", |(_, it)| Some(percent((*it)?.work_share)))
            .sparse("most\nspeedup", |(_, it)| Some(ratio((*it)?.most_speedup)))
            .sparse("waited", |(_, it)| Some(duration((*it)?.waited))),
    )?;
    page.more(locks.len().saturating_sub(most), "", ", --json writes all")?;
    page.remark(words("remark", "locks"))
}
