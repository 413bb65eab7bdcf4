//! What a thread does that has nothing to do but to look for work again.
//!
//! A thread of a pool looks for work some dozens of times, and lets others run after each (`sched_yield`), before it announces
//! that it will sleep, and sleeps. Work that comes just between these two finds a pool in a state that work which comes earlier or
//! later does not, and is done with a few instructions more (rayon's counter of jobs is then to be raised at the first spawn). Where
//! a pool starts, its first work comes about as long after as the looking takes, by chance in the one state or the other. So letting
//! others run takes longer here: the first work comes while the thread still looks.

use std::time::Duration;

/// `sched_yield` on x86-64.
pub(crate) const NUMBER: i64 = 24;

/// Long beside a round of looking for work, which takes a microsecond or two here, and short for whoever waits for the thread.
const PAUSE: Duration = Duration::from_micros(100);

/// The thread lets others run.
pub(crate) fn begin() {
    std::thread::sleep(PAUSE);
}
