//! What counters need of the kernel.

use super::Event;
use std::ffi::c_int;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64};

/// The calls of the kernel, and the one instruction, that counters need.
pub trait Kernel {
    /// Opens a counter of `event` in the calling thread, which counts from now on. Returns its
    /// descriptor.
    ///
    /// # Errors
    /// The kernel's error number.
    fn open(&self, event: &Event) -> Result<c_int, c_int>;

    /// The number of the counter behind `file`, which no other has; `None` if there is none: the
    /// program may have closed the descriptor, and opened something else that has its number now.
    fn identity(&self, file: c_int) -> Option<u64>;

    /// What the counter has counted.
    ///
    /// # Errors
    /// The kernel's error number.
    fn read(&self, file: c_int) -> Result<Reading, c_int>;

    /// The page through which the thread can read the counter itself; `None` if that is not
    /// allowed.
    fn map(&self, file: c_int) -> Option<*const Page>;

    /// Unmaps the page. It must not be read any more.
    fn unmap(&self, page: *const Page);

    /// Reads the processor's counter `index`, which belongs to the calling thread.
    fn processor_counter(&self, index: u32) -> i64;

    /// Closes the counter.
    fn close(&self, file: c_int);

    /// How much the kernel withholds from users: `perf_event_paranoid`.
    fn paranoia(&self) -> Option<i32>;
}

/// What a counter has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Reading {
    /// The number of events.
    pub count: u64,
    /// Nanoseconds for which the counter was enabled, ...
    pub enabled: u64,
    /// ... and for which it ran, because the processor had room for it.
    pub running: u64,
}

impl Reading {
    /// How often the event has happened: if the counter took turns with others, the count is of
    /// part of the time, and is scaled to all of it.
    pub fn scaled(self) -> u64 {
        match self.running {
            0 => 0,
            running if running >= self.enabled => self.count,
            running => (self.count as f64 * self.enabled as f64 / running as f64) as u64,
        }
    }

    /// Whether the counter was enabled, but never ran.
    pub fn never_ran(self) -> bool {
        self.running == 0 && self.enabled > 0
    }

    /// Whether the counter took turns with others.
    pub fn is_shared(self) -> bool {
        self.running < self.enabled
    }
}

/// The beginning of the page that the kernel keeps for each counter (`struct perf_event_mmap_page`,
/// linux/perf_event.h).
#[repr(C)]
#[derive(Debug, Default)]
pub struct Page {
    /// Of the structure.
    pub version: AtomicU32,
    /// Of the structure.
    pub compatible_version: AtomicU32,
    /// Odd, or changed, while the kernel writes.
    pub lock: AtomicU32,
    /// The processor's counter, from 1; 0: none at present.
    pub index: AtomicU32,
    /// To be added to the value of the processor's counter.
    pub offset: AtomicI64,
    /// As in [`Reading`].
    pub enabled: AtomicU64,
    /// As in [`Reading`].
    pub running: AtomicU64,
    /// What is allowed: [`Page::READABLE`].
    pub capabilities: AtomicU64,
    /// How many bits the processor's counter has, in the lower half.
    pub width: AtomicU32,
}

impl Page {
    /// The bit of [`Page::capabilities`] that allows `rdpmc` (`cap_user_rdpmc`).
    pub const READABLE: u64 = 1 << 2;
}
