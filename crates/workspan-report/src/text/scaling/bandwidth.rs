//! Whether memory limits the program.

use std::io;

use workspan_model::Bandwidth;

use super::estimates::{few_runs, median_interval, ratio_interval, too_short};
use crate::figures::{duration, ratio};
use crate::sentences::scaling as sentences;
use crate::text::page::Page;
use crate::text::table::TableOf;

/// Prints how much slower copies get that run at once, and what follows from it.
pub(super) fn print(page: &mut Page<'_>, bandwidth: &Bandwidth) -> io::Result<()> {
    page.heading("Memory bandwidth")?;
    let shared = |shares_cores| if shares_cores { "*" } else { "" };
    page.table(
        TableOf::new(&bandwidth.points)
            .right("copies", |it| {
                format!("{}{}", it.copies, shared(it.shares_cores))
            })
            .right("runs", |it| it.time.runs)
            .right("time", |it| duration(it.time.median.value))
            .left("", |it| median_interval(&it.time))
            .right("slow-down", |it| ratio(it.slowdown.value))
            .left("", |it| ratio_interval(it.slowdown))
            .right("together", |it| ratio(it.throughput.value)),
    )?;
    page.remark(
        "time: of a copy, of those that ran at once, on one worker each; together: how many times the work of one alone they do in the same time",
    )?;
    few_runs(
        page,
        "the time",
        bandwidth.points.iter().map(|point| &point.time),
    )?;
    if bandwidth.points.iter().any(|point| point.shares_cores) {
        page.remark("* copies share physical cores, and are slower for that alone")?;
    }
    page.sentence(&sentences::bandwidth(bandwidth))?;
    let lacked = bandwidth.points.iter();
    let lacked = lacked.map(|point| {
        let copies = match point.copies {
            1 => "by one alone".to_owned(),
            copies => format!("by each of {copies}"),
        };
        (copies, point.lacked)
    });
    if let Some(sentence) = sentences::lacked("the copies", lacked) {
        page.item("!", &sentence)?;
    }
    match too_short(bandwidth.points.iter().map(|point| &point.time)) {
        Some(shortest) => page.item("!", &sentences::too_short(shortest)),
        None => Ok(()),
    }
}
