//! What a sweep over numbers of threads says, as text, JSON, CSV and plots.

use std::io;

use workspan_model::{Bandwidth, Factored, Scaling, Sweep};

use crate::Screen;
use crate::plot::Plot;
use crate::program::program;
use crate::{csv, json, text};

/// What a sweep says, to be printed.
#[derive(Clone, Copy, Debug)]
pub struct ScalingReport<'a> {
    /// What was measured.
    pub sweep: &'a Sweep,
    /// Its measured speedups; `None` if only copies were measured.
    pub scaling: Option<&'a Scaling>,
    /// Its factored speedups, where they were asked for.
    pub factored: Option<&'a Factored>,
    /// Its test of memory bandwidth, where that was made.
    pub bandwidth: Option<&'a Bandwidth>,
}

impl ScalingReport<'_> {
    /// Writes it for people.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn text(&self, screen: Screen, output: &mut dyn io::Write) -> io::Result<()> {
        text::scaling(self, screen, output)
    }

    /// Writes it for programs, as JSON. Times are in nanoseconds; what is not known is `null`.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn json(&self, output: &mut dyn io::Write) -> io::Result<()> {
        json::scaling(self, output)
    }

    /// Writes comma-separated values: a header, then one record for each number of threads, with the factored speedups if there
    /// are any; or one for each number of copies, if there is nothing else. Times are in nanoseconds; what is not known is empty.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn csv(&self, output: &mut dyn io::Write) -> io::Result<()> {
        csv::scaling(self, output)
    }

    /// What there is to draw, each with a name for its files: `speedup`, `factored` and `bandwidth`.
    pub fn plots(&self) -> Vec<(&'static str, Plot)> {
        let title = self.program();
        let speedup = self
            .scaling
            .and_then(|scaling| Plot::speedup(&title, scaling));
        let factored = self
            .factored
            .map(|factored| Plot::factored(&title, factored));
        let bandwidth = self
            .bandwidth
            .map(|bandwidth| Plot::bandwidth(&title, bandwidth));
        let plots = [
            ("speedup", speedup),
            ("factored", factored),
            ("bandwidth", bandwidth),
        ];
        let plots = plots.into_iter();
        plots
            .filter_map(|(name, plot)| Some((name, plot?)))
            .collect()
    }

    /// The program and its arguments, without the folders that it lies in, fit to be shown.
    pub(crate) fn program(&self) -> String {
        program(&self.sweep.command)
    }
}
