//! The curves of each plot.

use workspan_model::{
    Analysis, Bandwidth, Comparison, Estimate, ExpectedScaling, Factored, FactoredCurve, Profile,
    Scaling, SpeedupBounds,
};

use super::{Curve, Look, Plot, Point, Scale};
use crate::notation::program::program;

impl Point {
    fn exactly(at: u32, value: f64) -> Self {
        Self::estimated(at, Estimate::exactly(value))
    }

    fn estimated(at: u32, figure: Estimate<f64>) -> Self {
        Self {
            at: f64::from(at),
            figure,
        }
    }
}

impl Plot {
    /// The measured speedups over the bounds and the prediction; `None` without a speedup.
    pub fn speedup(title: &str, scaling: &Scaling) -> Option<Self> {
        let measured = measured(scaling);
        if measured.points.is_empty() {
            return None;
        }
        let mut curves = match &scaling.expected {
            Some(expected) => expected_curves(expected),
            None => {
                let threads = scaling.points.iter().map(|point| point.threads);
                let linear = threads.map(|threads| Point::exactly(threads, f64::from(threads)));
                vec![Curve::new("linear", Look::Linear, linear)]
            }
        };
        curves.push(measured);
        Some(Self {
            title: title.to_owned(),
            horizontal: "threads",
            vertical: "speedup",
            scale: Scale::Linear,
            curves,
        })
    }

    /// The bounds and the prediction of a profile, and over them the measured speedups of a sweep
    /// if there is one: on 1 to 256 cores, or as many as were assumed or measured.
    pub fn from_profile(
        profile: &Profile,
        analysis: &Analysis,
        measured: Option<&Scaling>,
    ) -> Self {
        let mut curves = expected_curves(&ExpectedScaling::from_profile(profile, analysis));
        curves.extend(measured.map(self::measured));
        curves.retain(|curve| !curve.points.is_empty());
        Self {
            title: program(&profile.run.command),
            horizontal: "cores",
            vertical: "speedup",
            scale: Scale::Logarithmic,
            curves,
        }
    }

    /// The bounds on the speedup before and after a change.
    pub fn compared(title: &str, comparison: &Comparison) -> Self {
        let curve = |name, look, bound: fn(&(SpeedupBounds, SpeedupBounds)) -> f64| {
            let points = comparison.speedup.iter();
            Curve::new(
                name,
                look,
                points.map(|pair| Point::exactly(pair.0.cores, bound(pair))),
            )
        };
        Self {
            title: title.to_owned(),
            horizontal: "cores",
            vertical: "speedup",
            scale: Scale::Logarithmic,
            curves: vec![
                curve("upper bound before", Look::Elision, |pair| pair.0.upper),
                curve("lower bound before", Look::InflationSpecific, |pair| {
                    pair.0.lower
                }),
                curve("upper bound after", Look::UpperBound, |pair| pair.1.upper),
                curve("lower bound after", Look::LowerBound, |pair| pair.1.lower),
            ],
        }
    }

    /// The factored speedups.
    pub fn factored(title: &str, factored: &Factored) -> Self {
        let curve = |curve: FactoredCurve| {
            let points = factored.points.iter();
            let points = points
                .filter_map(|point| Some(Point::estimated(point.threads, point.speedup(curve)?)));
            Curve::new(curve.name(), look(curve), points)
        };
        let mut curves: Vec<Curve> = FactoredCurve::ALL.into_iter().map(curve).collect();
        curves.retain(|curve| !curve.points.is_empty());
        Self {
            title: title.to_owned(),
            horizontal: "threads",
            vertical: "speedup over the baseline",
            scale: Scale::Linear,
            curves,
        }
    }

    /// How much work copies that run at once do together.
    pub fn bandwidth(title: &str, bandwidth: &Bandwidth) -> Self {
        let points = bandwidth.points.iter();
        let linear = points
            .clone()
            .map(|point| Point::exactly(point.copies, f64::from(point.copies)));
        let measured = points.map(|point| Point::estimated(point.copies, point.throughput));
        Self {
            title: title.to_owned(),
            horizontal: "copies at once",
            vertical: "work done, of one alone",
            scale: Scale::Linear,
            curves: vec![
                Curve::new("as many as copies", Look::Linear, linear),
                Curve::new("measured", Look::Measured, measured),
            ],
        }
    }
}

fn measured(scaling: &Scaling) -> Curve {
    let points = scaling.points.iter();
    let points = points.filter_map(|point| Some(Point::estimated(point.threads, point.speedup?)));
    Curve::new("measured", Look::Measured, points)
}

fn expected_curves(expected: &ExpectedScaling) -> Vec<Curve> {
    let bounds = expected.bounds.iter();
    let upper = bounds
        .clone()
        .map(|bounds| Point::exactly(bounds.cores, bounds.upper));
    let lower = bounds.map(|bounds| Point::exactly(bounds.cores, bounds.lower));
    let predicted = expected.predictions.iter();
    let predicted =
        predicted.map(|prediction| Point::estimated(prediction.cores, prediction.speedup));
    let mut curves = vec![
        Curve::new("upper bound", Look::UpperBound, upper),
        Curve::new("lower bound", Look::LowerBound, lower),
        Curve::new("predicted", Look::Predicted, predicted),
    ];
    curves.retain(|curve| !curve.points.is_empty());
    curves
}

const fn look(curve: FactoredCurve) -> Look {
    match curve {
        FactoredCurve::Linear => Look::Linear,
        FactoredCurve::Elision => Look::Elision,
        FactoredCurve::Maximal => Look::Maximal,
        FactoredCurve::IdleSpecific => Look::IdleSpecific,
        FactoredCurve::InflationSpecific => Look::InflationSpecific,
        FactoredCurve::Actual => Look::Measured,
    }
}

impl Curve {
    fn new(name: &'static str, look: Look, points: impl IntoIterator<Item = Point>) -> Self {
        Self {
            name,
            look,
            points: points.into_iter().collect(),
        }
    }
}
