//! The report on predicted speedups, as JSON.
#![allow(
    non_camel_case_types,
    reason = "the types of objects are named after the keys"
)]

use std::io;

use workspan_model::{Dag, Profile, SpeedupCurve};

use crate::json::{metric_key, speedup_curve, write_pretty};
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
}
