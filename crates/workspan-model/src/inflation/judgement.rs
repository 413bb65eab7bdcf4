//! What the interval of an inflation allows to say.

use super::PairedRatio;

/// What can be said of the inflation of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// More work in parallel, by more than the least that is worth telling: the whole interval lies above it.
    Inflated,
    /// No such inflation: the whole interval lies below.
    NotInflated,
    /// Less work in parallel, by as much: a cache that holds more, or work that one worker alone has to do.
    Deflated,
    /// The interval has both.
    Unclear,
    /// There are too few rounds to be sure of any interval.
    TooFewRounds,
    /// Too small to be compared.
    Small,
    /// The two executions did not do the same there.
    Differs,
    /// Only the parallel runs came there.
    OnlyParallel,
    /// Only the oracle runs came there.
    OnlyOracle,
}

impl Judgement {
    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inflated => "inflated",
            Self::NotInflated => "not_inflated",
            Self::Deflated => "deflated",
            Self::Unclear => "unclear",
            Self::TooFewRounds => "too_few_rounds",
            Self::Small => "small",
            Self::Differs => "differs",
            Self::OnlyParallel => "only_parallel",
            Self::OnlyOracle => "only_oracle",
        }
    }

    /// What `ratio` says, if inflation by less than `least` is not worth telling.
    pub(super) fn of(ratio: &PairedRatio, least: f64) -> Self {
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
                pairs: 9,
            };
            Judgement::of(&ratio, 1.1)
        };
        assert_eq!(judged(1.11, 3.0, true), Judgement::Inflated);
        assert_eq!(judged(1.10, 3.0, true), Judgement::Unclear);
        assert_eq!(judged(0.95, 1.09, true), Judgement::NotInflated);
        assert_eq!(judged(0.85, 1.09, true), Judgement::NotInflated);
        assert_eq!(judged(0.5, 0.9, true), Judgement::Deflated);
        assert_eq!(judged(1.5, 3.0, false), Judgement::TooFewRounds);
    }
}
