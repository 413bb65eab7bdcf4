//! The engine of workspan. It lives inside the profiled process and, while the program runs in
//! parallel, folds the program's work, span and burdened span into a call tree of spawn sites.
//!
//! The engine knows no particular runtime and has no dependencies. An interface to a runtime
//! (`workspan-rayon`, the C library) reports the boundaries between strands by wrapping what it
//! runs in
//!
//! * [`Fork`]: two branches, both awaited (`join`),
//! * [`Group`]: any number of tasks, awaited together (`scope`, `broadcast`),
//! * [`Task`]: one task of a group, or a detached one,
//! * [`Handoff`]: a call that another thread runs (`install`),
//! * [`pause`]: a call during which the thread may run other tasks (`yield_now`).
//!
//! Runtimes that report what they do by callbacks use [`events`].
//!
//! While the engine is off, each of these only runs the program's closures. The engine is off
//! unless the process was started with `WORKSPAN_PROFILE` in its environment (see [`session`]).
//! Without that variable, [`Mode`] says whether the interface has the engine measure the workers'
//! idle time instead ([`idle`]), or runs the program without parallelism.
//!
//! The terms are those of the Cilkview and Cilkprof papers: a *strand* is a sequence of
//! instructions without parallel control; *work* is the sum over all strands, *span* the longest
//! path of dependent strands. A *boundary* is where one strand ends and the next begins, and
//! *bookkeeping* is what the engine does there. All times inside the engine are signed clock ticks
//! ([`clock`]).
//!
//! # Where things stand
//!
//! A folder names, in its code, only those above it; `thread` calls four methods of `Thread` that
//! `sampler` and `constructs` define:
//!
//! | folder | what it holds |
//! |---|---|
//! | `clock` | where time comes from: clocks, the kernel's counters, what a strand is measured in |
//! | `system` | what the operating system offers and knows: files, memory, threads, processors; and primitives that threads share |
//! | `stack` | call stacks, and where code is |
//! | `state` | whether the engine is on, the session that is under way, and what that has set |
//! | `tree` | calls and their sites, the call tree, the counts of its nodes |
//! | `record` | the record of the task dag: its entries, and its file |
//! | `path` | accounts of paths: frames, logs, segments, stretches, where paths meet |
//! | `thread` | what is kept for each thread, the guard around it, where ordinary strands begin and end |
//! | `sampler` | samples of what runs |
//! | `waits` | what strands wait for |
//! | `constructs` | forks, groups, tasks, handoffs, threads of the program, regions; how stretches and suspect strands end |
//! | `functions` | functions that are measured exactly |
//! | `events` | tasks, teams and locks of runtimes that report by calls |
//! | `idle` | idle time, without a profile |
//! | `session` | the start and the end, and what may end it: signals, a standstill; the raw profile |
//!
//! Each method of `Thread` is in the folder of its subject.

#![deny(unsafe_op_in_unsafe_fn)]
// Builds with a sanitizer leave out `constructs/user_thread`, the only caller of some items.
#![cfg_attr(workspan_sanitizer, allow(dead_code))]

pub mod clock;
mod constructs;
pub mod events;
pub mod functions;
pub mod idle;
mod path;
mod record;
mod sampler;
pub mod session;
#[cfg(all(test, target_os = "linux", not(miri)))]
#[path = "../../../tests/skip.rs"]
mod skip;
mod stack;
mod state;
mod system;
mod thread;
mod tree;
// Where the functions that it interposes are not, nothing fills it.
#[cfg_attr(
    not(all(
        target_os = "linux",
        target_env = "gnu",
        any(target_arch = "x86_64", target_arch = "aarch64"),
        not(target_feature = "crt-static"),
        not(miri),
        not(workspan_sanitizer)
    )),
    allow(dead_code)
)]
mod waits;

#[doc(inline)]
pub use clock::counters;
pub use clock::metric::Metric;
pub use constructs::fork::Fork;
pub use constructs::handoff::{pause, Handoff};
pub use constructs::region;
pub use constructs::task::{Seed, Task};
pub use constructs::user_thread::{start_unobserved, tell_runtime_threads};
pub use path::group::Group;
pub use sampler::{atomic, sample_here};
pub use session::calibration::{calibrate_once, Workload};
pub use session::snapshot;
pub use session::{totals, Totals};
pub use state::mode::{mode, Mode};
pub use state::pools::{
    assumed_cores, begin_pool, default_threads, end_pool, note_asked, note_pool,
};
pub use state::process::is_ours;
pub use state::recording::Recording;
pub use state::runtime::Runtime;
pub use state::runtimes::note_runtime;
pub use state::under_way::{active, metric};
pub use system::kernel_thread::is_first_thread;
pub use system::memory_limit::is_memory_limited;
pub use system::message::say;
pub use system::output::{without_signals, Output};
pub use thread::become_worker;
pub use tree::call::{Call, Kind};
pub use tree::MOST_NESTED_SITES;
