//! What the operating system offers, and what it knows of the process and its threads.

#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    not(target_feature = "crt-static"),
    not(miri),
    not(workspan_sanitizer)
))]
pub(crate) mod c_function;
pub(crate) mod kernel_thread;
pub(crate) mod mappings;
pub(crate) mod memory_limit;
pub(crate) mod message;
pub(crate) mod output;
pub(crate) mod presence;
pub(crate) mod process_end;
pub(crate) mod processors;
pub(crate) mod rseq;
pub(crate) mod semaphore;
pub(crate) mod sync;
pub(crate) mod tally;
