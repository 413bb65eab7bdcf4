//! How much of the threads' time the program used, as a product of what takes from it.
//!
//! These are the efficiencies of POP's model (Rosas, Giménez, Labarta, *Scalability prediction for
//! fundamental performance factors*, 2014), of threads in the place of processes: the parallel
//! efficiency is load balance × serialisation × transfer. Data of threads isn't transferred; what
//! takes that part is the runtime, which makes tasks and moves them.

use crate::quantity::units::times;
use crate::{Nanos, NodeId, Profile, SiteKind, SiteRow, Totals, knows_tasking_costs};

/// What the efficiencies of a run follow from. Without the profiler and other programs, whose time
/// counts as divided evenly among the threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Efficiency {
    /// P: the threads whose time it is.
    pub threads: u32,
    /// For how long threads ran strands without waiting, together.
    pub useful: Nanos,
    /// For how long the one did that ran longest.
    pub longest: Nanos,
    /// For how long the program ran.
    pub elapsed: Nanos,
    /// How long it would have run, had making and moving tasks taken no time.
    pub ideal: Nanos,
    /// Whether it is known how long that took; otherwise `ideal` is `elapsed`.
    pub knows_transfer: bool,
}

impl Efficiency {
    /// Of `threads` threads, each with a processor, from whose time `lost` was taken. `None` where it
    /// is not known which of them ran for how long, or where there is one.
    pub(crate) fn of(
        profile: &Profile,
        totals: &Totals,
        threads: u32,
        lost: Nanos,
    ) -> Option<Self> {
        let by_thread = by_thread(profile, |_| true);
        let longest = by_thread.iter().copied().max()?;
        if threads < 2 {
            return None;
        }
        let each = |nanos: Nanos| Nanos::from_nanos(nanos.as_nanos() / i64::from(threads));
        let elapsed = profile.run.elapsed - each(lost);
        let knows_transfer = knows_tasking_costs(profile);
        let tasking = match knows_transfer {
            true => each(totals.tasking_overhead.time),
            false => Nanos::ZERO,
        };
        // Clocks of several processors differ, and what others took may have been another thread's.
        let elapsed = elapsed.max(longest);
        (longest > Nanos::ZERO).then(|| Self {
            threads,
            useful: by_thread.into_iter().sum(),
            longest,
            elapsed,
            ideal: (elapsed - tasking).max(longest),
            knows_transfer,
        })
    }

    /// The share of the threads' time in which they ran strands.
    pub fn parallel(self) -> f64 {
        self.useful.share_of(times(self.elapsed, self.threads))
    }

    /// How long a thread ran strands on average, as a share of how long the one did that ran longest.
    pub fn load_balance(self) -> f64 {
        load_balance(self.useful, self.longest, self.threads)
    }

    /// The share of the ideal time in which the thread that ran longest ran strands: the rest it
    /// waited for others.
    pub fn serialisation(self) -> f64 {
        self.longest.share_of(self.ideal)
    }

    /// The ideal time as a share of the program's; 1 where that isn't known, and what the runtime
    /// took counts to the [serialisation](Self::serialisation).
    pub fn transfer(self) -> f64 {
        self.ideal.share_of(self.elapsed)
    }
}

/// How evenly a construct was divided among the threads of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Balance {
    /// Index into the rows of the sites.
    pub row: usize,
    /// For how long threads ran strands in it without waiting, the longest first; those that ran
    /// none are left out.
    pub by_thread: Vec<Nanos>,
    /// That, as [`Efficiency::load_balance`] has it for the whole program.
    pub load_balance: f64,
}

/// The parallel regions, loops and named regions among `rows`, in their order, and how they were
/// divided among `threads` threads. Empty where it is not known which thread ran for how long.
pub(crate) fn balances(profile: &Profile, rows: &[SiteRow], threads: u32) -> Vec<Balance> {
    let divided = rows.iter().enumerate().filter(|(_, row)| {
        use SiteKind::{Loop, Parallel, Region};
        matches!(row.kind, Parallel | Loop | Region)
    });
    let balance = |(row, SiteRow { sites, .. }): (usize, &SiteRow)| {
        let is_within = |node: NodeId| {
            let mut above = profile.with_above(node);
            above.any(|node| sites.contains(&profile.tree[node.index()].site))
        };
        let mut by_thread = by_thread(profile, is_within);
        by_thread.retain(|&ran| ran > Nanos::ZERO);
        by_thread.sort_unstable_by(|one, other| other.cmp(one));
        let longest = *by_thread.first()?;
        let useful = by_thread.iter().copied().sum();
        Some(Balance {
            row,
            load_balance: load_balance(useful, longest, threads),
            by_thread,
        })
    };
    divided.filter_map(balance).collect()
}

fn load_balance(useful: Nanos, longest: Nanos, threads: u32) -> f64 {
    useful.share_of(times(longest, threads)).min(1.0)
}

/// For how long each thread ran strands below nodes that `is_meant`, in no order.
fn by_thread(profile: &Profile, is_meant: impl Fn(NodeId) -> bool) -> Vec<Nanos> {
    let mut by_thread = std::collections::BTreeMap::<u32, Nanos>::new();
    for share in profile.shares.iter().filter(|share| is_meant(share.node)) {
        *by_thread.entry(share.thread).or_default() += share.ran;
    }
    by_thread.into_values().collect()
}

#[cfg(test)]
mod tests;
