//! The profile, or the idle time, of a program that is interrupted.
//!
//! SIGINT and SIGTERM end a program unless it handles them itself. The handler may do next to nothing, so it
//! only wakes a thread of the engine, which writes the profile and then lets the signal do what it would have
//! done.

use crate::clock::{self, Clock};
use crate::raw::Ending;
use crate::{idle, sampler, session, user_thread, watchdog};
use std::ffi::{c_int, c_void};
use std::io::{ErrorKind, Read};
use std::os::fd::IntoRawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Barrier, Once};
use std::time::Duration;

const SIGINT: c_int = 2;
const SIGTERM: c_int = 15;
const SIG_DFL: usize = 0;

static WAKE: AtomicI32 = AtomicI32::new(-1);

extern "C" {
    fn signal(number: c_int, handler: usize) -> usize;
    fn sigaction(number: c_int, new: *const c_void, old: *mut [usize; 32]) -> c_int;
    fn raise(number: c_int) -> c_int;
    fn write(file: c_int, bytes: *const u8, length: usize) -> isize;
}

extern "C" fn wake(number: c_int) {
    if !session::is_ours() {
        // A child of a fork has the handler, but no engine behind it.
        default_action(number);
        return;
    }
    let byte = number as u8;
    // SAFETY: write(2) is async-signal-safe; the byte outlives the call, the file is never closed. A full
    // pipe means that the engine is awake already.
    unsafe { write(WAKE.load(Ordering::Relaxed), &byte, 1) };
}

/// As [`watch`], the first time it is called and while idle time is measured.
pub(crate) fn watch_once() {
    static ONCE: Once = Once::new();
    if idle::is_under_way() {
        ONCE.call_once(watch);
    }
}

/// Starts the engine's thread, which waits for signals and watches for hangs, and installs the handlers where
/// the program has none.
pub(crate) fn watch() {
    let Ok((mut receiver, sender)) = UnixStream::pair() else {
        return;
    };
    let _ = receiver.set_read_timeout(Some(Duration::from_secs(1)));
    WAKE.store(sender.into_raw_fd(), Ordering::Relaxed);
    // Until the thread has begun, it may take the memory that another thread left (the allocator's arena), which is then not the
    // program's to have, by chance in one run and not in another: where instructions are counted to the last one, it is awaited.
    // Elsewhere it is not: whoever loads a library may call here, and hold what the thread needs to begin.
    static HAS_BEGUN: Barrier = Barrier::new(2);
    let is_awaited = clock::chosen() == Clock::Emulated;
    let wait = move || {
        if is_awaited {
            HAS_BEGUN.wait();
        }
        let mut watchdog = watchdog::Watchdog::default();
        let mut byte = [0];
        while session::active() || idle::is_under_way() {
            match receiver.read(&mut byte) {
                Ok(1) => die_of(c_int::from(byte[0])),
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    watchdog.look();
                    sampler::look();
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                _ => return,
            }
        }
    };
    let builder = std::thread::Builder::new()
        .name("workspan".into())
        .stack_size(256 * 1024);
    let thread = user_thread::start_unobserved(|| builder.spawn(wait));
    if thread.is_err() {
        return;
    }
    if is_awaited {
        HAS_BEGUN.wait();
    }
    for number in [SIGINT, SIGTERM] {
        if is_default(number) {
            // SAFETY: `wake` is async-signal-safe.
            unsafe { signal(number, wake as *const () as usize) };
        }
    }
}

/// Does the program leave the signal to its default action?
fn is_default(number: c_int) -> bool {
    // `struct sigaction` begins with the handler and has 152 bytes on 64-bit Linux.
    let mut action = [usize::MAX; 32];
    // SAFETY: only asks; the buffer is larger than the C library's type.
    let failed = unsafe { sigaction(number, std::ptr::null(), &mut action) } != 0;
    !failed && action[0] == SIG_DFL
}

/// Lets the signal do what it does to a program without a handler: end it.
fn default_action(number: c_int) {
    // SAFETY: both are async-signal-safe.
    unsafe {
        signal(number, SIG_DFL);
        raise(number);
    }
}

fn die_of(number: c_int) {
    session::finish_and_write(Ending::Signal(number));
    idle::finish(Ending::Signal(number));
    default_action(number);
}
