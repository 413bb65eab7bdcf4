//! Notices a program that waits for more threads than there are.
//!
//! With assumed cores, a program may start as many tasks as it was told there are cores, and have
//! them wait for one another: a barrier. Fewer real threads than that never get there. The signs of
//! it: every thread that has a task is in the middle of a strand, none has reached a boundary for a
//! while, and the process uses no processor time, or has not reached a boundary for very long.

use crate::{message, session, stop, thread};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

const IDLE: Duration = Duration::from_secs(4);
const SPINNING: Duration = Duration::from_secs(30);

#[derive(Default)]
pub(crate) struct Watchdog {
    progress: i64,
    since: Option<(Instant, Duration)>,
    told: bool,
}

impl Watchdog {
    /// Call about once a second.
    pub(crate) fn look(&mut self) {
        let Some(cores) =
            session::assumed_cores().filter(|_| !self.told && stop::mode() == stop::ON)
        else {
            return;
        };
        let (mut progress, mut in_task) = (0_i64, 0);
        thread::for_each(|thread, in_use| {
            progress = progress.wrapping_add(thread.last.get());
            if in_use && !thread.is_root() && thread.running.load(Ordering::Relaxed) {
                in_task += 1;
            }
        });
        let threads = session::largest_pool();
        let now = Instant::now();
        let used = processor_time();
        match self.since {
            Some((since, used_then))
                if progress == self.progress
                    && (1..cores).contains(&threads)
                    && in_task >= threads =>
            {
                let quiet = now - since;
                let idle = used.saturating_sub(used_then) < quiet / 50;
                if (idle && quiet >= IDLE) || quiet >= SPINNING {
                    self.told = true;
                    message::say(format_args!(
                        "no task has finished for {} s, and none can start: all {threads} threads of the pool \
                         are inside tasks.\nworkspan: a lock that is held during a parallel call does this on any number of \
                         threads. If there are as many tasks as cores, {cores} by --assume-cores, and they wait for \
                         one another, `--assume-cores real` helps. Ctrl-C ends the program and shows what waits.",
                        quiet.as_secs()
                    ));
                }
            }
            _ => self.since = Some((now, used)),
        }
        self.progress = progress;
    }
}

/// Processor time of the whole process.
fn processor_time() -> Duration {
    // "pid (comm) state ppid …": utime and stime are the 14th and 15th fields, in ticks of 10 ms on
    // Linux.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 = after_name
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|n| n.parse::<u64>().ok())
        .sum();
    Duration::from_millis(ticks * 10)
}
