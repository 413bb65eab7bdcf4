//! Strands that end at the boundaries of constructs, and the constructs: those that a runtime's
//! interface wraps in closures, and those of the program itself, its threads and regions.

pub(crate) mod fork;
mod group;
pub(crate) mod handoff;
pub mod region;
pub(crate) mod serial;
mod stretch_end;
mod suspect_strand;
pub(crate) mod task;
// Sanitizers interpose the same functions; a build with one sets the last condition.
#[cfg_attr(
    not(all(
        target_os = "linux",
        target_env = "gnu",
        not(target_feature = "crt-static"),
        not(miri),
        not(workspan_sanitizer)
    )),
    path = "user_thread/unseen.rs"
)]
pub(crate) mod user_thread;
