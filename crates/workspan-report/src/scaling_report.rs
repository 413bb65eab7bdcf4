//! The report on a sweep over numbers of threads.

use workspan_model::{
    Bandwidth, Dag, Differential, Factored, Inflation, Profile, Scaling, SpeedupCurve, Sweep,
};

use crate::notation::program::program;
use crate::plot::Plot;

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

/// The report on a comparison of a program's runs by one worker and in parallel.
#[derive(Clone, Copy, Debug)]
pub struct InflationReport<'a> {
    /// The runs.
    pub differential: &'a Differential,
    /// The inflation that follows from them.
    pub inflation: &'a Inflation,
}

/// The report on the predicted speedups of a program.
#[derive(Clone, Copy, Debug)]
pub struct Predictions<'a> {
    /// The profile of the program.
    pub profile: &'a Profile,
    /// The task dag of the same run.
    pub dag: &'a Dag,
    /// The predictions for the dag.
    pub curve: &'a SpeedupCurve,
}
