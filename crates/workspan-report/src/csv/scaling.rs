//! The report on a sweep as comma-separated values.

use std::io;

use workspan_model::{
    Bandwidth, Estimate, Factored, FactoredCurve, FactoredPoint, MissingProcessors, Nanos, Scaling,
    ScalingPoint, TimeEstimate,
};

use super::records::{Fields, write_fields};
use super::{number, or_empty};
use crate::ScalingReport;

impl ScalingReport<'_> {
    /// Writes comma-separated values: a header, then one record for each number of threads, with
    /// the factored speedups if there are any; or one for each number of copies, if there is
    /// nothing else. Times are in nanoseconds; unknown values are empty.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn csv(&self, output: &mut dyn io::Write) -> io::Result<()> {
        let records = match (self.scaling, self.bandwidth) {
            (Some(scaling), _) => threads(scaling, self.factored),
            (None, Some(bandwidth)) => copies(bandwidth),
            (None, None) => Vec::new(),
        };
        write_fields(records, output)
    }
}

/// One record for each number of threads, with the factored speedups if there are any.
fn threads(scaling: &Scaling, factored: Option<&Factored>) -> Vec<Fields> {
    let record = |point: &ScalingPoint| {
        let mut record = point_fields(point);
        if let Some(factored) = factored {
            let mut points = factored.points.iter();
            let point = points.find(|factored| factored.threads == point.threads);
            record.extend(factored_fields(point));
        }
        record
    };
    scaling.points.iter().map(record).collect()
}

fn point_fields(point: &ScalingPoint) -> Fields {
    let mut fields = vec![field("threads", point.threads)];
    fields.extend(time_fields(&point.time));
    fields.push(field("processor_ns", point.processor.as_nanos()));
    fields.extend(load_fields(point.processor_growth, point.lacked));
    fields.extend(ratio_fields("speedup", point.speedup));
    fields.extend(ratio_fields("efficiency", point.efficiency));
    let bounds = point.bounds;
    let predicted = point.predicted;
    fields.extend([
        number_field("lower", bounds.map(|bounds| bounds.lower)),
        number_field(
            "predicted",
            predicted.map(|predicted| predicted.median.speedup),
        ),
        number_field("upper", bounds.map(|bounds| bounds.upper)),
        field("below_lower", point.is_below_lower),
        field("shares_cores", point.shares_cores),
    ]);
    fields
}

fn factored_fields(point: Option<&FactoredPoint>) -> Fields {
    let mut fields = vec![
        time_field("one_ns", point.map(|point| point.one.mean.value)),
        time_field("factored_ns", point.map(|point| point.time.mean.value)),
    ];
    fields.extend(derived_fields("idle", point.and_then(|point| point.idle)));
    fields.extend(derived_fields(
        "inflation",
        point.and_then(|point| point.inflation),
    ));
    for curve in FactoredCurve::ALL {
        let speedup = point.and_then(|point| point.speedup(curve));
        fields.extend(ratio_fields(&curve.name().replace('-', "_"), speedup));
    }
    fields
}

/// One record for each number of copies.
fn copies(bandwidth: &Bandwidth) -> Vec<Fields> {
    let points = bandwidth.points.iter();
    let record = |point: &workspan_model::BandwidthPoint| {
        let mut record = vec![field("copies", point.copies)];
        record.extend(time_fields(&point.time));
        record.extend(ratio_fields("slowdown", Some(point.slowdown)));
        record.extend(ratio_fields("throughput", Some(point.throughput)));
        record.extend(load_fields(point.processor_growth, point.lacked));
        record.push(field("shares_cores", point.shares_cores));
        record
    };
    points.map(record).collect()
}

fn load_fields(growth: Option<Estimate<f64>>, lacked: Option<MissingProcessors>) -> Fields {
    vec![
        number_field("processor_growth", growth.map(|growth| growth.value)),
        number_field(
            "lacked_processors",
            lacked.map(|lacked| lacked.processors.value),
        ),
    ]
}

fn time_fields(time: &TimeEstimate) -> Fields {
    vec![
        field("runs", time.runs),
        field("median_ns", time.median.value.as_nanos()),
        field("median_low_ns", time.median.low.as_nanos()),
        field("median_high_ns", time.median.high.as_nanos()),
        field("median_confidence", number(time.median_confidence)),
        field("mean_ns", time.mean.value.as_nanos()),
        field("mean_low_ns", time.mean.low.as_nanos()),
        field("mean_high_ns", time.mean.high.as_nanos()),
    ]
}

fn ratio_fields(name: &str, estimate: Option<Estimate<f64>>) -> Fields {
    vec![
        number_field(name, estimate.map(|estimate| estimate.value)),
        number_field(
            &format!("{name}_low"),
            estimate.map(|estimate| estimate.low),
        ),
        number_field(
            &format!("{name}_high"),
            estimate.map(|estimate| estimate.high),
        ),
    ]
}

fn derived_fields(name: &str, time: Option<Estimate<Nanos>>) -> Fields {
    vec![
        time_field(&format!("{name}_ns"), time.map(|time| time.value)),
        time_field(&format!("{name}_low_ns"), time.map(|time| time.low)),
        time_field(&format!("{name}_high_ns"), time.map(|time| time.high)),
    ]
}

fn field(name: &str, value: impl ToString) -> (String, String) {
    (name.to_owned(), value.to_string())
}

fn number_field(name: &str, figure: Option<f64>) -> (String, String) {
    field(name, or_empty(figure.map(number)))
}

fn time_field(name: &str, time: Option<Nanos>) -> (String, String) {
    field(name, or_empty(time.map(Nanos::as_nanos)))
}
