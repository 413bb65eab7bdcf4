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

use crate::session::{self, Cut};
use crate::stop::{self, Pause};
use crate::thread;
use std::ffi::c_int;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

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
    let (of_child, here) = match UnixStream::pair() {
        Ok(ends) => ends,
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
        tell(of_child, path, cut);
        // SAFETY: ends the child without what the program does at its end.
        unsafe { _exit(0) };
    }
    pause.end();
    drop(of_child);
    if child < 0 {
        return Err(error);
    }
    let told = hear(here);
    let is_stuck = matches!(&told, Err(error) if error.kind() == io::ErrorKind::TimedOut);
    // SAFETY: the child is this process's, and its status is not asked for. A program that waits for any child may have got
    // it; so it tells its outcome by other means. A stuck one has not ended.
    unsafe {
        if is_stuck {
            kill(child, SIGKILL);
        }
        waitpid(child, ptr::null_mut(), 0);
    }
    told
}

const SIGKILL: c_int = 9;
const EIO: c_int = 5;

/// The child: everything is its own, and it ends after this.
fn tell(mut parent: UnixStream, path: &Path, cut: &Cut) {
    let written = panic::catch_unwind(AssertUnwindSafe(|| {
        let record = record_beside(path);
        // One of another run may be there, and this one need not record.
        match fs::remove_file(&record) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let text = session::tell_of_copy(cut, &record).ok_or(io::ErrorKind::NotFound)?;
        session::write_whole(path, &text)
    }));
    let code = match written {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => error.raw_os_error().unwrap_or(EIO),
        Err(_) => EIO,
    };
    let _ = parent.write_all(&code.to_le_bytes());
}

/// What the child tells.
fn hear(mut child: UnixStream) -> io::Result<()> {
    child.set_read_timeout(Some(PATIENCE))?;
    let mut code = [0; 4];
    child
        .read_exact(&mut code)
        .map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => io::ErrorKind::TimedOut.into(),
            _ => error,
        })?;
    match c_int::from_le_bytes(code) {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}
