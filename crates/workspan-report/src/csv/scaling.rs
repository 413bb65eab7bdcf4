//! What a sweep says as comma-separated values.

use std::io;

use workspan_model::{
    Bandwidth, DerivedTime, Factored, FactoredCurve, FactoredPoint, LackedProcessors, Nanos,
    RatioEstimate, Scaling, ScalingPoint, TimeEstimate,
};

use super::records::Records;
use super::{number, or_empty};
use crate::ScalingReport;

type Fields = Vec<(String, String)>;

/// Writes the records of `report`.
pub(crate) fn scaling(report: &ScalingReport<'_>, output: &mut dyn io::Write) -> io::Result<()> {
    let records = match (report.scaling, report.bandwidth) {
        (Some(scaling), _) => threads(scaling, report.factored),
        (None, Some(bandwidth)) => copies(bandwidth),
        (None, None) => Vec::new(),
    };
    let mut writer = Records::to(output);
    for (index, record) in records.into_iter().enumerate() {
        let (names, values): (Vec<String>, Vec<String>) = record.into_iter().unzip();
        if index == 0 {
            writer.write(names)?;
        }
        writer.write(values)?;
    }
    writer.flush()
}

/// One record for each number of threads, with the factored speedups where they were asked for.
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
    fields.push(field("processor_ns", nanos(point.processor)));
    fields.extend(load_fields(point.processor_growth, point.lacked));
    fields.extend(ratio_fields("speedup", point.speedup));
    fields.extend(ratio_fields("efficiency", point.efficiency));
    let bounds = point.bounds;
    fields.extend([
        field("lower", or_empty(bounds.map(|bounds| number(bounds.lower)))),
        field(
            "predicted",
            or_empty(
                point
                    .predicted
                    .map(|predicted| number(predicted.median.speedup)),
            ),
        ),
        field("upper", or_empty(bounds.map(|bounds| number(bounds.upper)))),
        field("below_lower", point.is_below_lower),
        field("shares_cores", point.shares_cores),
    ]);
    fields
}

fn factored_fields(point: Option<&FactoredPoint>) -> Fields {
    let mut fields = vec![
        field("one_ns", or_empty(point.map(|point| nanos(point.one.mean)))),
        field(
            "factored_ns",
            or_empty(point.map(|point| nanos(point.time.mean))),
        ),
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

fn load_fields(growth: Option<RatioEstimate>, lacked: Option<LackedProcessors>) -> Fields {
    let lacked = lacked.map(|lacked| number(lacked.processors.value));
    vec![
        field(
            "processor_growth",
            or_empty(growth.map(|growth| number(growth.value))),
        ),
        field("lacked_processors", or_empty(lacked)),
    ]
}

fn time_fields(time: &TimeEstimate) -> Fields {
    vec![
        field("runs", time.runs),
        field("median_ns", nanos(time.median)),
        field("median_low_ns", nanos(time.median_low)),
        field("median_high_ns", nanos(time.median_high)),
        field("median_confidence", number(time.median_confidence)),
        field("mean_ns", nanos(time.mean)),
        field("mean_low_ns", nanos(time.mean_low)),
        field("mean_high_ns", nanos(time.mean_high)),
    ]
}

fn ratio_fields(name: &str, estimate: Option<RatioEstimate>) -> Fields {
    let figures = [
        (name.to_owned(), estimate.map(|estimate| estimate.value)),
        (format!("{name}_low"), estimate.map(|estimate| estimate.low)),
        (
            format!("{name}_high"),
            estimate.map(|estimate| estimate.high),
        ),
    ];
    let figures = figures.into_iter();
    figures
        .map(|(name, figure)| (name, or_empty(figure.map(number))))
        .collect()
}

fn derived_fields(name: &str, time: Option<DerivedTime>) -> Fields {
    vec![
        field(
            &format!("{name}_ns"),
            or_empty(time.map(|time| nanos(time.value))),
        ),
        field(
            &format!("{name}_low_ns"),
            or_empty(time.map(|time| nanos(time.low))),
        ),
        field(
            &format!("{name}_high_ns"),
            or_empty(time.map(|time| nanos(time.high))),
        ),
    ]
}

/// Signed: what follows from differences may be negative.
fn nanos(time: Nanos) -> i64 {
    time.as_nanos()
}

fn field(name: &str, value: impl ToString) -> (String, String) {
    (name.to_owned(), value.to_string())
}
