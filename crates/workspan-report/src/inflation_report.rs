//! The report on how much more work a program does in parallel.

use workspan_model::{Differential, Inflation};

/// The report on a comparison of a program's runs by one worker and in parallel.
#[derive(Clone, Copy, Debug)]
pub struct InflationReport<'a> {
    /// The runs.
    pub differential: &'a Differential,
    /// The inflation that follows from them.
    pub inflation: &'a Inflation,
}
