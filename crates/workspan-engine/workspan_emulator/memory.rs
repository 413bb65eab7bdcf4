//! The emulated program's memory, whose addresses are the emulator's own.
//!
//! The calls for the memory of a process do not fault where there is none. Sandboxes may forbid them (seccomp(2)): the process's
//! memory as a file is the same.

use std::ffi::{c_int, c_long, c_ulong, c_void};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::ptr;

#[repr(C)]
struct Part {
    begin: *mut c_void,
    length: usize,
}

impl Part {
    /// So many bytes of ours, and as many of the program's.
    fn two(own: *mut u8, address: u64, length: usize) -> [Self; 2] {
        [own.cast(), address as *mut c_void].map(|begin| Self { begin, length })
    }
}

extern "C" {
    fn getpid() -> c_int;
    fn process_vm_readv(
        process: c_int,
        own: *const Part,
        own_count: c_ulong,
        others: *const Part,
        others_count: c_ulong,
        flags: c_ulong,
    ) -> c_long;
    fn process_vm_writev(
        process: c_int,
        own: *const Part,
        own_count: c_ulong,
        others: *const Part,
        others_count: c_ulong,
        flags: c_ulong,
    ) -> c_long;
}

/// The word at `address`; `None` if there is none.
pub(crate) fn read(address: u64) -> Option<u64> {
    let mut bytes = [0; 8];
    let [own, others] = Part::two(bytes.as_mut_ptr(), address, bytes.len());
    // SAFETY: `own` is `bytes`, which may be written for its length; what the other part says is
    // checked by the kernel, which fails where there is no memory.
    let count = unsafe { process_vm_readv(getpid(), &own, 1, &others, 1, 0) };
    if count != bytes.len() as c_long {
        file()?.read_exact_at(&mut bytes, address).ok()?;
    }
    Some(u64::from_ne_bytes(bytes))
}

/// Writes `bytes` to `address`, as far as that can be written.
pub(crate) fn write(address: u64, bytes: &[u8]) {
    let [own, others] = Part::two(bytes.as_ptr().cast_mut(), address, bytes.len());
    // SAFETY: `own` is `bytes`, which is only read; the other part is where the program has asked
    // the kernel to write, or a variable of `problem`, and is checked by the kernel.
    let count = unsafe { process_vm_writev(getpid(), &own, 1, &others, 1, 0) };
    if count != bytes.len() as c_long {
        let written = file().map(|file| file.write_all_at(bytes, address));
        // What cannot be written is left: an answer that does not come is seen by who asks.
        let _ = written;
    }
}

/// Opened each time: a child of fork(2) has other memory, and the emulated program sees which files are open.
fn file() -> Option<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).open("/proc/self/mem").ok()
}

/// Why the memory cannot be come to, if it cannot.
pub(crate) fn problem() -> Option<&'static str> {
    let mut word = 1_u64;
    let address = ptr::addr_of_mut!(word);
    write(address as u64, &2_u64.to_ne_bytes());
    // SAFETY: `word` is alive. The read is volatile, since the compiler does not know that the word
    // was written.
    let is_written = unsafe { address.read_volatile() } == 2;
    (!is_written || read(address as u64) != Some(2)).then_some(
        "the kernel lets it come to the program's memory neither by process_vm_readv(2) and process_vm_writev(2), which a \
         sandbox may filter (seccomp), nor by /proc/self/mem",
    )
}
