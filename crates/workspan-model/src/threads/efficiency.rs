//! How much of the threads' time the program used, as a product of what takes from it.
//!
//! These are the efficiencies of POP's model (Rosas, Giménez, Labarta, *Scalability prediction for
//! fundamental performance factors*, 2014), of threads in the place of processes: the parallel
//! efficiency is load balance × communication efficiency, and that is serialisation × transfer. Data
//! of threads isn't transferred; what takes that part is the runtime, which makes tasks and moves them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::profile::threads::running;
use crate::quantity::units::times;
use crate::{Nanos, NodeId, Profile, RuntimeKind, SiteKind, SiteRow, Totals, knows_tasking_costs};

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
    /// How long it would have run if making and moving tasks cost nothing; `None` where it is not
    /// known what they cost.
    pub ideal: Option<Nanos>,
}

/// By this share clocks of different processors may differ, what others took from one thread exceed
/// what they took from another, and a thread have run beside those that the work was divided among.
const DIFFERENCE: f64 = 0.02;

/// A thread that ran less than this share of what another did was none of those that the program
/// divides its work among, if it starts them itself: the main one, which waits for their end.
const NO_PART: f64 = 0.01;

impl Efficiency {
    /// Of a run from whose threads `lost` was taken. `None` where it is not known which thread ran
    /// for how long, where there is one, and where they were more than the pool or the processors.
    pub(crate) fn from_run(profile: &Profile, totals: &Totals, lost: Nanos) -> Option<Self> {
        let mut by_thread = by_thread(profile, |_| true);
        // Rayon's main thread waits while the pool runs.
        if profile.runtime() == Some(RuntimeKind::Rayon) {
            let main = by_thread.remove(&0).unwrap_or_default();
            *by_thread.values_mut().max()? += main;
        }
        let longest = by_thread.values().copied().max()?;
        let threads = match profile.runtime() {
            None => {
                let takes_part = |ran: &&Nanos| ran.share_of(longest) >= NO_PART;
                by_thread.values().filter(takes_part).count() as u32
            }
            Some(_) => running(profile),
        };
        if threads < 2 || threads > profile.machine.cores {
            return None;
        }
        let each = |nanos: Nanos| Nanos::from_nanos(nanos.as_nanos() / i64::from(threads));
        let elapsed = profile.run.elapsed - each(lost);
        let useful: Nanos = by_thread.into_values().sum();
        let most = times(longest, threads);
        let exceeds = |part: Nanos, whole: Nanos| part.share_of(whole) > 1.0 + DIFFERENCE;
        if longest <= Nanos::ZERO || exceeds(longest, elapsed) || exceeds(useful, most) {
            return None;
        }
        let elapsed = elapsed.max(longest);
        let ideal = (elapsed - each(totals.tasking_overhead.time)).max(longest);
        Some(Self {
            threads,
            useful: useful.min(most),
            longest,
            elapsed,
            ideal: knows_tasking_costs(profile).then_some(ideal),
        })
    }

    /// The share of the threads' time in which they ran strands: load balance × communication.
    pub fn parallel(self) -> f64 {
        self.useful.share_of(times(self.elapsed, self.threads))
    }

    /// How long a thread ran strands on average, as a share of how long the one did that ran longest.
    pub fn load_balance(self) -> f64 {
        load_balance(self.useful, self.longest, self.threads)
    }

    /// The share of the run in which the thread that ran longest ran strands: serialisation ×
    /// transfer.
    pub fn communication(self) -> f64 {
        self.longest.share_of(self.elapsed)
    }

    /// The share of the ideal time in which the thread that ran longest ran strands: the rest it
    /// waited for others.
    pub fn serialisation(self) -> Option<f64> {
        Some(self.longest.share_of(self.ideal?))
    }

    /// The ideal time as a share of the run.
    pub fn transfer(self) -> Option<f64> {
        Some(self.ideal?.share_of(self.elapsed))
    }
}

/// How evenly a construct was divided among threads.
#[derive(Clone, Debug, PartialEq)]
pub struct Balance {
    /// Index into the rows of the sites.
    pub row: usize,
    /// For how long each thread that took part ran strands in it without waiting, longest first.
    pub by_thread: Vec<Nanos>,
    /// The mean of these times as a share of the longest. Of a named region, whose work any thread of
    /// the run may take, the others count, too.
    pub load_balance: f64,
}

/// The parallel regions, loops, sections and named regions among `rows` in which several of the run's
/// `threads` took part, in their order. Empty where it is not known which thread ran for how long.
pub(crate) fn balances(profile: &Profile, rows: &[SiteRow], threads: u32) -> Vec<Balance> {
    use SiteKind::{Loop, Parallel, Region, Sections};
    let divided = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| matches!(row.kind, Parallel | Loop | Sections | Region));
    let balance = |(row, site): (usize, &SiteRow)| {
        let is_within = |node: NodeId| {
            let mut above = profile.with_above(node);
            above.any(|node| site.sites.contains(&profile.tree[node.index()].site))
        };
        let by_thread = by_thread(profile, is_within);
        let mut by_thread: Vec<Nanos> = by_thread.into_values().collect();
        by_thread.sort_unstable_by_key(|&ran| Reverse(ran));
        let part = by_thread.len() as u32;
        let all = if site.kind == Region {
            threads.max(part)
        } else {
            part
        };
        let longest = *by_thread.first()?;
        let useful = by_thread.iter().copied().sum();
        (part > 1 && longest > Nanos::ZERO).then(|| Balance {
            row,
            load_balance: load_balance(useful, longest, all),
            by_thread,
        })
    };
    divided.filter_map(balance).collect()
}

fn load_balance(useful: Nanos, longest: Nanos, threads: u32) -> f64 {
    useful.share_of(times(longest, threads))
}

/// For how long each thread ran strands below nodes that `is_meant`; of one whose costs were more than
/// that, no time.
fn by_thread(profile: &Profile, is_meant: impl Fn(NodeId) -> bool) -> BTreeMap<u32, Nanos> {
    let mut by_thread = BTreeMap::<u32, Nanos>::new();
    for share in profile.shares.iter().filter(|share| is_meant(share.node)) {
        *by_thread.entry(share.thread).or_default() += share.ran;
    }
    for ran in by_thread.values_mut() {
        *ran = (*ran).max(Nanos::ZERO);
    }
    by_thread
}

#[cfg(test)]
mod tests;
