//! The report as JSON.
#![allow(
    non_camel_case_types,
    reason = "the types of objects are named after the keys"
)]

mod comparison;
mod curve;
mod dag;
mod document;
mod findings;
mod functions;
mod inflation;
mod keys;
mod locks;
mod place;
mod regions;
mod runs;
mod scaling;
#[cfg(test)]
mod schema;
mod what_if;

use std::io;

use serde::Serialize;
use workspan_model::{Analysis, Profile};

use crate::Renderer;
pub(crate) use comparison::comparison_records;
pub use comparison::{check_json, comparison_json};
pub(crate) use curve::{prediction, speedup_curve};
pub(crate) use dag::dag_figures;
pub use dag::dag_json;
pub use document::SCHEMA_VERSION;
use document::document;
pub(crate) use document::site;
pub use inflation::INFLATION_SCHEMA_VERSION;
pub(crate) use keys::{key_of, metric_key, non_default, write_pretty};
pub(crate) use regions::region_records;
pub use scaling::SWEEP_SCHEMA_VERSION;
pub(crate) use scaling::bandwidth_point;
pub(crate) use what_if::speedup;
pub use what_if::{advice_json, what_if_json};

/// The report as JSON, for programs to read (`docs/profile.schema.json`). Times are in nanoseconds,
/// shares from 0 to 1; unknown values are `null`. With a metric that counts, keys of amounts end in
/// `_count` instead of `_ns`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Json;

impl Renderer for Json {
    fn render(
        &self,
        profile: &Profile,
        analysis: &Analysis,
        output: &mut dyn io::Write,
    ) -> io::Result<()> {
        write_pretty(&document(profile, analysis), &analysis.metric, output)
    }
}

/// Writes `document` with its keys as they are.
fn write_plain(document: &impl Serialize, output: &mut dyn io::Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *output, document)?;
    writeln!(output)
}

/// `number`, if JSON can hold it.
fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}
