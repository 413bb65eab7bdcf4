//! What counters need of the kernel.

use super::Event;
use std::ffi::c_int;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64};

/// The calls of the kernel, and the one instruction, that counters are made of.
pub trait Kernel {
    /// Opens a counter of `event` in the calling thread, which counts from now on. Gives back its file.
    ///
    /// # Errors
    /// The kernel's number of why not.
    fn open(&self, event: &Event) -> Result<c_int, c_int>;

    /// The number of the counter behind `file`, which no other has; `None` if there is none: the program may have closed the
    /// descriptor, and opened something else that has its number now.
    fn identity(&self, file: c_int) -> Option<u64>;

    /// What the counter has counted.
    ///
    /// # Errors
    /// The kernel's number of why it cannot be read.
    fn read(&self, file: c_int) -> Result<Reading, c_int>;

    /// The page by which the thread can read the counter itself; `None` where that is not allowed.
    fn map(&self, file: c_int) -> Option<*const Page>;

    /// Gives the page back. It may not be read any more.
    fn unmap(&self, page: *const Page);

    /// Reads the processor's counter `index`, which belongs to the calling thread.
    fn processor_counter(&self, index: u32) -> i64;

    /// Closes the counter.
    fn close(&self, file: c_int);

    /// How much the kernel keeps from users: `perf_event_paranoid`.
    fn paranoia(&self) -> Option<i32>;
}

/// What a counter has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Reading {
    /// So many events.
    pub count: u64,
    /// Nanoseconds for which the counter was wanted, ...
    pub enabled: u64,
    /// ... and for which the processor had room for it.
    pub running: u64,
}

impl Reading {
    /// How often the event has happened: where the counter shared its place with others, the count is of a part of the
    /// time, and stands for all of it.
    pub fn scaled(self) -> u64 {
        match self.running {
            0 => 0,
            running if running >= self.enabled => self.count,
            running => (self.count as f64 * self.enabled as f64 / running as f64) as u64,
        }
    }

    /// Whether the counter was wanted, and never had a place.
    pub fn never_ran(self) -> bool {
        self.running == 0 && self.enabled > 0
    }

    /// Whether the counter shared its place.
    pub fn is_shared(self) -> bool {
        self.running < self.enabled
    }
}

/// The begin of the page that the kernel keeps for each counter (`struct perf_event_mmap_page`, linux/perf_event.h).
#[repr(C)]
#[derive(Debug, Default)]
pub struct Page {
    /// Of the structure.
    pub version: AtomicU32,
    /// Of the structure.
    pub compatible_version: AtomicU32,
    /// Odd, or another than before, while the kernel writes.
    pub lock: AtomicU32,
    /// The processor's counter, from 1; 0: none has it now.
    pub index: AtomicU32,
    /// To be added to what the processor's counter has.
    pub offset: AtomicI64,
    /// As of [`Reading`].
    pub enabled: AtomicU64,
    /// As of [`Reading`].
    pub running: AtomicU64,
    /// What is allowed: [`Page::READABLE`].
    pub capabilities: AtomicU64,
    /// How many bits the processor's counter has: in the lower half.
    pub width: AtomicU32,
}

impl Page {
    /// The bit of [`Page::capabilities`] that allows `rdpmc` (`cap_user_rdpmc`).
    pub const READABLE: u64 = 1 << 2;
}
