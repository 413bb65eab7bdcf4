//! When workers were idle.

use std::io;

use crate::ScalingReport;
use crate::figures::{duration, percent};
use crate::sentences::scaling as sentences;
use crate::text::page::Page;
use crate::text::table::TableOf;

/// The widest that the timeline gets.
const MOST_COLUMNS: usize = 120;

/// At most this many workers are shown.
const MOST_WORKERS: usize = 32;

/// From busy to idle.
const SHADES: [char; 5] = ['█', '▓', '▒', '░', '·'];

/// Prints what each worker did in the run with the median time on the most threads.
pub(super) fn print(page: &mut Page<'_>, report: &ScalingReport<'_>) -> io::Result<()> {
    let columns = (page.screen().width / 2).min(MOST_COLUMNS);
    let Some(timeline) = report.sweep.idle_timeline(columns) else {
        return Ok(());
    };
    page.heading(&format!(
        "Workers of a run on {}, {}",
        sentences::threads(timeline.threads),
        duration(timeline.elapsed)
    ))?;
    let workers = timeline.workers.iter().enumerate().take(MOST_WORKERS);
    let phases = |shares: &[f64]| shares.iter().copied().map(shade).collect::<String>();
    page.table(
        TableOf::new(workers)
            .right("worker", |(index, _)| *index)
            .right("work", |(_, worker)| percent(worker.work_share))
            .right("scheduling", |(_, worker)| percent(worker.scheduling_share))
            .right("idle", |(_, worker)| percent(worker.idle_share))
            .left("", |(_, worker)| phases(&worker.idle_shares)),
    )?;
    let more = timeline.workers.len().saturating_sub(MOST_WORKERS);
    if more > 0 {
        page.remark(&format!("and {more} more"))?;
    }
    page.remark("shares of the worker's time; from left to right: █ busy … · idle")
}

fn shade(idle_share: f64) -> char {
    let last = SHADES.len() - 1;
    SHADES[((idle_share * last as f64).round() as usize).min(last)]
}
