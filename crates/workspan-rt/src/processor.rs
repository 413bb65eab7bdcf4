//! Time in which a thread was not on the processor although a strand was running.
//!
//! The wall clock counts it, the program did not spend it. The kernel tells, for each thread, how often it was
//! put on a processor and how long it stood in the run queue (`/proc/thread-self/schedstat`). The time in the
//! run queue is the machine's affair and is taken off the strand. What is left, beyond the time it ran, the
//! thread waited of its own will (a lock, I/O, a sleep): that stays, and is also counted apart.
//!
//! A glance costs some 340 ns, so only strands longer than [`CHECK_AFTER_NANOS`] are checked. Nothing large is
//! missed: a strand from which the processor was taken is longer than that because of it. Only if the glance
//! tells that the thread left the processor are the other two accounts read: the running time, which schedstat
//! shows as of the last tick, and the number of voluntary waits.

use std::ffi::c_int;
use std::fs::File;

/// Strands up to this length are taken as they are.
pub(crate) const CHECK_AFTER_NANOS: f64 = 20_000.0;

/// What schedstat tells at any moment.
#[derive(Clone, Copy, Default)]
pub(crate) struct Glance {
    /// Nanoseconds that the thread ran, as of its last tick or departure.
    pub(crate) ran: i64,
    /// Nanoseconds that the thread was runnable and did not run.
    pub(crate) queued: i64,
    /// How often it was put on a processor.
    pub(crate) arrivals: i64,
}

/// The kernel's accounts of a thread at one moment.
#[derive(Clone, Copy, Default)]
pub(crate) struct Reading {
    pub(crate) glance: Glance,
    /// Nanoseconds that the thread ran.
    pub(crate) ran: i64,
    /// How often it left the processor of its own will.
    pub(crate) waits: i64,
}

/// The kernel's account of one thread. All but [`Meter::glance`] is for that thread alone.
pub(crate) struct Meter {
    schedstat: File,
}

impl Meter {
    /// The meter of the calling thread; `None` where the kernel keeps no account.
    pub(crate) fn of_this_thread() -> Option<Self> {
        let meter = Self {
            schedstat: File::open("/proc/thread-self/schedstat").ok()?,
        };
        meter.glance()?;
        Some(meter)
    }

    pub(crate) fn glance(&self) -> Option<Glance> {
        use std::os::unix::fs::FileExt;
        let mut buffer = [0_u8; 96];
        let length = self.schedstat.read_at(&mut buffer, 0).ok()?;
        let mut numbers = buffer[..length].split(|b| *b == b' ').map(parse);
        Some(Glance {
            ran: numbers.next()??,
            queued: numbers.next()??,
            arrivals: numbers.next()??,
        })
    }

    pub(crate) fn read(&self) -> Option<Reading> {
        Some(Reading {
            glance: self.glance()?,
            ran: processor_time(),
            waits: voluntary_waits(),
        })
    }
}

extern "C" {
    fn clock_gettime(clock: c_int, time: *mut [i64; 2]) -> c_int;
    fn getrusage(who: c_int, usage: *mut [i64; 18]) -> c_int;
}

/// Nanoseconds that the calling thread ran.
pub(crate) fn processor_time() -> i64 {
    const THREAD_CPUTIME: c_int = 3;
    let mut time = [0; 2];
    // SAFETY: `timespec` is two longs on 64-bit Linux, and the call only writes it.
    unsafe { clock_gettime(THREAD_CPUTIME, &mut time) };
    time[0] * 1_000_000_000 + time[1]
}

/// How often the calling thread left the processor of its own will.
fn voluntary_waits() -> i64 {
    const THREAD: c_int = 1;
    // Two `timeval`s and fourteen longs, of which the last but one counts voluntary context switches.
    let mut usage = [0; 18];
    // SAFETY: `rusage` is eighteen longs on 64-bit Linux, and the call only writes it.
    unsafe { getrusage(THREAD, &mut usage) };
    usage[16]
}

fn parse(digits: &[u8]) -> Option<i64> {
    let digits = digits.strip_suffix(b"\n").unwrap_or(digits);
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_i64, |n, d| {
        let digit = d.wrapping_sub(b'0');
        (digit < 10).then(|| n.wrapping_mul(10).wrapping_add(i64::from(digit)))
    })
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn running_and_waiting_are_told_apart() {
        let Some(meter) = Meter::of_this_thread() else {
            eprintln!("skipped: this kernel keeps no schedstat");
            return;
        };
        let before = meter.read().expect("readable before");
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(20) {
            std::hint::black_box(start);
        }
        let spun = meter.read().expect("readable before");
        let on_and_queued = (spun.ran - before.ran) + (spun.glance.queued - before.glance.queued);
        assert!(on_and_queued > 10_000_000, "{on_and_queued} ns");
        std::thread::sleep(Duration::from_millis(20));
        let slept = meter.read().expect("readable before");
        assert!(slept.waits > spun.waits && slept.glance.arrivals > spun.glance.arrivals);
        assert!(
            slept.ran - spun.ran < 10_000_000,
            "{} ns",
            slept.ran - spun.ran
        );
    }
}
