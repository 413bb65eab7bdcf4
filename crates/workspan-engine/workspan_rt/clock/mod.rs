//! Where time comes from. A tick is the unit of whatever clock the session chose.

#[doc(hidden)]
pub mod counters;
pub(crate) mod emulated;
mod kernel;
mod mark;
pub(crate) mod metric;
pub(crate) mod own_counter;
mod rate;

pub(crate) use kernel::{processor_time, time_of};
pub(crate) use mark::Mark;
pub(crate) use rate::{is_rate_known, nanos_to_ticks, set_ticks_per_nano, ticks_per_nano};

use std::cell::Cell;
use std::sync::atomic::{AtomicI64, AtomicU8, Ordering};
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
    /// A counter for each thread. [`advance`] moves it, and so does each reading, by what the
    /// session says that a reading costs. For tests: exact, whatever the machine does.
    Virtual = 2,
    /// Each thread's processor time, in nanoseconds: for more threads than cores. A reading takes a
    /// system call.
    Thread = 3,
    /// How often the event of the session's metric has happened in each thread, by the kernel's
    /// counter.
    Counter = 4,
    /// Instructions of the program on each thread, as counted by an emulator: exact, whatever the
    /// machine does.
    Emulated = 5,
}

impl Clock {
    /// Whether each thread has a clock of its own, which no other can read.
    pub(crate) fn is_of_thread(self) -> bool {
        matches!(
            self,
            Clock::Virtual | Clock::Thread | Clock::Counter | Clock::Emulated
        )
    }

    /// Whether it is time that passes on the machine, of which a thread may lose some.
    pub(crate) fn is_real_time(self) -> bool {
        !matches!(self, Clock::Virtual) && !self.counts()
    }

    /// Whether its ticks are events, and not time.
    pub(crate) fn counts(self) -> bool {
        matches!(self, Clock::Counter | Clock::Emulated)
    }

    /// Whether its ticks say when something was, whichever thread did it. Those of clocks that
    /// count what each thread has done do not; those of the virtual clock do, since it has no other
    /// time.
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

/// What a reading of the virtual clock costs, in its ticks.
static VIRTUAL_READING: AtomicI64 = AtomicI64::new(0);

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

/// The present time of the chosen clock, in ticks. Only differences taken on one thread mean
/// anything.
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
        Clock::Virtual => {
            advance(VIRTUAL_READING.load(Ordering::Relaxed));
            VIRTUAL.get()
        }
        Clock::Thread => processor_time(),
        Clock::Counter => own_counter::count(),
        Clock::Emulated => emulated::now(),
        _ => monotonic_nanos(),
    }
}

/// Makes each reading of the virtual clock cost `ticks`.
pub(crate) fn charge_virtual_readings(ticks: i64) {
    VIRTUAL_READING.store(ticks, Ordering::Relaxed);
}

/// Moves the calling thread's virtual clock forward by `ticks`: how a strand takes time under
/// [`Clock::Virtual`].
pub fn advance(ticks: i64) {
    VIRTUAL.set(VIRTUAL.get() + ticks);
}

/// Nanoseconds of the monotonic clock since this function was first called.
pub(crate) fn monotonic_nanos() -> i64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    ORIGIN.get_or_init(Instant::now).elapsed().as_nanos() as i64
}

/// This moment in the time by which the length of a session is measured, in nanoseconds. May be
/// called in a signal handler once [`monotonic_nanos`] has been.
pub(crate) fn moment() -> i64 {
    match chosen() {
        Clock::Virtual => VIRTUAL.get(),
        _ => monotonic_nanos(),
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn tsc() -> i64 {
    // SAFETY: every x86-64 processor has `rdtsc`, and Linux lets user mode execute it.
    (unsafe { core::arch::x86_64::_rdtsc() }) as i64
}

/// Why the time-stamp counter cannot be the clock on this machine, if it cannot.
pub(crate) fn tsc_unusable() -> Option<String> {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: every x86-64 processor has `cpuid`, and of the extended leaves the first tells
        // whether the other is there.
        #[allow(unused_unsafe)]
        let invariant = unsafe {
            use core::arch::x86_64::__cpuid;
            __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0
        };
        if !invariant {
            return Some("this processor's time-stamp counter is not invariant".into());
        }
        // The kernel gives up a counter that it has found to be unstable.
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
