//! The report for programs.

mod comparison;
mod curve;
mod dag;
mod document;
mod findings;
mod functions;
mod inflation;
mod keys;
mod locks;
mod regions;
mod runs;
mod scaling;
mod what_if;

use std::io;

use workspan_model::{Analysis, Profile};

use crate::Renderer;
pub(crate) use comparison::{change_name, found};
pub use comparison::{check_json, comparison_json};
pub(crate) use curve::CurvePart;
pub use dag::dag_json;
use document::Document;
pub use inflation::INFLATION_SCHEMA_VERSION;
pub(crate) use inflation::inflation;
pub(crate) use keys::{key_of, told, write_pretty};
pub use scaling::SWEEP_SCHEMA_VERSION;
pub(crate) use scaling::scaling;
pub use what_if::{advice_json, what_if_json};

/// Version of the JSON report's schema, `docs/profile.schema.json`. Keys may be added within a version; version 4 tells as
/// findings what were notes of the kind `high_tasking_overhead`.
pub const SCHEMA_VERSION: u32 = 4;

/// The report for programs, as JSON (`docs/profile.schema.json`). Times are in nanoseconds, shares
/// from 0 to 1; what is not known is `null`. Keys of amounts of a metric that counts end in `_count` in place of `_ns`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Json;

impl Renderer for Json {
    fn render(
        &self,
        profile: &Profile,
        analysis: &Analysis,
        output: &mut dyn io::Write,
    ) -> io::Result<()> {
        let document = Document::of(profile, analysis);
        keys::write_pretty(&document, &analysis.metric, output)
    }
}
