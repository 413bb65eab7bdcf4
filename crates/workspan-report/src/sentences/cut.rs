//! What to say of iterators that were cut for more cores than there were threads.

use workspan_model::{Analysis, AssumedCut, Limit, RealCut, WorkPerPiece};

use super::answer::SiteAnswer;
use super::contention::lacks_processors;
use crate::notation::figures::{counted, duration, percent};
use crate::notation::place::phrase;

/// The clause that says that it was not checked, where a speedup is promised and the advice is
/// another.
pub(crate) fn unchecked(analysis: &Analysis) -> String {
    match analysis.cut {
        Some(AssumedCut::Unchecked) if analysis.promises_speedups() && !compares(analysis) => {
            format!(
                " Rayon divided the work for {}: `--baseline` measures whether that added work.",
                counted(analysis.verdict.bounds.cores.into(), "core", "cores")
            )
        }
        _ => String::new(),
    }
}

/// Whether the advice is to compare with one thread.
pub(super) fn compares(analysis: &Analysis) -> bool {
    analysis.cut == Some(AssumedCut::Unchecked)
        && analysis.verdict.limit == Limit::None
        && analysis.findings.is_empty()
        && !analysis.awaited.has_lock()
        && lacks_processors(analysis).is_none()
}

/// The clause on the work that iterators do when they are cut for the real threads, if it differs.
pub(super) fn real_work(analysis: &Analysis) -> String {
    changed(analysis).map_or_else(String::new, |(_, real)| {
        format!(
            ", but {} with iterators cut for the real threads",
            duration(real.work.time())
        )
    })
}

/// What the second run showed, if it did other work and nothing shows what one thread takes.
pub(crate) fn changes_work(analysis: &Analysis) -> Option<String> {
    if analysis.plain.is_some() {
        return None;
    }
    if let Some(work) = per_piece(analysis) {
        return Some(format!(
            "At least {} of the work is done once for each piece of an iterator, before its first item{}. For more cores rayon \
             makes more pieces, and did so for {}: one thread may take much less.",
            percent(work.share),
            (work.location.as_ref()).map_or_else(String::new, |line| format!(", most at {line}")),
            counted(analysis.verdict.bounds.cores.into(), "core", "cores"),
        ));
    }
    let (
        row,
        RealCut {
            work, site_work, ..
        },
    ) = changed(analysis)?;
    let site = &analysis.sites[row];
    Some(format!(
        "With iterators cut for the assumed cores, the program did {} of work; cut for the real threads, {}. What differs most \
         is {}: {} against {}.",
        duration(analysis.totals.work.time()),
        duration(work.time()),
        phrase(site),
        duration(site.on_work.local_work.time()),
        duration(site_work.time()),
    ))
}

/// What to try then, in a few words and in a sentence, and the row that it is about.
pub(crate) fn to_try(analysis: &Analysis) -> Option<SiteAnswer> {
    let answer = |short: &str, text: String, row: Option<usize>| SiteAnswer {
        short: short.to_owned(),
        text,
        row,
    };
    if per_piece(analysis).is_some() {
        let text = "Make fewer pieces (`with_min_len`), or have them share what each makes for itself: a table of atomics, one \
                    value for each thread. `--baseline` shows whether more threads are faster at all.";
        let rows = analysis.sites.iter().enumerate();
        let row = (rows.filter(|(_, row)| row.kind.is_cut()))
            .max_by_key(|(_, row)| row.on_work.local_work)
            .map(|(row, _)| row);
        return Some(answer("Do less for each piece", text.to_owned(), row));
    }
    let (row, real) = changed(analysis)?;
    let report = "`--assume-cores real` reports on the real cut";
    Some(if real.work < analysis.totals.work {
        let site = phrase(&analysis.sites[row]);
        let text = format!("Have {site} do less for each piece, or make fewer pieces; {report}.");
        answer("Do less for each piece", text, Some(row))
    } else {
        answer("Report on the real cut", format!("{report}."), Some(row))
    })
}

fn per_piece(analysis: &Analysis) -> Option<&WorkPerPiece> {
    match &analysis.cut {
        Some(AssumedCut::GrowsWork(work)) if analysis.verdict.limit.tells_speedups() => Some(work),
        _ => None,
    }
}

fn changed(analysis: &Analysis) -> Option<(usize, RealCut)> {
    match analysis.cut {
        Some(AssumedCut::ChangesWork { row, real }) if analysis.verdict.limit.tells_speedups() => {
            Some((row, real))
        }
        _ => None,
    }
}
