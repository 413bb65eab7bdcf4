//! Numbers as short as a page needs them.

/// How many digits a page keeps of a ratio: more than it shows, so that sorting by it stays right.
const DIGITS: i32 = 6;

/// `number` with its first digits only: a page holds thousands of numbers.
pub(super) fn rounded(number: f64) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return number;
    }
    let places = DIGITS - 1 - number.abs().log10().floor() as i32;
    match places {
        0..=300 => {
            let scale = 10_f64.powi(places);
            (number * scale).round() / scale
        }
        _ => number.round(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_digits_stay() {
        for (number, expected) in [
            (0.0, 0.0),
            (2.345_678_9, 2.345_68),
            (0.000_123_456_789, 0.000_123_457),
            (-98_765.432_1, -98_765.4),
            (123_456_789.4, 123_456_789.0),
        ] {
            assert_eq!(rounded(number), expected);
        }
        assert!(rounded(f64::INFINITY).is_infinite());
    }
}
