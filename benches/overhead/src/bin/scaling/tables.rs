//! The tables that are printed.

use workspan_overhead::{Table, median, range};

use crate::figures::{Copies, Figures, Interval};
use crate::idle_cost::IdleCost;
use crate::studies::Study;

/// Speedups, and where the time of the cores goes.
pub(crate) fn scaling(measured: &[(&Study, Figures)]) -> String {
    let mut table = Table::new([
        "program",
        "threads",
        "T_1 s",
        "lower",
        "predicted",
        "upper",
        "measured",
        "idle",
        "inflation",
        "overhead",
        "measuring",
    ]);
    for (study, figures) in measured {
        table.add([
            study.name.to_owned(),
            figures.threads.to_string(),
            format!("{:.2}", figures.on_one),
            format!("{:.2}", figures.lower),
            format!("{:.2}", figures.predicted),
            format!("{:.2}", figures.upper),
            with_range(figures.speedup),
            percent(figures.idle_share),
            percent(figures.inflation_share),
            percent(figures.overhead_share),
            figures
                .measuring
                .map_or_else(String::new, |measuring| signed(measuring.value - 1.0)),
        ]);
    }
    table.to_string()
}

/// Copies at once.
pub(crate) fn copies(measured: &[(&Study, Copies)]) -> String {
    let mut table = Table::new(["program", "copies", "slower", "memory is the limit"]);
    for (study, copies) in measured {
        table.add([
            study.name.to_owned(),
            copies.copies.to_string(),
            with_range(copies.slowdown),
            match (copies.limit_from, copies.is_limit) {
                (Some(from), _) => format!("from {from} on"),
                (None, Some(_)) => "no".to_owned(),
                (None, None) => "cannot be told".to_owned(),
            },
        ]);
    }
    table.to_string()
}

/// What measuring idle time costs.
pub(crate) fn idle_cost(costs: &[IdleCost]) -> String {
    let mut table = Table::new([
        "program",
        "threads",
        "plain s",
        "build",
        "measuring",
        "min - max",
    ]);
    for cost in costs {
        let (low, high) = range(cost.measuring.iter().copied());
        table.add([
            cost.program.to_owned(),
            cost.threads.to_string(),
            format!("{:.2}", cost.plain),
            format!("{:.2}", median(cost.build.iter().copied())),
            format!("{:.2}", median(cost.measuring.iter().copied())),
            format!("{low:.2} - {high:.2}"),
        ]);
    }
    table.to_string()
}

fn with_range(interval: Interval) -> String {
    let Interval { value, low, high } = interval;
    format!("{value:.2} ({low:.2} - {high:.2})")
}

fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

fn signed(share: f64) -> String {
    format!("{:+.1}%", share * 100.0)
}
