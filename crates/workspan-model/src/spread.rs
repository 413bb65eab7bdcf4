//! How far a figure varies from run to run.

use serde::Serialize;

/// A figure over several runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct Spread<T> {
    /// The middle one; of an even number of runs the lower of the two in the middle
    pub median: T,
    /// The least
    pub least: T,
    /// The most
    pub most: T,
}

impl<T: Copy + PartialOrd> Spread<T> {
    /// The spread of `figures`; `None` if there are none.
    pub fn new(figures: impl IntoIterator<Item = T>) -> Option<Self> {
        let mut figures: Vec<T> = figures.into_iter().collect();
        figures.sort_by(|one, other| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
        Some(Self {
            median: *figures.get(median_index(figures.len()))?,
            least: *figures.first()?,
            most: *figures.last()?,
        })
    }
}

/// Where the median stands among `count` sorted figures.
pub(crate) const fn median_index(count: usize) -> usize {
    count.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(figures: &[f64]) -> (f64, f64, f64) {
        let Spread {
            median,
            least,
            most,
        } = Spread::new(figures.iter().copied()).unwrap();
        (median, least, most)
    }

    #[test]
    fn the_median_was_measured() {
        assert_eq!(spread(&[5.0]), (5.0, 5.0, 5.0));
        assert_eq!(spread(&[5.0, 1.0]), (1.0, 1.0, 5.0));
        assert_eq!(spread(&[5.0, 1.0, 3.0]), (3.0, 1.0, 5.0));
        assert_eq!(spread(&[9.0, 5.0, 1.0, 3.0]), (3.0, 1.0, 9.0));
        assert_eq!(Spread::<u64>::new([]), None);
    }
}
