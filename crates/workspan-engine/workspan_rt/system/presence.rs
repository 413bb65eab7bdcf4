//! Time in which a thread was off the processor although a strand was running.
//!
//! The clock of strands counts that time, but the program did not spend it.
//!
//! * What the machine or its hypervisor took from the thread is taken off: the growth of the
//!   thread's processor time (`CLOCK_THREAD_CPUTIME_ID`), which leaves out both, since the last
//!   reading is compared with that of the clock.
//! * So is what the kernel's timer took from a strand that was otherwise short. The thread's
//!   processor time includes it, but the coarse clock, which only the timer advances, shows that
//!   the timer struck within the strand. So does a sample.
//! * Voluntary waits (for a lock, for I/O, a sleep) stay in the strand, and are counted separately.
//!   They are distinguished from the rest by the number of voluntary waits and by the time in the
//!   run queue (`/proc/thread-self/schedstat`).
//!
//! What a hypervisor takes without a trace stays in the strand, since a long strand among short ones
//! may as well be the program's own. It is uncertain: a strand on a virtual machine of at most ten
//! times [`CHECK_AFTER_NANOS`], and long compared with the one before it, may have been as short as
//! that one. That holds for a sixteenth of the time at most, and not at all while such strands take
//! twice as much: then they are the program's own.
//!
//! A reading of the processor time costs some 250 ns, so only suspects are checked: a strand during
//! which the thread has left its processor, as far as [`rseq`] shows; one that is long compared
//! with others; and one of over five times [`CHECK_AFTER_NANOS`]. As long as strands are short, 0.4
//! µs is long; a thread whose strands turn out to be longer is trusted up to twice their length.
//! Every millisecond that trust is halved, and the reading is taken anew, so that it is never much
//! older than the suspect: what was lost before the suspect began is taken to be at the rate of the
//! last milliseconds. What remains uncertain is stated in `docs/accuracy.md`.

use crate::clock::{self, nanos_to_ticks, processor_time, ticks_per_nano, time_of};
use crate::system::rseq::{self, Mark};
use crate::system::tally::Tally;
use std::cell::Cell;
use std::ffi::c_int;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// The length of a strand that the other lengths here are multiples or fractions of.
pub(crate) const CHECK_AFTER_NANOS: f64 = 20_000.0;
/// [`CHECK_AFTER_NANOS`] divided by this: strands up to that length are never checked.
const SUSPECT: i64 = 50;
/// [`CHECK_AFTER_NANOS`] times this: longer strands are always checked.
const ALWAYS: i64 = 5;
/// [`CHECK_AFTER_NANOS`] times this: the greatest age of a reading while strands end.
const REFRESH: i64 = 50;
/// [`CHECK_AFTER_NANOS`] times this: what a switch to another thread and back may take of the
/// thread's processor time.
const SWITCH: i64 = 2;
/// [`CHECK_AFTER_NANOS`] times this: the longest interruption without a trace that is likely.
const INTERRUPTION: i64 = 10;
/// The time divided by this is likely to go that way at most; readings whose worth of it may come
/// at once; and the time divided by this, beyond which odd strands are the program's own.
const LIKELY: i64 = 16;
const AT_ONCE: i64 = 4;
const REGULAR: i64 = 8;
/// [`CHECK_AFTER_NANOS`] divided by this: in a shorter time between two strands, a thread hardly
/// leaves its processor.
const SHORT_WAIT: i64 = 10;
/// [`CHECK_AFTER_NANOS`] divided by this: a shorter absence is no voluntary wait.
const WAIT: i64 = 4;

/// Ticks of a strand in which its thread was not on the processor.
#[derive(Default)]
pub(crate) struct Absence {
    /// Ready, but the machine had no processor for it, or the kernel was busy on it.
    pub(crate) queued: i64,
    /// Waiting voluntarily.
    pub(crate) blocked: i64,
    /// What may be an interruption without a trace; it is not in `queued`.
    pub(crate) uncertain: i64,
}

/// The kernel's account of one thread. Everything but [`Presence::absence_seen_by_another`] is for
/// that thread alone.
#[derive(Default)]
pub(crate) struct Presence {
    meter: Cell<Option<Meter>>,
    /// The time of the last reading of `ran`, and what that was, in nanoseconds.
    then: Cell<i64>,
    ran: Cell<i64>,
    /// The other accounts, which are read less often, and when that was.
    accounts: Cell<(i64, Accounts)>,
    /// The fraction of time that was lost lately in strands that were not suspects.
    rate: Cell<f64>,
    mark: Mark,
    /// [`CHECK_AFTER_NANOS`] in ticks; `i64::MAX` if nothing can be checked.
    check_after: Cell<i64>,
    /// Strands up to this length are taken as they are.
    suspect: Cell<i64>,
    /// Strands up to this length are, too, if the thread has not left its processor.
    trusted: Cell<i64>,
    /// Whether interruptions without a trace are looked for, and how many ticks more may be some.
    doubts: Cell<bool>,
    likely: Cell<i64>,
    /// Ticks of strands long compared with others since the last refreshed reading, and when that
    /// was.
    odd: Cell<i64>,
    refreshed: Cell<i64>,
    /// When to take the reading anew.
    refresh_at: Cell<i64>,
    /// Whether the accounts were read when the first strand began, before the clock's rate was
    /// known.
    is_prepared: Cell<bool>,
    /// The accounts since which the thread is watched for calls that may wait.
    after_call: Cell<CallAccounts>,
    /// How often the processor time was read.
    pub(crate) readings: Tally,
}

impl Presence {
    /// Reads the accounts of the calling thread, whose first strand begins. What takes the clock's
    /// rate comes with [`Presence::begin`].
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
    /// `check_after` is [`CHECK_AFTER_NANOS`] in ticks; `doubts` says whether interruptions without
    /// a trace are looked for.
    pub(crate) fn begin(&self, check_after: i64, doubts: bool) {
        self.after_call.set(CallAccounts::now());
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
        self.doubts.set(doubts && hypervisor());
        self.likely.set(REFRESH * check_after / LIKELY);
        self.odd.set(0);
        self.refreshed.set(clock::now());
        if is_prepared {
            self.refresh_at.set(self.then.get());
        } else {
            self.read_all();
        }
    }

    /// Ends the account, as its thread ends.
    pub(crate) fn end(&self) {
        self.meter.set(None);
        self.check_after.set(i64::MAX);
        self.suspect.set(i64::MAX);
        self.trusted.set(i64::MAX);
        self.refresh_at.set(i64::MAX);
    }

    /// Whether a strand of `ticks` that ended at `now` has to be checked, or a new reading is due.
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

    /// Reads the accounts anew if the thread, which ran no strand for `ticks`, may have left its
    /// processor in that time. Returns whether it read them.
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

    /// A call of the kernel begins that may wait. Returns the time, in nanoseconds; `None` where
    /// [`rseq`] shows whether the thread leaves its processor in it.
    #[inline]
    pub(crate) fn before_call(&self) -> Option<i64> {
        if self.is_watched() {
            return None;
        }
        self.before_call_unwatched()
    }

    #[cold]
    #[inline(never)]
    fn before_call_unwatched(&self) -> Option<i64> {
        if !rseq::watch_again() {
            return Some(clock::monotonic_nanos());
        }
        self.after_call.set(CallAccounts::now());
        None
    }

    /// Whether the thread has stayed on its processor since the last reading of one kind.
    #[inline]
    fn is_watched(&self) -> bool {
        self.check_after.get() != i64::MAX && self.mark.stayed() || rseq::stayed_again()
    }

    /// Whether the call that [began](Self::before_call) so, and has just ended, may have waited.
    #[inline]
    pub(crate) fn may_have_waited(&self, began: Option<i64>) -> bool {
        match began {
            Some(began) => clock::monotonic_nanos() - began >= CHECK_AFTER_NANOS as i64,
            None => !self.is_watched(),
        }
    }

    /// For how many nanoseconds the thread waited in the call that [began](Self::before_call) so,
    /// and has just ended; 0 if that was for less than [`CHECK_AFTER_NANOS`].
    #[inline(never)]
    pub(crate) fn waited_in_call(&self, began: Option<i64>) -> i64 {
        let now = CallAccounts::now();
        let before = self.after_call.replace(now);
        rseq::watch_again();
        if now.waits == before.waits {
            return 0;
        }
        // None of the three is shorter than the wait, and one is exact: either the thread had not
        // left its processor since that reading, or the call took as long.
        let since_call = (now.time - before.time) - (now.ran - before.ran);
        let took = began.map_or(i64::MAX, |began| now.time - began);
        let since_reading = match self.check_after.get() {
            i64::MAX => i64::MAX,
            _ => {
                let ticks = clock::now() - self.then.get();
                (ticks as f64 / ticks_per_nano()) as i64 - (now.ran - self.ran.get())
            }
        };
        let waited = since_call.min(took).min(since_reading);
        match waited >= CHECK_AFTER_NANOS as i64 {
            true => waited,
            false => 0,
        }
    }

    /// The time that the thread was off its processor until now is not part of its strand.
    pub(crate) fn forget_wait(&self) {
        if self.check_after.get() != i64::MAX {
            self.read_ran();
        }
    }

    /// Reads the thread's processor time. Returns the ticks lost since the last reading, and when
    /// that was.
    fn read_ran(&self) -> (i64, i64) {
        let ran = processor_time();
        let now = clock::now();
        let then = self.then.replace(now);
        let lost = now - then - nanos_to_ticks(ran - self.ran.replace(ran));
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

    /// Whether `ticks` of a strand may be an interruption without a trace.
    fn is_likely(&self, ticks: i64) -> bool {
        let may = self.doubts.get() && self.likely.get() >= ticks;
        if may {
            self.likely.set(self.likely.get() - ticks);
        }
        may
    }

    /// For how much of a strand of `ticks` up to `now` the thread was off the processor. `usual` is
    /// what strands lately took; `struck` says that the kernel's timer is known to have struck
    /// within the strand, and `may_doubt` that something else may be uncertain of it.
    pub(crate) fn absence(
        &self,
        now: i64,
        ticks: i64,
        usual: i64,
        struck: bool,
        may_doubt: bool,
    ) -> Absence {
        let check_after = self.check_after.get();
        let is_refresh = now > self.refresh_at.get();
        let stayed = self.mark.stayed();
        let mut absence = Absence::default();
        if is_refresh || !stayed || hypervisor() {
            let (mut lost, then) = self.read_ran();
            // The kernel likes to take the processor away while the processor time is read: that is
            // after the strand.
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
        } else if may_doubt && is_long_beside_others {
            self.odd.set(self.odd.get() + extra);
            if present < INTERRUPTION * check_after && self.is_likely(extra) {
                absence.uncertain = extra.min(present);
            }
        }
        if 2 * (absence.queued + absence.uncertain) < ticks {
            self.trusted.set((2 * ticks).min(ALWAYS * check_after));
        }
        absence
    }

    /// After a new reading: becomes more suspicious, and learns from the ticks `lost` in the time
    /// `before` the last strand, in which no strand was a suspect.
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
        // A greater share was lost at once, after the last strand had ended.
        if share < 0.1 {
            self.rate
                .set((3.0 * self.rate.get() + share.max(0.0)) / 4.0);
        }
    }

    /// Finds out what part of an absence was a voluntary wait.
    fn tell_waits(&self, absence: &mut Absence) {
        let Some(accounts) = self.metered(Meter::accounts) else {
            return;
        };
        let (_, before) = self.accounts.replace((clock::now(), accounts));
        if accounts.waits > before.waits {
            let queued = nanos_to_ticks(accounts.queued - before.queued);
            let lost = absence.queued;
            absence.queued = queued.clamp(0, lost);
            absence.blocked = lost - absence.queued;
        }
    }

    /// As [`Presence::absence`], for the writer of the profile, which ends the strand of another
    /// thread. What schedstat shows is exact for a thread that sleeps, and at most one tick of the
    /// timer behind for one that runs.
    pub(crate) fn absence_seen_by_another(&self, now: i64, ticks: i64) -> Absence {
        let (then, before) = self.accounts.get();
        let Some(seen) = self.metered(Meter::glance) else {
            return Absence::default();
        };
        let queued = nanos_to_ticks(seen.queued - before.queued).clamp(0, ticks.max(0));
        let ran = nanos_to_ticks(seen.ran - before.ran);
        Absence {
            queued,
            uncertain: 0,
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

/// What schedstat and the kernel's statistics of a thread say.
#[derive(Clone, Copy, Default)]
struct Accounts {
    /// Nanoseconds that the thread ran, as of its last tick or departure.
    ran: i64,
    /// Nanoseconds that the thread was runnable and did not run.
    queued: i64,
    /// How often it left the processor voluntarily.
    waits: i64,
}

/// What is read of the calling thread around calls that may wait, in nanoseconds.
#[derive(Clone, Copy, Default)]
struct CallAccounts {
    time: i64,
    ran: i64,
    /// How often it left the processor voluntarily.
    waits: i64,
}

impl CallAccounts {
    fn now() -> Self {
        Self {
            time: clock::monotonic_nanos(),
            ran: processor_time(),
            waits: voluntary_waits(),
        }
    }
}

/// Where the kernel reports on a thread. The file is not kept open: its descriptor might become one
/// of the program's, if that closes all and opens others.
struct Meter {
    schedstat: String,
}

impl Meter {
    /// The meter of the calling thread; `None` where the kernel keeps no account.
    fn of_this_thread() -> Option<Self> {
        // `PROCESS/task/THREAD`, since another thread may ask for this one's account, too.
        let this = std::fs::read_link("/proc/thread-self").ok()?;
        let meter = Self {
            schedstat: format!("/proc/{}/schedstat", this.to_str()?),
        };
        meter.glance()?;
        Some(meter)
    }

    /// All but the waits.
    fn glance(&self) -> Option<Accounts> {
        let [ran, queued] = schedstat(Path::new(&self.schedstat))?;
        Some(Accounts {
            ran,
            queued,
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

/// For how long a thread ran, and for how long it was ready and did not run, in nanoseconds.
fn schedstat(file: &Path) -> Option<[i64; 2]> {
    let mut buffer = [0_u8; 96];
    let length = File::open(file).ok()?.read(&mut buffer).ok()?;
    let mut numbers = buffer[..length].split(|b| *b == b' ').map(parse);
    Some([numbers.next()??, numbers.next()??])
}

/// For how long the thread whose `schedstat` this is was ready and did not run, in nanoseconds.
pub(crate) fn queued_in(schedstat_file: &Path) -> Option<i64> {
    schedstat(schedstat_file).map(|[_, queued]| queued)
}

extern "C" {
    fn getrusage(who: c_int, usage: *mut [i64; 18]) -> c_int;
}

/// Whether the kernel's timer struck within the last `ticks`, or so shortly before that its work
/// reached into them.
fn timer_struck(ticks: i64, check_after: i64) -> bool {
    const MONOTONIC: c_int = 1;
    const MONOTONIC_COARSE: c_int = 6;
    let struck = time_of(MONOTONIC_COARSE);
    let age = nanos_to_ticks(time_of(MONOTONIC) - struck);
    age < ticks + check_after / WAIT
}

/// Whether there is a hypervisor, which may take the processor away without the kernel's doing.
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

/// How often the calling thread left the processor voluntarily.
fn voluntary_waits() -> i64 {
    const THREAD: c_int = 1;
    // Miri has no such call.
    if cfg!(miri) {
        return 0;
    }
    // Two `timeval`s and fourteen longs, of which the last but one counts voluntary context
    // switches.
    let mut usage = [0; 18];
    // SAFETY: the call only writes `usage`, which is as large as `rusage`, eighteen longs on 64-bit
    // Linux.
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
            crate::skip::skip("schedstat", "this kernel keeps none");
            return;
        };
        let look = || (meter.accounts().expect("readable before"), processor_time());
        let before = look();
        // Processor time, since a hypervisor may take any part of a given time.
        while processor_time() - before.1 < 20_000_000 {
            std::hint::black_box(before);
        }
        let (start, spun) = (Instant::now(), look());
        assert_eq!(spun.0.waits, before.0.waits);
        let nap = Duration::from_millis(20);
        std::thread::sleep(nap);
        let slept = look();
        assert!(slept.0.waits > spun.0.waits);
        let (ran, passed) = (slept.1 - spun.1, start.elapsed());
        assert!(ran <= (passed - nap).as_nanos() as i64, "{ran} ns");
    }
}
