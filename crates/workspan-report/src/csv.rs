//! The sites as comma-separated values.

use std::io;

use workspan_model::{Profile, analyse};

use crate::Renderer;

/// The sites as comma-separated values: a header, then one record a site.
#[derive(Clone, Copy, Debug, Default)]
pub struct Csv;

impl Renderer for Csv {
    fn render(&self, profile: &Profile, output: &mut dyn io::Write) -> io::Result<()> {
        let analysis = analyse(profile);
        let mut records = csv::Writer::from_writer(output);
        for site in &analysis.sites {
            records.write_record([site.kind.name()])?;
        }
        records.flush()
    }
}
