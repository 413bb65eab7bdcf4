//! What to say of iterators that were cut for more cores than there were threads.

use workspan_model::{Analysis, AssumedCut, RealCut};

use crate::figures::{counted, duration};
use crate::place::phrase;

/// The clause that says that it was not checked.
pub(crate) fn unchecked(analysis: &Analysis) -> String {
    match analysis.cut {
        Some(AssumedCut::Unchecked) if analysis.verdict.limit.tells_speedups() => {
            format!(
                " Rayon divided the work for {}: `--baseline` measures whether that added any.",
                counted(analysis.verdict.bounds.cores.into(), "core", "cores")
            )
        }
        _ => String::new(),
    }
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
pub(crate) fn to_try(analysis: &Analysis) -> Option<(&'static str, String, usize)> {
    let (row, real) = changed(analysis)?;
    let report = "`--assume-cores real` reports on the real cut";
    Some(if real.work < analysis.totals.work {
        let site = phrase(&analysis.sites[row]);
        let text = format!("Have {site} do less for each piece, or make fewer pieces; {report}.");
        ("Do less for each piece", text, row)
    } else {
        ("Report on the real cut", format!("{report}."), row)
    })
}

fn changed(analysis: &Analysis) -> Option<(usize, RealCut)> {
    match analysis.cut {
        Some(AssumedCut::ChangesWork { row, real }) if analysis.verdict.limit.tells_speedups() => {
            Some((row, real))
        }
        _ => None,
    }
}
