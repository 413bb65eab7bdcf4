//! One program by several metrics.

use std::io;

use workspan_model::{Analysis, Nanos, Profile, SiteRow, analyse};

use super::page::Page;
use super::table::TableOf;
use crate::Screen;
use crate::notation::figures::{amount, percent, ratio};
use crate::notation::place::phrase;

/// Writes a table of `profiles`, which measure one program by different metrics: work and span in
/// what each counts, and the code with most of that span.
///
/// # Errors
/// Any error from writing to `output`.
pub fn metrics(profiles: &[Profile], screen: Screen, output: &mut dyn io::Write) -> io::Result<()> {
    let mut page = Page::new(output, screen);
    page.heading("By metric")?;
    let amount = |analysis: &Analysis, figure: Nanos| amount(figure, &analysis.metric);
    let of_most = |analysis: &Analysis, words: fn(&SiteRow) -> String| {
        analysis.sites.first().map_or_else(String::new, words)
    };
    page.table(
        TableOf::new(profiles.iter().map(analyse))
            .left("metric", |it| it.metric.name.clone())
            .right("work", |it| amount(it, it.totals.work.time()))
            .right("span", |it| amount(it, it.totals.span.value.time()))
            .right("paral\u{ad}\nlelism", |it| {
                ratio(it.totals.parallelism.value)
            })
            .right("burdened\nparal.", |it| {
                ratio(it.totals.burdened_parallelism.value)
            })
            .right("share\nof span", |it| {
                of_most(it, |site| percent(site.on_span.share))
            })
            .flexible("of the code of", |it| of_most(it, phrase)),
    )?;
    page.remark("Each of a run of its own, so that tasks may have been stolen otherwise.")
}
