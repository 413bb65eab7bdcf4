//! What a plot shows.

use super::Look;

/// Curves over numbers of threads or of copies, to be drawn as SVG, by gnuplot, or in a
/// terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    pub(crate) title: String,
    pub(crate) horizontal: &'static str,
    pub(crate) vertical: &'static str,
    pub(crate) scale: Scale,
    /// In the order in which they are drawn.
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
    /// Where the true value lies, if it is not known exactly.
    pub(crate) interval: Option<(f64, f64)>,
}

/// How values are spaced on both axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// From 0 on, equal differences equally far apart.
    Linear,
    /// Equal factors equally far apart.
    Logarithmic,
}
