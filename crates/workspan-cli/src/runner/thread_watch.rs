//! Watches the threads of a process and its processor time.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::param::clock_ticks_per_second;

/// The least time between two looks.
const PERIOD: Duration = Duration::from_millis(20);

/// Looks take at most one part in so many of a processor.
const PARTS: u32 = 100;

/// Threads that ran for less than this only wait, or are short.
const LEAST: Duration = Duration::from_millis(10);

/// A process of whose threads so many were seen, and then not, runs more than one.
const MANY: usize = 4;

/// What was seen of a process; all of it 0 if the system does not say.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// The most threads that were there at once and did not only wait.
    pub(super) threads: u32,
    /// The processors that it used on average until the last look. Those of other processes that
    /// it started are not among them.
    pub(super) processors: f64,
}

/// Looks at a process until it is asked for what it saw.
pub(super) struct ThreadWatch {
    stop: Sender<()>,
    watching: JoinHandle<Seen>,
}

impl ThreadWatch {
    /// Watches the process with this id, which has just been started.
    pub(super) fn of(process: u32) -> Self {
        let (stop, stopped) = channel();
        let folder = PathBuf::from(format!("/proc/{process}"));
        let started = Instant::now();
        let watching = thread::spawn(move || {
            let mut seen = Seen::default();
            let (mut known, mut gone) = (BTreeSet::new(), 0);
            // At the first look, nothing has run.
            let mut period = PERIOD;
            while stopped.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {
                let look = Instant::now();
                seen.threads = threads(&folder).unwrap_or(0).max(seen.threads);
                let now = thread_ids(&folder);
                gone += known.difference(&now).count();
                known = now;
                if gone >= MANY {
                    seen.threads = seen.threads.max(2);
                }
                if let Some(used) = processor_time(&folder) {
                    seen.processors = used.as_secs_f64() / started.elapsed().as_secs_f64();
                }
                period = PERIOD.max(look.elapsed() * PARTS);
            }
            seen
        });
        Self { stop, watching }
    }

    /// What was seen until now.
    pub(super) fn seen(self) -> Seen {
        drop(self.stop);
        self.watching.join().unwrap_or_default()
    }
}

fn thread_ids(process: &Path) -> BTreeSet<OsString> {
    let threads = fs::read_dir(process.join("task")).into_iter().flatten();
    threads
        .filter_map(|thread| Some(thread.ok()?.file_name()))
        .collect()
}

/// The number of threads that have run for some time.
fn threads(process: &Path) -> Option<u32> {
    let threads = fs::read_dir(process.join("task")).ok()?;
    let ran = threads.filter_map(|thread| {
        let statistics = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        let nanos = statistics.split(' ').next()?.parse().ok()?;
        Some(Duration::from_nanos(nanos))
    });
    u32::try_from(ran.filter(|&time| time >= LEAST).count()).ok()
}

/// The processor time of all threads, in the program and in the kernel.
fn processor_time(process: &Path) -> Option<Duration> {
    let status = fs::read_to_string(process.join("stat")).ok()?;
    // The command, the second field, may contain spaces.
    let (_, fields) = status.rsplit_once(") ")?;
    let ticks = fields.split(' ').skip(11).take(2);
    let ticks: u64 = ticks.map(|ticks| ticks.parse().unwrap_or(0)).sum();
    Some(Duration::from_secs_f64(
        ticks as f64 / clock_ticks_per_second() as f64,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_ran_and_their_time_are_seen() {
        let this = Path::new("/proc/self");
        if !this.join("schedstat").exists() {
            return;
        }
        // Each look takes this thread some time.
        let ran = (0..1_000_000).any(|_| threads(this).unwrap() > 0);
        assert!(ran && processor_time(this).is_some());
        assert_eq!(threads(Path::new("/proc/0")), None);
        assert_eq!(processor_time(Path::new("/proc/0")), None);
    }
}
