//! Medians and means.

use workspan_gate::Estimate;

/// The middle value, or the midpoint of the two in the middle.
///
/// # Panics
/// If there are no values, or one is not a number.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    Estimate::from_readings(&values.collect::<Vec<f64>>()).figure
}

/// The n-th root of the product of n ratios.
pub fn geometric_mean(ratios: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = ratios.fold((0.0, 0.0), |(sum, count), ratio| {
        (sum + ratio.ln(), count + 1.0)
    });
    f64::exp(sum / count)
}

/// The least and the largest value.
pub fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_geometric_mean_of_a_ratio_and_its_inverse_is_one() {
        assert!((geometric_mean([4.0, 0.25].into_iter()) - 1.0).abs() < 1e-12);
        assert!((geometric_mean([2.0, 8.0].into_iter()) - 4.0).abs() < 1e-12);
    }

    #[test]
    fn a_range_may_be_negative() {
        assert_eq!(range([-3.0, -1.0].into_iter()), (-3.0, -1.0));
    }
}
