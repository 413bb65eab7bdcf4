//! The comparisons as Markdown that reads well on a terminal too.

use std::fmt::Write as _;
use std::fs;
use std::thread;

use crate::comparison::{Comparison, geometric_mean};
use crate::programs::{MEAN_GOAL, Size};

const COLUMNS: [&str; 9] = [
    "program",
    "plain s",
    "profiled s",
    "ratio",
    "min - max",
    "plain MiB",
    "profiled MiB",
    "goal",
    "",
];

/// What was measured, where and how.
pub(crate) fn heading(size: Size, pairs: u16) -> String {
    let inputs = match size {
        Size::Full => "full",
        Size::Short => "small",
    };
    format!(
        "{pairs} pairs of runs on {} with {} cores, {inputs} inputs. Times are medians over whole\n\
         processes, ratios are medians over the pairs, MiB is the peak of resident memory.\n",
        processor().unwrap_or_else(|| "an unknown processor".to_owned()),
        thread::available_parallelism().map_or(1, usize::from),
    )
}

/// The processor's name, as the kernel tells it.
fn processor() -> Option<String> {
    let information = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = information
        .lines()
        .find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// A table of all comparisons under one number of assumed cores, 0 for the real one.
pub(crate) fn table(comparisons: &[Comparison], cores: u32, goals_hold: bool) -> String {
    let mut rows: Vec<[String; 9]> = comparisons
        .iter()
        .map(|comparison| row(comparison, goals_hold))
        .collect();
    rows.push(mean_row("geometric mean", comparisons.iter(), goals_hold));
    let coarse = comparisons
        .iter()
        .filter(|comparison| comparison.program.goal.is_none());
    rows.push(mean_row("geometric mean without fib", coarse, false));
    let cut_for = match cores {
        0 => "the machine's cores".to_owned(),
        cores => format!("{cores} assumed cores"),
    };
    format!("Programs cut for {cut_for}:\n\n{}", markdown(&rows))
}

fn row(comparison: &Comparison, goals_hold: bool) -> [String; 9] {
    let ratio = comparison.ratio();
    let (low, high) = comparison.range();
    let (plain_peak, profiled_peak) = comparison.peak_bytes();
    let (goal, verdict) = goal_cells(ratio, comparison.program.goal.filter(|_| goals_hold));
    [
        comparison.program.name.to_owned(),
        format!("{:.3}", comparison.plain().as_secs_f64()),
        format!("{:.3}", comparison.profiled().as_secs_f64()),
        format!("{ratio:.3}"),
        format!("{low:.3} - {high:.3}"),
        mebibytes(plain_peak),
        mebibytes(profiled_peak),
        goal,
        verdict,
    ]
}

fn mean_row<'a>(
    name: &str,
    comparisons: impl Iterator<Item = &'a Comparison>,
    goals_hold: bool,
) -> [String; 9] {
    let mean = geometric_mean(comparisons.map(Comparison::ratio));
    let (goal, verdict) = goal_cells(mean, goals_hold.then_some(MEAN_GOAL));
    let mut row: [String; 9] = Default::default();
    row[0] = name.to_owned();
    row[3] = format!("{mean:.3}");
    row[7] = goal;
    row[8] = verdict;
    row
}

fn goal_cells(ratio: f64, goal: Option<f64>) -> (String, String) {
    goal.map_or_else(Default::default, |goal| {
        let verdict = if ratio <= goal { "ok" } else { "MISSED" };
        (format!("{goal:.2}"), verdict.to_owned())
    })
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.0}", bytes as f64 / f64::from(1 << 20))
}

/// A Markdown table, its columns aligned: names to the left, figures to the right.
fn markdown(rows: &[[String; 9]]) -> String {
    let widths: [usize; 9] = std::array::from_fn(|column| {
        rows.iter()
            .map(|row| row[column].len())
            .chain([COLUMNS[column].len(), 2])
            .max()
            .unwrap_or_default()
    });
    let mut text = String::new();
    let mut line = |cells: [&str; 9]| {
        let _ = write!(text, "| {:<width$} |", cells[0], width = widths[0]);
        for (cell, width) in cells.iter().zip(widths).skip(1) {
            let _ = write!(text, " {cell:>width$} |");
        }
        text.push('\n');
    };
    line(COLUMNS);
    let rules: [String; 9] = std::array::from_fn(|column| match column {
        0 => "-".repeat(widths[0]),
        _ => format!("{}:", "-".repeat(widths[column] - 1)),
    });
    line(std::array::from_fn(|column| rules[column].as_str()));
    for row in rows {
        line(std::array::from_fn(|column| row[column].as_str()));
    }
    text
}
