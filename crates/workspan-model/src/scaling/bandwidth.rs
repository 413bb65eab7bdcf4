//! Whether memory limits a program: copies that run at once, against one alone.

use std::collections::BTreeMap;

use super::bootstrap::{Sample, bootstrap};
use super::{LackedProcessors, RatioEstimate, RunKind, Sweep, SweepRun, TimeEstimate};
use crate::Nanos;

/// Copies that take so much longer than one alone take it from one another.
const SIGNIFICANT_SLOWDOWN: f64 = 1.1;

/// What copies of a program that ran at once say (Cilkview §5).
#[derive(Clone, Debug, PartialEq)]
pub struct Bandwidth {
    /// One for each number of copies, in ascending order from 1 on.
    pub points: Vec<BandwidthPoint>,
    /// What follows.
    pub verdict: BandwidthVerdict,
}

/// What a number of copies that ran at once say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandwidthPoint {
    /// How many copies ran at once, each on one worker.
    pub copies: u32,
    /// The time of a copy; that of copies that ran together counts once, as their mean.
    pub time: TimeEstimate,
    /// That over the time of one alone, of means.
    pub slowdown: RatioEstimate,
    /// How many times the work of one alone they do in the same time: copies over slow-down. No program with the same demand
    /// for memory reaches a greater speedup.
    pub throughput: RatioEstimate,
    /// The processor time of a copy over that of one alone, of means: it grows with the time where a copy waits for memory, and
    /// does not where it waits for a processor or a disk. `None` where none was used.
    pub processor_growth: Option<RatioEstimate>,
    /// Processors that a copy lacked; `None` where nobody watched.
    pub lacked: Option<LackedProcessors>,
    /// Whether copies shared physical cores, as far as is known, so that they are slower for that alone.
    pub shares_cores: bool,
}

impl BandwidthPoint {
    /// Whether the copies waited for something other than memory while they were slower than one alone, for the most part.
    fn waits(&self) -> bool {
        let slower = self.slowdown.value - 1.0;
        self.processor_growth
            .is_none_or(|growth| growth.value - 1.0 < slower / 2.0)
    }
}

/// Whether memory is the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BandwidthVerdict {
    /// From so many copies on they are slower than one alone, by more than 10% wherever in the interval the truth lies, and need
    /// more processor time: they share no core, so it is caches or memory.
    MemoryFrom {
        /// The least number of copies from which on that holds.
        copies: u32,
    },
    /// From so many copies on they are slower than one alone, but their processor time grows by less than half as much: they
    /// waited, for processors that others had or for files.
    WaitsFrom {
        /// The least number of copies from which on they are slower.
        copies: u32,
        /// Whether it was for processors, as far as was seen.
        lacks_processors: bool,
    },
    /// So many may be slower than one alone by more than 10%, or may not: the runs vary too much to tell, or are too few.
    Unsure {
        /// The greatest number of copies with a physical core each.
        copies: u32,
    },
    /// They are not, by more than 10%, up to so many.
    NoLimit {
        /// The greatest number of copies with a physical core each.
        copies: u32,
    },
    /// No more than one copy had a physical core for itself.
    Unknown,
}

/// What the copies of `sweep` say; `None` without one that ran alone.
pub fn bandwidth(sweep: &Sweep) -> Option<Bandwidth> {
    let rounds = rounds(sweep);
    let alone = Round::samples(rounds.get(&1)?);
    let point = |(&copies, rounds): (&u32, &Vec<Round>)| {
        let together = Round::samples(rounds);
        let samples = [&together.time, &alone.time];
        let processor = [&together.processor, &alone.processor];
        let of_copies = f64::from(copies);
        let [slowdown, throughput] = match copies {
            1 => [RatioEstimate::exactly(1.0); 2],
            _ => [
                bootstrap(&samples, |means| means[0].time / means[1].time)?,
                bootstrap(&samples, |means| of_copies * means[1].time / means[0].time)?,
            ],
        };
        Some(BandwidthPoint {
            copies,
            time: together.time.estimate()?,
            slowdown,
            throughput,
            processor_growth: match copies {
                1 => Some(RatioEstimate::exactly(1.0)),
                _ => bootstrap(&processor, |means| means[0].time / means[1].time),
            },
            lacked: LackedProcessors::of(1, runs_of(sweep, copies)),
            shares_cores: !sweep.machine.has_physical_cores_for(copies),
        })
    };
    let points: Vec<BandwidthPoint> = rounds.iter().filter_map(point).collect();
    Some(Bandwidth {
        verdict: verdict(&points),
        points,
    })
}

/// What copies of one round took, as means: they slow one another down, so they are one measurement.
struct Round {
    time: Nanos,
    processor: Nanos,
}

/// The rounds of a number of copies.
struct Samples {
    time: Sample,
    processor: Sample,
}

impl Round {
    fn of(copies: &[&SweepRun]) -> Self {
        let mean = |time: fn(&SweepRun) -> Nanos| {
            let sum: Nanos = copies.iter().map(|run| time(run)).sum();
            Nanos::from_nanos_f64(sum.as_nanos() as f64 / copies.len() as f64)
        };
        Self {
            time: mean(|run| run.elapsed),
            processor: mean(|run| run.user + run.system),
        }
    }

    fn samples(rounds: &[Self]) -> Samples {
        Samples {
            time: Sample::of_times(rounds.iter().map(|round| round.time)),
            processor: Sample::of_times(rounds.iter().map(|round| round.processor)),
        }
    }
}

fn runs_of(sweep: &Sweep, copies: u32) -> impl Iterator<Item = &SweepRun> {
    let runs = sweep.counted(RunKind::Copy, 1);
    runs.filter(move |run| run.copies == copies)
}

/// Of each number of copies, the rounds in which all ended well.
fn rounds(sweep: &Sweep) -> BTreeMap<u32, Vec<Round>> {
    let mut by_order: BTreeMap<(u32, u32), Vec<&SweepRun>> = BTreeMap::new();
    for run in sweep.counted(RunKind::Copy, 1) {
        by_order
            .entry((run.copies, run.order))
            .or_default()
            .push(run);
    }
    let mut rounds: BTreeMap<u32, Vec<Round>> = BTreeMap::new();
    for ((copies, _), runs) in by_order {
        if runs.len() == copies as usize {
            rounds.entry(copies).or_default().push(Round::of(&runs));
        }
    }
    rounds
}

fn verdict(points: &[BandwidthPoint]) -> BandwidthVerdict {
    let with_cores: Vec<&BandwidthPoint> = points
        .iter()
        .filter(|point| point.copies > 1 && !point.shares_cores)
        .collect();
    let slow = with_cores
        .iter()
        .rev()
        .take_while(|point| point.slowdown.low > SIGNIFICANT_SLOWDOWN);
    match (slow.last(), with_cores.last()) {
        (Some(first), Some(last)) if last.waits() => BandwidthVerdict::WaitsFrom {
            copies: first.copies,
            lacks_processors: last.lacked.is_some_and(|lacked| lacked.is_significant()),
        },
        (Some(first), _) => BandwidthVerdict::MemoryFrom {
            copies: first.copies,
        },
        (None, Some(last)) if last.slowdown.high > SIGNIFICANT_SLOWDOWN => {
            BandwidthVerdict::Unsure {
                copies: last.copies,
            }
        }
        (None, Some(last)) => BandwidthVerdict::NoLimit {
            copies: last.copies,
        },
        (None, None) => BandwidthVerdict::Unknown,
    }
}
