//! The emulated program's memory, whose addresses are the emulator's own.

use std::ffi::{c_int, c_long, c_ulong, c_void};

#[repr(C)]
struct Part {
    begin: *mut c_void,
    length: usize,
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
    let own = Part {
        begin: bytes.as_mut_ptr().cast(),
        length: bytes.len(),
    };
    let others = Part {
        begin: address as *mut c_void,
        length: bytes.len(),
    };
    // SAFETY: the kernel checks both parts; our own is alive.
    let count = unsafe { process_vm_readv(getpid(), &own, 1, &others, 1, 0) };
    (count == bytes.len() as c_long).then(|| u64::from_ne_bytes(bytes))
}

/// Writes `bytes` to `address`, as far as that can be written.
pub(crate) fn write(address: u64, bytes: &[u8]) {
    let own = Part {
        begin: bytes.as_ptr().cast_mut().cast(),
        length: bytes.len(),
    };
    let others = Part {
        begin: address as *mut c_void,
        length: bytes.len(),
    };
    // SAFETY: as above; the program has passed the address to be written to.
    unsafe { process_vm_writev(getpid(), &own, 1, &others, 1, 0) };
}
