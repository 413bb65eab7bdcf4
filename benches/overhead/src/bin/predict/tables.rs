//! What is printed.

use workspan_overhead::{Table, median};

use crate::figures::Figures;

/// Predicted and measured speedups.
pub(crate) fn comparison(figures: &[Figures]) -> String {
    let mut table = Table::new([
        "program",
        "plain s",
        "work off",
        "cores",
        "predicted",
        "measured",
        "min - max",
        "off",
        "inflation",
        "goal",
        "",
    ]);
    for of in figures {
        for measured in &of.measured {
            let Some(predicted) = of.predicted_on(measured.cores) else {
                continue;
            };
            let (low, high) = measured.range();
            let (goal, verdict) = match measured.is_met(predicted) {
                Some(true) => ("10%", "ok"),
                Some(false) => ("10%", "MISSED"),
                None => ("", ""),
            };
            table.add([
                of.program.to_owned(),
                format!("{:.3}", median(of.one.iter().copied())),
                percent(of.work_off()),
                measured.cores.to_string(),
                format!("{:.2}", predicted.median),
                format!("{:.2}", measured.median()),
                format!("{low:.2} - {high:.2}"),
                percent(measured.off(predicted)),
                percent(measured.inflation),
                goal.to_owned(),
                verdict.to_owned(),
            ]);
        }
    }
    table.to_string()
}

/// Bounds and predictions on these numbers of cores.
pub(crate) fn curves<const COLUMNS: usize>(
    figures: &[Figures],
    cores: [u32; COLUMNS],
    headings: [&str; COLUMNS],
) -> String {
    let mut table = Table::new(headings);
    for of in figures {
        table.add(std::array::from_fn(|column| {
            if column == 0 {
                return of.program.to_owned();
            }
            of.predicted_on(cores[column])
                .map_or_else(String::new, |predicted| {
                    format!(
                        "{} / {} / {}",
                        short(predicted.lower),
                        short(predicted.median),
                        short(predicted.upper)
                    )
                })
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

fn percent(share: f64) -> String {
    format!("{:+.1}%", share * 100.0)
}
