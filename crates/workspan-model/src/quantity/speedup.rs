//! Bounds on the speedup that a number of cores can give.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::{Estimate, Phases};

/// Twice Cilkview's span coefficient δ = 0.85 (§3).
const TWICE_SPAN_COEFFICIENT: f64 = 1.7;

/// Bounds are given for up to this many cores, unless more were assumed.
pub(crate) const MOST_CORES: u32 = 256;

/// The cores of a machine for which an answer is given.
pub(crate) const MANY_CORES: u32 = 64;

/// Bounds on the speedup on `cores` cores over one core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct SpeedupBounds {
    /// Number of cores
    pub cores: u32,
    // What a work-stealing scheduler should reach, including the migration of tasks. A value below
    // 1 predicts a slowdown.
    /// 1/(1/P + 1.7(1 - 1/P)/B), with B the lower end of the burdened parallelism's interval, at most
    /// `upper`
    pub lower: f64,
    // What no scheduler can exceed.
    /// min(P, the upper end of the parallelism's interval). With a task dag, also at most T₁ over
    /// the time that its phases take one after another: the sum of max(work/P, span), less what the
    /// span's interval reaches below the span
    pub upper: f64,
}

/// Whether this parallelism allows half of what `cores` can gain over one, (P − 1)/2: with less, no
/// scheduler keeps half of them busy. With more, there is room for the uneven pieces of a rayon
/// iterator, of which there are twice as many as cores.
pub(crate) fn is_sufficient(parallelism: f64, cores: u32) -> bool {
    parallelism >= f64::from(cores + 1) / 2.0
}

/// A speedup of this share of the cores uses them all.
const NEARLY: f64 = 0.9;

/// Bounds this factor apart say nothing about a program.
const WIDEST: f64 = 20.0;

impl SpeedupBounds {
    /// Whether the bounds are so far apart that they leave everything open.
    pub fn leave_all_open(&self) -> bool {
        self.upper >= WIDEST * self.lower
    }

    /// Whether half of the cores' gain is possible.
    pub fn allow_half(&self) -> bool {
        is_sufficient(self.upper, self.cores)
    }

    /// The bounds if no speedup exceeds `most`.
    pub(crate) fn at_most(self, most: f64) -> Self {
        Self {
            lower: self.lower.min(most),
            upper: self.upper.min(most),
            ..self
        }
    }

    /// The bounds relative to a program with `gain` times the work.
    pub(crate) fn times(self, gain: f64) -> Self {
        Self {
            lower: self.lower * gain,
            upper: self.upper * gain,
            ..self
        }
    }
}

/// Bounds on the speedup on `cores` cores of a program with this parallelism T₁/T∞ and burdened
/// parallelism B = T₁/T̂∞.
///
/// Upper: min(P, T₁/T∞), the work law and the span law (Cilkview §2, inequalities 3 and 4). Lower:
/// 1/(1/P + 1.7(1 − 1/P)/B). This is the form of Cilkview's Corollary 2 (inequality 6) that the
/// published tool computes and that gives the figures of its Fig. 6; the printed form does not.
pub fn speedup_bounds(parallelism: f64, burdened_parallelism: f64, cores: u32) -> SpeedupBounds {
    let p = f64::from(cores.max(1));
    let upper = p.min(parallelism);
    let lower = 1.0 / (1.0 / p + TWICE_SPAN_COEFFICIENT * (1.0 - 1.0 / p) / burdened_parallelism);
    SpeedupBounds {
        cores: cores.max(1),
        lower: lower.min(upper),
        upper,
    }
}

/// What bounds the speedup of a program on any number of cores.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpeedupLimits {
    parallelism: Estimate<f64>,
    burdened_parallelism: Estimate<f64>,
    phases: Option<Phases>,
}

impl SpeedupLimits {
    /// Whether the parallelism allows a speedup that leaves hardly one of so many cores unused.
    pub fn allow_nearly_all(&self, cores: u32) -> bool {
        self.parallelism.high >= NEARLY * f64::from(cores)
    }

    /// Of a program for which only these intervals are known: wherever in them the truth lies, no
    /// scheduler exceeds the upper bounds, and the lower ones should be reached.
    pub const fn new(parallelism: Estimate<f64>, burdened_parallelism: Estimate<f64>) -> Self {
        Self {
            parallelism,
            burdened_parallelism,
            phases: None,
        }
    }

    /// Of a program that goes through these phases, if they are known.
    #[must_use]
    pub fn in_phases(self, phases: Option<Phases>) -> Self {
        Self { phases, ..self }
    }

    /// The bounds on `cores` cores.
    pub fn on(&self, cores: u32) -> SpeedupBounds {
        let phases = self.phases.as_ref();
        let most = phases.map_or(f64::INFINITY, |phases| phases.most_speedup(cores));
        let bounds = speedup_bounds(self.parallelism.high, self.burdened_parallelism.low, cores);
        bounds.at_most(most)
    }

    /// The bounds on 2, 4, 8, … 256 cores and on `assumed_cores`, in ascending order.
    pub fn table(&self, assumed_cores: u32) -> Vec<SpeedupBounds> {
        let cores = table_cores(2, &[assumed_cores]).into_iter();
        cores.map(|cores| self.on(cores)).collect()
    }
}

/// The powers of 2 from `first` to 256, and the numbers of cores in `assumed` that are more than 1.
pub(crate) fn table_cores(first: u32, assumed: &[u32]) -> BTreeSet<u32> {
    let powers = std::iter::successors(Some(first), |cores| Some(cores * 2));
    let assumed = assumed.iter().copied().filter(|&cores| cores > 1);
    let powers = powers.take_while(|&cores| cores <= MOST_CORES);
    powers.chain(assumed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_cilkview_figure_6() {
        let figure = [
            (2, 1.85, 2.0),
            (4, 3.23, 4.0),
            (8, 5.13, 8.0),
            (16, 7.27, 16.0),
            (32, 9.20, 21.31),
        ];
        for (cores, lower, upper) in figure {
            let bounds = speedup_bounds(21.31, 21.26, cores);
            assert!((bounds.lower - lower).abs() < 0.005, "{bounds:?}");
            assert!((bounds.upper - upper).abs() < 0.005, "{bounds:?}");
        }
    }

    #[test]
    fn bounds_hold_over_the_whole_interval() {
        let known = Estimate::exactly(5.0).with([20.0]);
        let bounds = SpeedupLimits::new(known, known).on(16);
        assert_eq!(bounds.upper, speedup_bounds(20.0, 20.0, 16).upper);
        assert_eq!(bounds.lower, speedup_bounds(20.0, 5.0, 16).lower);
        let open = known.with([f64::INFINITY]);
        assert_eq!(SpeedupLimits::new(open, known).on(16).upper, 16.0);
    }

    #[test]
    fn no_parallelism_no_speedup() {
        let bounds = speedup_bounds(1.0, 1.0, 64);
        assert_eq!(bounds.upper, 1.0);
        assert!(bounds.lower < 1.0);
        assert_eq!(speedup_bounds(1.0, 0.0, 2).lower, 0.0);
    }

    #[test]
    fn one_core_gives_one() {
        let bounds = speedup_bounds(21.31, 21.26, 1);
        assert_eq!((bounds.lower, bounds.upper), (1.0, 1.0));
    }

    #[test]
    fn the_table_holds_the_assumed_cores_once_and_in_order() {
        let cores = |assumed| -> Vec<u32> {
            let [parallelism, burdened] = [9.0, 8.0].map(Estimate::exactly);
            SpeedupLimits::new(parallelism, burdened)
                .table(assumed)
                .iter()
                .map(|bounds| bounds.cores)
                .collect()
        };
        assert_eq!(cores(64), [2, 4, 8, 16, 32, 64, 128, 256]);
        assert_eq!(cores(96), [2, 4, 8, 16, 32, 64, 96, 128, 256]);
        assert_eq!(cores(0), cores(64));
        assert_eq!(*cores(512).last().unwrap(), 512);
    }

    proptest::proptest! {
        #[test]
        fn lower_never_exceeds_upper(
            parallelism in 0.0..1e6_f64,
            burdened in 0.0..1e6_f64,
            cores in 0..10_000_u32,
        ) {
            let bounds = speedup_bounds(parallelism, burdened, cores);
            proptest::prop_assert!(bounds.lower <= bounds.upper);
            proptest::prop_assert!(bounds.lower >= 0.0);
        }
    }
}
