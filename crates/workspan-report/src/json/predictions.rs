//! Predicted speedups as JSON.

use std::io;

use super::document::speedup_curve;
use super::keys::{metric_key, write_pretty};
use crate::object::object;
use crate::scaling_report::Predictions;

/// Version of the JSON of `workspan predict`. Keys may be added within a version.
const VERSION: u32 = 1;

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
