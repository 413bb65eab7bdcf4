//! What runs without a profile say, on one processor and on all.

use workspan_model::{Analysis, PlainRuns};

use super::answer::{Enough, Short, SiteAnswer, capitalised, scale};
use super::contention::{contention, lock_seen};
use super::{books, cut, parallelism, speedup};
use crate::notation::figures::{counted, duration, in_prose, ratio};
use crate::notation::place::phrase;

/// The speedup that the program has today, in a few words and in a sentence.
pub(crate) fn today(plain: &PlainRuns) -> (String, String) {
    let PlainRuns {
        one, all, speedup, ..
    } = plain;
    let processors = counted(plain.processors.into(), "core", "cores");
    let short = format!("{}× on {processors}", ratio(speedup.ratio.value));
    let [low, high] = speedup.ratio.ends().map(ratio);
    let pairs = counted(speedup.rounds.into(), "pair of runs", "pairs of runs");
    let range = if speedup.is_sure {
        format!(" The speedup of {pairs} is {low} to {high}.")
    } else {
        format!(" The speedup of {pairs} is {low} to {high}, too few for a 95% interval.")
    };
    let base = if plain.has_more_work() && !plain.is_slower() {
        format!(
            " The profiled tasks take {} times the work of one core, so speedups are over that core's time.",
            ratio(plain.work_ratio)
        )
    } else {
        String::new()
    };
    let text = format!(
        "Without a profile: {} on {processors}, {} on one.{range}{base}",
        duration(*all),
        duration(*one),
    );
    (short, text)
}

/// The answer about a program that is slower on all processors than on one.
pub(super) fn slower(analysis: &Analysis, plain: &PlainRuns) -> Enough {
    let times = ratio(1.0 / plain.speedup.ratio.value);
    let why = if let Some(found) = contention(analysis) {
        format!("{}.", capitalised(&found))
    } else if let Some((found, discrepancy)) = analysis.discrepancy() {
        books::seen(analysis, found, discrepancy)
    } else if analysis.awaited.has_lock() {
        lock_seen(analysis)
    } else if plain.has_more_work() {
        more_work(analysis, plain)
    } else {
        format!(
            "Its parallelism of {} does not show why.",
            parallelism(analysis)
        )
    };
    Enough {
        is_enough: Some(false),
        short: Short::Other("It is slower than on one core"),
        text: format!("More threads make it {times} times slower. {why}"),
    }
}

/// The answer about a program whose tasks do so much more than one thread that it does not help.
pub(super) fn inflated(analysis: &Analysis, plain: &PlainRuns) -> Enough {
    let cores = counted(analysis.verdict.bounds.cores.into(), "core", "cores");
    let expected = if plain.gains_little() {
        format!(
            "Today it is {} times as fast on {} as on one.",
            in_prose(plain.speedup.ratio, ratio),
            counted(plain.processors.into(), "core", "cores"),
        )
    } else {
        format!(
            "The parallelism is {}, but on {cores} expect {} over one thread.",
            parallelism(analysis),
            speedup(analysis),
        )
    };
    Enough {
        is_enough: Some(false),
        short: Short::Not("with what the tasks add"),
        text: format!("{} {expected}", more_work(analysis, plain)),
    }
}

/// What to try then.
pub(super) fn add_less(analysis: &Analysis, row: usize) -> SiteAnswer {
    if let Some(cut) = cut::to_try(analysis) {
        return cut;
    }
    let site = &analysis.sites[row];
    let text = format!(
        "One thread takes less time than the tasks of {}. If they move memory, fuse passes over it or work in blocks that fit \
             the cache; if they share a cache line, keep their data apart. `{}` measures what memory takes.",
        phrase(site),
        scale(analysis)
    );
    SiteAnswer {
        short: "Find what slows the tasks".to_owned(),
        text,
        row: Some(row),
    }
}

fn more_work(analysis: &Analysis, plain: &PlainRuns) -> String {
    format!(
        "The tasks take {} of work where one thread takes {}, {} times as much{}.",
        duration(analysis.totals.work.time()),
        duration(plain.one),
        ratio(plain.work_ratio),
        cut::real_work(analysis),
    )
}
