//! What can be concluded from the interval of an inflation.

use serde::Serialize;

use super::PairedRatio;

named! {
    /// What can be said about the inflation of a row.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String", inline))]
    #[serde(rename_all = "snake_case")]
    pub enum Judgement {
        /// More work in parallel, by more than the least inflation worth reporting: the whole
        /// interval lies above it.
        Inflated = "inflated",
        /// No such inflation: the whole interval lies below.
        NotInflated = "not_inflated",
        /// Less work in parallel, by as much: a larger cache, or work that only a single worker has
        /// to do.
        Deflated = "deflated",
        /// The interval allows for both.
        Unclear = "unclear",
        /// There are too few rounds for any interval to be certain enough.
        TooFewRounds = "too_few_rounds",
        /// Too small to be compared.
        Small = "small",
        /// The two executions did not do the same there.
        Differs = "differs",
        /// Only the parallel runs reached it.
        OnlyParallel = "only_parallel",
        /// Only the oracle runs reached it.
        OnlyOracle = "only_oracle",
    }
}

impl Judgement {
    /// What `ratio` says, if inflation by less than `least` is not worth reporting.
    pub(super) fn new(ratio: &PairedRatio, least: f64) -> Self {
        match ratio {
            ratio if !ratio.is_sure => Self::TooFewRounds,
            ratio if ratio.low > least => Self::Inflated,
            ratio if ratio.high < 1.0 / least => Self::Deflated,
            ratio if ratio.high < least => Self::NotInflated,
            _ => Self::Unclear,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_interval_has_to_lie_on_one_side() {
        let judged = |low, high, is_sure| {
            let ratio = PairedRatio {
                value: 1.0,
                low,
                high,
                confidence: 0.99,
                is_sure,
                rounds: 9,
            };
            Judgement::new(&ratio, 1.1)
        };
        assert_eq!(judged(1.11, 3.0, true), Judgement::Inflated);
        assert_eq!(judged(1.10, 3.0, true), Judgement::Unclear);
        assert_eq!(judged(0.95, 1.09, true), Judgement::NotInflated);
        assert_eq!(judged(0.85, 1.09, true), Judgement::NotInflated);
        assert_eq!(judged(0.5, 0.9, true), Judgement::Deflated);
        assert_eq!(judged(1.5, 3.0, false), Judgement::TooFewRounds);
    }
}
