//! Linux.

use super::{Event, Kernel, Page, Reading};
use std::ffi::{c_int, c_long, c_ulong, c_void};
use std::ptr;
use std::sync::atomic::Ordering;

/// The running kernel. Except on 64-bit Linux it counts nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Linux;

/// `struct perf_event_attr` of the second version (linux/perf_event.h): its fields up to `config2`.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    type_number: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint_type: u32,
    config1: u64,
    config2: u64,
}

/// Readings include the times for which a counter was enabled, and ran.
const TIMES: u64 = 1 | 2;
const EXCLUDE_USER: u64 = 1 << 4;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
/// The file is closed on exec.
const CLOSE_ON_EXEC: c_ulong = 1 << 3;

#[cfg(target_arch = "x86_64")]
const PERF_EVENT_OPEN: Option<c_long> = Some(298);
#[cfg(any(target_arch = "aarch64", target_arch = "riscv64"))]
const PERF_EVENT_OPEN: Option<c_long> = Some(241);
#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "riscv64"
)))]
const PERF_EVENT_OPEN: Option<c_long> = None;

const ENOSYS: c_int = 38;
const EIO: c_int = 5;

extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
    fn read(file: c_int, buffer: *mut c_void, size: usize) -> isize;
    fn close(file: c_int) -> c_int;
    fn ioctl(file: c_int, request: c_ulong, ...) -> c_int;
    fn mmap(
        address: *mut c_void,
        size: usize,
        protection: c_int,
        flags: c_int,
        file: c_int,
        offset: i64,
    ) -> *mut c_void;
    fn munmap(address: *mut c_void, size: usize) -> c_int;
    fn getpagesize() -> c_int;
}

fn last_error() -> c_int {
    std::io::Error::last_os_error()
        .raw_os_error()
        .unwrap_or(EIO)
}

impl Kernel for Linux {
    fn open(&self, event: &Event) -> Result<c_int, c_int> {
        let number = PERF_EVENT_OPEN
            .filter(|_| cfg!(target_os = "linux"))
            .ok_or(ENOSYS)?;
        let (type_number, config, without_user, without_kernel) = event.attributes();
        let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
        let attributes = Attributes {
            type_number,
            size: std::mem::size_of::<Attributes>() as u32,
            config: config[0],
            config1: config[1],
            read_format: TIMES,
            flags: EXCLUDE_HYPERVISOR
                | flag(without_user, EXCLUDE_USER)
                | flag(without_kernel, EXCLUDE_KERNEL),
            ..Attributes::default()
        };
        let (this_thread, any_processor, no_group): (c_int, c_int, c_int) = (0, -1, -1);
        // SAFETY: the kernel reads as many bytes of `attributes` as its `size` says; the other
        // arguments are numbers.
        let file = unsafe {
            syscall(
                number,
                &attributes as *const Attributes,
                this_thread,
                any_processor,
                no_group,
                CLOSE_ON_EXEC,
            )
        };
        c_int::try_from(file)
            .ok()
            .filter(|file| *file >= 0)
            .ok_or_else(last_error)
    }

    fn identity(&self, file: c_int) -> Option<u64> {
        /// `PERF_EVENT_IOC_ID`; only counters know it.
        const ASK_IDENTITY: c_ulong = 0x8008_2407;
        let mut identity = 0_u64;
        // SAFETY: if the file is a counter, the kernel writes the 8 bytes of `identity`; of any
        // other file the call fails.
        let failed = unsafe { ioctl(file, ASK_IDENTITY, &mut identity as *mut u64) } != 0;
        (!failed).then_some(identity)
    }

    #[inline]
    fn read(&self, file: c_int) -> Result<Reading, c_int> {
        let mut reading = Reading::default();
        let size = std::mem::size_of::<Reading>();
        // SAFETY: the kernel writes at most `size` bytes, which `reading` has.
        let length = unsafe { read(file, (&mut reading as *mut Reading).cast(), size) };
        match length {
            _ if length < 0 => Err(last_error()),
            _ if length as usize == size => Ok(reading),
            // A counter that the kernel has given up has nothing to read.
            _ => Err(EIO),
        }
    }

    fn map(&self, file: c_int) -> Option<*const Page> {
        const READ: c_int = 1;
        const SHARED: c_int = 1;
        if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
            return None;
        }
        // SAFETY: the call replaces no other mapping, since the kernel chooses the place.
        let page = unsafe { mmap(ptr::null_mut(), page_size(), READ, SHARED, file, 0) };
        // `MAP_FAILED` is -1.
        if page as isize == -1 {
            return None;
        }
        let page: *const Page = page.cast();
        // SAFETY: the page has just been mapped and is larger than the structure, and the field is
        // an atomic, since the kernel may write it.
        let capabilities = unsafe { (*page).capabilities.load(Ordering::Relaxed) };
        if capabilities & Page::READABLE != 0 {
            return Some(page);
        }
        self.unmap(page);
        None
    }

    fn unmap(&self, page: *const Page) {
        // SAFETY: the mapping has this size (`map`), and whoever gives it back reads it no more.
        unsafe { munmap(page as *mut c_void, page_size()) };
    }

    #[inline]
    fn processor_counter(&self, index: u32) -> i64 {
        #[cfg(target_arch = "x86_64")]
        {
            let (low, high): (u32, u32);
            // SAFETY: the counter's page says that this thread may read this counter by `rdpmc`,
            // which changes nothing but the two registers.
            unsafe {
                std::arch::asm!(
                    "rdpmc",
                    in("ecx") index,
                    out("eax") low,
                    out("edx") high,
                    options(nomem, nostack, preserves_flags)
                );
            }
            (u64::from(high) << 32 | u64::from(low)) as i64
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let _ = index;
            0
        }
    }

    fn close(&self, file: c_int) {
        // SAFETY: the descriptor is that of a counter (`Counter::has_file`), which nobody uses
        // after this.
        unsafe { close(file) };
    }

    fn paranoia(&self) -> Option<i32> {
        let level = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").ok()?;
        level.trim().parse().ok()
    }
}

fn page_size() -> usize {
    // SAFETY: getpagesize(2) takes nothing and touches no memory.
    unsafe { getpagesize() }.max(1) as usize
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::super::{Counter, Problem};
    use super::*;
    use std::hint::black_box;

    const PAGES: usize = 300;

    /// Touches new pages, each once.
    fn touch() {
        let size = PAGES * page_size();
        let (read_write, shared_anonymous) = (3, 0x21);
        // SAFETY: the call makes a mapping of its own, of which only its own bytes are written
        // before it is given back.
        unsafe {
            let memory = mmap(ptr::null_mut(), size, read_write, shared_anonymous, -1, 0);
            assert_ne!(memory as isize, -1);
            for page in 0..PAGES {
                *memory.cast::<u8>().add(page * page_size()) = 1;
            }
            munmap(memory, size);
        }
    }

    /// The kernel's own events can be counted wherever counters are allowed.
    #[test]
    fn page_faults_are_counted() {
        let counter = match Counter::open(&Event::named("page-faults").unwrap(), Linux) {
            Ok(counter) => counter,
            Err(problem @ (Problem::Forbidden { .. } | Problem::NoCall { .. })) => {
                crate::skip::skip("kernel-counters", &problem.to_string());
                return;
            }
            Err(problem) => panic!("{problem}"),
        };
        let before = counter.count();
        touch();
        let faults = counter.count() - before;
        // The kernel makes no large pages of shared memory. Sanitizers use memory of their own for
        // the program's.
        let most = if cfg!(workspan_sanitizer) { 5 } else { 1 } * PAGES + 20;
        assert!((PAGES as u64..most as u64).contains(&faults), "{faults}");
        assert!(!counter.is_shared());
    }

    /// Where the processor's counters are accessible: as many instructions as a loop has, and twice
    /// as many in a loop twice as long.
    #[test]
    fn instructions_are_counted_where_they_can_be() {
        let counter = match Counter::open(&Event::named("instructions").unwrap(), Linux) {
            Ok(counter) => counter,
            Err(problem) => {
                crate::skip::skip("hardware-counters", &problem.to_string());
                return;
            }
        };
        let loop_of = |rounds: u64| {
            let before = counter.count();
            for round in 0..rounds {
                black_box(round);
            }
            counter.count() - before
        };
        loop_of(10);
        let (once, twice) = (loop_of(1_000_000), loop_of(2_000_000));
        eprintln!(
            "ran: {once} instructions, read directly: {}",
            counter.is_read_directly()
        );
        let ratio = twice as f64 / once as f64;
        assert!(
            (1.9..2.1).contains(&ratio) && once >= 1_000_000,
            "{once} {twice}"
        );
    }
}
