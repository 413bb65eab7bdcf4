//! A semaphore that a signal handler may post: POSIX's, in plain memory.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_uint};
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Initialised once, before anybody posts or waits.
pub(crate) struct Semaphore(UnsafeCell<[u64; 8]>);

// SAFETY: only the C library's functions touch the memory, and they may be called by several
// threads.
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

    /// Makes it usable. False if the system has no semaphores.
    ///
    /// # Safety
    /// It is called once, and returns before anything else is called.
    pub(crate) unsafe fn prepare(&self) -> bool {
        // SAFETY: `sem_t` has 32 bytes on 64-bit Linux, and this has 64; nobody uses it yet
        // (`# Safety`).
        unsafe { sem_init(self.memory(), 0, 0) == 0 }
    }

    /// Wakes a waiting thread, or else the next one to wait. A signal handler may call it.
    pub(crate) fn post(&self) {
        // SAFETY: who posts has prepared it (see the type), and sem_post(3) may be called in a
        // signal handler.
        unsafe { sem_post(self.memory()) };
    }

    /// Waits for a post, but no longer than `limit`, or until a signal is handled.
    ///
    /// # Errors
    /// Of kind [`io::ErrorKind::TimedOut`] or [`io::ErrorKind::Interrupted`], and others where the
    /// system has no semaphores.
    pub(crate) fn wait(&self, limit: Duration) -> io::Result<()> {
        let deadline = SystemTime::now() + limit;
        let deadline = deadline.duration_since(UNIX_EPOCH).unwrap_or_default();
        let deadline = [
            deadline.as_secs() as i64,
            i64::from(deadline.subsec_nanos()),
        ];
        // SAFETY: who waits has prepared it (see the type); the call only reads `deadline`, which
        // is as large as `timespec`, two longs on 64-bit Linux.
        match unsafe { sem_timedwait(self.memory(), &deadline) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}
