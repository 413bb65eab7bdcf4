//! What has changed between two profiles, as comma-separated values.

use std::io;

use workspan_model::{Comparison, FigureChange};

use super::records::Records;
use crate::json::{change_name, found};
use crate::place::place;

const HEADER: [&str; 13] = [
    "found",
    "kind",
    "name",
    "location",
    "figure",
    "before",
    "after",
    "growth",
    "growth_low",
    "growth_high",
    "change",
    "weight",
    "metric",
];

/// Writes a header, a record for each total, and two records for each site: its own time on the
/// critical path and in all. The sites that matter most come first. Amounts are in nanoseconds of
/// time, or else in events of the metric that each record names; growths are shares; unknown values
/// are empty.
///
/// # Errors
/// Any error from writing to `output`.
pub fn comparison_csv(comparison: &Comparison, output: &mut dyn io::Write) -> io::Result<()> {
    let metric = &comparison.metric.name;
    let mut records = Records::new(output);
    records.write(HEADER)?;
    for (quantity, change) in &comparison.totals {
        let subject = ["both", "program", "", ""].map(str::to_owned);
        records.write(record(
            subject,
            quantity.name(),
            change,
            String::new(),
            metric,
        ))?;
    }
    for site in &comparison.sites {
        let row = site.row();
        let weight = site.weight.to_string();
        let figures = [("own_span", &site.on_span), ("own_work", &site.own_work)];
        for (figure, change) in figures {
            let subject = [
                found(site).to_owned(),
                row.kind.name().to_owned(),
                row.name.clone().unwrap_or_default(),
                place(row),
            ];
            records.write(record(subject, figure, change, weight.clone(), metric))?;
        }
    }
    records.flush()
}

fn record(
    subject: [String; 4],
    figure: &str,
    change: &FigureChange,
    weight: String,
    metric: &str,
) -> Vec<String> {
    let known = |figure: f64| {
        if figure.is_finite() {
            figure.to_string()
        } else {
            String::new()
        }
    };
    let interval = change.interval;
    let mut record = subject.to_vec();
    record.extend([
        figure.to_owned(),
        known(change.before),
        known(change.after),
        known(change.growth),
        interval.map_or_else(String::new, |(low, _)| known(low)),
        interval.map_or_else(String::new, |(_, high)| known(high)),
        change_name(change.kind).to_owned(),
        weight,
        metric.to_owned(),
    ]);
    record
}
