//! Passes a task from one worker of a pool of two to the other.

use std::hint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::switches::Switches;

/// How long the giver waits for the taker. After that, the sample is lost.
const PATIENCE: Duration = Duration::from_millis(5);

/// How long the taker goes on after the giver has begun to wait, so that the giver is really
/// waiting.
const REST: Duration = Duration::from_micros(2);

/// A task that the taker has run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    /// From the push until the taker began to run it.
    pub(super) taken_after: Duration,
    /// From its end until the giver went on.
    pub(super) back_after: Duration,
    /// The context switches of both threads until the middle of the task.
    pub(super) giver: Switches,
    pub(super) taker: Switches,
}

impl Transfer {
    /// Offers a task to the other worker of a pool of two; `None` if that does not take it.
    pub(super) fn give() -> Option<Self> {
        let taken = AtomicBool::new(false);
        let waiting = AtomicBool::new(false);
        let pushed = Instant::now();
        let (giver, taker) = rayon::join_context(
            |_| {
                spin_until(|| taken.load(Ordering::Acquire) || pushed.elapsed() > PATIENCE);
                let switches = Switches::of_this_thread();
                waiting.store(true, Ordering::Release);
                switches
            },
            |context| {
                let begun = Instant::now();
                taken.store(true, Ordering::Release);
                context.migrated().then(|| {
                    let switches = Switches::of_this_thread();
                    spin_until(|| waiting.load(Ordering::Acquire));
                    spin_for(REST);
                    (begun, switches, Instant::now())
                })
            },
        );
        let back = Instant::now();
        let (begun, taker, ended) = taker?;
        Some(Self {
            taken_after: begun.duration_since(pushed),
            back_after: back.duration_since(ended),
            giver,
            taker,
        })
    }
}

pub(super) fn spin_for(time: Duration) {
    let start = Instant::now();
    spin_until(|| start.elapsed() >= time);
}

fn spin_until(reached: impl Fn() -> bool) {
    while !reached() {
        hint::spin_loop();
    }
}
