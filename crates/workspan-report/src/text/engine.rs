//! What the engine cost.

use std::io;

use workspan_model::{Analysis, EngineCount, Profile};

use super::page::{Figure, Page, figures};
use super::table::or_none;
use crate::figures::{amount, average, grouped, nanoseconds, percent, ratio};

/// What engines are known to count: name and meaning.
fn known(key: &str) -> Option<(&'static str, &'static str)> {
    Some(match key {
        "boundaries" => ("Boundaries", "between strands"),
        "clock_reads" => ("Clock readings", ""),
        "table_transitions" => ("Moves in the call tree", "found in a thread's own table"),
        "tree_misses" => ("Other moves", "looked up in the tree that all share"),
        "shared_subtrees" => ("Shared subtrees", "tiny tasks that were timed as a whole"),
        "shared_boundaries" => ("Shared boundaries", "without a reading of the clock"),
        "closed_stretches" => ("Shared stretches", "tiny tasks that were timed as a whole"),
        "broken_stretches" => ("Broken stretches", "that turned out to hold more than that"),
        "segments" => ("Segments", "pieces of paths that several tasks continue"),
        "processor_checks" => ("Processor checks", "looks at the kernel's accounts"),
        "threads" => ("Threads", "that were measured"),
        "start_nanos" => ("Start", "of the engine"),
        "calibration_nanos" => ("Calibration", "at the first use of the parallel runtime"),
        "write_nanos" => ("Writing", "of the profile"),
        "thread_bytes" => ("Memory", "for each thread"),
        _ => return None,
    })
}

pub(super) fn print(page: &mut Page<'_>, profile: &Profile, analysis: &Analysis) -> io::Result<()> {
    page.heading("What the engine cost")?;
    let (engine, metric) = (&analysis.engine, &analysis.metric);
    let calibration = &profile.calibration;
    let mut rows = figures! {
        "Own cost" => amount(engine.own_cost, metric), "{} of the work, taken off the strands", percent(engine.own_cost_share);
        "Boundaries per task" => or_none(engine.boundaries_per_task.map(ratio)), "";
        "Clock readings per boundary" => or_none(engine.clock_reads_per_boundary.map(ratio)), "";
        "A clock reading" => average(calibration.clock_read, metric), "as calibrated";
        "A boundary of a join" => average(calibration.join_boundary, metric), "as calibrated";
        "A boundary of a spawn" => average(calibration.spawn_boundary, metric), "as calibrated";
    };
    rows.extend(engine.counts.iter().map(|count| {
        let (name, meaning) = known(&count.name).unwrap_or((&count.name, ""));
        Figure {
            name: name.to_owned(),
            figure: figure(count),
            meaning: meaning.to_owned(),
        }
    }));
    page.figures(rows)?;
    if engine.counts.is_empty() {
        page.remark("The engine of this run counted nothing of itself.")?;
    }
    Ok(())
}

/// A count in its unit, which is the end of its name.
fn figure(count: &EngineCount) -> String {
    let sign = if count.value < 0 { "-" } else { "" };
    let value = count.value.unsigned_abs();
    if count.name.ends_with("_nanos") {
        format!("{sign}{}", nanoseconds(value))
    } else if count.name.ends_with("_bytes") {
        format!("{sign}{} bytes", grouped(value))
    } else {
        format!("{sign}{}", grouped(value))
    }
}
