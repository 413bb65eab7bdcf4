//! A comparison of two profiles, in sentences.

use workspan_model::{
    Basis, ChangeKind, Checked, Comparison, ComparisonVerdict, FigureChange, Mismatch, Nanos,
    Quantity, Run, ThresholdLimit,
};

use super::template::{filled, words};
use crate::notation::figures::{
    self, NONE, amount_in_words, counted, grouped, percent, ratio, within,
};

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
    match change.kind {
        ChangeKind::Unknown => NONE.to_owned(),
        _ => within(change.growth, growth),
    }
}

/// A quantity's figure, to the last digit if runs repeat exactly.
pub(crate) fn figure(quantity: Quantity, value: f64, run: &Run) -> String {
    match quantity {
        _ if quantity.is_amount() => amount(value, run),
        Quantity::Tasks => grouped(value.max(0.0) as u64),
        _ => ratio(value),
    }
}

pub(crate) fn amount(value: f64, run: &Run) -> String {
    if !run.repeats_exactly() {
        return figures::amount(Nanos::from_nanos_f64(value), &run.metric);
    }
    let all_digits = grouped(value.max(0.0).round() as u64);
    if run.is_of_time() {
        format!("{all_digits} ns")
    } else {
        all_digits
    }
}

/// The limit of a threshold: `≤ 12.0 ms`, `≥ −10.0%`.
pub(crate) fn limit(checked: &Checked, run: &Run) -> String {
    let quantity = checked.threshold.quantity;
    let sign = if quantity.is_to_be_high() {
        "≥"
    } else {
        "≤"
    };
    let limit = match checked.threshold.limit {
        ThresholdLimit::At(limit) => figure(quantity, limit, run),
        ThresholdLimit::Growth(by) => growth(by),
    };
    format!("{sign} {limit}")
}

/// The name of a quantity in a sentence.
pub(crate) fn noun(quantity: Quantity) -> &'static str {
    words("quantity", quantity.name())
}

/// The verdict as one sentence.
pub(crate) fn verdict(comparison: &Comparison) -> String {
    let changed: Vec<String> = comparison
        .certain()
        .filter(|(quantity, _)| Quantity::COSTS.contains(quantity))
        .map(|(quantity, change)| {
            let growth = change.growth.value;
            let direction = if growth < 0.0 { "less" } else { "more" };
            format!("{} {} {direction}", noun(quantity), percent(growth.abs()))
        })
        .collect();
    let verdict = comparison.verdict();
    let value = |name: &str| match name {
        "changed" => Some(changed.join(", ")),
        _ if comparison.least_change == 0.0 && verdict == ComparisonVerdict::Same => None,
        _ => Some(percent(comparison.least_change)),
    };
    filled(words("comparison", verdict.name()), &value)
}

/// What the comparison rests on, and what to do if that is too little.
pub(crate) fn basis(comparison: &Comparison) -> String {
    let runs = |runs: usize| counted(runs as u64, "run", "runs");
    let (name, before, after) = match comparison.basis {
        Basis::Exact => ("exact", 0, 0),
        Basis::Runs(before, after) => ("runs", before, after),
        Basis::Pairs(pairs) => ("pairs", pairs, pairs),
        Basis::TooFew(1, 1) => ("one_run", 1, 1),
        Basis::TooFew(before, after) => ("too_few", before, after),
    };
    let least = comparison.least_change;
    let least = || percent(least);
    let value = |name: &str| {
        Some(match name {
            "least" => return (comparison.least_change > 0.0).then(least),
            "rule" => filled(words("basis", "rule"), &|_| Some(least())),
            "before" => runs(before),
            "after" => runs(after),
            "pairs" => before.to_string(),
            "fewest" => Basis::fewest_runs(false).to_string(),
            "fewest_runs" => runs(Basis::fewest_runs(false)),
            _ => Basis::fewest_runs(true).to_string(),
        })
    };
    filled(words("basis", name), &value)
}

/// What differs between the runs, and what to do about it.
pub fn mismatch(mismatch: &Mismatch) -> String {
    let amount = |amount: u64| Nanos::from_nanos(amount.try_into().unwrap_or(i64::MAX));
    let listed = |words: &[String]| match words {
        [] => "none".to_owned(),
        words => format!("`{}`", words.join(" ")),
    };
    let numbers = |before: &u32, after: &u32| [before.to_string(), after.to_string()];
    let texts = |before: &str, after: &str| [before.to_owned(), after.to_owned()];
    let (name, [before, after]) = match mismatch {
        Mismatch::Program(before, after) => ("program", texts(before, after)),
        Mismatch::Arguments(before, after) => ("arguments", [listed(before), listed(after)]),
        Mismatch::AssumedCores(before, after) => ("assumed_cores", numbers(before, after)),
        Mismatch::Clock(before, after) => ("clock", texts(before, after)),
        Mismatch::Processor(before, after) => ("processor", texts(before, after)),
        Mismatch::Threads(before, after) => ("threads", numbers(before, after)),
        Mismatch::Burden(before, after, metric) => {
            let words = |burden: u64| amount_in_words(amount(burden), metric);
            ("burden", [*before, *after].map(words))
        }
        Mismatch::Metric(before, after) => ("metric", texts(before, after)),
        Mismatch::Interrupted(before, after) => ("interrupted", which(*before, *after)),
        Mismatch::Failed(before, after) => ("failed", which(*before, *after)),
        Mismatch::Estimated(before, after) => ("estimated", which(*before, *after)),
    };
    let value = |name: &str| {
        Some(if name == "after" {
            after.clone()
        } else {
            before.clone()
        })
    };
    filled(words("mismatch", name), &value)
}

fn which(before: bool, after: bool) -> [String; 2] {
    let which = match (before, after) {
        (true, true) => "Both profiles are",
        (true, false) => "The profile of before is",
        _ => "The profile of after is",
    };
    [which, ""].map(str::to_owned)
}
