//! What the kernel knows of a thread: its number, and for what it waits.
//!
//! Many a program that handles SIGINT leaves that to a thread: the handler posts a semaphore, or
//! writes to a pipe, for which the thread waits. While all other threads wait, nothing but a signal
//! lets that thread go on.

use std::ffi::{c_int, OsStr};
use std::fs;
use std::path::{Path, PathBuf};

/// The numbers of read(2) and futex(2).
#[cfg(target_arch = "x86_64")]
const READ: u64 = 0;
#[cfg(target_arch = "x86_64")]
const FUTEX: u64 = 202;
#[cfg(not(target_arch = "x86_64"))]
const READ: u64 = 63;
#[cfg(not(target_arch = "x86_64"))]
const FUTEX: u64 = 98;

/// Calls of the kernel that nothing is passed to but numbers.
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(miri)
))]
mod kernel {
    use std::ffi::{c_int, c_long};

    extern "C" {
        fn syscall(number: c_long, ...) -> c_long;
    }
    #[cfg(target_arch = "x86_64")]
    const GETTID: c_long = 186;
    #[cfg(target_arch = "aarch64")]
    const GETTID: c_long = 178;
    #[cfg(target_arch = "x86_64")]
    const TGKILL: c_long = 234;
    #[cfg(target_arch = "aarch64")]
    const TGKILL: c_long = 131;
    #[cfg(target_arch = "x86_64")]
    const WAITID: c_long = 247;
    #[cfg(target_arch = "aarch64")]
    const WAITID: c_long = 95;

    pub(super) fn own_number() -> c_int {
        // SAFETY: gettid(2) takes nothing, and touches no memory of ours.
        (unsafe { syscall(GETTID) }) as c_int
    }

    pub(super) fn is_of(process: u32, thread: c_int) -> bool {
        const NO_SIGNAL: c_int = 0;
        // SAFETY: without a signal, tgkill(2) only looks whether there is such a thread.
        (unsafe { syscall(TGKILL, process, thread, NO_SIGNAL) }) == 0
    }

    /// Whether the process has a child that it has not waited for: without one, waitid(2) fails.
    pub(super) fn has_children() -> bool {
        /// Any child (`P_ALL`).
        const ANY: c_long = 0;
        /// One that has ended, without blocking until one has, and so that it can still be waited
        /// for (`WEXITED`, `WNOHANG`, `WNOWAIT`).
        const LOOK: c_long = 4 | 1 | 0x0100_0000;
        let none: c_long = 0;
        // SAFETY: waitid(2) writes nothing where it gets null pointers.
        (unsafe { syscall(WAITID, ANY, none, none, LOOK, none) }) == 0
    }
}

/// Nothing is known here: no thread has this number.
#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(miri)
)))]
mod kernel {
    pub(super) fn own_number() -> std::ffi::c_int {
        0
    }

    pub(super) fn is_of(_: u32, _: std::ffi::c_int) -> bool {
        false
    }

    pub(super) fn has_children() -> bool {
        true
    }
}

/// The calling thread's number.
pub(crate) fn own_number() -> c_int {
    kernel::own_number()
}

/// Whether a thread of `process` has this number. May be called in a signal handler, and changes `errno`.
pub(crate) fn is_of(process: u32, thread: c_int) -> bool {
    kernel::is_of(process, thread)
}

/// Whether the calling thread is the process's first; where that is not known, it is taken to be.
pub fn is_first_thread() -> bool {
    let number = own_number();
    number == 0 || u32::try_from(number) == Ok(std::process::id())
}

/// Whether the thread with this number waits, without a limit, for what this process does: for a
/// futex of its own, or, while it has no child process, for input from a pipe that it can write to.
pub(crate) fn awaits_own_process(number: c_int) -> bool {
    Call::of(number).is_some_and(|call| {
        call.is_unlimited_wait() || call.pipe_read().is_some_and(|pipe| is_written_here(&pipe))
    })
}

/// A call of the kernel that a thread is in.
struct Call {
    number: u64,
    arguments: [u64; 6],
}

impl Call {
    /// `None` if the thread is in no call, or if the kernel does not say.
    fn of(thread: c_int) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/self/task/{thread}/syscall")).ok()?;
        let mut words = text.split_whitespace();
        let number = words.next()?.parse().ok()?;
        let mut arguments = [0; 6];
        for argument in &mut arguments {
            *argument = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
        }
        Some(Self { number, arguments })
    }

    /// Whether it waits for a futex that no other process has, until a thread or a signal handler
    /// wakes it.
    fn is_unlimited_wait(&self) -> bool {
        const PRIVATE: u64 = 0x80;
        const OPERATION: u64 = 0x7F;
        const WAIT: u64 = 0;
        const WAIT_BITSET: u64 = 9;
        let [_, operation, _, limit, ..] = self.arguments;
        self.number == FUTEX
            && operation & PRIVATE != 0
            && matches!(operation & OPERATION, WAIT | WAIT_BITSET)
            && limit == 0
    }

    /// The pipe from which it reads, by the name that the kernel gives it.
    fn pipe_read(&self) -> Option<PathBuf> {
        if self.number != READ || kernel::has_children() {
            return None;
        }
        let descriptor = self.arguments[0] as c_int;
        let file = fs::read_link(format!("/proc/self/fd/{descriptor}")).ok()?;
        file.to_str()?.starts_with("pipe:").then_some(file)
    }
}

fn is_written_here(pipe: &Path) -> bool {
    let descriptors = fs::read_dir("/proc/self/fd").into_iter().flatten();
    descriptors.flatten().any(|descriptor| {
        fs::read_link(descriptor.path()).is_ok_and(|file| file == pipe)
            && is_for_writing(&descriptor.file_name()) == Some(true)
    })
}

fn is_for_writing(descriptor: &OsStr) -> Option<bool> {
    const MODE: u32 = 3;
    let about = fs::read_to_string(Path::new("/proc/self/fdinfo").join(descriptor)).ok()?;
    let flags = about.lines().find_map(|line| line.strip_prefix("flags:"))?;
    Some(u32::from_str_radix(flags.trim(), 8).ok()? & MODE != 0)
}

#[cfg(all(
    test,
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(miri)
))]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::fd::FromRawFd;
    use std::process::{Command, Stdio};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    /// An operation of futex(2).
    const PRIVATE_WAKE: u64 = 0x81;

    /// Whether a thread counts that is in the call `number`, in which `wait` waits until `release`.
    fn counts<R>(number: u64, wait: impl FnOnce() -> R + Send, release: impl FnOnce()) -> bool {
        let (send, numbers) = channel();
        thread::scope(|scope| {
            scope.spawn(move || {
                send.send(own_number()).unwrap();
                wait();
            });
            let thread = numbers.recv().unwrap();
            // It may still be waking this thread.
            let waits = |call: Call| call.number == number && call.arguments[1] != PRIVATE_WAKE;
            while !Call::of(thread).is_some_and(waits) {
                thread::yield_now();
            }
            let result = awaits_own_process(thread);
            release();
            result
        })
    }

    fn pipe() -> (File, File) {
        extern "C" {
            fn pipe(ends: *mut [c_int; 2]) -> c_int;
        }
        let mut ends = [-1; 2];
        // SAFETY: the call only writes `ends`, which is as large as it wants.
        assert_eq!(unsafe { pipe(&mut ends) }, 0);
        // SAFETY: the descriptors are new, and nobody else has them.
        ends.map(|end| unsafe { File::from_raw_fd(end) }).into()
    }

    fn a_pipe_counts_if_the_process_can_write_to_it() {
        let (mut from, mut to) = pipe();
        let wait = move || from.read(&mut [0]).unwrap();
        assert!(counts(READ, wait, || to.write_all(&[0]).unwrap()));
        let mut other = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, mut from) = (other.stdin.take(), other.stdout.take().unwrap());
        let wait = move || from.read(&mut [0]).unwrap();
        assert!(!counts(READ, wait, || drop(to)));
        other.wait().unwrap();
    }

    fn a_futex_counts_if_there_is_no_limit() {
        let (send, receive) = channel();
        let wait = move || receive.recv().unwrap();
        assert!(counts(FUTEX, wait, || send.send(()).unwrap()));
        let (send, receive) = channel();
        let wait = move || receive.recv_timeout(Duration::from_secs(3_600)).unwrap();
        assert!(!counts(FUTEX, wait, || send.send(()).unwrap()));
    }

    #[test]
    fn waits_for_the_process_itself_count() {
        if !Path::new("/proc/self/syscall").exists() {
            let why = "this kernel does not show in which call a thread is";
            return crate::skip::skip("proc-syscall", why);
        }
        a_pipe_counts_if_the_process_can_write_to_it();
        a_futex_counts_if_there_is_no_limit();
    }
}
