//! The limit of the process's address space (setrlimit(2)).

/// Whether the address space of the process is limited (`ulimit -v`). Then what is reserved in case
/// it is needed may be what the program lacks.
#[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
pub fn is_memory_limited() -> bool {
    use std::ffi::c_int;
    extern "C" {
        fn getrlimit(resource: c_int, limit: *mut [u64; 2]) -> c_int;
    }
    const ADDRESS_SPACE: c_int = 9;
    let mut limit = [u64::MAX; 2];
    // SAFETY: the call only writes `limit`, which is as large as `struct rlimit`, two unsigned
    // longs.
    let failed = unsafe { getrlimit(ADDRESS_SPACE, &mut limit) } != 0;
    !failed && limit[0] != u64::MAX
}

/// Unknown here.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64", not(miri))))]
pub fn is_memory_limited() -> bool {
    false
}
