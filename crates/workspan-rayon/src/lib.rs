//! What stands in for `rayon-core` in a build that workspan profiles.
//!
//! Scheduling stays rayon's own: every entry point calls the real one (`rayon_core_real`) and tells the engine
//! (`workspan_rt`) where strands begin and end. With the engine off, nothing else happens.
//!
//! Two things differ from the real crate while a profile is taken:
//! * in pools of default size, [`current_num_threads`] answers the assumed number of cores, so that parallel
//!   iterators are cut as they would be on that machine;
//! * stacks of pool threads are four times as large, since each level of a recursion keeps an account.

#![cfg_attr(not(doctest), warn(missing_docs))]

mod broadcast;
mod builder;
mod engine;
mod join;
mod pool;
mod scope;
mod spawn;
mod waiting;

pub use broadcast::{broadcast, spawn_broadcast};
#[allow(deprecated)]
pub use builder::{initialize, Configuration};
pub use builder::{CustomSpawn, DefaultSpawn, ThreadPoolBuilder, ThreadSpawn};
pub use join::{join, join_context};
pub use pool::{current_num_threads, ThreadPool};
pub use rayon_core_real::{
    current_thread_has_pending_tasks, current_thread_index, max_num_threads, BroadcastContext,
    FnContext, ThreadBuilder, ThreadPoolBuildError, Yield,
};
pub use scope::{in_place_scope, in_place_scope_fifo, scope, scope_fifo, Scope, ScopeFifo};
pub use spawn::{spawn, spawn_fifo};
pub use waiting::{yield_local, yield_now};
