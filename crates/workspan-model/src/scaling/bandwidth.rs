//! Whether memory limits a program: several copies that run at once, compared with a single one.

use std::collections::BTreeMap;

use super::estimate::{RunTimes, bootstrap, ratio_of_means};
use super::{MissingProcessors, RunKind, Sweep, SweepRun, TimeEstimate};
use crate::{Estimate, Nanos};

/// If copies take this many times as long as a single one, they slow one another down.
const SIGNIFICANT_SLOWDOWN: f64 = 1.1;

/// The analysis of copies of a program that ran at once (Cilkview §5).
#[derive(Clone, Debug, PartialEq)]
pub struct Bandwidth {
    /// One point for each number of copies, in ascending order from 1 on.
    pub points: Vec<BandwidthPoint>,
    /// What follows from them.
    pub verdict: BandwidthVerdict,
}

/// The figures for a number of copies that ran at once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BandwidthPoint {
    /// How many copies ran at once, with one worker each.
    pub copies: u32,
    /// The time of a copy; copies that ran together count once, with their mean.
    pub time: TimeEstimate,
    /// The mean time of a copy divided by that of a single one.
    pub slowdown: Estimate<f64>,
    /// How many times the work of a single copy they do in the same time: copies divided by
    /// slowdown. No program with the same demand for memory reaches a greater speedup.
    pub throughput: Estimate<f64>,
    /// The mean processor time of a copy divided by that of a single one: it grows with the time if
    /// a copy waits for memory, but not if it waits for a processor or a disk. `None` if no
    /// processor time was used.
    pub processor_growth: Option<Estimate<f64>>,
    /// Processors that a copy lacked; `None` if that was not observed.
    pub lacked: Option<MissingProcessors>,
    /// Whether copies shared physical cores, as far as is known; that alone makes them slower.
    pub shares_cores: bool,
}

impl BandwidthPoint {
    /// Whether the copies were slower than a single one mostly because they waited for something
    /// other than memory.
    fn waits(&self) -> bool {
        let slower = self.slowdown.value - 1.0;
        self.processor_growth
            .is_none_or(|growth| growth.value - 1.0 < slower / 2.0)
    }
}

/// Whether memory is the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BandwidthVerdict {
    /// From this many copies on, they are slower than a single one, by more than 10% wherever in
    /// the interval the truth lies, and need more processor time. They share no core, so the cause
    /// is caches or memory.
    MemoryFrom {
        /// The least number of copies from which this holds.
        copies: u32,
    },
    /// From this many copies on, they are slower than a single one, but their processor time grows
    /// by less than half as much: they waited for processors that others had, or for files.
    WaitsFrom {
        /// The least number of copies from which they are slower.
        copies: u32,
        /// Whether it was for processors, as far as was observed.
        lacks_processors: bool,
    },
    /// This many copies may be slower than a single one by more than 10%, or may not: the runs vary
    /// too much, or are too few.
    Unsure {
        /// The greatest number of copies with a physical core each.
        copies: u32,
    },
    /// Up to this many copies are not slower by more than 10%.
    NoLimit {
        /// The greatest number of copies with a physical core each.
        copies: u32,
    },
    /// No more than one copy had a physical core for itself.
    Unknown,
}

/// Analyses the copies of `sweep`; `None` if no single copy was run.
pub fn bandwidth(sweep: &Sweep) -> Option<Bandwidth> {
    let rounds = rounds(sweep);
    let times = |rounds: &[_]| RunTimes::new(rounds.iter().copied());
    let alone = times(rounds.get(&1)?)?;
    let point = |(&copies, rounds): (&u32, &Vec<_>)| {
        let together = times(rounds)?;
        let count = f64::from(copies);
        let [slowdown, throughput] = match copies {
            1 => [Estimate::exactly(1.0); 2],
            _ => [
                ratio_of_means(&together.elapsed, &alone.elapsed)?,
                bootstrap(&[&together.elapsed, &alone.elapsed], |means| {
                    count * means[1].time / means[0].time
                })?,
            ],
        };
        Some(BandwidthPoint {
            copies,
            time: TimeEstimate::from_sample(&together.elapsed)?,
            slowdown,
            throughput,
            processor_growth: match copies {
                1 => Some(Estimate::exactly(1.0)),
                _ => ratio_of_means(&together.processor, &alone.processor),
            },
            lacked: MissingProcessors::from_runs(1, runs_of(sweep, copies)),
            shares_cores: !sweep.machine.has_physical_cores_for(copies),
        })
    };
    let points: Vec<BandwidthPoint> = rounds.iter().filter_map(point).collect();
    Some(Bandwidth {
        verdict: verdict(&points),
        points,
    })
}

/// The mean elapsed and processor time of the copies of one round: they slow one another down, so
/// they are one measurement.
fn round(copies: &[&SweepRun]) -> (Nanos, Nanos) {
    let mean = |time: fn(&SweepRun) -> Nanos| {
        let sum: Nanos = copies.iter().map(|run| time(run)).sum();
        Nanos::from_nanos_f64(sum.as_nanos() as f64 / copies.len() as f64)
    };
    (mean(|run| run.elapsed), mean(|run| run.user + run.system))
}

fn runs_of(sweep: &Sweep, copies: u32) -> impl Iterator<Item = &SweepRun> {
    let runs = sweep.counted(RunKind::Copy, 1);
    runs.filter(move |run| run.copies == copies)
}

/// For each number of copies, the rounds in which all of them succeeded.
fn rounds(sweep: &Sweep) -> BTreeMap<u32, Vec<(Nanos, Nanos)>> {
    let mut by_order: BTreeMap<(u32, u32), Vec<&SweepRun>> = BTreeMap::new();
    for run in sweep.counted(RunKind::Copy, 1) {
        by_order
            .entry((run.copies, run.order))
            .or_default()
            .push(run);
    }
    let mut rounds: BTreeMap<u32, Vec<(Nanos, Nanos)>> = BTreeMap::new();
    for ((copies, _), runs) in by_order {
        if runs.len() == copies as usize {
            rounds.entry(copies).or_default().push(round(&runs));
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
