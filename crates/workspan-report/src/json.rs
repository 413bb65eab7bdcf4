//! The report as JSON.

mod books;
mod comparison;
mod document;
mod inflation;
mod kept;
mod keys;
mod predictions;
mod scaling;
#[cfg(test)]
mod schema;
mod what_if;

use std::io;

use document::document;
use workspan_model::{Analysis, Profile};

use crate::Renderer;

pub(crate) use comparison::comparison_records;
pub use comparison::{check_json, comparison_json};
pub use document::SCHEMA_VERSION;
pub(crate) use document::{prediction, region_records, site};
pub use inflation::INFLATION_SCHEMA_VERSION;
pub use kept::kept_json;
pub(crate) use keys::{key_of, non_default, write_compact, write_pretty};
pub use scaling::SWEEP_SCHEMA_VERSION;
pub(crate) use scaling::{bandwidth_point, scaling_record};
pub use what_if::{advice_json, dag_json, what_if_json};
pub(crate) use what_if::{dag_figures, speedup};

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
