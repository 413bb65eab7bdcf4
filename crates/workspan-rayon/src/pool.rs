//! `ThreadPool`.

use crate::broadcast::{broadcast_at, detached as detached_on_all, instances};
use crate::elision;
use crate::engine::{self, Account, Size};
use crate::idle;
use crate::join::join_at;
use crate::scope::Body;
use crate::{BroadcastContext, Scope, ScopeFifo};
use rayon_core_real as real;
use real::Yield;
use std::error::Error;
use std::fmt;
use std::panic::Location;
use workspan_rt::{mode, pause, Call, Handoff, Kind, Mode};

/// A pool of threads; as rayon's `ThreadPool`.
pub struct ThreadPool {
    behind: Behind,
    size: Size,
}

/// What is behind a pool.
enum Behind {
    Real(real::ThreadPool),
    /// No threads: everything runs where it is called.
    InPlace(elision::Pool),
}

/// The number of threads of the present pool: the assumed number of cores, if its size is rayon's default.
pub fn current_num_threads() -> usize {
    match mode() {
        Mode::Elision => return 1,
        Mode::Profile | Mode::Idle => engine::prepare(),
        Mode::Plain => {}
    }
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
        if mode() == Mode::Idle {
            workspan_rt::idle::note_pool(real.current_num_threads());
        }
        Self {
            behind: Behind::Real(real),
            size,
        }
    }

    /// A pool without threads.
    pub(crate) fn in_place(pool: elision::Pool) -> Self {
        Self {
            behind: Behind::InPlace(pool),
            size: Size::Chosen,
        }
    }

    /// The real pool, if it has threads.
    fn real(&self) -> Option<&real::ThreadPool> {
        match &self.behind {
            Behind::Real(real) => Some(real),
            Behind::InPlace(_) => None,
        }
    }

    /// The real pool, where nothing runs in place, for the tasks of a scope whose body the calling thread runs.
    fn threads_for<OP>(&self, body: &Body<OP>) -> &real::ThreadPool {
        let pool = self
            .real()
            .expect("pools without threads are built while everything runs in place");
        if pool.current_thread_index().is_none() {
            body.scatter();
        }
        pool
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
        let Some(real) = self.real() else {
            return op();
        };
        match mode() {
            Mode::Idle => idle::install(real, op),
            _ => Handoff::run(|handoff| match handoff {
                Some(handoff) => real.install(|| handoff.call(op)),
                None => real.install(op),
            }),
        }
    }

    /// Runs `op` on every thread of the pool.
    #[track_caller]
    pub fn broadcast<OP, R>(&self, op: OP) -> Vec<R>
    where
        OP: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        let Some(real) = self.real() else {
            return vec![op(BroadcastContext::alone())];
        };
        broadcast_at(Location::caller(), op, |op| real.broadcast(op))
    }

    /// The number of threads of the pool: the assumed number of cores, if its size is rayon's default.
    pub fn current_num_threads(&self) -> usize {
        let Some(real) = self.real() else { return 1 };
        answered(self.size, || real.current_num_threads())
    }

    /// Index of the calling thread in this pool.
    pub fn current_thread_index(&self) -> Option<usize> {
        self.real()
            .map_or(Some(0), real::ThreadPool::current_thread_index)
    }

    /// Whether the calling thread of this pool has tasks in its queue.
    pub fn current_thread_has_pending_tasks(&self) -> Option<bool> {
        self.real().map_or(
            Some(false),
            real::ThreadPool::current_thread_has_pending_tasks,
        )
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
            Scope::run(call, op, |body| {
                real::scope(|scope| Scope::enter(body, scope))
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
            ScopeFifo::run(call, op, |body| {
                real::scope_fifo(|scope| ScopeFifo::enter(body, scope))
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
        Scope::run(call, op, |body| {
            self.threads_for(&body)
                .in_place_scope(|scope| Scope::enter(body, scope))
        })
    }

    /// `in_place_scope_fifo` whose tasks run in the pool.
    #[track_caller]
    pub fn in_place_scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R,
    {
        let call = Call::new::<OP>(Kind::Scope, Location::caller());
        ScopeFifo::run(call, op, |body| {
            self.threads_for(&body)
                .in_place_scope_fifo(|scope| ScopeFifo::enter(body, scope))
        })
    }

    /// Starts a detached task in the pool.
    #[track_caller]
    pub fn spawn<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        match &self.behind {
            Behind::InPlace(pool) => pool.run_detached(op),
            Behind::Real(real) => {
                let account = Account::detached::<OP>(Location::caller());
                real.spawn(move || account.run(op));
            }
        }
    }

    /// Starts a detached task in the pool, in order with others of the same thread.
    #[track_caller]
    pub fn spawn_fifo<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        match &self.behind {
            Behind::InPlace(pool) => pool.run_detached(op),
            Behind::Real(real) => {
                let account = Account::detached::<OP>(Location::caller());
                real.spawn_fifo(move || account.run(op));
            }
        }
    }

    /// Starts a detached task on every thread of the pool.
    #[track_caller]
    pub fn spawn_broadcast<OP>(&self, op: OP)
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        match &self.behind {
            Behind::InPlace(pool) => pool.run_detached(|| op(BroadcastContext::alone())),
            Behind::Real(real) => {
                let seed = detached_on_all::<OP>(Location::caller());
                real.spawn_broadcast(instances(seed, op));
            }
        }
    }

    /// Runs another task, if the calling thread is of this pool and there is one.
    pub fn yield_now(&self) -> Option<Yield> {
        let Some(real) = self.real() else {
            return Some(Yield::Idle);
        };
        real.current_thread_index()?;
        pause(|| real.yield_now())
    }

    /// Runs another task of the thread's own queue, if it is of this pool and there is one.
    pub fn yield_local(&self) -> Option<Yield> {
        let Some(real) = self.real() else {
            return Some(Yield::Idle);
        };
        real.current_thread_index()?;
        pause(|| real.yield_local())
    }
}

impl fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.behind {
            Behind::Real(real) => real.fmt(f),
            Behind::InPlace(_) => f
                .debug_struct("ThreadPool")
                .field("num_threads", &1)
                .finish_non_exhaustive(),
        }
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        if let Behind::Real(real) = &self.behind {
            let threads = real.current_num_threads();
            workspan_rt::end_pool(threads);
            if mode() == Mode::Idle {
                workspan_rt::idle::drop_pool(threads);
            }
        }
    }
}
