//! Time in which a thread was not on the processor although a strand was running.
//!
//! The clock of strands counts it, the program did not spend it. Of four kinds the first three are taken off:
//!
//! * What the machine or its hypervisor took from the thread: the thread's processor time
//!   (`CLOCK_THREAD_CPUTIME_ID`), which leaves out both, since the last reading, against the clock.
//! * What the kernel's timer took from a strand that was otherwise short: the thread's processor time counts it, but
//!   the coarse clock, which only the timer advances, tells that the timer struck within the strand. So does a sample.
//! * What a hypervisor took without leaving a trace, if the session estimates at all: an odd strand on a virtual
//!   machine, of at most ten times [`CHECK_AFTER_NANOS`] and long beside the one before it, is taken to be as long as
//!   that one, for a sixteenth of the time at most, and not at all while odd strands take twice as much. It may have
//!   been what it seemed, so this counts as open.
//! * Waits of the thread's own will (a lock, I/O, a sleep) stay in the strand, and are counted apart. They are told from
//!   the others by the number of voluntary waits and the time in the run queue (`/proc/thread-self/schedstat`).
//!
//! A reading of the processor time costs some 250 ns, so only a suspect is looked at: a strand during which the thread
//! has left its processor, as far as [`rseq`](crate::rseq) tells; one that is long beside others; and one of over five
//! times [`CHECK_AFTER_NANOS`]. As long as strands are short, 0.4 µs are long; a thread whose strands turn out to be
//! longer is believed up to twice their length. Every millisecond that belief is halved, and the reading is taken anew,
//! so that it is never much older than the suspect: what was lost before the suspect began is taken to be at the rate
//! of the last milliseconds. What this leaves open is stated in `docs/accuracy.md`.

use crate::clock;
use crate::rseq::Mark;
use crate::session;
use crate::table::Counter;
use std::cell::Cell;
use std::ffi::c_int;
use std::fs::File;
use std::io::Read as _;

/// The length of a strand by which the other lengths here are told.
pub(crate) const CHECK_AFTER_NANOS: f64 = 20_000.0;
/// Of [`CHECK_AFTER_NANOS`]: strands up to this part of it are never looked at.
const SUSPECT: i64 = 50;
/// Times [`CHECK_AFTER_NANOS`]: longer strands are always looked at.
const ALWAYS: i64 = 5;
/// Times [`CHECK_AFTER_NANOS`]: the oldest that a reading gets while strands end.
const REFRESH: i64 = 50;
/// Times [`CHECK_AFTER_NANOS`]: what a switch to another thread and back may take of the thread's processor time.
const SWITCH: i64 = 2;
/// Times [`CHECK_AFTER_NANOS`]: the longest interruption without a trace that is likely.
const INTERRUPTION: i64 = 10;
/// Part of the time that is likely to go that way, and how many refreshed readings' worth of it may come at once. If
/// odd strands take twice as much, they are the program's own.
const LIKELY: i64 = 16;
const REGULAR: i64 = 8;
const AT_ONCE: i64 = 4;
/// Of [`CHECK_AFTER_NANOS`]: in a shorter time between two strands a thread hardly leaves its processor.
const SHORT_WAIT: i64 = 10;
/// Of [`CHECK_AFTER_NANOS`]: a shorter absence is no wait of the thread's own will.
const WAIT: i64 = 4;

/// Ticks of a strand in which its thread was not on the processor.
#[derive(Default)]
pub(crate) struct Absence {
    /// Ready, but the machine had no processor for it, or the kernel was busy on it.
    pub(crate) queued: i64,
    /// Waiting of its own will.
    pub(crate) blocked: i64,
    /// What of `queued` is only likely.
    pub(crate) open: i64,
}

/// The kernel's account of one thread. All but [`Presence::absence_seen_by_another`] is for that thread alone.
#[derive(Default)]
pub(crate) struct Presence {
    meter: Cell<Option<Meter>>,
    /// Time of the last reading of `ran`, and what that was, in nanoseconds.
    then: Cell<i64>,
    ran: Cell<i64>,
    /// The other accounts, read less often, and when.
    accounts: Cell<(i64, Accounts)>,
    /// Share of the time that was lost lately in strands that were no suspects.
    rate: Cell<f64>,
    mark: Mark,
    /// In ticks, [`CHECK_AFTER_NANOS`]; the greatest there is if nothing can be looked at.
    check_after: Cell<i64>,
    /// Strands up to this length are taken as they are, ...
    suspect: Cell<i64>,
    /// ... and up to this, if the thread has not left its processor.
    trusted: Cell<i64>,
    /// Are likely interruptions taken off too? How many ticks more may be for now.
    estimates: Cell<bool>,
    likely: Cell<i64>,
    /// Ticks of odd strands since the last refreshed reading, and when that was.
    odd: Cell<i64>,
    refreshed: Cell<i64>,
    /// When to take the reading anew.
    refresh_at: Cell<i64>,
    /// Were the accounts read when the first strand began, before the clock's rate was known?
    is_prepared: Cell<bool>,
    /// How often the processor time was read.
    pub(crate) readings: Counter,
}

impl Presence {
    /// Reads the accounts of the calling thread, whose first strand begins. What the clock's rate is wanted for comes with
    /// [`Presence::begin`].
    pub(crate) fn prepare(&self) {
        self.meter.set(Meter::of_this_thread());
        if let Some(accounts) = self.metered(Meter::accounts) {
            self.accounts.set((clock::now(), accounts));
            self.read_ran();
            self.is_prepared.set(true);
        }
    }

    /// Begins the account of the calling thread, if there is one.
    ///
    /// `check_after` is [`CHECK_AFTER_NANOS`] in ticks; `estimates` tells whether what is only likely is taken off too.
    pub(crate) fn begin(&self, check_after: i64, estimates: bool) {
        let is_prepared = self.is_prepared.take() && check_after != i64::MAX;
        if !is_prepared {
            self.end();
            if check_after == i64::MAX {
                return;
            }
            let Some(meter) = Meter::of_this_thread() else {
                return;
            };
            self.meter.set(Some(meter));
        }
        self.check_after.set(check_after);
        self.suspect.set(check_after / SUSPECT);
        self.trusted.set(check_after / SUSPECT);
        self.rate.set(0.0);
        self.estimates.set(estimates && hypervisor());
        self.likely.set(REFRESH * check_after / LIKELY);
        self.odd.set(0);
        self.refreshed.set(clock::now());
        if is_prepared {
            self.refresh_at.set(self.then.get());
        } else {
            self.read_all();
        }
    }

    /// Ends the account, as its thread does.
    pub(crate) fn end(&self) {
        self.meter.set(None);
        self.check_after.set(i64::MAX);
        self.suspect.set(i64::MAX);
        self.trusted.set(i64::MAX);
        self.refresh_at.set(i64::MAX);
    }

    /// Is a strand of `ticks` that ended at `now` to be looked at, or is it time for a new reading?
    #[inline(always)]
    pub(crate) fn is_due(&self, ticks: i64, now: i64) -> bool {
        ((ticks > self.suspect.get()) | (now > self.refresh_at.get()))
            && self.is_really_due(ticks, now)
    }

    #[inline(never)]
    fn is_really_due(&self, ticks: i64, now: i64) -> bool {
        ticks > self.trusted.get()
            || now > self.refresh_at.get()
            || (self.mark.is_set() && !self.mark.stayed())
    }

    /// Reads the accounts anew if the thread, which ran no strand for `ticks`, may have left its processor in that time.
    /// Tells whether it did.
    pub(crate) fn read_after_wait(&self, ticks: i64) -> bool {
        let check_after = self.check_after.get();
        let long = ticks > check_after / SHORT_WAIT;
        if ticks > check_after && !self.mark.stayed() {
            self.read_all();
        } else if long {
            self.read_ran();
        }
        long
    }

    /// What the thread was off its processor until now is none of its strand's.
    pub(crate) fn forget_wait(&self) {
        if self.check_after.get() != i64::MAX {
            self.read_ran();
        }
    }

    /// Reads the thread's processor time. Gives back the ticks lost since the last reading, and since when that is.
    fn read_ran(&self) -> (i64, i64) {
        let ran = processor_time();
        let now = clock::now();
        let then = self.then.replace(now);
        let lost = now - then - session::nanos_to_ticks(ran - self.ran.replace(ran));
        self.mark.set();
        self.readings.add(1);
        (lost, then)
    }

    /// Reads everything.
    fn read_all(&self) {
        if self.check_after.get() == i64::MAX {
            return;
        }
        if let Some(accounts) = self.metered(Meter::accounts) {
            self.accounts.set((clock::now(), accounts));
        }
        self.read_ran();
        self.refresh_at
            .set(self.then.get() + REFRESH * self.check_after.get());
    }

    /// May `ticks` of a strand be taken for an interruption without a trace?
    fn is_likely(&self, ticks: i64) -> bool {
        let may = self.estimates.get() && self.likely.get() >= ticks;
        if may {
            self.likely.set(self.likely.get() - ticks);
        }
        may
    }

    /// For how much of a strand of `ticks` up to `now` the thread was not on the processor. `usual` is what strands
    /// lately took; `struck` tells that the kernel's timer is known to have struck within the strand.
    pub(crate) fn absence(&self, now: i64, ticks: i64, usual: i64, struck: bool) -> Absence {
        let check_after = self.check_after.get();
        let is_refresh = now > self.refresh_at.get();
        let stayed = self.mark.stayed();
        let mut absence = Absence::default();
        if is_refresh || !stayed || hypervisor() {
            let (mut lost, then) = self.read_ran();
            // Reading the processor time is where the kernel likes to take the processor away: that is after the strand.
            let since = self.then.get() - now;
            if since > check_after / SHORT_WAIT {
                lost -= since;
            }
            let before = (now - ticks - then).max(0);
            let lost_before = (before as f64 * self.rate.get()) as i64;
            absence.queued = (lost - lost_before).min(ticks).max(0);
            if is_refresh {
                self.refresh(lost - absence.queued, before);
            }
        }
        if ticks <= self.suspect.get() {
            return Absence::default();
        }
        if absence.queued > check_after / WAIT && !stayed {
            self.tell_waits(&mut absence);
        }
        let present = ticks - absence.queued - absence.blocked;
        let extra = present - usual;
        let is_switch = 2 * absence.queued > ticks && present < SWITCH * check_after;
        let is_long_beside_others = extra > usual + self.suspect.get() / 2;
        let is_timer = || is_long_beside_others && (struck || timer_struck(ticks, check_after));
        if extra > 0 && (is_switch || (present < SWITCH * check_after && is_timer())) {
            // What is left is nearly all the switch to another thread and back, or the timer.
            absence.queued += extra;
        } else if is_long_beside_others {
            self.odd.set(self.odd.get() + extra);
            if present < INTERRUPTION * check_after && self.is_likely(extra) {
                absence.queued += extra;
                absence.open = extra;
            }
        }
        if 2 * absence.queued < ticks {
            self.trusted.set((2 * ticks).min(ALWAYS * check_after));
        }
        absence
    }

    /// After a new reading: becomes more suspicious, and learns from the ticks that were `lost` in the time `before`
    /// the last strand, in which no strand was suspicious.
    fn refresh(&self, lost: i64, before: i64) {
        let check_after = self.check_after.get();
        let more = REFRESH * check_after / LIKELY;
        let now = self.then.get();
        let window = now - self.refreshed.replace(now);
        let regular = self.odd.replace(0) > window / REGULAR;
        self.likely.set(if regular {
            0
        } else {
            (self.likely.get() + more).min(AT_ONCE * more)
        });
        self.trusted
            .set((self.trusted.get() / 2).max(self.suspect.get()));
        self.refresh_at.set(self.then.get() + REFRESH * check_after);
        let share = lost as f64 / before.max(check_after) as f64;
        // More than that was lost at once, after the last strand had ended.
        if share < 0.1 {
            self.rate
                .set((3.0 * self.rate.get() + share.max(0.0)) / 4.0);
        }
    }

    /// Tells what part of an absence was a wait of the thread's own will.
    fn tell_waits(&self, absence: &mut Absence) {
        let Some(accounts) = self.metered(Meter::accounts) else {
            return;
        };
        let (_, before) = self.accounts.replace((clock::now(), accounts));
        if accounts.waits > before.waits {
            let queued = session::nanos_to_ticks(accounts.queued - before.queued);
            let lost = absence.queued;
            absence.queued = queued.clamp(0, lost);
            absence.blocked = lost - absence.queued;
        }
    }

    /// As [`Presence::absence`], for the writer of the profile, which ends the strand of another thread. What
    /// schedstat shows is exact for a thread that sleeps, and at most a tick of the timer behind for one that runs.
    pub(crate) fn absence_seen_by_another(&self, now: i64, ticks: i64) -> Absence {
        let (then, before) = self.accounts.get();
        let Some(seen) = self.metered(Meter::glance) else {
            return Absence::default();
        };
        let queued = session::nanos_to_ticks(seen.queued - before.queued).clamp(0, ticks.max(0));
        let ran = session::nanos_to_ticks(seen.ran - before.ran);
        Absence {
            queued,
            open: 0,
            blocked: (now - then - queued - ran).clamp(0, (ticks - queued).max(0)),
        }
    }

    fn metered<R>(&self, read: impl FnOnce(&Meter) -> Option<R>) -> Option<R> {
        let meter = self.meter.take();
        let reading = meter.as_ref().and_then(read);
        self.meter.set(meter);
        reading
    }
}

/// What schedstat and the kernel's statistics of a thread tell.
#[derive(Clone, Copy, Default)]
struct Accounts {
    /// Nanoseconds that the thread ran, as of its last tick or departure.
    ran: i64,
    /// Nanoseconds that the thread was runnable and did not run.
    queued: i64,
    /// How often it left the processor of its own will.
    waits: i64,
}

/// Where the kernel tells of a thread. The file is not kept open: its descriptor might become one of the program's, which closes
/// all, and opens others.
struct Meter {
    schedstat: String,
}

impl Meter {
    /// The meter of the calling thread; `None` where the kernel keeps no account.
    fn of_this_thread() -> Option<Self> {
        // `PROCESS/task/THREAD`; another thread may ask for this one's account, too.
        let this = std::fs::read_link("/proc/thread-self").ok()?;
        let meter = Self {
            schedstat: format!("/proc/{}/schedstat", this.to_str()?),
        };
        meter.glance()?;
        Some(meter)
    }

    /// All but the waits.
    fn glance(&self) -> Option<Accounts> {
        let mut buffer = [0_u8; 96];
        let length = File::open(&self.schedstat).ok()?.read(&mut buffer).ok()?;
        let mut numbers = buffer[..length].split(|b| *b == b' ').map(parse);
        Some(Accounts {
            ran: numbers.next()??,
            queued: numbers.next()??,
            waits: 0,
        })
    }

    /// The accounts of the calling thread.
    fn accounts(&self) -> Option<Accounts> {
        Some(Accounts {
            waits: voluntary_waits(),
            ..self.glance()?
        })
    }
}

extern "C" {
    fn clock_gettime(clock: c_int, time: *mut [i64; 2]) -> c_int;
    fn getrusage(who: c_int, usage: *mut [i64; 18]) -> c_int;
}

fn time_of(clock: c_int) -> i64 {
    let mut time = [0; 2];
    // SAFETY: `timespec` is two longs on 64-bit Linux, and the call only writes it.
    unsafe { clock_gettime(clock, &mut time) };
    time[0] * 1_000_000_000 + time[1]
}

/// Nanoseconds that the calling thread ran.
pub(crate) fn processor_time() -> i64 {
    const THREAD_CPUTIME: c_int = 3;
    time_of(THREAD_CPUTIME)
}

/// Did the kernel's timer strike within the last `ticks`, or so shortly before that its work reached into them?
fn timer_struck(ticks: i64, check_after: i64) -> bool {
    const MONOTONIC: c_int = 1;
    const MONOTONIC_COARSE: c_int = 6;
    let struck = time_of(MONOTONIC_COARSE);
    let age = session::nanos_to_ticks(time_of(MONOTONIC) - struck);
    age < ticks + check_after / WAIT
}

/// Is there a hypervisor, which may take the processor away without the kernel's doing?
fn hypervisor() -> bool {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::sync::OnceLock;
        static PRESENT: OnceLock<bool> = OnceLock::new();
        *PRESENT.get_or_init(|| {
            // SAFETY: every x86-64 processor has `cpuid`, and leaf 1.
            #[allow(unused_unsafe)]
            let features = unsafe { core::arch::x86_64::__cpuid(1) };
            features.ecx & (1 << 31) != 0
        })
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    true
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
    use std::time::Duration;

    #[test]
    fn running_and_waiting_are_told_apart() {
        let Some(meter) = Meter::of_this_thread() else {
            eprintln!("skipped: this kernel keeps no schedstat");
            return;
        };
        let look = || (meter.accounts().expect("readable before"), processor_time());
        let before = look();
        // Processor time, since a hypervisor may take any part of a given time.
        while processor_time() - before.1 < 20_000_000 {
            std::hint::black_box(before);
        }
        let spun = look();
        assert_eq!(spun.0.waits, before.0.waits);
        std::thread::sleep(Duration::from_millis(20));
        let slept = look();
        assert!(slept.0.waits > spun.0.waits);
        assert!(slept.1 - spun.1 < 10_000_000, "{} ns", slept.1 - spun.1);
    }
}
