//! How much more work a program does in parallel, as text and JSON.

use std::io;

use workspan_model::{Differential, Inflation};

use crate::Screen;
use crate::{json, text};

/// What the comparison of a program's runs by one worker and in parallel says, to be printed.
#[derive(Clone, Copy, Debug)]
pub struct InflationReport<'a> {
    /// The runs.
    pub differential: &'a Differential,
    /// What follows from them.
    pub inflation: &'a Inflation,
}

impl InflationReport<'_> {
    /// Writes it for people.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn text(&self, screen: Screen, output: &mut dyn io::Write) -> io::Result<()> {
        text::inflation(self, screen, output)
    }

    /// Writes it for programs, as JSON. Times are in nanoseconds, other metrics are counts; what is not known is `null`.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn json(&self, output: &mut dyn io::Write) -> io::Result<()> {
        json::inflation(self, output)
    }
}
