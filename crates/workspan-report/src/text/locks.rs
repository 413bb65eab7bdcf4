//! The program's locks, and how far they let it scale.

use std::io;

use workspan_model::{Analysis, LockRow, Metric};

use super::page::Page;
use super::table::{Column, Table};
use crate::figures::{amount, duration, percent, ratio, short_count};
use crate::place::place;

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
    let mut table = Table::new([
        Column::flexible("location"),
        Column::left("kind"),
        Column::right("acquired"),
        Column::right("held"),
        Column::right("share\nof work"),
        Column::right("most\nspeedup"),
        Column::right("waited"),
    ]);
    for lock in locks.iter().take(most) {
        for (index, &(row, _)) in lock.places.iter().enumerate() {
            let site = &analysis.sites[row];
            let mut cells = vec![place(site), site.kind.name().to_owned()];
            cells.extend(match index {
                0 => figures(lock, &analysis.metric),
                _ => std::array::from_fn(|_| String::new()),
            });
            table.row(cells);
        }
    }
    page.table(&table)?;
    page.more(locks.len().saturating_sub(most), "", ", --json writes all")?;
    page.remark(
        "What is done under one lock is done by one thread after the other: no number of cores gives more speedup. \
         Threads waited so long in this run.",
    )
}

/// The figures of all its places together.
fn figures(lock: &LockRow, metric: &Metric) -> [String; 5] {
    [
        short_count(lock.acquisitions),
        amount(lock.held.time(), metric),
        percent(lock.work_share),
        ratio(lock.most_speedup),
        duration(lock.waited),
    ]
}
