//! Whether the program stands still: its threads wait for one another, and none runs.
//!
//! It does while each strand that is under way waits for another thread to wake it, without a
//! limit, and the process uses no processor time: a strand that sleeps, waits for input or for a
//! moment goes on by itself. Where the user sets a time after which the program is to end, one
//! strand whose wait is not noted may wait for the process itself: for signals that it handles
//! ([`kernel_thread`]).

use crate::system::{kernel_thread, processors};
use crate::{clock, thread};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// The last [look](Standstill::look) saw it stand still for so long, in nanoseconds.
static LASTED: AtomicI64 = AtomicI64::new(0);

/// After how many milliseconds to say that the program stands still; 0: never.
static PATIENCE: AtomicU64 = AtomicU64::new(10_000);

/// After how many milliseconds to end a program that stands still; 0: never.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// One part in so many of the time that the process may run meanwhile: the engine does.
const RUNNING: i64 = 50;

/// What one look saw.
#[derive(Default)]
pub(crate) struct Standstill {
    /// Changes whenever a thread goes on.
    mark: i64,
    since: i64,
    /// The processor time up to then.
    used: i64,
}

impl Standstill {
    /// How long the program has stood still, as far as looks saw it; 0 if it does not.
    pub(crate) fn look(&mut self) -> i64 {
        let now = clock::monotonic_nanos();
        let used = processors::used_nanos();
        let is_same = |seen: &Self, mark| {
            seen.since != 0 && mark == seen.mark && (used - seen.used) * RUNNING <= now - seen.since
        };
        let lasted = match mark() {
            Some(mark) if is_same(self, mark) => now - self.since,
            Some(mark) => {
                let since = now;
                *self = Self { mark, since, used };
                0
            }
            None => {
                *self = Self::default();
                0
            }
        };
        LASTED.store(lasted, Ordering::Relaxed);
        lasted
    }
}

/// Sets after which time to say that the program stands still; zero: never.
pub(crate) fn choose_patience(patience: Duration) {
    PATIENCE.store(patience.as_millis() as u64, Ordering::Relaxed);
}

/// Whether to say of a program that it has stood still for so long.
pub(crate) fn is_worth_a_word(lasted: Duration) -> bool {
    let patience = PATIENCE.load(Ordering::Relaxed);
    patience > 0 && lasted.as_millis() as u64 >= patience
}

/// Sets after which time to end a program that stands still.
pub(crate) fn choose_limit(limit: Duration) {
    LIMIT.store(limit.as_millis() as u64, Ordering::Relaxed);
}

/// Whether a program that has stood still for so long is to end.
pub(crate) fn is_to_end(lasted: Duration) -> bool {
    limit().is_some_and(|limit| lasted >= limit)
}

/// After which time a program that stands still is to end, if one is set.
pub(crate) fn limit() -> Option<Duration> {
    let limit = LIMIT.load(Ordering::Relaxed);
    (limit > 0).then(|| Duration::from_millis(limit))
}

/// How long the program had stood still at the last look, in nanoseconds.
pub(crate) fn lasted() -> i64 {
    LASTED.load(Ordering::Relaxed)
}

/// A number that changes whenever a thread goes on; `None` if a strand does, or if no thread waits.
fn mark() -> Option<i64> {
    let (mut mark, mut waits, mut going, mut last_going) = (0_i64, false, 0, 0);
    thread::for_each(|thread, in_use| {
        if !in_use || thread.frame.load(Ordering::Relaxed).is_null() {
            return;
        }
        let since = thread.waits_since.load(Ordering::Relaxed);
        waits |= since != 0;
        if since == 0 && thread.running.load(Ordering::Relaxed) {
            going += 1;
            last_going = thread.kernel_number.load(Ordering::Relaxed);
        }
        mark = mark.wrapping_add(thread.last.get()).wrapping_add(since);
    });
    let awaits_signals = || limit().is_some() && kernel_thread::awaits_own_process(last_going);
    (waits && (going == 0 || going == 1 && awaits_signals())).then_some(mark)
}
