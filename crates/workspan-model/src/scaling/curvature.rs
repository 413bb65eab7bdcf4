//! What the shapes of the curves of factored speedups show.

use super::FactoredPoint;
use crate::Estimate;

/// Overhead grows if the maximal speedup per core falls below this share of its initial value.
const OVERHEAD_GREW: f64 = 0.9;

/// A curve flattens if each further core gains less than this share of what the first ones gain.
const FLAT: f64 = 0.5;

named! {
    /// What the shape of a curve shows (Acar et al. §2.5).
    ///
    /// The paper reads shapes by eye. Here a curve *flattens* if between half of the threads and
    /// all of them a core gains less than half of what it gains at the beginning, and *falls* if it
    /// ends below an earlier point; in both cases only if that holds wherever in their intervals
    /// the points lie.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Curvature {
        /// The maximal speedup flattens, by at least 10% per core: the program does more work the
        /// more threads there are.
        OverheadGrows = "overhead_grows",
        /// The idle-time-specific speedup flattens: further cores are mostly idle, and not because
        /// tasks are too fine.
        LacksParallelism = "lacks_parallelism",
        /// The inflation-specific speedup flattens: further cores mostly make the work take longer,
        /// for example because memory limits it.
        MemoryBottleneck = "memory_bottleneck",
        /// The inflation-specific speedup falls: further cores hinder the others, by contended
        /// atomic operations or false sharing.
        Contention = "contention",
    }
}

/// What the curves through `points`, which are in ascending order of threads, show. As in the
/// paper, idle time is interpreted only if overhead does not grow; and only if cores do not spend
/// most of their time on scheduling.
pub(super) fn curvature(points: &[&FactoredPoint]) -> Vec<Curvature> {
    let curve = |speedup: fn(&FactoredPoint) -> Option<Estimate<f64>>| {
        let points = points.iter();
        Curve(
            points
                .filter_map(|point| Some((f64::from(point.threads), speedup(point)?)))
                .collect(),
        )
    };
    let has_fine_tasks = points
        .last()
        .is_some_and(|point| point.fine_tasks.is_some());
    let mut found = Vec::new();
    if curve(|point| Some(point.maximal)).bends() {
        found.push(Curvature::OverheadGrows);
    } else if curve(|point| point.idle_specific).flattens() && !has_fine_tasks {
        found.push(Curvature::LacksParallelism);
    }
    let inflation = curve(|point| {
        let speedup = point.inflation_specific;
        speedup.filter(|_| !point.lacked_explains_inflation())
    });
    if inflation.falls() {
        found.push(Curvature::Contention);
    } else if inflation.flattens() && found != [Curvature::OverheadGrows] {
        found.push(Curvature::MemoryBottleneck);
    }
    found
}

/// Pairs of a number of threads and the speedup, in ascending order of threads.
struct Curve(Vec<(f64, Estimate<f64>)>);

impl Curve {
    fn ends(&self) -> Option<[(f64, Estimate<f64>); 2]> {
        match *self.0.as_slice() {
            [first, .., last] => Some([first, last]),
            _ => None,
        }
    }

    fn bends(&self) -> bool {
        self.ends().is_some_and(|[(first, before), (last, after)]| {
            after.high / last < OVERHEAD_GREW * before.low / first
        })
    }

    fn falls(&self) -> bool {
        let Some([_, (_, last)]) = self.ends() else {
            return false;
        };
        let before = self.0[..self.0.len() - 1].iter();
        before
            .map(|(_, speedup)| speedup.low)
            .any(|earlier| last.high < earlier)
    }

    fn flattens(&self) -> bool {
        let Some([(first, before), (last, after)]) = self.ends() else {
            return false;
        };
        // The point nearest to half of the threads, other than the last.
        let candidates = self.0[..self.0.len() - 1].iter();
        let off_half = |threads: f64| (threads - last / 2.0).abs();
        let middle = candidates.min_by(|one, other| off_half(one.0).total_cmp(&off_half(other.0)));
        middle.is_some_and(|&(threads, middle)| {
            (after.high - middle.low) / (last - threads) < FLAT * before.low / first
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(f64, f64)]) -> Curve {
        let point = |&(threads, speedup)| (threads, Estimate::exactly(speedup));
        Curve(points.iter().map(point).collect())
    }

    #[test]
    fn straight_lines_show_nothing() {
        for slope in [1.0, 0.6] {
            let line: Vec<(f64, f64)> = [1.0, 2.0, 4.0, 8.0]
                .iter()
                .map(|&threads| (threads, slope * threads))
                .collect();
            let line = curve(&line);
            assert!(!line.bends() && !line.flattens() && !line.falls());
        }
    }

    /// min(P, 4): from 4 to 8 threads, a core gains nothing.
    #[test]
    fn a_curve_that_saturates_flattens() {
        let flat = curve(&[(1.0, 1.0), (2.0, 2.0), (4.0, 4.0), (8.0, 4.0)]);
        assert!(flat.flattens() && flat.bends() && !flat.falls());
    }

    /// From half of the cores on, 8 − 4 more of them gain 2.1, which is more than half of 4.
    #[test]
    fn a_curve_that_goes_on_does_not_flatten() {
        assert!(!curve(&[(1.0, 1.0), (4.0, 3.5), (8.0, 5.6)]).flattens());
        assert!(curve(&[(1.0, 1.0), (4.0, 3.5), (8.0, 5.4)]).flattens());
    }

    #[test]
    fn two_points_can_fall() {
        assert!(curve(&[(1.0, 0.9), (2.0, 0.4)]).falls());
        assert!(curve(&[(1.0, 0.9), (2.0, 1.2)]).flattens());
        let one = curve(&[(2.0, 1.0)]);
        assert!(!one.bends() && !one.flattens() && !one.falls());
    }

    #[test]
    fn uncertain_points_show_nothing() {
        let wide = Estimate {
            value: 4.0,
            low: 3.0,
            high: 7.0,
        };
        let uncertain = Curve(vec![
            (1.0, Estimate::exactly(1.0)),
            (4.0, Estimate::exactly(4.0)),
            (8.0, wide),
        ]);
        assert!(!uncertain.flattens() && !uncertain.falls());
    }
}
