//! The tables that are printed.

use workspan_overhead::{Table, range};

use crate::figures::{Figures, Predicted};

/// Predicted and measured speedups, medians over the turns.
pub(crate) fn comparison(figures: &[Figures]) -> String {
    let mut table = Table::new([
        "program",
        "plain s",
        "cores",
        "predicted",
        "measured",
        "min - max",
        "measured / predicted",
        "inflation",
    ]);
    for one in figures {
        for cores in one.cores() {
            let (low, high) = range(one.turns.iter().map(|turn| turn.speedup(cores)));
            table.add([
                one.program.to_owned(),
                format!("{:.3}", one.median(|turn| turn.one)),
                cores.to_string(),
                format!("{:.2}", one.median(|turn| turn.predicted_on(cores).median)),
                format!("{:.2}", one.median(|turn| turn.speedup(cores))),
                format!("{low:.2} - {high:.2}"),
                format!(
                    "{:.2}",
                    one.median(|turn| turn.speedup_over_predicted(cores))
                ),
                percent(one.median(|turn| turn.inflation(cores))),
            ]);
        }
    }
    table.to_string()
}

/// Bounds and predictions for these numbers of cores.
pub(crate) fn curves<const COLUMNS: usize>(
    figures: &[Figures],
    cores: [u32; COLUMNS],
    headings: [&str; COLUMNS],
) -> String {
    let mut table = Table::new(headings);
    for one in figures {
        table.add(std::array::from_fn(|column| {
            if column == 0 {
                return one.program.to_owned();
            }
            let median = |figure: fn(&Predicted) -> f64| {
                short(one.median(|turn| figure(&turn.predicted_on(cores[column]))))
            };
            format!(
                "{} / {} / {}",
                median(|predicted| predicted.lower),
                median(|predicted| predicted.median),
                median(|predicted| predicted.upper)
            )
        }));
    }
    table.to_string()
}

/// Three digits.
fn short(number: f64) -> String {
    if number < 9.995 {
        format!("{number:.2}")
    } else {
        format!("{number:.1}")
    }
}

fn percent(percent: f64) -> String {
    format!("{percent:+.1}%")
}
