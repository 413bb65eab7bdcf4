//! How parallel code has to become to reach a target.

use super::change::Factors;
use super::{ChangedCode, Dag};

/// The largest factor that is tried. Code divided by it takes practically no time.
const MAX_FACTOR: u64 = 1 << 20;

/// The factor that reaches a target, if one does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Until {
    /// The smallest whole factor.
    Factor(u64),
    /// No factor does: other code is on the critical path by then.
    OutOfReach {
        /// The parallelism if the code took no time at all.
        most: f64,
    },
}

impl Until {
    /// The factor, or one that is as good as infinite if the target is out of reach.
    pub fn factor(self) -> f64 {
        match self {
            Self::Factor(factor) => factor as f64,
            Self::OutOfReach { .. } => MAX_FACTOR as f64,
        }
    }
}

impl Dag {
    /// The smallest whole factor by which all of `codes` have to become parallel for the dag to
    /// have a parallelism of at least `target`.
    ///
    /// Takes as long as some twenty calls of [`totals`](Self::totals).
    pub fn parallelised_until(&self, codes: &[ChangedCode], target: f64) -> Until {
        let mut buffer = Vec::new();
        let mut parallelism = |factor: u64| {
            let mut factors = Factors::none(self);
            for code in codes {
                factors.multiply(code, factor as f64);
            }
            let totals = self.totals_with(&mut buffer, |vertex| factors.parallelised(vertex));
            totals.parallelism().unwrap_or(f64::INFINITY)
        };
        let most = parallelism(MAX_FACTOR);
        if most < target {
            return Until::OutOfReach { most };
        }
        let (mut too_small, mut enough) = (0, MAX_FACTOR);
        while enough - too_small > 1 {
            let middle = too_small + (enough - too_small) / 2;
            if parallelism(middle) < target {
                too_small = middle;
            } else {
                enough = middle;
            }
        }
        Until::Factor(enough)
    }
}
