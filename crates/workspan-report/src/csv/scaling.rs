//! The report on a sweep as comma-separated values.

use std::io;

use workspan_model::{
    Bandwidth, Estimate, Factored, FactoredCurve, FactoredPoint, MissingProcessors, Scaling,
    ScalingPoint, TimeEstimate,
};

use super::records::{Cell, Fields, fields, write_fields};
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
    let predicted = point.predicted;
    let mut fields = fields! { "threads" => point.threads, };
    fields.extend(time_fields(&point.time));
    fields.extend(fields! { "processor_ns" => point.processor, });
    fields.extend(load_fields(point.processor_growth, point.lacked));
    fields.extend(estimate_fields("speedup", "", point.speedup));
    fields.extend(estimate_fields("efficiency", "", point.efficiency));
    fields.extend(fields! {
        "lower" => point.bounds.map(|bounds| bounds.lower),
        "predicted" => predicted.map(|predicted| predicted.median.speedup),
        "upper" => point.bounds.map(|bounds| bounds.upper),
        "below_lower" => point.is_below_lower,
        "shares_cores" => point.shares_cores,
    });
    fields
}

fn factored_fields(point: Option<&FactoredPoint>) -> Fields {
    let mut fields = fields! {
        "one_ns" => point.map(|point| point.one.mean.value),
        "factored_ns" => point.map(|point| point.time.mean.value),
    };
    fields.extend(estimate_fields(
        "idle",
        "_ns",
        point.and_then(|point| point.idle),
    ));
    let inflation = point.and_then(|point| point.inflation);
    fields.extend(estimate_fields("inflation", "_ns", inflation));
    for curve in FactoredCurve::ALL {
        let speedup = point.and_then(|point| point.speedup(curve));
        let name = curve.name().replace('-', "_");
        fields.extend(estimate_fields(&name, "", speedup));
    }
    fields
}

/// One record for each number of copies.
fn copies(bandwidth: &Bandwidth) -> Vec<Fields> {
    let points = bandwidth.points.iter().map(|point| {
        let mut record = fields! { "copies" => point.copies, };
        record.extend(time_fields(&point.time));
        record.extend(estimate_fields("slowdown", "", Some(point.slowdown)));
        record.extend(estimate_fields("throughput", "", Some(point.throughput)));
        record.extend(load_fields(point.processor_growth, point.lacked));
        record.extend(fields! { "shares_cores" => point.shares_cores, });
        record
    });
    points.collect()
}

fn load_fields(growth: Option<Estimate<f64>>, lacked: Option<MissingProcessors>) -> Fields {
    fields! {
        "processor_growth" => growth.map(|growth| growth.value),
        "lacked_processors" => lacked.map(|lacked| lacked.processors.value),
    }
}

fn time_fields(time: &TimeEstimate) -> Fields {
    fields! {
        "runs" => time.runs,
        "median_ns" => time.median.value,
        "median_low_ns" => time.median.low,
        "median_high_ns" => time.median.high,
        "median_confidence" => time.median_confidence,
        "mean_ns" => time.mean.value,
        "mean_low_ns" => time.mean.low,
        "mean_high_ns" => time.mean.high,
    }
}

fn estimate_fields<T: Cell>(
    name: &str,
    unit: &str,
    estimate: Option<Estimate<T>>,
) -> [(String, String); 3] {
    let estimate = estimate.as_ref();
    [
        (
            format!("{name}{unit}"),
            estimate.map(|it| &it.value).written(),
        ),
        (
            format!("{name}_low{unit}"),
            estimate.map(|it| &it.low).written(),
        ),
        (
            format!("{name}_high{unit}"),
            estimate.map(|it| &it.high).written(),
        ),
    ]
}
