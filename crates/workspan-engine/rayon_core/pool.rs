//! `ThreadPool`, and how one is built.

use crate::account::Account;
use crate::broadcast::{broadcast_at, detached as detached_on_all, instances};
use crate::builder::{ThreadPoolBuilder, ThreadSpawn};
use crate::calibration::calibrate;
use crate::elision;
use crate::engine;
use crate::idle;
use crate::join::join_at;
use crate::membership::{self, Size};
use crate::scope::Body;
use crate::{BroadcastContext, Scope, ScopeFifo};
use rayon_core_real as real;
use real::{ThreadBuilder, ThreadPoolBuildError, Yield};
use std::fmt;
use std::panic::Location;
use std::thread;
use workspan_rt::{mode, pause, start_unobserved, Call, Handoff, Kind, Mode};

/// A pool of threads; like rayon's `ThreadPool`.
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

/// The number of threads of the present pool, or the assumed number of cores if the pool's size is
/// rayon's default.
pub fn current_num_threads() -> usize {
    match mode() {
        Mode::Elision => return 1,
        Mode::Profile | Mode::Idle => engine::prepare(),
        Mode::Plain => {}
    }
    answered(membership::present_pool(), real::current_num_threads)
}

fn answered(size: Size, real: impl FnOnce() -> usize) -> usize {
    match workspan_rt::assumed_cores() {
        Some(cores) if size == Size::Default => {
            workspan_rt::note_asked(None);
            cores.max(real())
        }
        cores => {
            let threads = real();
            if cores.is_some() {
                workspan_rt::note_asked(Some(threads));
            }
            threads
        }
    }
}

impl ThreadPool {
    fn new_from(real: real::ThreadPool, size: Size) -> Self {
        if mode() == Mode::Idle {
            workspan_rt::idle::note_pool(real.current_num_threads());
        }
        Self {
            behind: Behind::Real(real),
            size,
        }
    }

    /// A pool without threads.
    fn in_place(pool: elision::Pool) -> Self {
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

    /// The real pool, for the tasks of a scope whose body the calling thread runs. Only for modes
    /// in which nothing runs in place.
    fn threads_for<OP>(&self, body: &Body<OP>) -> &real::ThreadPool {
        let pool = self
            .real()
            .expect("pools without threads are built while everything runs in place");
        if pool.current_thread_index().is_none() {
            body.scatter();
        }
        pool
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

    /// The number of threads of the pool, or the assumed number of cores if the pool's size is
    /// rayon's default.
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

    /// Runs another task, if the calling thread belongs to this pool and there is one.
    pub fn yield_now(&self) -> Option<Yield> {
        let Some(real) = self.real() else {
            return Some(Yield::Idle);
        };
        real.current_thread_index()?;
        pause(|| real.yield_now())
    }

    /// Runs another task of the thread's own queue, if the thread belongs to this pool and there is
    /// one.
    pub fn yield_local(&self) -> Option<Yield> {
        let Some(real) = self.real() else {
            return Some(Yield::Idle);
        };
        real.current_thread_index()?;
        pause(|| real.yield_local())
    }
}

impl ThreadPoolBuilder {
    /// Builds a pool whose threads may borrow, runs `with_pool` with it, and ends it; like rayon's.
    ///
    /// # Errors
    /// If the pool cannot be built.
    pub fn build_scoped<W, F, R>(self, wrapper: W, with_pool: F) -> Result<R, ThreadPoolBuildError>
    where
        W: Fn(ThreadBuilder) + Sync,
        F: FnOnce(&ThreadPool) -> R,
    {
        thread::scope(|scope| {
            let start = |builder: ThreadBuilder| {
                let mut thread = thread::Builder::new();
                if let Some(name) = builder.name() {
                    thread = thread.name(name.to_owned());
                }
                if let Some(size) = builder.stack_size() {
                    thread = thread.stack_size(size);
                }
                thread.spawn_scoped(scope, || wrapper(builder)).map(drop)
            };
            // The pool ends before the scope, which waits for the threads.
            self.spawn_handler(start)
                .build()
                .map(|pool| with_pool(&pool))
        })
    }
}

impl<S: ThreadSpawn> ThreadPoolBuilder<S> {
    /// Builds a pool.
    ///
    /// # Errors
    /// If its threads cannot be started, or the current one is in a pool already.
    pub fn build(self) -> Result<ThreadPool, ThreadPoolBuildError> {
        if mode() == Mode::Elision {
            return Ok(ThreadPool::in_place(elision::Pool::new(self.panic_handler)));
        }
        calibrate();
        let (size, current) = (self.size(), self.use_current_thread);
        let (builder, spawn) = self.into_real();
        let pool = start_unobserved(|| spawn.build(builder))?;
        if current {
            membership::join_pool_in_place(size);
        }
        membership::note_pool(pool.current_num_threads(), size);
        Ok(ThreadPool::new_from(pool, size))
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
