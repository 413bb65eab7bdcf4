//! Time in which a thread was not on the processor although a strand was running.
//!
//! The wall clock counts it, the program did not spend it. The kernel tells, for each thread, the time it ran
//! and the time it stood in the run queue (`/proc/thread-self/schedstat`). The time in the run queue is the
//! machine's affair and is taken off the strand. What is left, beyond the time it ran, the thread waited of
//! its own will (a lock, I/O, a sleep): that stays, and is also counted apart.
//!
//! A reading costs some 340 ns, so only strands longer than [`CHECK_AFTER_NANOS`] are checked. Nothing large is
//! missed: a strand from which the processor was taken is longer than that because of it.

use std::fs::File;

/// Strands up to this length are taken as they are.
pub(crate) const CHECK_AFTER_NANOS: f64 = 20_000.0;

#[derive(Clone, Copy, Default)]
pub(crate) struct Reading {
    /// Nanoseconds that the thread ran.
    pub(crate) ran: i64,
    /// Nanoseconds that it was runnable and did not run.
    pub(crate) queued: i64,
}

/// The kernel's account of one thread, to be used by that thread only.
pub(crate) struct Meter {
    schedstat: Option<File>,
}

impl Meter {
    /// The meter of the calling thread. Where the kernel keeps no account, it reads nothing.
    pub(crate) fn of_this_thread() -> Self {
        let meter = Self {
            schedstat: File::open("/proc/thread-self/schedstat").ok(),
        };
        // Opened through `thread-self`, the file is that of this thread, whoever reads it.
        if meter.read().is_some() {
            meter
        } else {
            Self { schedstat: None }
        }
    }

    pub(crate) fn read(&self) -> Option<Reading> {
        use std::os::unix::fs::FileExt;
        let mut buffer = [0_u8; 96];
        let length = self.schedstat.as_ref()?.read_at(&mut buffer, 0).ok()?;
        let mut numbers = buffer[..length].split(|b| *b == b' ').map(parse);
        Some(Reading {
            ran: numbers.next()??,
            queued: numbers.next()??,
        })
    }
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

    #[test]
    fn running_shows_as_running() {
        let meter = Meter::of_this_thread();
        let Some(before) = meter.read() else {
            eprintln!("skipped: this kernel keeps no schedstat");
            return;
        };
        let mut x = 0_u64;
        let start = std::time::Instant::now();
        while start.elapsed().as_millis() < 20 {
            x = std::hint::black_box(x + 1);
        }
        let after = meter.read().expect("readable before");
        let on_and_queued = (after.ran - before.ran) + (after.queued - before.queued);
        assert!(on_and_queued > 10_000_000, "{on_and_queued} ns");
    }
}
