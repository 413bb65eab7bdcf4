//! Predicted speedups by themselves, as text, JSON and CSV.

use std::io;

use serde::Serialize;
use workspan_model::{Dag, Metric, Profile, SpeedupCurve};

use crate::Screen;
use crate::json::{CurvePart, key_of, told, write_pretty};
use crate::text;

/// Version of the JSON of `workspan predict`. Keys may be added within a version.
const VERSION: u32 = 1;

/// Predicted speedups of a program, to be printed.
#[derive(Clone, Copy, Debug)]
pub struct Predictions<'a> {
    /// The profile of the program.
    pub profile: &'a Profile,
    /// The task dag of the same run.
    pub dag: &'a Dag,
    /// What is predicted of it.
    pub curve: &'a SpeedupCurve,
}

impl Predictions<'_> {
    /// Writes them for people.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn text(&self, screen: Screen, output: &mut dyn io::Write) -> io::Result<()> {
        text::predictions(self, screen, output)
    }

    /// Writes them as JSON: the keys of `predicted` of the report for programs (`docs/profile.schema.json`), with a version
    /// before them.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn json(&self, output: &mut dyn io::Write) -> io::Result<()> {
        let metric = &self.profile.run.metric;
        let document = Document {
            version: VERSION,
            metric: told(metric),
            truncated: self.dag.is_truncated,
            curve: CurvePart::of(self.curve),
        };
        write_pretty(&document, metric, output)
    }

    /// Writes them as comma-separated values: a header, then one record for each number of cores. Times are in nanoseconds, as in the JSON.
    ///
    /// # Errors
    /// Those of `output`.
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
        records
            .write_record(names.map(|name| key_of(name, &self.profile.run.metric)))
            .map_err(io::Error::from)?;
        for prediction in &self.curve.predictions {
            let median = &prediction.median;
            records
                .write_record([
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
                ])
                .map_err(io::Error::from)?;
        }
        records.flush()
    }
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    metric: Option<&'a Metric>,
    truncated: bool,
    #[serde(flatten)]
    curve: CurvePart,
}
