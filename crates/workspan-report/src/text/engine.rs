//! What the engine cost.

use std::io;

use workspan_model::{Analysis, EngineCount, Profile};

use super::page::{Figure, Page, figures};
use super::table::or_none;
use crate::notation::figures::{amount, average, grouped, nanoseconds, percent, ratio};
use crate::sentences::words;

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
        let known = words("engine", &count.name).split_once(" |");
        let (name, meaning) = known.unwrap_or((&count.name, ""));
        Figure {
            name: name.to_owned(),
            figure: figure(count),
            meaning: meaning.trim_start().to_owned(),
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
