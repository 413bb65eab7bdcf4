//! A cost that was measured many times.

use serde::{Deserialize, Serialize};

use crate::Cost;

/// A cost that was measured many times: the median, and the interval that holds half of the
/// samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quartiles {
    /// A quarter of the samples are less.
    pub lower: Cost,
    /// Half of the samples are less.
    pub median: Cost,
    /// A quarter of the samples are more.
    pub upper: Cost,
    /// The number of samples.
    pub samples: u64,
}

impl Quartiles {
    /// The quartiles of `samples`, each the sample nearest to its rank; `None` without samples.
    pub fn from_samples(mut samples: Vec<Cost>) -> Option<Self> {
        samples.sort_by(|one, other| one.as_nanos().total_cmp(&other.as_nanos()));
        let last = samples.len().checked_sub(1)?;
        let at = |quarters: usize| samples[(last * quarters + 2) / 4];
        Some(Self {
            lower: at(1),
            median: at(2),
            upper: at(3),
            samples: samples.len() as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_samples_lie_between_the_quartiles() {
        let quartiles = |samples: &[f64]| {
            let samples = samples.iter().copied().map(Cost::from_nanos).collect();
            let Quartiles {
                lower,
                median,
                upper,
                samples,
            } = Quartiles::from_samples(samples)?;
            Some((
                lower.as_nanos(),
                median.as_nanos(),
                upper.as_nanos(),
                samples,
            ))
        };
        assert_eq!(quartiles(&[]), None);
        assert_eq!(quartiles(&[7.0]), Some((7.0, 7.0, 7.0, 1)));
        assert_eq!(
            quartiles(&[5.0, 1.0, 900.0, 2.0, 3.0]),
            Some((2.0, 3.0, 5.0, 5))
        );
    }
}
