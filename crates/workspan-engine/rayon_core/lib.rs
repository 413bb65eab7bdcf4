//! Stands in for `rayon-core` in a build that workspan profiles.
//!
//! Scheduling stays rayon's own: every entry point calls the real one (`rayon_core_real`) and
//! reports to the engine (`workspan_rt`) where strands begin and end. With the engine off, nothing
//! else happens, unless the process was started with one of two other variables in its environment:
//! * `WORKSPAN_IDLE=FILE`: the time that the pools' threads wait for work is measured (`idle`);
//! * `WORKSPAN_ELISION=1`: everything runs on the calling thread, and no pool has threads
//!   (`elision`).
//!
//! Two things differ from the real crate while a profile is taken or idle time is measured:
//! * in pools of default size, [`current_num_threads`] returns the assumed number of cores, so that
//!   parallel iterators are split as they would be on that machine;
//! * stacks of pool threads are four times as large, since each level of a recursion needs room for
//!   an account.

#![cfg_attr(not(doctest), warn(missing_docs))]

mod account;
mod branches;
mod broadcast;
mod builder;
mod calibration;
mod configuration;
mod context;
mod elision;
mod engine;
mod idle;
mod join;
mod membership;
mod pool;
mod scope;
mod spawn;
mod waiting;

pub use broadcast::{broadcast, spawn_broadcast};
pub use builder::{CustomSpawn, DefaultSpawn, ThreadPoolBuilder, ThreadSpawn};
#[allow(deprecated)]
pub use configuration::{initialize, Configuration};
pub use context::{BroadcastContext, FnContext};
pub use join::{join, join_context};
pub use pool::{current_num_threads, ThreadPool};
pub use rayon_core_real::{max_num_threads, ThreadBuilder, ThreadPoolBuildError, Yield};
pub use scope::{in_place_scope, in_place_scope_fifo, scope, scope_fifo, Scope, ScopeFifo};
pub use spawn::{spawn, spawn_fifo};
pub use waiting::{current_thread_has_pending_tasks, current_thread_index, yield_local, yield_now};
