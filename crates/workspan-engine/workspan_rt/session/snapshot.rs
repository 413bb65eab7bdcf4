//! The profile so far, written while the program goes on.
//!
//! A copy of the process writes it: a child of fork(2). It has all accounts as they were at one
//! moment, and ends in them what is under way, by the same code as at the end of the program. So it
//! reports what an interruption at that moment would have left, and the program itself loses
//! nothing.
//!
//! For that moment the bookkeeping is paused, and this thread holds the locks that others may hold
//! outside it. The child has a single thread: a lock held by another thread at the fork would never
//! be released there, while those held here are free. The C library and the program's own allocator
//! see to their locks by handlers of fork(2). Should one not, the child would wait forever, so it
//! is killed after a minute.

use crate::session::{self, Cutoff};
use crate::state::stop::{self, Pause};
use crate::state::{process, under_way};
use crate::system::output;
use crate::thread;
use std::ffi::{c_int, c_void};
use std::fs;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a child may write.
const PATIENCE: Duration = Duration::from_secs(60);

/// The file for the task dag of the profile in `path`: `NAME.dag` for `NAME.raw`, else the whole
/// name and `.dag`.
fn record_beside(path: &Path) -> PathBuf {
    if path.extension().is_some_and(|extension| extension == "raw") {
        return path.with_extension("dag");
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".dag");
    name.into()
}

extern "C" {
    fn fork() -> c_int;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn kill(process: c_int, signal: c_int) -> c_int;
    fn _exit(code: c_int) -> !;
    fn mmap(
        address: *mut c_void,
        size: usize,
        protection: c_int,
        flags: c_int,
        file: c_int,
        offset: i64,
    ) -> *mut c_void;
    fn munmap(address: *mut c_void, size: usize) -> c_int;
}

/// Writes what has been measured up to this moment to `path`, as a raw profile, and the task dag,
/// if it is recorded, beside it: to `NAME.dag` for `NAME.raw`, else to a file of the whole name and
/// `.dag`. The program goes on as if nothing had happened, and the time this takes does not count
/// as work.
///
/// Meanwhile the process has one more child, so a handler of `SIGCHLD` may be called. Must not be
/// called from a signal handler.
///
/// Returns whether there is a profile to write: false with the engine off.
///
/// # Errors
/// If there can be no child, or it cannot write; of kind [`io::ErrorKind::TimedOut`] if it does not
/// finish within a minute, or a thread does not come out of the engine's bookkeeping within a
/// second.
pub fn write(path: &Path) -> io::Result<bool> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    if !under_way::active() || !process::is_ours() {
        return Ok(false);
    }
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let cut = Cutoff::here();
    let written = match stop::pause(session::others_busy) {
        Some(pause) => write_in_child(path, &cut, pause).map(|()| true),
        None => Ok(false),
    };
    cut.go_on();
    written
}

fn write_in_child(path: &Path, cut: &Cutoff, pause: Pause) -> io::Result<()> {
    if !pause.is_clean {
        pause.end();
        return Err(io::ErrorKind::TimedOut.into());
    }
    let outcome = match Outcome::new() {
        Ok(outcome) => outcome,
        Err(error) => {
            pause.end();
            return Err(error);
        }
    };
    let held = session::hold();
    // SAFETY: until it ends, the child, which is one thread, runs nothing but the block below; the
    // locks which that needs were held by this thread alone (see the module).
    let child = unsafe { fork() };
    let error = io::Error::last_os_error();
    drop(held);
    if child == 0 {
        Pause::become_writer();
        // A thread that met the pause may look busy, but it only checked whether the pause was
        // over.
        thread::for_each(|thread, _| thread.busy.store(false, Ordering::Relaxed));
        outcome.tell(write_copy(path, cut));
        // SAFETY: _exit(2) takes a number, and ends the child without what the program does at its
        // end.
        unsafe { _exit(0) };
    }
    pause.end();
    if child < 0 {
        return Err(error);
    }
    outcome.of(child)
}

const SIGKILL: c_int = 9;
const EIO: c_int = 5;

/// What the child does; everything there is its own. Returns the number of an error, or 0.
fn write_copy(path: &Path, cut: &Cutoff) -> c_int {
    let written = panic::catch_unwind(AssertUnwindSafe(|| {
        let record = record_beside(path);
        // A record of another run may be there, and this run need not record.
        match fs::remove_file(&record) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let text = session::tell_of_copy(cut, &record).ok_or(io::ErrorKind::NotFound)?;
        output::write_whole(path, &text)
    }));
    match written {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => error.raw_os_error().unwrap_or(EIO),
        Err(_) => EIO,
    }
}

/// The result of the child's writing: a word of memory that it shares with its parent. The program
/// might close a descriptor, or collect the child's status itself.
struct Outcome(*mut AtomicI32);

/// The word's value until the child has reported; no error has this number.
const NOT_TOLD: i32 = -1;

impl Outcome {
    const SIZE: usize = std::mem::size_of::<AtomicI32>();

    fn new() -> io::Result<Self> {
        const READ_WRITE: c_int = 3;
        const SHARED_ANONYMOUS: c_int = 0x21;
        // SAFETY: the call replaces no other mapping, since the kernel chooses the place.
        let word = unsafe {
            mmap(
                ptr::null_mut(),
                Self::SIZE,
                READ_WRITE,
                SHARED_ANONYMOUS,
                -1,
                0,
            )
        };
        if word as isize == -1 {
            return Err(io::Error::last_os_error());
        }
        let outcome = Self(word.cast());
        outcome.word().store(NOT_TOLD, Ordering::Relaxed);
        Ok(outcome)
    }

    fn word(&self) -> &AtomicI32 {
        // SAFETY: `new` has mapped the page, to whose beginning this points, until `drop`; what it
        // has is a valid number, and only touched as an atomic, by the other process too.
        unsafe { &*self.0 }
    }

    fn tell(&self, code: c_int) {
        self.word().store(code, Ordering::Release);
    }

    /// Waits for `child`, a child of this process, and kills it if it takes too long.
    fn of(&self, child: c_int) -> io::Result<()> {
        const WITHOUT_WAITING: c_int = 1;
        let deadline = Instant::now() + PATIENCE;
        loop {
            // Before the word is read, since a child reports before it ends. The program may have
            // waited for the child, too.
            // SAFETY: null is allowed for the status, so no memory is touched.
            let has_ended = unsafe { waitpid(child, ptr::null_mut(), WITHOUT_WAITING) } != 0;
            let told = self.word().load(Ordering::Acquire);
            let is_late = Instant::now() >= deadline;
            if told == NOT_TOLD && !has_ended && !is_late {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
            if !has_ended {
                // SAFETY: both calls touch no memory. Nobody has waited for the child, so the
                // number is still its own.
                unsafe {
                    if told == NOT_TOLD {
                        kill(child, SIGKILL);
                    }
                    waitpid(child, ptr::null_mut(), 0);
                }
            }
            return match told {
                0 => Ok(()),
                NOT_TOLD if is_late => Err(io::ErrorKind::TimedOut.into()),
                NOT_TOLD => Err(io::Error::from_raw_os_error(EIO)),
                code => Err(io::Error::from_raw_os_error(code)),
            };
        }
    }
}

impl Drop for Outcome {
    fn drop(&mut self) {
        // SAFETY: `new` has mapped it, and no reference to it is left.
        unsafe { munmap(self.0.cast(), Self::SIZE) };
    }
}
