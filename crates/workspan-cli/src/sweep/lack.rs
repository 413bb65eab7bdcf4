//! Which processors a run did not have, since something else had them meanwhile.

use std::time::Instant;

use workspan_model::Nanos;

use super::activity::Activity;
use super::process::{Ended, Process, nanos};

/// What the processors had done when a run began.
pub(super) struct Watch {
    before: Activity,
    started: Instant,
}

/// What a run needs of the processors that it may use.
#[derive(Clone, Copy, Debug)]
struct Need {
    /// How many it may use.
    allowed: usize,
    /// How many it can use at most.
    threads: usize,
}

impl Watch {
    /// Begins now; `None` where the kernel tells nothing.
    pub(super) fn begin() -> Option<Self> {
        let before = Activity::now()?;
        let started = Instant::now();
        Some(Self { before, started })
    }

    /// What each of `processes`, which ran at once on `threads` threads each and have `ended`, lacked on average. Those that
    /// were not kept on processors may have used the `usual` ones.
    pub(super) fn lacked(
        &self,
        processes: &[Process],
        threads: u32,
        usual: &[usize],
        ended: &[Ended],
    ) -> Option<Nanos> {
        let elapsed = nanos(self.started.elapsed());
        let mut allowed: Vec<usize> = processes
            .iter()
            .flat_map(|process| match process.processors.as_slice() {
                [] => usual,
                own => own,
            })
            .copied()
            .collect();
        allowed.sort_unstable();
        allowed.dedup();
        let taken = Activity::now()?.since(&self.before, Some(&allowed)).taken();
        let own: Nanos = ended.iter().map(|ended| ended.user + ended.system).sum();
        let need = Need {
            allowed: allowed.len(),
            threads: threads as usize * processes.len(),
        };
        let of_all = lacked(need, elapsed, taken - own).as_nanos();
        Some(Nanos::from_nanos(of_all / processes.len().max(1) as i64))
    }
}

/// Of the processors that others had for `by_others`, those that could not be spared.
fn lacked(need: Need, elapsed: Nanos, by_others: Nanos) -> Nanos {
    let to_spare = need.allowed.saturating_sub(need.threads);
    by_others - Nanos::from_nanos(elapsed.as_nanos() * to_spare as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_to_spare_are_not_lacked() {
        let lacked = |allowed, threads| {
            let need = Need { allowed, threads };
            lacked(need, Nanos::from_nanos(100), Nanos::from_nanos(150)).as_nanos()
        };
        assert_eq!(lacked(2, 2), 150);
        assert_eq!(lacked(3, 2), 50);
        assert_eq!(lacked(4, 2), -50);
        // Those beyond the processors take turns anyhow.
        assert_eq!(lacked(2, 8), 150);
    }
}
