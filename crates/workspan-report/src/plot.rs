//! Plots of curves over numbers of threads.

mod axis;
mod chart;
mod content;
mod curves;
mod gnuplot;
mod terminal;

pub use content::Plot;
pub(crate) use content::{Curve, Look, Point, Scale};
