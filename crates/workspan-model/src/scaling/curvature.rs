//! What the shapes of the curves of factored speedups tell.

use super::{FactoredPoint, RatioEstimate};

/// The share of the maximal speedup a core below which overhead has grown.
const OVERHEAD_GREW: f64 = 0.9;

/// A curve flattens when each further core brings less than this share of what the first ones bring.
const FLAT: f64 = 0.5;

/// What the shape of a curve tells (Acar et al. §2.5).
///
/// The paper reads shapes by eye. Here a curve *flattens* when from half of the threads to the most of them a core brings less
/// than half of what it brings at the beginning, and *falls* when it ends below an earlier point; both only if they do so
/// wherever in their intervals the points lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curvature {
    /// The maximal speedup flattens, by 10% a core or more: the program does more work the more threads there are.
    OverheadGrows,
    /// The idle-time-specific speedup flattens: further cores mostly idle, and not since tasks are too fine.
    LacksParallelism,
    /// The inflation-specific speedup flattens: further cores mostly make the work longer, as when memory limits it.
    MemoryBottleneck,
    /// The inflation-specific speedup falls: further cores hinder the others, by contended atomic operations or false sharing.
    Contention,
}

impl Curvature {
    /// The name that files use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OverheadGrows => "overhead_grows",
            Self::LacksParallelism => "lacks_parallelism",
            Self::MemoryBottleneck => "memory_bottleneck",
            Self::Contention => "contention",
        }
    }
}

/// What the curves through `points`, in ascending order of threads, tell. Idle time is read only where overhead does not grow,
/// as the paper has it, and scheduling is not most of what cores do.
pub(super) fn curvature(points: &[&FactoredPoint]) -> Vec<Curvature> {
    let curve = |speedup: fn(&FactoredPoint) -> Option<RatioEstimate>| {
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
    let mut told = Vec::new();
    if curve(|point| Some(point.maximal)).bends() {
        told.push(Curvature::OverheadGrows);
    } else if curve(|point| point.idle_specific).flattens() && !has_fine_tasks {
        told.push(Curvature::LacksParallelism);
    }
    let inflation = curve(|point| match point.lacked_explains_inflation() {
        true => None,
        false => point.inflation_specific,
    });
    if inflation.falls() {
        told.push(Curvature::Contention);
    } else if inflation.flattens() && told != [Curvature::OverheadGrows] {
        told.push(Curvature::MemoryBottleneck);
    }
    told
}

/// Speedups on numbers of threads, in ascending order.
struct Curve(Vec<(f64, RatioEstimate)>);

impl Curve {
    fn ends(&self) -> Option<[(f64, RatioEstimate); 2]> {
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
        // The point nearest to half of the way, but the last.
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
        let point = |&(threads, speedup)| (threads, RatioEstimate::exactly(speedup));
        Curve(points.iter().map(point).collect())
    }

    #[test]
    fn straight_lines_tell_nothing() {
        for slope in [1.0, 0.6] {
            let line: Vec<(f64, f64)> = [1.0, 2.0, 4.0, 8.0]
                .iter()
                .map(|&threads| (threads, slope * threads))
                .collect();
            let line = curve(&line);
            assert!(!line.bends() && !line.flattens() && !line.falls());
        }
    }

    /// min(P, 4): from 4 to 8 threads a core brings nothing.
    #[test]
    fn a_curve_that_saturates_flattens() {
        let flat = curve(&[(1.0, 1.0), (2.0, 2.0), (4.0, 4.0), (8.0, 4.0)]);
        assert!(flat.flattens() && flat.bends() && !flat.falls());
    }

    /// Half of the cores are half of the threads away: 8 − 4 cores bring 2.1, more than half of 4.
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
    fn what_intervals_leave_open_is_not_told() {
        let wide = RatioEstimate {
            value: 4.0,
            low: 3.0,
            high: 7.0,
        };
        let open = Curve(vec![
            (1.0, RatioEstimate::exactly(1.0)),
            (4.0, RatioEstimate::exactly(4.0)),
            (8.0, wide),
        ]);
        assert!(!open.flattens() && !open.falls());
    }
}
