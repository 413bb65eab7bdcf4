//! The report on predicted speedups, as JSON and CSV.
#![allow(
    non_camel_case_types,
    reason = "the types of objects are named after the keys"
)]

use std::io;

use workspan_model::{Dag, Profile, SpeedupCurve};

use crate::json::{key_of, metric_key, speedup_curve, write_pretty};
use crate::object::object;

/// Version of the JSON of `workspan predict`. Keys may be added within a version.
const VERSION: u32 = 1;

/// The report on the predicted speedups of a program.
#[derive(Clone, Copy, Debug)]
pub struct Predictions<'a> {
    /// The profile of the program.
    pub profile: &'a Profile,
    /// The task dag of the same run.
    pub dag: &'a Dag,
    /// The predictions for the dag.
    pub curve: &'a SpeedupCurve,
}

impl Predictions<'_> {
    /// Writes them as JSON: a version, then the keys of `predicted` in the JSON report
    /// (`docs/profile.schema.json`).
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn json(&self, output: &mut dyn io::Write) -> io::Result<()> {
        let metric = &self.profile.run.metric;
        let document = object! {
            version: VERSION,
            #[serde(flatten)]
            metric: metric_key(metric),
            truncated: self.dag.is_truncated,
            #[serde(flatten)]
            curve: speedup_curve(self.curve),
        };
        write_pretty(&document, metric, output)
    }

    /// Writes them as comma-separated values: a header, then one record for each number of cores.
    /// Times are in nanoseconds, as in the JSON.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn csv(&self, output: &mut dyn io::Write) -> io::Result<()> {
        let names = [
            "cores",
            "lower",
            "median",
            "least",
            "most",
            "upper",
            "seeds",
            "time_ns",
            "utilisation",
            "scheduling_ns",
            "idle_ns",
            "held_up_ns",
            "steals",
            "failed_steals",
        ];
        let mut records = csv::Writer::from_writer(output);
        records.write_record(names.map(|name| key_of(name, &self.profile.run.metric)))?;
        for prediction in &self.curve.predictions {
            let median = &prediction.median;
            records.write_record([
                prediction.cores.to_string(),
                format!("{:?}", prediction.bounds.lower),
                format!("{:?}", median.speedup),
                format!("{:?}", prediction.least),
                format!("{:?}", prediction.most),
                format!("{:?}", prediction.bounds.upper),
                prediction.seeds.to_string(),
                median.time.shown().to_string(),
                format!("{:?}", median.utilisation),
                median.scheduling.shown().to_string(),
                median.idle.shown().to_string(),
                median.held_up.shown().to_string(),
                median.steals.to_string(),
                median.failed_steals.to_string(),
            ])?;
        }
        records.flush()
    }
}
