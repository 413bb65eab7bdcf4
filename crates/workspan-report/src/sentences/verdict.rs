//! The verdict on a program in one sentence.

use workspan_model::{Analysis, Limit, Verdict};

use super::contention::{lacks_processors, limits_besides};
use super::{
    COLLECTING, FREEING, MERGING, ONE_BY_ONE, answers, books, by_samples, cut, division,
    never_more, parallelism, placement, speedup,
};
use crate::notation::figures::{grouped, percent, ratio};
use crate::notation::place::{code_of, phrase};

/// The verdict in one sentence.
pub fn verdict(analysis: &Analysis) -> String {
    let Verdict {
        bounds,
        limit,
        divided_for,
        ..
    } = analysis.verdict;
    let is_of_plain_runs = match analysis.verdict.limit {
        Limit::Slower => true,
        Limit::Inflated { .. } => analysis.claims.refuted().is_none(),
        _ => false,
    };
    if is_of_plain_runs {
        return answers::enough_parallelism(analysis).text;
    }
    if let Some(text) = placement::held(analysis) {
        return format!("Cannot tell how it scales. {text}");
    }
    if let Some((books, discrepancy)) = analysis.discrepancy() {
        return format!(
            "Cannot tell how it scales. {}",
            books::seen(analysis, books, discrepancy)
        );
    }
    if let Some(text) = cut::changes_work(analysis) {
        return format!("Cannot tell how it scales. {text}");
    }
    if let Some(text) = super::claims::contradicted(analysis) {
        return format!("Cannot tell how it scales. {text}");
    }
    let totals = &analysis.totals;
    let parallelism = parallelism(analysis);
    let expected = match bounds.cores {
        1 => "on 1 core there is no speedup to expect".to_owned(),
        cores => format!("on {cores} cores expect {}", speedup(analysis)),
    };
    match limit {
        Limit::OneStrand
        | Limit::Interrupted
        | Limit::Standstill { .. }
        | Limit::OwnThreads
        | Limit::Cut
        | Limit::BetweenPools
        | Limit::Slower
        | Limit::Contended
        | Limit::Bridge { .. }
        | Limit::Inflated { .. }
        | Limit::TaskCost { .. }
        | Limit::Undivided { .. }
        | Limit::Search { .. }
        | Limit::Unfollowed { .. }
        | Limit::Turns { .. }
        | Limit::Awaited { .. }
        | Limit::Uncertain { .. } => answers::enough_parallelism(analysis).text,
        Limit::None
            if lacks_processors(analysis).is_some() || analysis.claims.falls_short().is_some() =>
        {
            answers::enough_parallelism(analysis).text
        }
        Limit::None => format!(
            "Scales: {expected}{}; its parallelism is {parallelism}.",
            division(divided_for)
        ),
        Limit::Migration { .. }
            if analysis.leaves_small_tasks_open() || !analysis.promises_speedups() =>
        {
            answers::enough_parallelism(analysis).text
        }
        Limit::Migration { row } => {
            let site = &analysis.sites[row];
            format!(
                "Limited by tasks that are too small to be worth moving to another core: {expected}; the \
                 cost of moving brings the parallelism down from {parallelism} to {}, and {} of the \
                 moves that count are of {}.",
                ratio(totals.burdened_parallelism.value),
                grouped(site.on_span.count),
                phrase(site),
            )
        }
        Limit::Lock { row } => format!(
            "Limited by a lock, under which one thread works at a time: {expected}{}; {} of the work is done under that of \
             {}, whatever its parallelism of {parallelism}.",
            never_more(analysis),
            percent(totals.locked.time().share_of(totals.work.time())),
            phrase(&analysis.sites[row]),
        ),
        Limit::Span { row } => limited_by_span(analysis, &expected, row, ""),
        Limit::Waiting { row } => limited_by_span(
            analysis,
            &expected,
            row,
            ", most of which waits (sleep, I/O, locks, channels)",
        ),
        Limit::Freeing { row } => limited_by_span(analysis, &expected, row, FREEING),
        Limit::Collecting { row } => limited_by_span(analysis, &expected, row, COLLECTING),
        Limit::Merging { row } => limited_by_span(analysis, &expected, row, MERGING),
        Limit::SerialFilter { row } => limited_by_span(analysis, &expected, row, ONE_BY_ONE),
    }
}

/// The verdict on a program limited by its span; `remark` is about the site of `row`.
fn limited_by_span(analysis: &Analysis, expected: &str, row: usize, remark: &str) -> String {
    let never_more = never_more(analysis);
    let site = &analysis.sites[row];
    format!(
        "Limited by its span, the longest chain of dependent work: {expected}{never_more}; {} of the span is \
         {}{remark}{}.{}",
        percent(site.on_span.share),
        code_of(site),
        by_samples(analysis, analysis.verdict.function).unwrap_or_default(),
        limits_besides(analysis),
    )
}
