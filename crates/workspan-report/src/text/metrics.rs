//! One program by several metrics.

use std::io;

use workspan_model::{Profile, analyse};

use super::page::Page;
use super::table::{Column, Table};
use crate::Screen;
use crate::figures::{amount, percent, ratio};
use crate::place::phrase;

/// Writes a table of `profiles`, which measure one program by different metrics: work and span in
/// what each counts, and the code with most of that span.
///
/// # Errors
/// Any error from writing to `output`.
pub fn metrics(profiles: &[Profile], screen: Screen, output: &mut dyn io::Write) -> io::Result<()> {
    let mut page = Page::new(output, screen);
    page.heading("By metric")?;
    let mut table = Table::new([
        Column::left("metric"),
        Column::right("work"),
        Column::right("span"),
        Column::right("paral\u{ad}\nlelism"),
        Column::right("burdened\nparal."),
        Column::right("share\nof span"),
        Column::flexible("of the code of"),
    ]);
    for profile in profiles {
        let analysis = analyse(profile);
        let (totals, metric) = (&analysis.totals, &analysis.metric);
        let most = analysis.sites.first();
        table.row([
            metric.name.clone(),
            amount(totals.work.time(), metric),
            amount(totals.span.time(), metric),
            ratio(totals.parallelism),
            ratio(totals.burdened_parallelism),
            most.map_or_else(String::new, |site| percent(site.on_span.share)),
            most.map_or_else(String::new, phrase),
        ]);
    }
    page.table(&table)?;
    page.remark("Each of a run of its own, so that tasks may have been stolen otherwise.")
}
