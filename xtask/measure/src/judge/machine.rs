//! Whether something else disturbed the machine while it measured.
//!
//! Two probes, neither of which looks at what is measured: before and after it, every core runs
//! pieces of work of one length, and the pieces that took longer show a core that was not had
//! whole; and over the whole time, the kernel's account says how much processor time went to
//! processes that are not ours.

use std::fmt;
use std::fs;
use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

/// From when on a machine counts as disturbed.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limits {
    /// How many times the shortest piece of the probe the mean piece may take.
    pub(crate) slower: f64,
    /// What share of one core's time other processes, and the hypervisor, may take.
    pub(crate) others: f64,
}

/// How a machine was while something was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Machine {
    /// The mean piece of the probe over the shortest one.
    pub(crate) slower: f64,
    /// The share of one core's time that went elsewhere.
    pub(crate) others: f64,
}

impl Machine {
    /// For figures that no other process can change: counts, and what a virtual clock reads.
    pub(crate) const UNWATCHED: Machine = Machine {
        slower: 1.0,
        others: 0.0,
    };

    /// The worse of both, by each of its figures.
    pub(crate) fn or_worse(self, other: Machine) -> Machine {
        Machine {
            slower: self.slower.max(other.slower),
            others: self.others.max(other.others),
        }
    }

    /// Whether this is beyond a limit.
    pub(crate) fn is_disturbed(&self, limits: &Limits) -> bool {
        self.slower > limits.slower || self.others > limits.others
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Machine { slower, others } = self;
        write!(
            f,
            "the probe took {slower:.2} times its shortest, and others had {others:.2} of a core"
        )
    }
}

/// A watch on the machine, from its beginning on.
#[derive(Debug)]
pub(crate) struct Watch {
    started: Instant,
    slower: f64,
    elsewhere: Option<Duration>,
}

impl Watch {
    /// Begins to watch. Takes some tens of milliseconds on every core; `shortest` keeps the
    /// shortest piece that was ever seen.
    pub(crate) fn begin(shortest: &mut Duration) -> Self {
        let slower = probe(shortest);
        Watch {
            started: Instant::now(),
            slower,
            elsewhere: time_elsewhere(),
        }
    }

    /// How the machine was from the beginning to now.
    pub(crate) fn end(self, shortest: &mut Duration) -> Machine {
        let elapsed = self.started.elapsed().as_secs_f64();
        let elsewhere = match (self.elsewhere, time_elsewhere()) {
            (Some(before), Some(after)) => after.saturating_sub(before).as_secs_f64(),
            _ => 0.0,
        };
        // The kernel counts in hundredths of a second.
        let others = (elsewhere - 0.02).max(0.0) / elapsed.max(0.02);
        Machine {
            slower: self.slower.max(probe(shortest)),
            others,
        }
    }
}

/// Pieces of a probe on each core.
const PIECES: usize = 100;

/// The mean piece over the shortest one, on the core where that is most.
fn probe(shortest: &mut Duration) -> f64 {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let pieces: Vec<Vec<Duration>> = thread::scope(|scope| {
        let started: Vec<_> = (0..cores).map(|_| scope.spawn(pieces)).collect();
        let ended = started.into_iter().map(|core| core.join());
        ended.map(|pieces| pieces.unwrap_or_default()).collect()
    });
    let least = pieces.iter().flatten().min().copied();
    *shortest = least.unwrap_or(*shortest).min(*shortest);
    let mean = |core: &Vec<Duration>| core.iter().sum::<Duration>() / PIECES as u32;
    let slowest = pieces.iter().map(mean).max().unwrap_or_default();
    slowest.as_secs_f64() / shortest.as_secs_f64()
}

fn pieces() -> Vec<Duration> {
    let piece = |_| {
        let started = Instant::now();
        let mut value = black_box(1_u64);
        for _ in 0..100_000 {
            value = value
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
        }
        black_box(value);
        started.elapsed()
    };
    (0..PIECES).map(piece).collect()
}

/// Time that the machine's cores have spent on other processes than this one and those that it has
/// waited for, and that the hypervisor took from them.
fn time_elsewhere() -> Option<Duration> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    let line = text.lines().next()?.strip_prefix("cpu ")?;
    let ticks: Vec<u64> = line
        .split_whitespace()
        .map(|field| field.parse().ok())
        .collect::<Option<_>>()?;
    // proc(5): user, nice, system, idle, iowait, irq, softirq, steal; guest time is in user time.
    let busy: u64 = ticks.get(..8)?.iter().sum::<u64>() - ticks[3] - ticks[4];
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the command may have blanks; fields after it begin with the state, the third.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    // utime, stime, cutime, cstime: fields 14 to 17.
    let own: u64 = fields
        .get(11..15)?
        .iter()
        .map(|field| field.parse::<u64>().ok())
        .sum::<Option<u64>>()?;
    // USER_HZ is 100 on Linux, whatever the kernel's own ticks are.
    Some(Duration::from_millis(10 * busy.saturating_sub(own)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_disturbed_beyond_either_limit() {
        let limits = Limits {
            slower: 1.2,
            others: 0.1,
        };
        let is_disturbed = |slower, others| Machine { slower, others }.is_disturbed(&limits);
        assert!(!is_disturbed(1.1, 0.05));
        assert!(is_disturbed(1.3, 0.0));
        assert!(is_disturbed(1.0, 0.2));
        assert!(!Machine::UNWATCHED.is_disturbed(&limits));
    }

    #[test]
    fn a_probe_takes_no_less_than_its_shortest_piece() {
        let mut shortest = Duration::MAX;
        assert!(probe(&mut shortest) >= 1.0);
        assert!(shortest > Duration::ZERO);
    }

    #[test]
    fn the_kernel_accounts_for_other_processes() {
        assert!(time_elsewhere().is_some());
    }
}
