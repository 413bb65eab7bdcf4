//! The remaining causes if a program falls below the lower bound.

use super::{Bandwidth, BandwidthVerdict, Factored, FactoredPoint, Scaling, ScalingPoint};
use crate::{Estimate, Nanos};

named! {
    /// Why a program is slower than expected from its parallelism and its grain (Cilkview §5).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum SlowdownCause {
        /// There are more threads than cores.
        SharedCores = "shared_cores",
        /// Other programs or other virtual machines used the processors in the meantime.
        TakenProcessors = "taken_processors",
        /// Cores had nothing to do, more than expected from the profile: the program may create
        /// different tasks on this many threads, or threads woke up late.
        IdleTime = "idle_time",
        /// Threads slept in tasks: for locks, files or one another.
        Waiting = "waiting",
        /// Memory does not deliver to all cores what they request.
        MemoryBandwidth = "memory_bandwidth",
        /// Cores write to the same cache lines, though not to the same data.
        FalseSharing = "false_sharing",
        /// Cores spin for locks, or wait for atomic operations on the same data.
        Contention = "contention",
    }
}

impl Scaling {
    /// The points below the lower bound, each with its remaining causes.
    pub fn below_lower(
        &self,
        factored: Option<&Factored>,
        bandwidth: Option<&Bandwidth>,
    ) -> Vec<(&ScalingPoint, Vec<SlowdownCause>)> {
        let below = self.points.iter().filter(|point| point.is_below_lower);
        below
            .map(|point| {
                let causes = remaining_causes(point, factored, bandwidth, self.spins_idle);
                (point, causes)
            })
            .collect()
    }
}

/// A cause suffices if it accounts for half of the gap between the point and the bound: missing
/// processors, idle time if work inflation does not account for as much, or memory that slows down
/// simultaneous copies. A point that shares cores needs no other cause. If the same work takes
/// longer, processor time grows; if that does not grow by as much, threads slept or did not get
/// their processors. Threads that spin while they wait for work use processor time, too. If copies
/// do not slow one another down, bandwidth is ruled out.
fn remaining_causes(
    point: &ScalingPoint,
    factored: Option<&Factored>,
    bandwidth: Option<&Bandwidth>,
    spins_idle: bool,
) -> Vec<SlowdownCause> {
    if point.shares_cores {
        return vec![SlowdownCause::SharedCores];
    }
    let excess = point.excess();
    if point.lacked.is_some_and(|lacked| lacked.explains(excess)) {
        return vec![SlowdownCause::TakenProcessors];
    }
    let mut points = factored.into_iter().flat_map(|factored| &factored.points);
    let factored = points.find(|factored| factored.threads == point.threads);
    let inflation = factored.and_then(|factored| factored.inflation);
    if factored.is_some_and(|factored| factored.idle_explains(excess)) {
        return vec![SlowdownCause::IdleTime];
    }
    if point
        .more_processor_time()
        .is_some_and(|more| more < excess / 2.0)
    {
        let asleep = [
            (SlowdownCause::IdleTime, inflation.is_none()),
            (SlowdownCause::Waiting, true),
            (SlowdownCause::TakenProcessors, point.lacked.is_none()),
        ];
        let asleep = asleep.into_iter().filter(|&(_, remains)| remains);
        return asleep.map(|(cause, _)| cause).collect();
    }
    let idle = (spins_idle && inflation.is_none()).then_some(SlowdownCause::IdleTime);
    let shared: &[SlowdownCause] = match bandwidth.map(|bandwidth| bandwidth.verdict) {
        Some(BandwidthVerdict::MemoryFrom { copies })
            if copies <= point.threads
                && bandwidth.is_some_and(|copies| copies.explains(point.threads, excess)) =>
        {
            return vec![SlowdownCause::MemoryBandwidth];
        }
        Some(BandwidthVerdict::NoLimit { copies }) if copies >= point.threads => {
            &[SlowdownCause::FalseSharing, SlowdownCause::Contention]
        }
        _ => &[
            SlowdownCause::MemoryBandwidth,
            SlowdownCause::FalseSharing,
            SlowdownCause::Contention,
        ],
    };
    idle.into_iter().chain(shared.iter().copied()).collect()
}

impl FactoredPoint {
    /// Whether idle time accounts for at least half of `share` of P · T_P and work inflation does
    /// not. The idle time on one thread, which T_1 contains, accounts for nothing.
    fn idle_explains(&self, share: f64) -> bool {
        let is_enough = |time: Estimate<Nanos>| {
            let available = self.time.mean.value.as_nanos() as f64 * f64::from(self.threads);
            time.value.as_nanos() as f64 / available >= share / 2.0
        };
        self.more_idle.is_some_and(is_enough) && !self.inflation.is_some_and(is_enough)
    }
}

impl Bandwidth {
    /// Whether at least half of `share` of the time of as many copies as there are threads is due
    /// to their slowing one another down.
    fn explains(&self, threads: u32, share: f64) -> bool {
        let mut points = self.points.iter().rev();
        let point = points.find(|point| point.copies <= threads);
        point.is_some_and(|point| 1.0 - 1.0 / point.slowdown.value >= share / 2.0)
    }
}

impl ScalingPoint {
    /// The part of P · T_P that exceeds what the lower bound leads one to expect.
    fn excess(&self) -> f64 {
        match (self.speedup, self.bounds) {
            (Some(speedup), Some(bounds)) => 1.0 - speedup.value / bounds.lower,
            _ => 0.0,
        }
    }

    /// The part of P · T_P that is processor time beyond that on one thread, at most.
    fn more_processor_time(&self) -> Option<f64> {
        let growth = self.processor_growth?;
        let one = self.processor.as_nanos() as f64 / growth.value;
        let available = self.time.mean.value.as_nanos() as f64 * f64::from(self.threads);
        let more = (growth.high - 1.0) * one / available;
        more.is_finite().then_some(more)
    }
}
