//! What remains as the cause where a program falls below the lower bound.

use super::{
    Bandwidth, BandwidthVerdict, DerivedTime, Factored, FactoredPoint, Scaling, ScalingPoint,
};

/// Why a program is slower than its parallelism and its grain let expect (Cilkview §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowdownCause {
    /// There are more threads than cores.
    SharedCores,
    /// Other programs or other virtual machines had processors meanwhile.
    TakenProcessors,
    /// Cores had nothing to do, more than the profile lets expect: the program may make other tasks on so many threads, or
    /// threads woke up late.
    IdleTime,
    /// Threads slept in tasks: for locks, files or one another.
    Waiting,
    /// Memory does not deliver to all cores what they ask for.
    MemoryBandwidth,
    /// Cores write to the same cache lines, though not to the same data.
    FalseSharing,
    /// Cores spin for locks, or wait for atomic operations on the same data.
    Contention,
}

impl SlowdownCause {
    /// The name that files use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SharedCores => "shared_cores",
            Self::TakenProcessors => "taken_processors",
            Self::IdleTime => "idle_time",
            Self::Waiting => "waiting",
            Self::MemoryBandwidth => "memory_bandwidth",
            Self::FalseSharing => "false_sharing",
            Self::Contention => "contention",
        }
    }
}

impl Scaling {
    /// The points below the lower bound, each with what remains as its cause.
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

/// A cause is enough if it makes up for half of what the point is below the bound by: a lack of processors, idle time where work
/// inflation does not make up for as much, or memory that slows down copies at once. A point that shares cores needs no other
/// one. Where the same work takes longer, processor time grows; if it does not, by as much, threads slept, or did not get their
/// processors. Threads that spin while they wait for work take processor time, too. Copies that do not slow one another down leave
/// no doubt about bandwidth.
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
    /// Whether idle time makes up for half of `share` of P · T_P at least, and work inflation does not. That of one thread, which
    /// T_1 contains, makes up for nothing.
    fn idle_explains(&self, share: f64) -> bool {
        let is_enough = |time: DerivedTime| {
            let available = self.time.mean.as_nanos() as f64 * f64::from(self.threads);
            time.value.as_nanos() as f64 / available >= share / 2.0
        };
        self.more_idle.is_some_and(is_enough) && !self.inflation.is_some_and(is_enough)
    }
}

impl Bandwidth {
    /// Whether half of `share` of the time of as many copies as there are threads, at least, is what they slow one another down.
    fn explains(&self, threads: u32, share: f64) -> bool {
        let mut points = self.points.iter().rev();
        let point = points.find(|point| point.copies <= threads);
        point.is_some_and(|point| 1.0 - 1.0 / point.slowdown.value >= share / 2.0)
    }
}

impl ScalingPoint {
    /// How much of P · T_P is beyond what the lower bound lets expect.
    fn excess(&self) -> f64 {
        match (self.speedup, self.bounds) {
            (Some(speedup), Some(bounds)) => 1.0 - speedup.value / bounds.lower,
            _ => 0.0,
        }
    }

    /// How much of P · T_P is processor time beyond that on one thread, at most.
    fn more_processor_time(&self) -> Option<f64> {
        let growth = self.processor_growth?;
        let one = self.processor.as_nanos() as f64 / growth.value;
        let available = self.time.mean.as_nanos() as f64 * f64::from(self.threads);
        let more = (growth.high - 1.0) * one / available;
        more.is_finite().then_some(more)
    }
}
