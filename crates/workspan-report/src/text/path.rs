//! What the span of some sites is made of.

use std::io;

use workspan_model::{Profile, SiteRow, path_of};

use super::page::Page;
use super::table::{TableOf, or_none};
use crate::notation::figures::{amount, grouped, percent, ratio, short_count};
use crate::notation::place::{kind_and_name, phrase, place};

/// If the parts add up to less than this share of the span, a remark says so.
const NEARLY_ALL: f64 = 0.995;

/// Prints the path of the `selected` sites, which are indices into `rows`; at most `most` parts.
pub(super) fn print(
    page: &mut Page<'_>,
    profile: &Profile,
    rows: &[SiteRow],
    selected: &[usize],
    most: Option<usize>,
) -> io::Result<()> {
    page.heading("What makes up the span")?;
    let metric = &profile.run.metric;
    let subject = subject(rows, selected);
    let Some(path) = path_of(profile, rows, selected) else {
        return page.sentence(&format!(
            "Of {subject}: this profile does not tell, an older workspan measured it. Profile the program again.",
        ));
    };
    let executions = match path.count {
        1 => "1 execution that lies within no other".to_owned(),
        count => format!("{} executions that lie within no other", grouped(count)),
    };
    page.sentence(&format!(
        "Of {subject}: {executions}, work {}, span {}, parallelism {}.",
        amount(path.work.time(), metric),
        amount(path.span.time(), metric),
        or_none(path.parallelism.map(ratio)),
    ))?;

    let parts = &path.parts[..path.parts.len().min(most.unwrap_or(usize::MAX))];
    page.table(
        TableOf::new(parts)
            .flexible("location", |part| place(&rows[part.row]))
            .flexible("kind", |part| kind_and_name(&rows[part.row]))
            .right("count", |part| short_count(part.count))
            .right(&format!("own {}", metric.noun()), |part| {
                amount(part.local_span.time(), metric)
            })
            .right("share\nof span", |part| percent(part.share)),
    )?;
    let measured = if metric.is_time() {
        "timed"
    } else {
        "measured"
    };
    page.remark(&format!(
        "Counted and {measured} on that span alone, each without what it calls."
    ))?;
    if path.recorded < NEARLY_ALL {
        page.remark(&format!(
            "{} of the span is told: of many short executions the engine keeps the paths of some.",
            percent(path.recorded)
        ))?;
    }
    page.more(path.parts.len() - parts.len(), "", "")
}

/// The selected sites, which are of one kind, in words.
fn subject(rows: &[SiteRow], selected: &[usize]) -> String {
    let (Some(first), count) = (selected.first().map(|&row| &rows[row]), selected.len()) else {
        return "nothing".to_owned();
    };
    let same_name = || selected.iter().all(|&row| rows[row].name == first.name);
    match (&first.name, first.kind) {
        _ if count == 1 => phrase(first),
        (Some(name), _) if same_name() => format!("{name}, at {count} places"),
        (_, kind) => format!("{count} sites of kind {kind}"),
    }
}
