//! The report for programs.

use std::io;

use workspan_model::Profile;

use crate::Renderer;

/// Version of the JSON report's schema, `docs/profile.schema.json`.
pub const SCHEMA_VERSION: u32 = 1;

/// The report for programs, as JSON.
#[derive(Clone, Copy, Debug, Default)]
pub struct Json;

impl Renderer for Json {
    fn render(&self, profile: &Profile, output: &mut dyn io::Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *output, profile)?;
        writeln!(output)
    }
}
