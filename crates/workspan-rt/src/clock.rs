//! Where time comes from. A tick is the unit of whatever clock the session chose.

use crate::emulated;
use crate::own_counter;
use crate::processor::processor_time;
use std::cell::Cell;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::OnceLock;
use std::time::Instant;

/// A clock that strands can be measured with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Clock {
    /// The processor's invariant time-stamp counter; 18–23 ns a read on the development machine.
    Tsc = 0,
    /// The operating system's monotonic clock, in nanoseconds.
    Monotonic = 1,
    /// A counter of each thread that only [`advance`] moves. For tests: exact, whatever the machine does.
    Virtual = 2,
    /// Each thread's processor time, in nanoseconds: for more threads than cores. A read takes a system call.
    Thread = 3,
    /// How often the session's metric has happened in each thread, by the kernel's counter.
    Counter = 4,
    /// Instructions of the program on each thread, as an emulator counts them: exact, whatever the machine does.
    Emulated = 5,
}

impl Clock {
    /// Does each thread have a clock of its own, which no other can read?
    pub(crate) fn is_of_thread(self) -> bool {
        matches!(
            self,
            Clock::Virtual | Clock::Thread | Clock::Counter | Clock::Emulated
        )
    }

    /// Is it time that goes by on the machine, of which a thread may lose some?
    pub(crate) fn is_real_time(self) -> bool {
        !matches!(self, Clock::Virtual) && !self.counts()
    }

    /// Is it a clock whose ticks are events, and no time?
    pub(crate) fn counts(self) -> bool {
        matches!(self, Clock::Counter | Clock::Emulated)
    }

    /// Do its ticks tell when something was, whichever thread did it? What each thread has done tells that of none; the virtual
    /// clock has no other time.
    pub(crate) fn tells_when(self) -> bool {
        matches!(self, Clock::Tsc | Clock::Monotonic | Clock::Virtual)
    }

    /// The clock's name as reports show it.
    pub fn name(self) -> &'static str {
        match self {
            Clock::Tsc => "tsc",
            Clock::Monotonic => "monotonic",
            Clock::Virtual => "virtual",
            Clock::Thread => "thread",
            Clock::Counter => "counter",
            Clock::Emulated => "emulated",
        }
    }
}

static CHOSEN: AtomicU8 = AtomicU8::new(Clock::Monotonic as u8);

thread_local! {
    static VIRTUAL: Cell<i64> = const { Cell::new(0) };
}

/// Makes `clock` the one that [`now`] reads.
pub(crate) fn choose(clock: Clock) {
    CHOSEN.store(clock as u8, Ordering::Relaxed);
}

pub(crate) fn chosen() -> Clock {
    match CHOSEN.load(Ordering::Relaxed) {
        0 => Clock::Tsc,
        1 => Clock::Monotonic,
        3 => Clock::Thread,
        4 => Clock::Counter,
        5 => Clock::Emulated,
        _ => Clock::Virtual,
    }
}

/// The present time of the chosen clock, in ticks. Only differences taken on one thread mean something.
#[inline(always)]
pub(crate) fn now() -> i64 {
    #[cfg(target_arch = "x86_64")]
    if CHOSEN.load(Ordering::Relaxed) == Clock::Tsc as u8 {
        return tsc();
    }
    now_elsewhere()
}

/// As [`now`], for a caller that knows the chosen clock.
#[inline(always)]
pub(crate) fn now_of(clock: Clock) -> i64 {
    #[cfg(target_arch = "x86_64")]
    if clock == Clock::Tsc {
        return tsc();
    }
    let _ = clock;
    now_elsewhere()
}

#[cold]
#[inline(never)]
fn now_elsewhere() -> i64 {
    match chosen() {
        Clock::Virtual => VIRTUAL.get(),
        Clock::Thread => processor_time(),
        Clock::Counter => own_counter::count(),
        Clock::Emulated => emulated::now(),
        _ => monotonic_nanos(),
    }
}

/// Moves the calling thread's virtual clock forward by `ticks`: the only way a strand takes time under
/// [`Clock::Virtual`].
pub fn advance(ticks: i64) {
    VIRTUAL.set(VIRTUAL.get() + ticks);
}

/// Nanoseconds of the monotonic clock since this function was first called.
pub(crate) fn monotonic_nanos() -> i64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    ORIGIN.get_or_init(Instant::now).elapsed().as_nanos() as i64
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn tsc() -> i64 {
    // SAFETY: every x86-64 processor has `rdtsc`, and Linux lets user mode execute it.
    (unsafe { core::arch::x86_64::_rdtsc() }) as i64
}

/// Why the time-stamp counter cannot be the clock of this machine, if it cannot.
pub(crate) fn tsc_unusable() -> Option<String> {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: `cpuid` exists on every x86-64 processor; leaf 0x8000_0000 tells which extended leaves do.
        #[allow(unused_unsafe)]
        let invariant = unsafe {
            use core::arch::x86_64::__cpuid;
            __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0
        };
        if !invariant {
            return Some("this processor's time-stamp counter is not invariant".into());
        }
        // The kernel gives up a counter that it found to be unstable.
        let source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        match std::fs::read_to_string(source) {
            Ok(name)
                if !matches!(
                    name.trim(),
                    "tsc" | "kvm-clock" | "hyperv_clocksource_tsc_page"
                ) =>
            {
                Some(format!(
                    "the kernel does not trust the time-stamp counter (its clock source is {})",
                    name.trim()
                ))
            }
            _ => None,
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    Some("this architecture has no time-stamp counter that workspan knows".into())
}

/// Two clocks read at one moment; two of them give the rate.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    ticks: i64,
    nanos: i64,
}

impl Mark {
    pub(crate) fn now() -> Self {
        // Of several tries the one in which the least came in between.
        let attempt = || {
            let before = now();
            let nanos = monotonic_nanos();
            let after = now();
            let ticks = before + (after - before) / 2;
            (after - before, Self { ticks, nanos })
        };
        let tries = (0..5).map(|_| attempt());
        let (_, mark) = tries
            .min_by_key(|(distance, _)| *distance)
            .expect("several tries");
        mark
    }

    /// Is the mark so old that the rate can be told? Under a millisecond the two reads' own distance would show.
    pub(crate) fn is_old(self) -> bool {
        monotonic_nanos() - self.nanos >= 1_000_000
    }

    /// As of [`monotonic_nanos`].
    pub(crate) fn nanos(self) -> i64 {
        self.nanos
    }

    /// Nanoseconds from `self` to now.
    pub(crate) fn nanos_since(self) -> i64 {
        monotonic_nanos() - self.nanos
    }

    /// Ticks of the chosen clock a second, from `self` to now.
    pub(crate) fn ticks_per_second(self) -> f64 {
        if chosen() != Clock::Tsc {
            return 1e9;
        }
        while !self.is_old() {
            std::hint::spin_loop();
        }
        let end = Self::now();
        (end.ticks - self.ticks) as f64 * 1e9 / (end.nanos - self.nanos) as f64
    }
}
