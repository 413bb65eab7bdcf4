//! What is printed.

use workspan_overhead::{Table, Timing, geometric_mean};

use crate::comparison::{Comparison, OneWorker};
use crate::goals::{Goal, ratio_goal, work_goal};

/// Programs with fewer tasks have no cost of a task that could be told from noise, nor have those
/// that were faster in a profiled run.
const LEAST_TASKS: u64 = 100_000;

/// All comparisons, with their goals when these hold.
pub(crate) fn comparisons(comparisons: &[Comparison], threads: usize, goals_hold: bool) -> String {
    let mut table = Table::new([
        "program",
        "plain s",
        "profiled s",
        "ratio",
        "min - max",
        "tasks",
        "tasks/s",
        "ns/task",
        "plain MiB",
        "profiled MiB",
        "Cilkprof",
        "goal",
        "",
    ]);
    for comparison in comparisons {
        let ratio = comparison.ratio();
        let (low, high) = comparison.range();
        let (plain_peak, profiled_peak) = comparison.peak_mebibytes();
        let per_task = comparison.nanoseconds_per_task(threads);
        let goal = ratio_goal(comparison);
        table.add([
            comparison.program.name.to_owned(),
            format!("{:.3}", comparison.plain()),
            format!("{:.3}", comparison.profiled()),
            format!("{ratio:.3}"),
            format!("{low:.3} - {high:.3}"),
            grouped(comparison.tasks as f64),
            grouped(comparison.tasks_per_second()),
            if comparison.tasks >= LEAST_TASKS && low > 1.0 {
                format!("{per_task:.0}")
            } else {
                String::new()
            },
            format!("{plain_peak:.0}"),
            format!("{profiled_peak:.0}"),
            comparison
                .program
                .cilkprof
                .map_or_else(String::new, |ratio| format!("{ratio:.2}")),
            if goals_hold {
                format!("{goal:.1}")
            } else {
                String::new()
            },
            if goals_hold {
                verdict(ratio <= goal)
            } else {
                String::new()
            },
        ]);
    }
    let by_default = comparisons
        .iter()
        .filter(|comparison| comparison.program.timing == Timing::Default);
    let mut mean: [String; 13] = Default::default();
    mean[0] = "geometric mean".to_owned();
    mean[3] = format!("{:.3}", geometric_mean(by_default.map(Comparison::ratio)));
    table.add(mean);
    table.to_string()
}

/// The work of one worker, beside the plain run's time.
pub(crate) fn one_worker(suite: &[OneWorker]) -> String {
    let mut table = Table::new(["program", "plain s", "work s", "off", "goal", ""]);
    for one in suite {
        let (off, goal) = (one.percent_off(), work_goal(one));
        table.add([
            one.program.name.to_owned(),
            format!("{:.3}", one.plain()),
            format!("{:.3}", one.work()),
            format!("{off:+.1}%"),
            format!("{goal:.0}%"),
            verdict(off.abs() <= goal),
        ]);
    }
    table.to_string()
}

/// All goals.
pub(crate) fn goals(goals: &[Goal]) -> String {
    let mut table = Table::new(["what", "figure", "goal", "", "published"]);
    for goal in goals {
        let with_unit = |figure: f64| format!("{figure:.2} {}", goal.unit).trim_end().to_owned();
        table.add([
            goal.what.clone(),
            with_unit(goal.figure),
            with_unit(goal.goal),
            verdict(goal.is_met()),
            goal.published.to_owned(),
        ]);
    }
    table.to_string()
}

fn verdict(is_met: bool) -> String {
    if is_met { "ok" } else { "MISSED" }.to_owned()
}

/// A whole number with its thousands apart.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(grouped(0.0), "0");
        assert_eq!(grouped(999.6), "1,000");
        assert_eq!(grouped(12_345_678.0), "12,345,678");
    }
}
