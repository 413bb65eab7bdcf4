//! The profile so far, written while the program goes on.
//!
//! A copy of the process writes it: a child of fork(2), which has all accounts as they were at one moment, and ends in them
//! what is under way, by the same code as at the end of the program. So what is told is what an interruption at that moment
//! would have left, and the program itself loses nothing.
//!
//! For that moment the bookkeeping is paused, and this thread holds the locks that others may hold outside of
//! it. The child is one thread; what a lock's holder, which is not there, would have to give free is thus free, but
//! for what the C library and the program's own allocator lock, who see to that by handlers of fork(2). Should one not, the
//! child would wait forever: it is ended after a minute.

use crate::output;
use crate::session::{self, Cut};
use crate::stop::{self, Pause};
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

/// The file with the task dag of the profile in `path`: `NAME.dag` of `NAME.raw`, and of any other its name and `.dag`.
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

/// Writes what has been measured up to this moment to `path`, as a raw profile, and the task dag, if that is recorded,
/// beside it: to `NAME.dag` of `NAME.raw`, else to a file of the whole name and `.dag`. The program goes on as if nothing had been; what this takes is no work.
///
/// The process has one child more meanwhile, so a handler of `SIGCHLD` may be called. Not for signal handlers.
///
/// Gives back whether there is a profile to write: false with the engine off.
///
/// # Errors
/// When there can be no child, or it cannot write; of kind [`io::ErrorKind::TimedOut`] when it does not come to an end in a
/// minute, or a thread does not come out of the engine's bookkeeping in a second.
pub fn write(path: &Path) -> io::Result<bool> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    if !session::active() || !session::is_ours() {
        return Ok(false);
    }
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let cut = Cut::here();
    let written = match stop::pause(session::others_busy) {
        Some(pause) => write_in_child(path, &cut, pause).map(|()| true),
        None => Ok(false),
    };
    cut.go_on();
    written
}

fn write_in_child(path: &Path, cut: &Cut, pause: Pause) -> io::Result<()> {
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
    // SAFETY: the child calls nothing but this module's code until it ends; see there for the locks.
    let child = unsafe { fork() };
    let error = io::Error::last_os_error();
    drop(held);
    if child == 0 {
        Pause::become_writer();
        // Who met the pause only looked whether it was over.
        thread::for_each(|thread, _| thread.busy.store(false, Ordering::Relaxed));
        outcome.tell(write_copy(path, cut));
        // SAFETY: ends the child without what the program does at its end.
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

/// What the child does, in which everything is its own. Gives back an error's number, or 0.
fn write_copy(path: &Path, cut: &Cut) -> c_int {
    let written = panic::catch_unwind(AssertUnwindSafe(|| {
        let record = record_beside(path);
        // One of another run may be there, and this one need not record.
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

/// How the child's writing came out: a word of memory that it shares with its parent. A descriptor might be closed by the program,
/// and a child's status be asked for by it.
struct Outcome(*mut AtomicI32);

/// What the word is before the child tells; no error has this number.
const NOT_TOLD: i32 = -1;

impl Outcome {
    const SIZE: usize = std::mem::size_of::<AtomicI32>();

    fn new() -> io::Result<Self> {
        const READ_WRITE: c_int = 3;
        const SHARED_ANONYMOUS: c_int = 0x21;
        // SAFETY: a new mapping, where the kernel finds room.
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
        // SAFETY: mapped until `drop`, at a page's start, and zeroes are a valid number.
        unsafe { &*self.0 }
    }

    fn tell(&self, code: c_int) {
        self.word().store(code, Ordering::Release);
    }

    /// Waits for `child`, which is this process's, and ends it if it takes too long.
    fn of(&self, child: c_int) -> io::Result<()> {
        const WITHOUT_WAITING: c_int = 1;
        let deadline = Instant::now() + PATIENCE;
        loop {
            // Before the look at the word: a child tells before it ends. The program may have waited for it, too.
            // SAFETY: the status is not asked for.
            let has_ended = unsafe { waitpid(child, ptr::null_mut(), WITHOUT_WAITING) } != 0;
            let told = self.word().load(Ordering::Acquire);
            let is_late = Instant::now() >= deadline;
            if told == NOT_TOLD && !has_ended && !is_late {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
            if !has_ended {
                // SAFETY: nobody has waited for the child, so the number is still its own.
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
        // SAFETY: mapped by `new`, and no reference to it is left.
        unsafe { munmap(self.0.cast(), Self::SIZE) };
    }
}
