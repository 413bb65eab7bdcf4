//! Pairs of runs of one program, and the figures made of them.

use std::time::Duration;

use crate::process::Usage;
use crate::programs::Program;

/// The runs of one program, plain and profiled, in pairs.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) program: &'static Program,
    pairs: Vec<(Usage, Usage)>,
}

impl Comparison {
    pub(crate) fn new(program: &'static Program) -> Self {
        Comparison {
            program,
            pairs: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, plain: Usage, profiled: Usage) {
        self.pairs.push((plain, profiled));
    }

    /// Median time of the plain runs.
    pub(crate) fn plain(&self) -> Duration {
        let seconds = self.pairs.iter().map(|(plain, _)| seconds(plain));
        Duration::from_secs_f64(median(seconds))
    }

    /// Median time of the profiled runs.
    pub(crate) fn profiled(&self) -> Duration {
        let seconds = self.pairs.iter().map(|(_, profiled)| seconds(profiled));
        Duration::from_secs_f64(median(seconds))
    }

    fn ratios(&self) -> impl Iterator<Item = f64> {
        self.pairs
            .iter()
            .map(|(plain, profiled)| seconds(profiled) / seconds(plain))
    }

    /// Median over the pairs of profiled to plain time.
    pub(crate) fn ratio(&self) -> f64 {
        median(self.ratios())
    }

    /// The least and the largest ratio of a pair.
    pub(crate) fn range(&self) -> (f64, f64) {
        self.ratios()
            .fold((f64::INFINITY, 0.0), |(low, high), ratio| {
                (low.min(ratio), high.max(ratio))
            })
    }

    /// The most memory that a plain run and a profiled run had resident, in bytes.
    pub(crate) fn peak_bytes(&self) -> (u64, u64) {
        self.pairs.iter().fold((0, 0), |peak, (plain, profiled)| {
            (
                peak.0.max(plain.peak_bytes),
                peak.1.max(profiled.peak_bytes),
            )
        })
    }
}

fn seconds(usage: &Usage) -> f64 {
    usage.elapsed.as_secs_f64()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}

/// The n-th root of the product of n ratios.
pub(crate) fn geometric_mean(ratios: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = ratios.fold((0.0, 0.0), |(sum, count), ratio| {
        (sum + ratio.ln(), count + 1.0)
    });
    f64::exp(sum / count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::PROGRAMS;

    fn usage(milliseconds: u64, peak_bytes: u64) -> Usage {
        Usage {
            elapsed: Duration::from_millis(milliseconds),
            peak_bytes,
        }
    }

    #[test]
    fn the_ratio_is_the_median_of_pairs_not_of_times() {
        let mut comparison = Comparison::new(&PROGRAMS[0]);
        comparison.add(usage(100, 10), usage(110, 12));
        comparison.add(usage(200, 11), usage(240, 11));
        comparison.add(usage(400, 10), usage(400, 15));
        assert!((comparison.ratio() - 1.1).abs() < 1e-9);
        assert_eq!(comparison.plain(), Duration::from_millis(200));
        assert_eq!(comparison.profiled(), Duration::from_millis(240));
        let (low, high) = comparison.range();
        assert!((low - 1.0).abs() < 1e-9 && (high - 1.2).abs() < 1e-9);
        assert_eq!(comparison.peak_bytes(), (11, 15));
    }

    #[test]
    fn an_even_number_of_values_has_its_median_between_two() {
        assert_eq!(median([4.0, 1.0, 3.0, 2.0].into_iter()), 2.5);
    }

    #[test]
    fn the_geometric_mean_of_a_ratio_and_its_inverse_is_one() {
        assert!((geometric_mean([4.0, 0.25].into_iter()) - 1.0).abs() < 1e-12);
        assert!((geometric_mean([2.0, 8.0].into_iter()) - 4.0).abs() < 1e-12);
    }
}
