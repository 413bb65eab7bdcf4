//! Instructions of the calling thread, counted by an emulator that the process runs under.
//!
//! The emulator's plug-in (`workspan-emulator`) adds the length of each block of instructions to a
//! counter of the thread before the block runs. A thread announces itself by a system call that no
//! kernel has, and learns the address of its counter, which it reads as plain memory from then on.
//!
//! A counter read in the middle of a block includes the whole block. So a reading here ends its
//! block: the value is exact at the instruction after it.
//!
//! The engine's own instructions do not count: time stands still between [`leave_program`] and
//! [`enter_program`]. What these two spend outside their readings is the same number each time. It
//! is counted once, by calling them with nothing in between.

use std::cell::Cell;
use std::sync::atomic::{AtomicI64, Ordering};

/// The account of one thread.
struct Meter {
    /// Null until it is asked for.
    counter: Cell<*const u64>,
    /// Instructions so far that were the engine's.
    engine: Cell<i64>,
    /// The counter's value when the thread entered the engine.
    since: Cell<i64>,
    /// How many times the thread has entered the engine and not left it.
    depth: Cell<u32>,
}

thread_local! {
    static METER: Meter = const {
        Meter {
            counter: Cell::new(std::ptr::null()),
            engine: Cell::new(0),
            since: Cell::new(0),
            depth: Cell::new(0),
        }
    };
}

/// What [`leave_program`] spends before its reading, and [`enter_program`] after its own.
static UNSEEN: AtomicI64 = AtomicI64::new(0);

/// Whether the process runs under an emulator that counts.
pub(crate) fn is_there() -> bool {
    announce().is_some()
}

/// Learns what to take off for entering and leaving the engine. Call once, before the first strand.
pub(crate) fn prepare() {
    // The first calls also bind symbols, and announce the thread.
    for _ in 0..3 {
        leave_program();
        enter_program();
    }
    UNSEEN.store(0, Ordering::Relaxed);
    let counter = METER.with(|meter| meter.counter.get());
    let before = METER.with(|meter| meter.engine.get());
    let all = count_around_nothing(counter);
    let seen = METER.with(|meter| meter.engine.get()) - before;
    UNSEEN.store(all - seen, Ordering::Relaxed);
}

/// The calling thread begins to run the engine.
#[inline(never)]
pub(crate) extern "C" fn leave_program() {
    METER.with(|meter| {
        if meter.depth.replace(meter.depth.get() + 1) == 0 {
            meter.since.set(read(meter));
        }
    });
}

/// The calling thread has finished what [`leave_program`] began.
#[inline(never)]
pub(crate) extern "C" fn enter_program() {
    METER.with(|meter| {
        meter.depth.set(meter.depth.get() - 1);
        if meter.depth.get() == 0 {
            let unseen = UNSEEN.load(Ordering::Relaxed);
            let before = meter.engine.get() - meter.since.get() + unseen;
            meter.engine.set(before + read(meter));
        }
    });
}

/// Instructions of the program that the calling thread has run.
pub(crate) fn now() -> i64 {
    METER.with(|meter| {
        let counted = match meter.depth.get() {
            0 => read(meter),
            _ => meter.since.get(),
        };
        counted - meter.engine.get()
    })
}

#[inline(always)]
fn read(meter: &Meter) -> i64 {
    if meter.counter.get().is_null() {
        meter.counter.set(announce().unwrap_or(&NEVER_COUNTS));
    }
    read_at(meter.counter.get())
}

/// Stands in for a counter where there is none.
static NEVER_COUNTS: u64 = 0;

/// How often an instruction counts is up to the emulator, which supports only x86-64 so far.
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
mod machine {
    use std::ffi::c_long;

    /// A number beyond all system calls.
    const ANNOUNCEMENT: c_long = 0x5753_4e31;
    /// What the plug-in finds where it is to put the address of the counter.
    const QUESTION: u64 = 0x776f_726b_7370_616e;

    /// Announces the calling thread to the emulator. Returns the address of its counter; `None`
    /// where nobody answers.
    pub(super) fn announce() -> Option<*const u64> {
        extern "C" {
            fn syscall(number: c_long, ...) -> c_long;
        }
        let mut answer = QUESTION;
        // SAFETY: a kernel refuses the number and touches nothing; the plug-in writes one word,
        // `answer`, which is alive.
        unsafe { syscall(ANNOUNCEMENT, std::ptr::addr_of_mut!(answer), QUESTION) };
        // SAFETY: it is the address of `answer`, which is alive. The read is volatile, since the
        // compiler does not know that the word may have changed.
        let answer = unsafe { std::ptr::addr_of!(answer).read_volatile() };
        let is_answered = answer != QUESTION;
        if is_answered {
            be_inexact();
        }
        is_answered.then_some(answer as *const u64)
    }

    /// Has the thread note that a result was rounded (the inexact flag). The emulator lets the
    /// processor compute floating point only once there is nothing more to note; otherwise a
    /// program whose results are all exact would take twice as long.
    fn be_inexact() {
        let [one, three] = [1.0_f64, 3.0].map(std::hint::black_box);
        std::hint::black_box(one / three);
    }

    /// Reads a counter and ends the block: all instructions up to the jump are counted, and none
    /// after it.
    #[inline(always)]
    pub(super) fn read_at(counter: *const u64) -> i64 {
        let counted: i64;
        // SAFETY: the counter lives as long as the process, and the emulator writes it on behalf of
        // this thread alone; or it is `NEVER_COUNTS`.
        unsafe {
            core::arch::asm!(
                "mov {counted}, [{counter}]",
                "jmp 2f",
                "2:",
                counter = in(reg) counter,
                counted = out(reg) counted,
                options(nostack, preserves_flags),
            );
        }
        counted
    }

    /// All instructions of leaving the program and entering it again.
    pub(super) fn count_around_nothing(counter: *const u64) -> i64 {
        let (before, after): (i64, i64);
        // SAFETY: `prepare` has the counter read before this, so it is one that may be read
        // (`read_at`); the two functions are called by their own calling convention, whose
        // registers are declared as changed.
        unsafe {
            core::arch::asm!(
                "mov r12, [r13]",
                "jmp 2f",
                "2:",
                "call {leave}",
                "call {enter}",
                "mov r13, [r13]",
                "jmp 2f",
                "2:",
                leave = sym super::leave_program,
                enter = sym super::enter_program,
                out("r12") before,
                inout("r13") counter => after,
                clobber_abi("C"),
            );
        }
        // This includes the two instructions of the second reading.
        after - before - 2
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
mod machine {
    pub(super) fn announce() -> Option<*const u64> {
        None
    }

    pub(super) fn read_at(_: *const u64) -> i64 {
        0
    }

    pub(super) fn count_around_nothing(_: *const u64) -> i64 {
        0
    }
}

use machine::{announce, count_around_nothing, read_at};
