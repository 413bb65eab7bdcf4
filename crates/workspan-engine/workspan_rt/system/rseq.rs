//! Has this thread left the processor?
//!
//! Linux lets a thread register a small area (rseq(2)), and glibc 2.35 and later do so for every
//! thread. Its field `rseq_cs` points to the description of a restartable sequence, and the kernel
//! clears it when it takes the thread off the processor outside of that sequence. So a pointer to
//! an empty sequence, stored once, shows later whether the thread has stayed, for the price of one
//! load. A program that uses restartable sequences of its own may overwrite the pointer; then the
//! thread seems to have left, which costs a look at the kernel's accounts and nothing else.
//!
//! There are two empty sequences, so that a thread which has left can be watched anew while the
//! pointer to the first one still shows that it did.

use std::cell::Cell;

/// What the kernel reads of a critical section (`struct rseq_cs`).
#[repr(C, align(32))]
struct Section {
    version: u32,
    flags: u32,
    start: u64,
    length: u64,
    abort: u64,
}

/// An empty sequence.
#[derive(Clone, Copy)]
enum Empty {
    First = 0,
    Second = 1,
}

/// Watches the calling thread, which has [left](Mark::stayed), from now on. False if it cannot.
pub(crate) fn watch_again() -> bool {
    imp::set(Empty::Second)
}

/// Has the calling thread stayed on its processor since [`watch_again`]? False if that is unknown.
pub(crate) fn stayed_again() -> bool {
    imp::is_set(Empty::Second)
}

/// One thread's mark.
#[derive(Default)]
pub(crate) struct Mark(Cell<bool>);

impl Mark {
    /// Begins to watch the calling thread.
    pub(crate) fn set(&self) {
        self.0.set(imp::set(Empty::First));
    }

    /// Is the calling thread watched?
    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        self.0.get()
    }

    /// Has the calling thread stayed on its processor since [`Mark::set`]? False if that is
    /// unknown.
    pub(crate) fn stayed(&self) -> bool {
        self.0.get() && imp::is_set(Empty::First)
    }
}

#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    target_arch = "x86_64",
    not(miri)
))]
mod imp {
    use super::{Empty, Section};
    use std::ffi::{c_char, c_void};
    use std::sync::atomic::{AtomicPtr, Ordering};
    use std::sync::OnceLock;

    /// The signature with which glibc registers on x86-64. The kernel requires it before the
    /// address that a section aborts to, and kills a process whose section lacks it.
    const SIGNATURE: u32 = 0x5305_3053;
    static ABORT: [u32; 2] = [SIGNATURE, 0];

    extern "C" {
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }

    /// A section that contains no instruction.
    fn nowhere(empty: Empty) -> *mut Section {
        static NOWHERE: OnceLock<[usize; 2]> = OnceLock::new();
        let sections = NOWHERE.get_or_init(|| {
            let abort = std::ptr::addr_of!(ABORT[1]) as u64;
            let section = |_| {
                Box::into_raw(Box::new(Section {
                    version: 0,
                    flags: 0,
                    start: abort,
                    length: 0,
                    abort,
                })) as usize
            };
            [0, 1].map(section)
        });
        sections[empty as usize] as *mut Section
    }

    /// Offset of the thread's area from the thread pointer, if glibc has registered one.
    fn offset() -> Option<isize> {
        static OFFSET: OnceLock<Option<isize>> = OnceLock::new();
        *OFFSET.get_or_init(|| {
            // SAFETY: both names are C strings, and with a null handle dlsym(3) looks in the whole
            // program.
            let [offset, size] = unsafe {
                [c"__rseq_offset", c"__rseq_size"]
                    .map(|name| dlsym(std::ptr::null_mut(), name.as_ptr()))
            };
            if offset.is_null() || size.is_null() {
                return None;
            }
            // SAFETY: neither is null, so these are glibc's two constants, of these types; the size
            // is 0 if it has not registered an area.
            unsafe { (*size.cast::<u32>() > 0).then(|| *offset.cast::<isize>()) }
        })
    }

    fn field() -> Option<&'static AtomicPtr<Section>> {
        const RSEQ_CS: isize = 8;
        let offset = offset()?;
        let thread: *mut u8;
        // SAFETY: on x86-64 the word at the thread pointer is the thread pointer; reading it
        // changes nothing.
        unsafe {
            std::arch::asm!("mov {}, fs:0", out(reg) thread, options(nostack, preserves_flags, readonly));
        }
        // SAFETY: the area lies at the offset that glibc tells and lives as long as the thread, on
        // which alone the field is used. It is an aligned word that this thread and the kernel on
        // its behalf write.
        Some(unsafe { &*thread.offset(offset + RSEQ_CS).cast::<AtomicPtr<Section>>() })
    }

    pub(super) fn set(empty: Empty) -> bool {
        let Some(field) = field() else { return false };
        field.store(nowhere(empty), Ordering::Relaxed);
        true
    }

    pub(super) fn is_set(empty: Empty) -> bool {
        field().is_some_and(|field| field.load(Ordering::Relaxed) == nowhere(empty))
    }
}

#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    target_arch = "x86_64",
    not(miri)
)))]
mod imp {
    use super::Empty;

    pub(super) fn set(_: Empty) -> bool {
        let _ = std::mem::size_of::<super::Section>();
        false
    }

    pub(super) fn is_set(_: Empty) -> bool {
        false
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn a_thread_that_sleeps_has_left_and_one_that_runs_on_has_stayed() {
        let mark = Mark::default();
        mark.set();
        if !mark.0.get() {
            crate::skip::skip("rseq", "glibc has not registered it");
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
        assert!(!mark.stayed() && !stayed_again());
        assert!(watch_again() && !mark.stayed());
        std::thread::sleep(Duration::from_millis(1));
        assert!(!stayed_again());
        // A busy machine may take the processor away at any time, but not every time.
        assert!((0..1_000).any(|_| {
            mark.set();
            let start = Instant::now();
            while start.elapsed() < Duration::from_micros(20) {}
            mark.stayed()
        }));
    }
}
