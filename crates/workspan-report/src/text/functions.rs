//! What the span is made of, by samples.

use std::io;

use workspan_model::{Analysis, FunctionRow, Functions};

use super::page::Page;
use crate::notation::figures::{counted, duration, grouped, interval, percent};
use crate::notation::place::{caller, function};

/// At most this many functions are shown.
const MOST_FUNCTIONS: usize = 5;

/// Smaller shares of the span are not shown.
const LEAST_SHARE: f64 = 0.02;

/// A function that runs less of a row's share is not named in it.
const LEAST_HOT_SHARE: f64 = 0.1;

/// Many kernels take no more samples per second than this, however many are asked for.
const USEFUL_RATE: u32 = 250;

/// Waits on the critical path get a remark from this share of the span on.
const LONG_WAIT_SHARE: f64 = 0.05;

pub(super) fn print(page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
    let Some(functions) = &analysis.functions else {
        return Ok(());
    };
    if !functions.cover_the_work() {
        page.heading("What the span is made of")?;
        return page.remark(&why_none(functions));
    }
    if !functions.cover_the_span() {
        return of_work(page, functions);
    }
    let samples = samples(functions.on_span.samples);
    page.heading(&match &analysis.runs {
        Some(runs) => format!(
            "What the span is made of, by {samples} of run {}",
            runs.shown + 1
        ),
        None => format!("What the span is made of, by {samples}"),
    })?;
    page.entry_heading("of span  of work  ")?;
    let mut shown = 0;
    for row in functions.rows.iter().take(MOST_FUNCTIONS) {
        if row.serial.on_span.share.value < LEAST_SHARE {
            break;
        }
        entry(page, functions, row)?;
        shown += 1;
    }
    if let Some(note) = &functions.note {
        page.remark(&format!("About the sampling: {note}."))?;
    }
    let rest = functions.rows[shown..].iter();
    let rest = rest.filter(|row| row.serial.on_span.samples > 0.0).count();
    if rest > 0 {
        page.remark(&format!(
            "and {} more; --json writes all of them",
            grouped(rest as u64)
        ))?;
    }
    remark_on_waits(page, analysis, functions)
}

/// The functions that make up the work, where too few samples are on the span.
fn of_work(page: &mut Page<'_>, functions: &Functions) -> io::Result<()> {
    page.heading(&format!(
        "What the work is made of, by {}",
        samples(functions.on_work.samples)
    ))?;
    page.entry_heading("of work  ")?;
    for row in functions.by_work().take(MOST_FUNCTIONS) {
        if row.serial.on_work.share.value < LEAST_SHARE {
            break;
        }
        let share = format!("{:>11}  ", interval(row.serial.on_work.share));
        page.entry(&share, &called(row))?;
    }
    page.remark(&format!(
        "{} on the critical path: too few to tell what the span is made of.",
        samples(functions.on_span.samples)
    ))
}

fn why_none(functions: &Functions) -> String {
    let too_few = || {
        format!(
            "{} on the critical path: too few to tell functions apart. Give the program more to do{}.",
            samples(functions.on_span.samples),
            if functions.rate < USEFUL_RATE {
                ", or raise --sample-hz"
            } else {
                ""
            }
        )
    };
    match &functions.note {
        Some(note) if functions.on_work.samples <= 0.0 => format!("No samples: {note}."),
        Some(note) => format!("{} About the sampling: {note}.", too_few()),
        None => too_few(),
    }
}

fn samples(effective: f64) -> String {
    counted(effective.round() as u64, "sample", "samples")
}

fn entry(page: &mut Page<'_>, functions: &Functions, row: &FunctionRow) -> io::Result<()> {
    let shares = format!(
        "{:>11}  {:>5}  ",
        interval(row.serial.on_span.share),
        percent(row.serial.on_work.share.value),
    );
    let mut text = called(row);
    if let Some((hottest, share)) = row.hottest
        && functions.rows[hottest].function != row.function
        && share.share.value >= LEAST_HOT_SHARE * row.serial.on_span.share.value
    {
        let most = share.share.value >= row.serial.on_span.share.value / 2.0;
        let of_it = if most { "most of it" } else { "part of it" };
        text.push_str(&format!(
            "; {of_it} in {}, {}",
            function(&functions.rows[hottest]),
            percent(share.share.value),
        ));
    }
    page.entry(&shares, &text)
}

/// A row's function, and where it is called.
fn called(row: &FunctionRow) -> String {
    let mut text = function(row);
    if row.parallel {
        text.push_str(" itself");
    }
    if let Some(first) = row.callers.first() {
        text.push_str(&format!(", called from {}", caller(first)));
        if row.callers.len() > 1 {
            let more = counted(row.callers.len() as u64 - 1, "more place", "more places");
            text.push_str(&format!(" and {more}"));
        }
    }
    text
}

fn remark_on_waits(
    page: &mut Page<'_>,
    analysis: &Analysis,
    functions: &Functions,
) -> io::Result<()> {
    let span = analysis.totals.span.value.time();
    let waits = span - functions.on_span.time;
    if waits.share_of(span) < LONG_WAIT_SHARE {
        return Ok(());
    }
    page.remark(&format!(
        "Samples fall on processor time alone: waits, about {} of the span, are in no function.",
        duration(waits)
    ))
}
