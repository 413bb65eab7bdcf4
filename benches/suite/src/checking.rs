//! Cheap checks of an answer.

use rayon::prelude::*;

/// The wrapping sum of all numbers, which shows whether sorting lost any.
pub fn wrapping_sum(numbers: &[u64]) -> u64 {
    numbers.par_iter().copied().reduce(|| 0, u64::wrapping_add)
}

/// Whether both are equally long and each number is correct to nine digits, or to 10⁻⁹ near zero.
pub fn are_close(found: &[f64], expected: &[f64]) -> bool {
    let is_close = |(found, expected): (&f64, &f64)| {
        (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
    };
    found.len() == expected.len() && found.iter().zip(expected).all(is_close)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_number_changes_the_sum() {
        assert_eq!(wrapping_sum(&[u64::MAX, 2, 5]), 6);
        assert_ne!(wrapping_sum(&[1, 2, 3]), wrapping_sum(&[1, 2, 2]));
    }

    #[test]
    fn close_is_relative_and_no_number_is_close_to_nan() {
        assert!(are_close(&[1e12 + 1.0], &[1e12]));
        assert!(!are_close(&[1.0 + 1e-6], &[1.0]));
        assert!(!are_close(&[f64::NAN], &[1.0]));
        assert!(!are_close(&[1.0], &[]));
    }
}
