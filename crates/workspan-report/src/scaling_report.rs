//! The report on a sweep over numbers of threads.

use workspan_model::{Bandwidth, Factored, Scaling, Sweep};

use crate::plot::Plot;
use crate::program::program;

/// The report on a sweep over numbers of threads.
#[derive(Clone, Copy, Debug)]
pub struct ScalingReport<'a> {
    /// What was measured.
    pub sweep: &'a Sweep,
    /// Its measured speedups; `None` if only copies were measured.
    pub scaling: Option<&'a Scaling>,
    /// Its factored speedups, if they were asked for.
    pub factored: Option<&'a Factored>,
    /// Its test of memory bandwidth, if it was made.
    pub bandwidth: Option<&'a Bandwidth>,
}

impl ScalingReport<'_> {
    /// Its plots, each with a name for its files: `speedup`, `factored` and `bandwidth`, those of
    /// them that there are.
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

    /// The program without its folder, and its arguments, made safe to show.
    pub(crate) fn program(&self) -> String {
        program(&self.sweep.command)
    }
}
