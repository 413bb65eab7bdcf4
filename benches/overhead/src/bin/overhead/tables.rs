//! What is printed.

use workspan_gate::Machine;
use workspan_overhead::{Table, median, range};

use crate::comparison::{Comparison, OneWorker};

/// For programs with fewer tasks, the cost of a task is lost in noise, as it is for those that were
/// faster in a profiled run.
const LEAST_TASKS: u64 = 100_000;

/// All comparisons.
pub(crate) fn comparisons(comparisons: &[(Comparison, Machine)], threads: usize) -> String {
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
    ]);
    for (comparison, _) in comparisons {
        let (low, high) = comparison.range();
        let (plain_peak, profiled_peak) = comparison.peak_mebibytes();
        let per_task = comparison.nanoseconds_per_task(threads);
        let published = comparison.program.cilkprof;
        table.add([
            comparison.program.name.to_owned(),
            format!("{:.3}", comparison.plain()),
            format!("{:.3}", comparison.profiled()),
            format!("{:.3}", comparison.ratio()),
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
            published.map_or_else(String::new, |ratio| format!("{ratio:.2}")),
        ]);
    }
    table.to_string()
}

/// The work on one worker next to the plain run's time.
pub(crate) fn one_worker(suite: &[OneWorker]) -> String {
    let mut table = Table::new(["program", "plain s", "work s", "off", "min - max"]);
    for one in suite {
        let (low, high) = range(one.percents_off());
        table.add([
            one.program.name.to_owned(),
            format!("{:.3}", one.plain()),
            format!("{:.3}", one.work()),
            format!("{:+.1}%", median(one.percents_off())),
            format!("{low:+.1}% - {high:+.1}%"),
        ]);
    }
    table.to_string()
}

/// A whole number with thousands separators.
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
    fn thousands_are_separated() {
        assert_eq!(grouped(0.0), "0");
        assert_eq!(grouped(999.6), "1,000");
        assert_eq!(grouped(12_345_678.0), "12,345,678");
    }
}
