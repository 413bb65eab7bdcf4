//! `ThreadPool`.

use crate::broadcast::{broadcast_at, detached as detached_on_all, instances};
use crate::engine::{self, Size};
use crate::join::join_at;
use crate::spawn::detached;
use crate::{Scope, ScopeFifo};
use rayon_core_real as real;
use real::{BroadcastContext, Yield};
use std::error::Error;
use std::fmt;
use std::panic::Location;
use workspan_rt::{pause, Call, Group, Handoff, Kind};

/// A pool of threads; as rayon's `ThreadPool`.
pub struct ThreadPool {
    real: real::ThreadPool,
    size: Size,
}

/// The number of threads of the present pool: the assumed number of cores, if its size is rayon's default.
pub fn current_num_threads() -> usize {
    engine::prepare();
    answered(engine::present_pool(), real::current_num_threads)
}

fn answered(size: Size, real: impl FnOnce() -> usize) -> usize {
    match workspan_rt::assumed_cores() {
        Some(cores) if size == Size::Default => cores.max(real()),
        _ => real(),
    }
}

impl ThreadPool {
    pub(crate) fn new_from(real: real::ThreadPool, size: Size) -> Self {
        Self { real, size }
    }

    /// Builds a pool; as rayon's `ThreadPool::new`.
    ///
    /// # Errors
    /// As rayon's.
    #[deprecated(note = "Use `ThreadPoolBuilder::build`")]
    #[allow(deprecated)]
    pub fn new(configuration: crate::Configuration) -> Result<ThreadPool, Box<dyn Error>> {
        configuration.build()
    }

    /// Runs `op` in the pool and waits for it.
    pub fn install<OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce() -> R + Send,
        R: Send,
    {
        Handoff::run(|handoff| match handoff {
            Some(handoff) => self.real.install(|| handoff.call(op)),
            None => self.real.install(op),
        })
    }

    /// Runs `op` on every thread of the pool.
    #[track_caller]
    pub fn broadcast<OP, R>(&self, op: OP) -> Vec<R>
    where
        OP: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        broadcast_at(Location::caller(), op, |op| self.real.broadcast(op))
    }

    /// The number of threads of the pool: the assumed number of cores, if its size is rayon's default.
    pub fn current_num_threads(&self) -> usize {
        answered(self.size, || self.real.current_num_threads())
    }

    /// Index of the calling thread in this pool.
    pub fn current_thread_index(&self) -> Option<usize> {
        self.real.current_thread_index()
    }

    /// Whether the calling thread of this pool has tasks in its queue.
    pub fn current_thread_has_pending_tasks(&self) -> Option<bool> {
        self.real.current_thread_has_pending_tasks()
    }

    /// `join` in the pool.
    #[track_caller]
    pub fn join<A, B, RA, RB>(&self, oper_a: A, oper_b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        let location = Location::caller();
        self.install(|| join_at(location, oper_a, oper_b))
    }

    /// `scope` in the pool.
    #[track_caller]
    pub fn scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R + Send,
        R: Send,
    {
        let call = Call::new::<OP>(Kind::Scope, Location::caller());
        self.install(|| {
            Group::run(call, |group| {
                real::scope(|scope| Scope::enter(group, scope, op))
            })
        })
    }

    /// `scope_fifo` in the pool.
    #[track_caller]
    pub fn scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
        R: Send,
    {
        let call = Call::new::<OP>(Kind::Scope, Location::caller());
        self.install(|| {
            Group::run(call, |group| {
                real::scope_fifo(|scope| ScopeFifo::enter(group, scope, op))
            })
        })
    }

    /// `in_place_scope` whose tasks run in the pool.
    #[track_caller]
    pub fn in_place_scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R,
    {
        let call = Call::new::<OP>(Kind::Scope, Location::caller());
        Group::run(call, |group| {
            self.real
                .in_place_scope(|scope| Scope::enter(group, scope, op))
        })
    }

    /// `in_place_scope_fifo` whose tasks run in the pool.
    #[track_caller]
    pub fn in_place_scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R,
    {
        let call = Call::new::<OP>(Kind::Scope, Location::caller());
        Group::run(call, |group| {
            self.real
                .in_place_scope_fifo(|scope| ScopeFifo::enter(group, scope, op))
        })
    }

    /// Starts a detached task in the pool.
    #[track_caller]
    pub fn spawn<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        let task = detached::<OP>(Location::caller());
        self.real.spawn(move || engine::run(task, op));
    }

    /// Starts a detached task in the pool, in order with others of the same thread.
    #[track_caller]
    pub fn spawn_fifo<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        let task = detached::<OP>(Location::caller());
        self.real.spawn_fifo(move || engine::run(task, op));
    }

    /// Starts a detached task on every thread of the pool.
    #[track_caller]
    pub fn spawn_broadcast<OP>(&self, op: OP)
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        let seed = detached_on_all::<OP>(Location::caller());
        self.real.spawn_broadcast(instances(seed, op));
    }

    /// Runs another task, if the calling thread is of this pool and there is one.
    pub fn yield_now(&self) -> Option<Yield> {
        self.real.current_thread_index()?;
        pause(|| self.real.yield_now())
    }

    /// Runs another task of the thread's own queue, if it is of this pool and there is one.
    pub fn yield_local(&self) -> Option<Yield> {
        self.real.current_thread_index()?;
        pause(|| self.real.yield_local())
    }
}

impl fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.real.fmt(f)
    }
}
