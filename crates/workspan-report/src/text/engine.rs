//! What the engine cost.

use std::io;

use workspan_model::{Analysis, EngineCount, Profile};

use super::page::Page;
use super::table::{Column, Table};
use crate::figures::{amount, average, grouped, nanoseconds, percent, ratio};

/// What engines are known to count: key, name, meaning.
const KNOWN: [(&str, &str, &str); 15] = [
    ("boundaries", "Boundaries", "between strands"),
    ("clock_reads", "Clock readings", ""),
    (
        "table_transitions",
        "Moves in the call tree",
        "found in a thread's own table",
    ),
    (
        "tree_misses",
        "Other moves",
        "looked up in the tree that all share",
    ),
    (
        "shared_subtrees",
        "Shared subtrees",
        "tiny tasks that were timed as a whole",
    ),
    (
        "shared_boundaries",
        "Shared boundaries",
        "without a reading of the clock",
    ),
    (
        "closed_stretches",
        "Shared stretches",
        "tiny tasks that were timed as a whole",
    ),
    (
        "broken_stretches",
        "Broken stretches",
        "that turned out to hold more than that",
    ),
    (
        "segments",
        "Segments",
        "pieces of paths that several tasks continue",
    ),
    (
        "processor_checks",
        "Processor checks",
        "looks at the kernel's accounts",
    ),
    ("threads", "Threads", "that were measured"),
    ("start_nanos", "Start", "of the engine"),
    (
        "calibration_nanos",
        "Calibration",
        "at the first use of the parallel runtime",
    ),
    ("write_nanos", "Writing", "of the profile"),
    ("thread_bytes", "Memory", "for each thread"),
];

pub(super) fn print(page: &mut Page<'_>, profile: &Profile, analysis: &Analysis) -> io::Result<()> {
    page.heading("What the engine cost")?;
    let mut table = Table::new([Column::left(""), Column::right(""), Column::words("")]);
    let metric = &analysis.metric;
    let mut row = |name: &str, figure: String, meaning: &str| {
        table.row([name.to_owned(), figure, meaning.to_owned()]);
    };
    let engine = &analysis.engine;
    row(
        "Own cost",
        amount(engine.own_cost, metric),
        &format!(
            "{} of the work, taken off the strands",
            percent(engine.own_cost_share)
        ),
    );
    let known = |figure: Option<f64>| figure.map_or_else(|| "–".to_owned(), ratio);
    row("Boundaries per task", known(engine.boundaries_per_task), "");
    row(
        "Clock readings per boundary",
        known(engine.clock_reads_per_boundary),
        "",
    );
    let calibration = &profile.calibration;
    row(
        "A clock reading",
        average(calibration.clock_read, metric),
        "as calibrated",
    );
    row(
        "A boundary of a join",
        average(calibration.join_boundary, metric),
        "as calibrated",
    );
    row(
        "A boundary of a spawn",
        average(calibration.spawn_boundary, metric),
        "as calibrated",
    );
    for count in &engine.counts {
        let known = KNOWN.iter().find(|(key, ..)| *key == count.name);
        let (name, meaning) = known.map_or((count.name.as_str(), ""), |&(_, name, meaning)| {
            (name, meaning)
        });
        row(name, figure(count), meaning);
    }
    page.table(&table)?;
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
