//! How parallel some code would have to be.

use super::change::Factors;
use super::{ChangedCode, Dag};

/// The largest factor that is tried: as good as no time at all.
const MOST: u64 = 1 << 20;

/// Which factor reaches a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Until {
    /// The smallest whole one.
    Factor(u64),
    /// None: other code is on the critical path by then.
    OutOfReach {
        /// The parallelism that remains out of reach, were the code no time at all.
        most: f64,
    },
}

impl Until {
    /// The factor that is found, or else one as good as without limit.
    pub fn factor(self) -> f64 {
        match self {
            Self::Factor(factor) => factor as f64,
            Self::OutOfReach { .. } => MOST as f64,
        }
    }
}

impl Dag {
    /// The smallest whole factor by which all of `codes` have to become parallel for the dag to have a parallelism of `target`.
    ///
    /// Takes the time of some twenty [`totals`](Self::totals).
    pub fn parallelised_until(&self, codes: &[ChangedCode], target: f64) -> Until {
        let mut room = Vec::new();
        let mut parallelism = |factor: u64| {
            let mut factors = Factors::none(self);
            for code in codes {
                factors.multiply(code, factor as f64);
            }
            let totals = self.totals_with(&mut room, |vertex| {
                factors.parallelised(vertex, self.burden)
            });
            totals.parallelism().unwrap_or(f64::INFINITY)
        };
        let most = parallelism(MOST);
        if most < target {
            return Until::OutOfReach { most };
        }
        let (mut below, mut reaches) = (0, MOST);
        while reaches - below > 1 {
            let middle = below + (reaches - below) / 2;
            match parallelism(middle) < target {
                true => below = middle,
                false => reaches = middle,
            }
        }
        Until::Factor(reaches)
    }
}
