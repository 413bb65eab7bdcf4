//! What has changed between two profiles, as comma-separated values.

use std::io;

use workspan_model::{Comparison, FigureChange};

use super::records::{Fields, fields, write_fields};
use crate::json::found;
use crate::place::place;

/// Writes a header, a record for each total, and two records for each site: its own time on the
/// critical path and in all. The sites that matter most come first. Amounts are in nanoseconds of
/// time, or else in events of the metric that each record names; growths are shares; unknown values
/// are empty.
///
/// # Errors
/// Any error from writing to `output`.
pub fn comparison_csv(comparison: &Comparison, output: &mut dyn io::Write) -> io::Result<()> {
    let metric = &comparison.metric.name;
    let totals = comparison.totals.iter().map(|(quantity, change)| {
        let subject = ["both", "program", "", ""].map(str::to_owned);
        record(subject, quantity.name(), change, "", metric)
    });
    let sites = comparison.sites.iter().flat_map(|site| {
        let (row, weight) = (site.row(), site.weight.to_string());
        [("own_span", &site.on_span), ("own_work", &site.own_work)].map(|(figure, change)| {
            let subject = [
                found(site).to_owned(),
                row.kind.name().to_owned(),
                row.name.clone().unwrap_or_default(),
                place(row),
            ];
            record(subject, figure, change, &weight, metric)
        })
    });
    write_fields(totals.chain(sites), output)
}

fn record(
    [found, kind, name, location]: [String; 4],
    figure: &str,
    change: &FigureChange,
    weight: &str,
    metric: &str,
) -> Fields {
    let known = |figure: f64| figure.is_finite().then(|| figure.to_string());
    fields! {
        "found" => found,
        "kind" => kind,
        "name" => name,
        "location" => location,
        "figure" => figure,
        "before" => known(change.before),
        "after" => known(change.after),
        "growth" => known(change.growth),
        "growth_low" => change.interval.and_then(|(low, _)| known(low)),
        "growth_high" => change.interval.and_then(|(_, high)| known(high)),
        "change" => change.kind.name(),
        "weight" => weight,
        "metric" => metric,
    }
}
