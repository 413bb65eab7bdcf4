//! A semaphore that a signal handler may post: POSIX's, in memory alone.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_uint};
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Initialised once, before anybody posts or waits.
pub(crate) struct Semaphore(UnsafeCell<[u64; 8]>);

// SAFETY: only the C library's functions touch the memory, and they are made for several threads.
unsafe impl Sync for Semaphore {}

extern "C" {
    fn sem_init(semaphore: *mut u64, shared: c_int, value: c_uint) -> c_int;
    fn sem_post(semaphore: *mut u64) -> c_int;
    fn sem_timedwait(semaphore: *mut u64, deadline: *const [i64; 2]) -> c_int;
}

impl Semaphore {
    pub(crate) const fn new() -> Self {
        Self(UnsafeCell::new([0; 8]))
    }

    fn memory(&self) -> *mut u64 {
        self.0.get().cast()
    }

    /// Makes it usable. False if the system has no such thing.
    ///
    /// # Safety
    /// Once, and before all other calls.
    pub(crate) unsafe fn prepare(&self) -> bool {
        // SAFETY: `sem_t` has 32 bytes on 64-bit Linux, and this static more.
        unsafe { sem_init(self.memory(), 0, 0) == 0 }
    }

    /// Wakes one who waits, or the next. A signal handler may call it.
    pub(crate) fn post(&self) {
        // SAFETY: prepared; sem_post(3) is async-signal-safe.
        unsafe { sem_post(self.memory()) };
    }

    /// Waits for a post, but no longer than `limit`, or until a signal is handled.
    ///
    /// # Errors
    /// Of kind [`io::ErrorKind::TimedOut`] or [`io::ErrorKind::Interrupted`], and others where there is no such thing.
    pub(crate) fn wait(&self, limit: Duration) -> io::Result<()> {
        let deadline = SystemTime::now() + limit;
        let deadline = deadline.duration_since(UNIX_EPOCH).unwrap_or_default();
        let deadline = [
            deadline.as_secs() as i64,
            i64::from(deadline.subsec_nanos()),
        ];
        // SAFETY: prepared; `timespec` is two longs on 64-bit Linux, which outlive the call.
        match unsafe { sem_timedwait(self.memory(), &deadline) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}
