//! The confidence interval of a shift between two groups of runs.

/// If there are more runs than this in both groups together, the normal distribution replaces the
/// exact one, whose counts grow too large.
const MANY: usize = 100;

/// How many of the sorted differences between each of `before` runs and each of `after` runs lie
/// outside the confidence interval of the shift between the two groups, on either side. `None` if
/// the groups are too small for an interval.
///
/// It is the interval of the rank-sum test of Mann and Whitney (Conover, "Practical Nonparametric
/// Statistics", §5.4; Hollander and Wolfe, "Nonparametric Statistical Methods", §4.3), which
/// assumes of the distributions only that they differ by a shift. With k differences outside, the
/// confidence is 1 − 2 · P(U ≤ k), where U counts the pairs whose second run is the smaller one, if
/// all orders of the runs are equally likely.
pub(super) fn outside(before: usize, after: usize, confidence: f64) -> Option<usize> {
    let allowed = (1.0 - confidence) / 2.0;
    let pairs = before * after;
    if pairs == 0 {
        return None;
    }
    if before + after > MANY {
        // Conover, table A7: z of the normal distribution, rounded outwards.
        let deviation = (pairs as f64 * (before + after + 1) as f64 / 12.0).sqrt();
        let rank = pairs as f64 / 2.0 - normal_quantile(allowed) * deviation;
        return (rank >= 1.0).then_some(rank as usize - 1);
    }
    let orders = orders(before, after);
    let all: f64 = orders.iter().sum();
    let mut below = 0.0;
    let mut outside = None;
    for (k, count) in orders.iter().enumerate().take(pairs.div_ceil(2)) {
        below += count / all;
        if below > allowed {
            break;
        }
        outside = Some(k);
    }
    outside
}

/// For each value of U, how many orders of `before` and `after` runs have it: the coefficients of
/// the Gaussian binomial.
fn orders(before: usize, after: usize) -> Vec<f64> {
    let values = before * after + 1;
    let mut counts = vec![0.0; values];
    counts[0] = 1.0;
    for factor in 1..=before {
        let up = after + factor;
        for value in (up..values).rev() {
            counts[value] -= counts[value - up];
        }
        for value in factor..values {
            counts[value] += counts[value - factor];
        }
    }
    counts
}

/// The number of standard deviations above the mean beyond which a share of `beyond` of the normal
/// distribution lies: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.2.23, to
/// within 0.00045.
fn normal_quantile(beyond: f64) -> f64 {
    let t = (-2.0 * beyond.ln()).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    t - above / below
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two runs each have six orders: U is 0, 1, 2, 2, 3 or 4.
    #[test]
    fn orders_of_two_and_two() {
        assert_eq!(orders(2, 2), [1.0, 1.0, 2.0, 1.0, 1.0]);
        assert_eq!(orders(5, 5).iter().sum::<f64>(), 252.0);
        assert_eq!(orders(3, 7).iter().sum::<f64>(), 120.0);
    }

    #[test]
    fn orders_match_brute_force() {
        // Three runs and four runs.
        let mut counted = vec![0.0; 13];
        for choice in 0_u32..1 << 7 {
            if choice.count_ones() == 3 {
                let is_first = |place: u32| choice >> place & 1 == 1;
                let places = 0..7_u32;
                let smaller = places
                    .filter(|&place| is_first(place))
                    .map(|place| (0..place).filter(|&other| !is_first(other)).count());
                counted[smaller.sum::<usize>()] += 1.0;
            }
        }
        assert_eq!(orders(3, 4), counted);
    }

    /// Conover's table A7, quantiles of the test at p = 0.005: the number in the table is the
    /// smallest rank sum minus n(n + 1)/2, and one fewer lie outside.
    #[test]
    fn quantiles_of_the_table() {
        assert_eq!(outside(4, 4, 0.99), None);
        assert_eq!(outside(5, 5, 0.99), Some(0));
        assert_eq!(outside(10, 10, 0.99), Some(16));
        assert_eq!(outside(20, 20, 0.99), Some(105));
        assert_eq!(outside(0, 9, 0.99), None);
    }

    #[test]
    fn many_runs_follow_the_normal_distribution() {
        assert!((normal_quantile(0.005) - 2.575_8).abs() < 0.001);
        let exact = outside(50, 50, 0.99).unwrap();
        let normal = 1250.0 - 2.5758 * (2500.0_f64 * 101.0 / 12.0).sqrt();
        assert!(
            (exact as f64 + 1.0 - normal).abs() < 3.0,
            "{exact} {normal}"
        );
        // 1,275 - 2.5758 × √(2,550 × 102 / 12) is 895.8.
        assert_eq!(outside(51, 50, 0.99), Some(894));
    }
}
