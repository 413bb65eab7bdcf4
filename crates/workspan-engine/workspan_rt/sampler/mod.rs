//! Functions on the span, by sampling.
//!
//! Each thread of the program has a timer of its processor time (timer_create(2)), which raises
//! SIGPROF on that thread. The handler keeps the stack as a *pending* sample of the running strand
//! ([`pending`](crate::thread::samples::pending)). When the strand ends, the engine's bookkeeping
//! gives each distinct stack a number ([`stacks`]), counts it on the work, and adds it to the log
//! of the path ([`crate::path::log`]) as an entry next to those of the nodes. From there on the
//! sample goes where its strand goes: with the winner of a sync, or away with the loser.
//!
//! The timer counts on while its signal has to wait, and a kernel may look at such timers only when
//! its clock ticks, 250 times a second or less. So the weight of a sample is the number of periods
//! since the last one. A sample also stands for elapsed time: that of its periods, divided by the
//! number of strands that run at that moment. What P threads have of the elapsed time of a stack
//! beyond its work is time in which others had none while it ran: blame shifting (Tallent and
//! Mellor-Crummey, *Effective performance measurement and analysis of multithreaded applications*,
//! 2009).
//!
//! What threads run while they have no strand is sampled too, into a buffer of its own that only the
//! writer of the profile empties.
//!
//! A stack is the part that belongs to the present task on the present thread. What is outside of
//! that follows from the node of the call tree: a stolen task continues at its spawn site, and
//! neither the joins around it nor the thief's other work show.
//!
//! # Strands that are not timed individually
//!
//! In a [stretch](crate::path::stretch) that is timed as a whole no boundary looks for samples.
//! They are placed where the stretch ends, on the path as it is then: a sample is equally likely in
//! each strand, so the path gets the fraction of the samples' weight that it has of the stretch's
//! ticks. A stretch in which every strand is timed is broken off at the boundary after a sample, so
//! that the sample stays with its strand.
//!
//! # Why the handler may do what it does
//!
//! It interrupts its own thread at any instruction, while others keep running. So
//! * of the C library it calls clock_gettime(2) alone, which a handler may (signal-safety(7)), and
//!   nothing that allocates, locks or unwinds, and it leaves `errno` alone: it loads and stores
//!   atomics of its own thread's data, of the [timeline] and of the table of [lines], loads those
//!   of other threads that say whether they run, words of the interrupted stack, and a thread-local
//!   pointer without a destructor, in memory that was there before the timer was started;
//! * it looks at a few bytes of the code around the interrupted instruction, where the table of
//!   code has them;
//! * it looks at a bounded number of words of the thread's own stack, between its top and the place
//!   where the present task began there: memory that is mapped. It [keeps](crate::stack::copy)
//!   those that unwinding may need, which it recognises by a table of where code is, complete
//!   before the handler can see it and never freed ([`code`](crate::stack::code)). On another stack
//!   (of a coroutine, or an alternate one) it keeps the instruction alone;
//! * of the engine it reads the node of the running strand, and only while the thread is not
//!   [busy](crate::state::stop), so not in the middle of changing it. In an open stretch, which is
//!   not guarded, the node is an atomic; outside of one it is a field of the present frame that
//!   never changes.
//!
//! Whoever empties a buffer never does so while a handler fills it:
//! * the thread's own bookkeeping is marked as busy, which the handler, on the same thread, sees in
//!   program order;
//! * the writer of the profile sets the mode to *stopping*, and waits until no thread is in a
//!   handler that has read another mode. This is the protocol of [`crate::state::stop`] with
//!   [`Samples::taking`] in place of `busy`, except that the handler has a real fence between its
//!   store and its load.
//!
//! # Other users of the signal
//!
//! A program may have a profiler of its own that uses SIGPROF. If the signal has a handler when the
//! session starts, there is no sampling. If it gets another handler later, the timers are ended
//! before (`taken_over`), or where that cannot be noticed, once the handler is seen: the engine
//! looks once a second, and at the end. The signal is ignored unless the thread's timer raised it.
//! A child of a fork has no timers, and after exec neither timers nor the handler are left.

pub mod atomic;
mod cache_lines;
// The condition of `thread::samples::timer`.
#[cfg_attr(
    not(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64"),
        target_pointer_width = "64",
        not(miri),
        not(workspan_sanitizer)
    )),
    path = "kernel_none.rs"
)]
mod kernel;
mod stacks;
// Where the engine can interpose functions of the C library, as in `constructs/user_thread`.
#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_pointer_width = "64",
    not(target_feature = "crt-static"),
    not(miri),
    not(workspan_sanitizer)
))]
mod taken_over;
mod taking;
mod timeline;

use crate::clock::{self, Clock};
use crate::path::frame::Frame;
use crate::stack::code::Code;
use crate::stack::{self, own_stack};
use crate::thread::samples::pending::PARTS;
use crate::thread::samples::Samples;
use crate::thread::{self, Thread};
use cache_lines::LINES;
use stacks::Stacks;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use taking::take;
use timeline::TIMELINE;

/// Samples per second of processor time, with which timers are started; 0: only samples of
/// [`sample_here`]; [`OFF`]: none.
static RATE: AtomicU32 = AtomicU32::new(OFF);
const OFF: u32 = u32::MAX;

/// What the profile reports of the sampling. Locked while timers are started and ended.
static ACCOUNT: Mutex<Account> = Mutex::new(Account::NONE);

struct Account {
    /// Samples a second that were asked for, if sampling began.
    rate: u32,
    /// Why it did not, or ended early.
    trouble: Option<&'static str>,
    /// Threads that the kernel had no timer for.
    without_timer: usize,
}

impl Account {
    const NONE: Self = Self {
        rate: 0,
        trouble: None,
        without_timer: 0,
    };
}

/// The account, locked so that a copy of the process finds it free.
pub(crate) struct Held {
    _account: MutexGuard<'static, Account>,
}

pub(crate) fn hold() -> Held {
    Held {
        _account: account(),
    }
}

fn account() -> MutexGuard<'static, Account> {
    ACCOUNT.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Samples {
    /// Begins to sample the calling thread, whose data is `thread`, if the session samples and this
    /// thread is not sampled yet.
    #[cold]
    pub(crate) fn begin(&self, thread: &Thread) {
        let mut account = account();
        let rate = RATE.load(Ordering::Relaxed);
        if rate == OFF || self.timer.runs() || self.refused.load(Ordering::Relaxed) {
            return;
        }
        self.pending.prepare();
        self.outside.prepare();
        let (low, high) = own_stack::own_stack();
        self.stack[0].store(low, Ordering::Relaxed);
        self.stack[1].store(high, Ordering::Relaxed);
        if rate > 0 && !self.timer.start(ptr::from_ref(thread).cast(), rate) {
            account.without_timer += 1;
            self.refused.store(true, Ordering::Relaxed);
        }
    }
}

/// Starts sampling `rate` times a second, or not at all if that is 0. Under a virtual clock only
/// [`sample_here`] takes samples.
pub(crate) fn start(rate: u32, clock: Clock) {
    let mut account = account();
    *account = Account::NONE;
    RATE.store(OFF, Ordering::Relaxed);
    taking::ask_for_processors();
    stacks::lock().begin();
    Code::look();
    match (rate, clock) {
        (0, _) => return,
        (_, Clock::Counter | Clock::Emulated) => {
            account.trouble = Some("samples tell of time, and events were counted");
            return;
        }
        (_, Clock::Virtual) => RATE.store(0, Ordering::Relaxed),
        _ => match kernel::take_signal() {
            Ok(()) => RATE.store(rate, Ordering::Relaxed),
            Err(why) => {
                account.trouble = Some(why);
                return;
            }
        },
    }
    TIMELINE.begin();
    LINES.begin();
    account.rate = rate;
}

/// Looks whether the signal is still ours, and if not ends the sampling.
pub(crate) fn look() {
    let mut account = account();
    let rate = RATE.load(Ordering::Relaxed);
    if rate != OFF && rate > 0 && !kernel::has_signal() {
        account.trouble = Some(TAKEN_OVER);
        end_all();
    }
}

const TAKEN_OVER: &str = "another profiler has taken SIGPROF over; there are no samples since then";

/// Ends the sampling at the end of the session. Pending samples stay pending.
pub(crate) fn stop() {
    look();
    let _account = account();
    end_all();
}

/// For whoever has locked the account.
fn end_all() {
    RATE.store(OFF, Ordering::Relaxed);
    thread::for_each(|thread, _| thread.samples.end());
}

/// Takes a sample as if the timer had interrupted the calling thread's strand at `instruction`,
/// `weight` periods after the last time: for tests under a virtual clock. Does nothing if the
/// session does not sample.
pub fn sample_here(weight: u64, instruction: usize) {
    // SAFETY: null, or the calling thread's data, which are never freed.
    if let Some(thread) = unsafe { thread::current().as_ref() } {
        let copy = |_, to: &[_]| stack::instruction_alone(instruction, to);
        take(thread, weight, || None, copy);
    }
}

impl Thread {
    /// Adds the thread's pending samples to the work, and with `share` of their weight to the path
    /// of `frame`, which has just come to the end of a strand. The world is stopped, or the caller
    /// is the thread in its bookkeeping.
    #[cold]
    #[inline(never)]
    pub(crate) fn place_samples(&self, frame: &mut Frame, share: f64) {
        let is_aside = self.is_aside.get();
        let mut stacks = stacks::lock();
        self.samples.pending.drain(|sample| {
            // What the calibration runs is not part of the program.
            if is_aside {
                return;
            }
            if let Some(stack) = stacks.count(&sample) {
                let weight = (sample.weight.periods as f64 * share * PARTS).round() as u64;
                frame.add_samples(stack, weight);
            }
        });
        drop(stacks);
        if ptr::eq(self, thread::current()) {
            // That took a while, which belongs to no strand.
            self.last.set(clock::now());
        }
    }
}

/// Weights on a path, by the number of the stack, for [`write_stacks`].
pub(crate) type OnSpan = HashMap<u32, u64>;

/// Writes how the session of `elapsed` nanoseconds was sampled, if it was to be.
pub(crate) fn write_account(text: &mut String, elapsed: i64) {
    let account = account();
    let mut notes: Vec<String> = account.trouble.iter().map(|why| (*why).into()).collect();
    if account.without_timer > 0 {
        notes.push(format!(
            "{} threads were not sampled: the kernel had no timers left for them (limit of pending signals, ulimit -i)",
            account.without_timer
        ));
    }
    if !notes.is_empty() {
        let _ = writeln!(text, "sampling_note {}", notes.join("; "));
    }
    if account.rate == 0 {
        return;
    }
    let _ = writeln!(text, "sampling {}", account.rate);
    // Threads that were not sampled, or not to the end, would look idle.
    if notes.is_empty() {
        TIMELINE.write(text, elapsed);
    }
    let (mut taken, mut merged, mut in_engine, mut idle) = (0, 0, 0, 0);
    thread::for_each(|thread, _| {
        let samples = &thread.samples;
        taken += samples.taken.get();
        merged += samples.pending.merged();
        in_engine += samples.in_engine.get();
        idle += samples.idle.get();
    });
    let stacks = stacks::lock();
    for (name, count) in [
        ("samples_taken", taken),
        ("samples_merged", merged),
        ("samples_dropped", stacks.dropped),
        ("samples_cut", stacks.cut),
        ("samples_in_engine", in_engine),
        ("samples_idle", idle),
    ] {
        let _ = writeln!(text, "engine {name} {count}");
    }
}

/// Writes all stacks. The world is stopped.
pub(crate) fn write_stacks(text: &mut String, on_span: &OnSpan) {
    stacks::lock().write(text, on_span);
    let mut outside = Stacks::default();
    thread::for_each(|thread, _| {
        thread.samples.outside.drain(|sample| {
            outside.count(&sample);
        });
    });
    outside.write_outside(text);
}
