//! The median of several figures, and its interval.

use crate::Estimate;

/// The confidence that intervals aim for.
pub const CONFIDENCE: f64 = 0.95;

/// The indices of the sorted runs between which the interval lies, and its confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MedianInterval {
    pub(crate) low: usize,
    pub(crate) high: usize,
    pub(crate) confidence: f64,
}

/// The median of `figures`, with its interval and the confidence of that; `None` if there are none.
pub(crate) fn median_of(mut figures: Vec<f64>, wanted: f64) -> Option<(Estimate<f64>, f64)> {
    figures.sort_by(f64::total_cmp);
    let interval = median_interval_of(figures.len(), wanted)?;
    let median = Estimate {
        value: middle(&figures),
        low: figures[interval.low],
        high: figures[interval.high],
    };
    Some((median, interval.confidence))
}

/// The median of sorted figures: the middle one, or the midpoint of the two in the middle; 0 if
/// there are none.
pub(crate) fn middle(sorted: &[f64]) -> f64 {
    match sorted.len() {
        0 => 0.0,
        count => f64::midpoint(sorted[(count - 1) / 2], sorted[count / 2]),
    }
}

/// The interval of the median of `runs` runs with a confidence of at least `wanted`, if there are
/// enough runs; `None` without runs.
///
/// As many of n runs fall below the true median as of n coins show heads. So the k-th smallest and
/// the k-th largest run enclose it with probability 1 − 2 · P(Bin(n, ½) < k); k is the largest for
/// which that is at least `wanted` (Conover §3.2). With too few runs, fewer than 6 for 95% or fewer
/// than 8 for 99%, there is none, and the interval is the range, k = 1.
pub(crate) fn median_interval_of(runs: usize, wanted: f64) -> Option<MedianInterval> {
    let last = runs.checked_sub(1)?;
    let confidence_beyond = |below: f64| 1.0 - 2.0 * below;
    // The probability of k heads, as a logarithm since 2⁻ⁿ underflows for many runs.
    let mut ln_heads = -(runs as f64) * std::f64::consts::LN_2;
    let mut below = ln_heads.exp();
    let mut interval = MedianInterval {
        low: 0,
        high: last,
        confidence: confidence_beyond(below).max(0.0),
    };
    for k in 1..=last / 2 {
        ln_heads += ((runs - k + 1) as f64 / k as f64).ln();
        below += ln_heads.exp();
        let confidence = confidence_beyond(below);
        if confidence < wanted {
            break;
        }
        interval = MedianInterval {
            low: k,
            high: last - k,
            confidence,
        };
    }
    Some(interval)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Conover's table A3, and the sums of binomial coefficients by hand.
    #[test]
    fn ranks_of_small_numbers_of_runs() {
        let cases = [
            (1, 0, 0.0),
            (2, 0, 0.5),
            (5, 0, 1.0 - 2.0 / 32.0),
            (6, 0, 1.0 - 2.0 / 64.0),
            (8, 0, 1.0 - 2.0 / 256.0),
            (9, 1, 1.0 - 2.0 * 10.0 / 512.0),
            (10, 1, 1.0 - 2.0 * 11.0 / 1024.0),
            (20, 5, 0.958_610_534_667_968_8),
        ];
        for (runs, low, confidence) in cases {
            let interval = median_interval_of(runs, CONFIDENCE).unwrap();
            assert_eq!(
                (interval.low, interval.high),
                (low, runs - 1 - low),
                "{runs}"
            );
            assert!(
                (interval.confidence - confidence).abs() < 1e-12,
                "{interval:?}"
            );
        }
        assert_eq!(median_interval_of(0, CONFIDENCE), None);
    }

    #[test]
    fn more_confident_intervals_are_wider() {
        let low = |wanted| median_interval_of(10, wanted).unwrap().low;
        // 1 − 2 · 11/1024 = 97.9% with the second, 1 − 2/1024 = 99.8% with the first.
        assert_eq!([0.95, 0.978, 0.979, 0.999].map(low), [1, 1, 0, 0]);
    }

    #[test]
    fn many_runs_agree_with_the_normal_approximation() {
        // n/2 − 1.96 · √n/2 = 4902.
        let interval = median_interval_of(10_000, CONFIDENCE).unwrap();
        assert!(interval.low.abs_diff(4901) <= 1, "{interval:?}");
        // One rank further in on both sides would hold 2 · P(Bin = 4902) = 0.0024 less.
        assert!(
            (0.95..0.9525).contains(&interval.confidence),
            "{interval:?}"
        );
    }
}
