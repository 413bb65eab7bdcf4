//! Which part of the plane a plot shows.

use super::{Plot, Scale};

/// The part of the plane that holds all points.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Extent {
    scale: Scale,
    /// The left and the right end, which are never the same.
    pub(super) horizontal: (f64, f64),
    /// Round numbers around all points but those below [`LEAST`].
    pub(super) vertical: (f64, f64),
    /// The round numbers on the vertical axis, in ascending order.
    pub(super) steps: Vec<Figure>,
}

/// A number on an axis, and how it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    pub(super) at: f64,
    pub(super) text: String,
}

/// The most steps from one round number to the next on an axis.
const MOST_STEPS: f64 = 8.0;

/// The least number on a logarithmic axis: a speedup can be 0.
const LEAST: f64 = 0.125;

impl Extent {
    pub(super) fn new(plot: &Plot) -> Self {
        let points = || plot.curves.iter().flat_map(|curve| &curve.points);
        let left = points().map(|point| point.at).fold(f64::INFINITY, f64::min);
        let right = points().map(|point| point.at).fold(1.0, f64::max);
        let left = left.min(right);
        let highs = points().map(|point| point.figure.high);
        let highest = highs.filter(|high| high.is_finite()).fold(1.0, f64::max);
        let lows = points().map(|point| point.figure.low);
        let lowest = lows.fold(1.0, f64::min);
        let steps = match plot.scale {
            Scale::Linear => linear_steps(highest),
            Scale::Logarithmic => powers(lowest.max(LEAST), highest),
        };
        let after_left = match plot.scale {
            Scale::Linear => left + 1.0,
            Scale::Logarithmic => left * 2.0,
        };
        Self {
            scale: plot.scale,
            horizontal: (left, if left < right { right } else { after_left }),
            vertical: (steps[0].at, steps[steps.len() - 1].at),
            steps,
        }
    }

    /// The places on the horizontal axis that have a figure: those of measured points or, on a
    /// logarithmic scale, powers of two.
    pub(super) fn ticks(plot: &Plot) -> Vec<f64> {
        match plot.scale {
            Scale::Linear => {
                let measured = plot.curves.iter().filter(|curve| curve.look.has_points());
                let mut ticks: Vec<f64> = measured
                    .flat_map(|curve| curve.points.iter().map(|point| point.at))
                    .collect();
                ticks.sort_by(f64::total_cmp);
                ticks.dedup();
                ticks
            }
            Scale::Logarithmic => {
                let (left, right) = Self::new(plot).horizontal;
                let powers = (0..).map(|exponent| 2_f64.powi(exponent));
                powers
                    .skip_while(|&power| power < left)
                    .take_while(|&power| power <= right)
                    .collect()
            }
        }
    }

    /// How far right a place is, from 0 to 1.
    pub(super) fn across(&self, at: f64) -> f64 {
        self.share(self.horizontal, at)
    }

    /// How far up a value is, from 0 to 1 unless it is outside.
    pub(super) fn up(&self, value: f64) -> f64 {
        self.share(self.vertical, value)
    }

    fn share(&self, (from, to): (f64, f64), at: f64) -> f64 {
        match self.scale {
            Scale::Linear => (at - from) / (to - from),
            Scale::Logarithmic => (at.max(from) / from).ln() / (to / from).ln(),
        }
    }
}

/// Round numbers from 0 to at least `highest`.
fn linear_steps(highest: f64) -> Vec<Figure> {
    let step = round_step(highest);
    let count = (highest / step).ceil() as u32;
    let digits = usize::from(step < 1.0);
    (0..=count)
        .map(|index| f64::from(index) * step)
        .map(|at| Figure {
            at,
            text: format!("{at:.digits$}"),
        })
        .collect()
}

/// The least of 0.1, 0.2, 0.5, 1, 2, 5, 10 … that divides `highest` into a few steps.
fn round_step(highest: f64) -> f64 {
    let mut unit = 0.1;
    loop {
        for factor in [1.0, 2.0, 5.0] {
            if highest <= MOST_STEPS * unit * factor {
                return unit * factor;
            }
        }
        unit *= 10.0;
    }
}

/// Powers of two, or of four, eight … if those were too many, from at most `lowest` to at least
/// `highest`; at least two.
fn powers(lowest: f64, highest: f64) -> Vec<Figure> {
    let bottom = lowest.log2().floor();
    let top = highest.log2().ceil().max(bottom + 1.0);
    let stride = ((top - bottom) / MOST_STEPS).ceil();
    let count = ((top - bottom) / stride).ceil() as u32;
    (0..=count)
        .map(|index| (bottom + f64::from(index) * stride).exp2())
        .map(|at| Figure {
            at,
            text: at.to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use workspan_model::Estimate;

    use crate::plot::{Curve, Look, Point};

    fn plot(scale: Scale, points: Vec<Point>) -> Plot {
        Plot {
            title: String::new(),
            horizontal: "",
            vertical: "",
            scale,
            curves: vec![Curve {
                name: "measured",
                look: Look::Measured,
                points,
            }],
        }
    }

    fn texts(extent: &Extent) -> Vec<&str> {
        extent.steps.iter().map(|step| step.text.as_str()).collect()
    }

    #[test]
    fn steps_are_round() {
        let cases = [
            (1.0, 0.2),
            (1.9, 0.5),
            (4.0, 0.5),
            (4.1, 1.0),
            (40.0, 5.0),
            (900.0, 200.0),
        ];
        for (highest, step) in cases {
            assert!((round_step(highest) - step).abs() < 1e-12, "{highest}");
        }
    }

    #[test]
    fn one_point_has_room_beside_it() {
        let point = Point {
            at: 2.0,
            figure: Estimate {
                value: 1.5,
                low: 1.4,
                high: 1.7,
            },
        };
        let linear = plot(Scale::Linear, vec![point]);
        let extent = Extent::new(&linear);
        assert_eq!(extent.horizontal, (2.0, 3.0));
        assert_eq!(extent.vertical, (0.0, 2.0));
        assert_eq!(Extent::ticks(&linear), [2.0]);
        assert_eq!(texts(&extent), ["0.0", "0.5", "1.0", "1.5", "2.0"]);
        let logarithmic = plot(Scale::Logarithmic, vec![point]);
        let extent = Extent::new(&logarithmic);
        assert_eq!(extent.horizontal, (2.0, 4.0));
        assert_eq!(extent.vertical, (1.0, 2.0));
        assert_eq!(Extent::ticks(&logarithmic), [2.0, 4.0]);
    }

    #[test]
    fn factors_are_equally_far_apart() {
        let point = |at, value| Point {
            at,
            figure: Estimate::exactly(value),
        };
        let plot = plot(
            Scale::Logarithmic,
            vec![point(1.0, 0.0), point(16.0, 0.3), point(300.0, 200.0)],
        );
        let extent = Extent::new(&plot);
        assert_eq!(extent.horizontal, (1.0, 300.0));
        assert_eq!(
            texts(&extent),
            ["0.125", "0.5", "2", "8", "32", "128", "512"]
        );
        assert_eq!((extent.up(0.125), extent.up(512.0)), (0.0, 1.0));
        assert!((extent.up(8.0) - 0.5).abs() < 1e-12);
        assert_eq!(extent.up(0.0), 0.0);
        let ticks = Extent::ticks(&plot);
        assert_eq!(ticks, [1, 2, 4, 8, 16, 32, 64, 128, 256].map(f64::from));
    }
}
