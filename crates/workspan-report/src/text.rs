//! The report for people.

use std::io;

use workspan_model::{Profile, analyse};

use crate::Renderer;

/// The report for people.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether to colour with ANSI escapes.
    pub colour: bool,
    /// The most rows in the table of sites.
    pub sites: usize,
}

impl Default for Text {
    /// For 80 columns without colour.
    fn default() -> Self {
        Self {
            width: 80,
            colour: false,
            sites: 25,
        }
    }
}

impl Renderer for Text {
    fn render(&self, profile: &Profile, output: &mut dyn io::Write) -> io::Result<()> {
        let analysis = analyse(profile);
        writeln!(output, "Parallelism {}", analysis.totals.parallelism)
    }
}
