//! Plots of curves over numbers of threads.

mod axis;
mod chart;
mod content;
mod curves;
mod gnuplot;
mod terminal;

use workspan_model::{
    Analysis, Bandwidth, Comparison, ExpectedScaling, Factored, Profile, Scaling,
};

use crate::Charset;
use crate::program::program;

pub use content::Plot;
pub(crate) use content::{Curve, Look, Point, Scale};

impl Plot {
    /// The measured speedups over the bounds and the prediction; `None` without a speedup.
    pub fn speedup(title: &str, scaling: &Scaling) -> Option<Self> {
        curves::speedup(title, scaling)
    }

    /// The bounds and the prediction of a profile, and over them the measured speedups of a sweep
    /// if there is one: on 1 to 256 cores, or as many as were assumed or measured.
    pub fn from_profile(
        profile: &Profile,
        analysis: &Analysis,
        measured: Option<&Scaling>,
    ) -> Self {
        let expected = ExpectedScaling::from_profile(profile, analysis);
        curves::profile(&program(&profile.run.command), &expected, measured)
    }

    /// The bounds on the speedup before and after a change.
    pub fn compared(title: &str, comparison: &Comparison) -> Self {
        curves::compared(title, &comparison.speedup)
    }

    /// The factored speedups.
    pub fn factored(title: &str, factored: &Factored) -> Self {
        curves::factored(title, factored)
    }

    /// How much work copies that run at once do together.
    pub fn bandwidth(title: &str, bandwidth: &Bandwidth) -> Self {
        curves::bandwidth(title, bandwidth)
    }

    /// The plot as a self-contained SVG of 800 × 500, for light and dark pages.
    pub fn svg(&self) -> String {
        chart::svg(self)
    }

    /// The script with which gnuplot 5 draws the plot from the file `data`, which holds
    /// [`gnuplot_data`](Self::gnuplot_data), to the file `picture`, an SVG. The names are relative
    /// to where gnuplot runs.
    pub fn gnuplot(&self, data: &str, picture: &str) -> String {
        gnuplot::script(self, &gnuplot::Source::File(data), picture)
    }

    /// The same script with the data in it.
    pub fn gnuplot_with_data(&self, picture: &str) -> String {
        gnuplot::script(self, &gnuplot::Source::Script, picture)
    }

    /// The data that the script of [`gnuplot`](Self::gnuplot) draws: a block for each curve, a line
    /// for each point.
    pub fn gnuplot_data(&self) -> String {
        gnuplot::data(self)
    }

    /// The plot as lines of text, at most `width` columns wide, with a legend.
    pub fn lines(&self, width: usize, charset: Charset) -> Vec<String> {
        terminal::lines(self, width, charset)
    }
}
