//! A comparison of two profiles, in sentences.

use workspan_model::{
    Basis, Comparison, ComparisonVerdict, FigureChange, Mismatch, Nanos, Quantity,
};

use crate::figures::{amount_in_words, counted, percent};

/// By how much a figure has grown: `+11.7%`, `−3.02%`, `0%`.
pub(crate) fn growth(growth: f64) -> String {
    match growth {
        0.0 => "0%".to_owned(),
        f64::INFINITY => "from 0".to_owned(),
        _ if growth < 0.0 => format!("−{}", percent(-growth)),
        _ => format!("+{}", percent(growth)),
    }
}

/// The interval of a growth; a dash if it is unknown.
pub(crate) fn growth_interval(change: &FigureChange) -> String {
    match change.interval {
        None => "–".to_owned(),
        Some((low, high)) if low == high => growth(low),
        Some((low, high)) => format!("{} … {}", growth(low), growth(high)),
    }
}

/// The name of a quantity in a sentence.
pub(crate) const fn noun(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Work => "work",
        Quantity::Span => "span",
        Quantity::BurdenedSpan => "burdened span",
        Quantity::Parallelism => "parallelism",
        Quantity::BurdenedParallelism => "burdened parallelism",
        Quantity::Tasks => "number of tasks",
    }
}

/// The verdict as one sentence.
pub(crate) fn verdict(comparison: &Comparison) -> String {
    let changed: Vec<String> = comparison
        .certain()
        .filter(|(quantity, _)| Quantity::COSTS.contains(quantity))
        .map(|(quantity, change)| {
            let direction = if change.growth < 0.0 { "less" } else { "more" };
            format!(
                "{} {} {direction}",
                noun(quantity),
                percent(change.growth.abs())
            )
        })
        .collect();
    let changed = changed.join(", ");
    match comparison.verdict() {
        ComparisonVerdict::Worse => format!("Worse: {changed}."),
        ComparisonVerdict::Better => format!("Better: {changed}."),
        ComparisonVerdict::Mixed => format!("Better and worse: {changed}."),
        ComparisonVerdict::Same if comparison.least_change > 0.0 => format!(
            "No change: work, span and burdened span are the same to within {}.",
            percent(comparison.least_change)
        ),
        ComparisonVerdict::Same => {
            "No change: work, span and burdened span are the same.".to_owned()
        }
        ComparisonVerdict::Inconclusive => format!(
            "No change is certain, and the figures vary too much to rule one of {} out.",
            percent(comparison.least_change)
        ),
        ComparisonVerdict::Unknown => {
            "No verdict: there are too few runs to tell a change from how the figures vary."
                .to_owned()
        }
    }
}

/// What the comparison rests on, and what to do if that is too little.
pub(crate) fn basis(comparison: &Comparison) -> String {
    let least = percent(comparison.least_change);
    let rule = format!(
        "A change is told where all of its 99% interval lies beyond {least}, so that of programs that do not differ at most 5 in \
         100 have one that is told, if the machine is the same to both; `--least-change` sets another."
    );
    let runs = |runs: usize| counted(runs as u64, "run", "runs");
    match comparison.basis {
        Basis::Exact => {
            let exactly = "The clock of both repeats exactly: each difference is one of the programs, down to the last digit.";
            if comparison.least_change > 0.0 {
                format!("{exactly} By `--least-change`, what is below {least} is told as the same.")
            } else {
                exactly.to_owned()
            }
        }
        Basis::Runs(before, after) => format!(
            "Intervals are of {} before and {} after. {rule} They know nothing of a machine that has become faster or slower \
             in between: make the runs in turns (`workspan merge`).",
            runs(before),
            runs(after)
        ),
        Basis::Pairs(pairs) => format!("Intervals are of {pairs} pairs of runs. {rule}"),
        Basis::TooFew(1, 1) => format!(
            "There is one run of each, so that nothing is known of how the figures vary, and no change is told from noise. \
             `--runs {}` or more makes as many as an interval takes.",
            Basis::fewest_runs(false)
        ),
        Basis::TooFew(before, after) => format!(
            "With {} before and {} after there is no interval of 99%, and no change is told from noise; {} of each give one, and {} \
             pairs.",
            runs(before),
            runs(after),
            runs(Basis::fewest_runs(false)),
            Basis::fewest_runs(true)
        ),
    }
}

/// What differs between the runs, and what to do about it.
pub fn mismatch(mismatch: &Mismatch) -> String {
    let amount = |amount: u64| Nanos::from_nanos(amount.try_into().unwrap_or(i64::MAX));
    let words = |words: &[String]| match words {
        [] => "none".to_owned(),
        words => format!("`{}`", words.join(" ")),
    };
    match mismatch {
        Mismatch::Program(before, after) => format!(
            "The programs are `{before}` before and `{after}` after: the figures compare what they do, if that is the same."
        ),
        Mismatch::Arguments(before, after) => format!(
            "The arguments differ, {} before and {} after: profile both with the same, or the difference is that of the input.",
            words(before),
            words(after)
        ),
        Mismatch::AssumedCores(before, after) => format!(
            "The programs were cut for {before} cores before and {after} after, which makes other tasks of the same loops: \
             profile both with the same `--assume-cores`."
        ),
        Mismatch::Clock(before, after) => format!(
            "The clock was {before} before and {after} after: profile both with the same `--clock`."
        ),
        Mismatch::Processor(before, after) => format!(
            "The processors differ, {before} before and {after} after: times compare these, too. Profile both on one machine."
        ),
        Mismatch::Threads(before, after) => format!(
            "There were {before} threads before and {after} after: work may be inflated in one of them. Profile both with the \
             same `--threads`."
        ),
        Mismatch::Burden(before, after, metric) => format!(
            "The burden was {} a task before and {} after, which burdened spans compare: profile both with the same `--burden`.",
            amount_in_words(amount(*before), metric),
            amount_in_words(amount(*after), metric)
        ),
        Mismatch::Metric(before, after) => format!(
            "The figures are of {before} before and of {after} after: measure both alike, by the same `--metric`, and with \
             `--emulate` or without."
        ),
        Mismatch::Interrupted(before, after) => format!(
            "{} of a part of a run, which ended early: profile whole runs.",
            which(*before, *after)
        ),
        Mismatch::Failed(before, after) => format!(
            "{} of a run that failed, and may have done other work: profile runs that succeed.",
            which(*before, *after)
        ),
        Mismatch::Estimated(before, after) => format!(
            "{} of counts that are estimates, since the processor had no room for all counters at once: end what else counts, or \
             take the figures for rough.",
            which(*before, *after)
        ),
    }
}

const fn which(before: bool, after: bool) -> &'static str {
    match (before, after) {
        (true, true) => "Both profiles are",
        (true, false) => "The profile of before is",
        _ => "The profile of after is",
    }
}
