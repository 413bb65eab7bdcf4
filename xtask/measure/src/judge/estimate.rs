//! Estimates a figure from a fixed number of readings, and means.

/// A figure and its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    /// The figure: the median if there are several readings.
    pub(crate) figure: f64,
    /// The lower end of its interval.
    pub(crate) low: f64,
    /// The upper end of its interval.
    pub(crate) high: f64,
    /// The number of readings.
    pub(crate) readings: usize,
}

/// The least confidence of an interval of the median, if there are enough readings.
const CONFIDENCE: f64 = 0.90;

impl Estimate {
    /// The median of readings, with the narrowest interval between two of them that contains the
    /// true median with a confidence of 90 %. Fewer than five readings cannot give that; then the
    /// interval is their range.
    ///
    /// The median is between the k-th reading from below and the k-th from above with a probability
    /// of 1 − 2·P(X < k), where X is binomial with n trials at 1/2 (the interval of the sign test).
    ///
    /// # Panics
    /// If there is no reading, or one is not a number.
    pub(crate) fn from_readings(readings: &[f64]) -> Self {
        assert!(!readings.is_empty(), "a gate without readings");
        assert!(
            readings.iter().all(|reading| !reading.is_nan()),
            "a reading is not a number"
        );
        let mut sorted = readings.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let count = sorted.len();
        let middle = count / 2;
        let figure = if count % 2 == 1 {
            sorted[middle]
        } else {
            f64::midpoint(sorted[middle - 1], sorted[middle])
        };
        let cut = readings_to_leave_out(count);
        Estimate {
            figure,
            low: sorted[cut],
            high: sorted[count - 1 - cut],
            readings: count,
        }
    }

    /// The share of `count` in `of` trials, with its Wilson interval of 95 %.
    ///
    /// Wilson, *Probable inference, the law of succession, and statistical inference*, 1927.
    ///
    /// # Panics
    /// If there were no trials.
    pub(crate) fn from_share(count: usize, of: usize) -> Self {
        assert!(of > 0, "a share of nothing");
        let (successes, trials, z) = (count as f64, of as f64, 1.96_f64);
        let share = successes / trials;
        let scale = 1.0 + z * z / trials;
        let centre = (share + z * z / (2.0 * trials)) / scale;
        let half =
            z / scale * (share * (1.0 - share) / trials + z * z / (4.0 * trials * trials)).sqrt();
        Estimate {
            figure: share,
            low: (centre - half).max(0.0).min(share),
            high: (centre + half).min(1.0).max(share),
            readings: of,
        }
    }
}

/// How many readings at either end an interval of the median can leave out.
fn readings_to_leave_out(count: usize) -> usize {
    let mut cut: usize = 0;
    // The probability of exactly `cut` readings on one side of the median, and of fewer.
    let mut exactly = 0.5_f64.powi(count as i32);
    let mut fewer = 0.0;
    loop {
        let outside = 2.0 * (fewer + exactly);
        if 1.0 - outside < CONFIDENCE {
            return cut.saturating_sub(1);
        }
        fewer += exactly;
        exactly *= (count - cut) as f64 / (cut + 1) as f64;
        cut += 1;
    }
}

/// The n-th root of the product of n ratios.
pub(crate) fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_readings_give_their_range_and_nine_leave_out_one_at_each_end() {
        // 1 − 2/2⁵ = 0.9375; of nine, 1 − 2·(1 + 9)/2⁹ = 0.961, and 1 − 2·(1 + 9 + 36)/2⁹ = 0.82.
        let five = Estimate::from_readings(&[5.0, 1.0, 3.0, 2.0, 4.0]);
        assert_eq!((five.low, five.figure, five.high), (1.0, 3.0, 5.0));
        let nine: Vec<f64> = (1..=9).map(f64::from).collect();
        let nine = Estimate::from_readings(&nine);
        assert_eq!((nine.low, nine.figure, nine.high), (2.0, 5.0, 8.0));
        let two = Estimate::from_readings(&[1.0, 2.0]);
        assert_eq!((two.low, two.figure, two.high), (1.0, 1.5, 2.0));
    }

    #[test]
    fn a_share_of_all_is_not_certain() {
        // z²/(n + z²) = 3.8416/203.8416 is missing at the lower end.
        let share = Estimate::from_share(200, 200);
        assert_eq!((share.figure, share.high), (1.0, 1.0));
        assert!((share.low - (1.0 - 3.8416 / 203.8416)).abs() < 1e-9);
    }
}
