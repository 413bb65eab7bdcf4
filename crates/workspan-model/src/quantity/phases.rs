//! Phases of a program, and the speedup that they allow.

use std::collections::BTreeMap;

/// The phases that a program goes through one after another: none begins before the one before it
/// has ended. So the work law and the span law (Cilkview §2, inequalities 3 and 4) hold for each,
/// and P cores take at least the sum of max(W/P, S) over the phases of work W and span S.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phases {
    /// Work and span of all phases that become no faster on more cores than this: W/S, rounded up.
    by_cores: BTreeMap<u32, (i64, i64)>,
    /// By how much the spans may be shorter together.
    excess: f64,
}

impl Phases {
    /// Adds a phase. Measured times may be a little negative, and a path then longer than the work.
    pub(crate) fn add(&mut self, work: i64, span: i64) {
        let span = if work > 0 { span.min(work) } else { work };
        let cores = match span {
            1.. => u32::try_from((work - 1) / span + 1).unwrap_or(u32::MAX),
            _ if work > 0 => u32::MAX,
            _ => 1,
        };
        let sums = self.by_cores.entry(cores).or_default();
        *sums = (sums.0 + work, sums.1 + span);
    }

    /// These phases if their spans may be shorter by `excess` together, whichever they are.
    #[must_use]
    pub(crate) fn with_excess(self, excess: f64) -> Self {
        Self { excess, ..self }
    }

    /// The greatest speedup on `cores` cores over one.
    pub fn most_speedup(&self, cores: u32) -> f64 {
        let cores = cores.max(1);
        let least_time = |(&enough, &(work, span)): (&u32, &(i64, i64))| {
            if enough <= cores {
                span as f64
            } else {
                work as f64 / f64::from(cores)
            }
        };
        // For any a, max(a, S - x) is at least max(a, S) - x.
        let time = self.by_cores.iter().map(least_time).sum::<f64>() - self.excess;
        let work: i64 = self.by_cores.values().map(|(work, _)| work).sum();
        if time > 0.0 {
            work as f64 / time
        } else {
            f64::INFINITY
        }
    }
}
