//! Limits of the process (setrlimit(2)).

/// May the process have only so much address space (`ulimit -v`)? Then what is reserved in case it is needed may be what the program
/// lacks.
#[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
pub fn limits_memory() -> bool {
    use std::ffi::c_int;
    extern "C" {
        fn getrlimit(resource: c_int, limit: *mut [u64; 2]) -> c_int;
    }
    const ADDRESS_SPACE: c_int = 9;
    let mut limit = [u64::MAX; 2];
    // SAFETY: `struct rlimit` is two unsigned longs, the limit that counts first; the buffer outlives the call.
    let failed = unsafe { getrlimit(ADDRESS_SPACE, &mut limit) } != 0;
    !failed && limit[0] != u64::MAX
}

/// Here nobody knows.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64", not(miri))))]
pub fn limits_memory() -> bool {
    false
}
