//! Curves over numbers of threads, to be drawn.

mod axis;
mod chart;
mod curves;
mod dashes;
mod gnuplot;
mod image;
mod look;
mod png;
mod svg;
mod terminal;

use std::io;

use workspan_model::{
    Analysis, Bandwidth, Comparison, ExpectedScaling, Factored, Profile, Scaling,
};

use crate::Charset;
use crate::program::program;

pub(crate) use axis::Scale;
pub(crate) use look::Look;

/// Curves over numbers of threads or of copies, to be drawn as SVG, as PNG, by gnuplot, or in a terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    pub(crate) title: String,
    pub(crate) horizontal: &'static str,
    pub(crate) vertical: &'static str,
    pub(crate) scale: Scale,
    /// Those drawn first come first.
    pub(crate) curves: Vec<Curve>,
}

/// A curve of a plot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Curve {
    pub(crate) name: &'static str,
    pub(crate) look: Look,
    /// From left to right.
    pub(crate) points: Vec<Point>,
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) at: f64,
    pub(crate) value: f64,
    /// Where the truth lies, if that is not known exactly.
    pub(crate) interval: Option<(f64, f64)>,
}

impl Plot {
    /// The measured speedups over the bounds and the prediction; `None` without a speedup.
    pub fn speedup(title: &str, scaling: &Scaling) -> Option<Self> {
        curves::speedup(title, scaling)
    }

    /// The bounds and the prediction of a profile, and over them the measured speedups of a sweep if there is one: on 1 to 256
    /// cores, or as many as were assumed or measured.
    pub fn of_profile(profile: &Profile, analysis: &Analysis, measured: Option<&Scaling>) -> Self {
        let expected = ExpectedScaling::of_profile(profile, analysis);
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

    /// How much slower copies are that run at once.
    pub fn bandwidth(title: &str, bandwidth: &Bandwidth) -> Self {
        curves::bandwidth(title, bandwidth)
    }

    /// As a picture of 800 × 500 that stands by itself and suits light and dark pages.
    pub fn svg(&self) -> String {
        svg::svg(self)
    }

    /// As a picture of 1600 × 1000.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn png(&self, output: &mut dyn io::Write) -> io::Result<()> {
        png::png(self, output)
    }

    /// The script with which gnuplot 5 draws it from the file `data`, in which [`gnuplot_data`](Self::gnuplot_data) stands, to
    /// the file `picture`, an SVG. Names are taken from where gnuplot runs.
    pub fn gnuplot(&self, data: &str, picture: &str) -> String {
        gnuplot::script(self, &gnuplot::Source::File(data), picture)
    }

    /// The same script with the data in it.
    pub fn gnuplot_with_data(&self, picture: &str) -> String {
        gnuplot::script(self, &gnuplot::Source::Script, picture)
    }

    /// What the script of [`gnuplot`](Self::gnuplot) draws: a block a curve, a line a point.
    pub fn gnuplot_data(&self) -> String {
        gnuplot::data(self)
    }

    /// As lines of text, `width` columns wide at most, with a legend.
    pub fn lines(&self, width: usize, charset: Charset) -> Vec<String> {
        terminal::lines(self, width, charset)
    }
}
