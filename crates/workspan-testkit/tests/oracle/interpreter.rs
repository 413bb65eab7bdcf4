//! Runs a program on the real scheduler, under the engine, with the virtual clock.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use workspan_rayon::{FnContext, Scope, ScopeFifo, ThreadPool};
use workspan_rt::{clock, region, sample_here};
use workspan_testkit::{Block, Construct, PoolNumber, Setting, Site, Statement};

use crate::calls;

/// The pools of a [`Setting`]. They live as long as the process, since detached tasks may hold them.
pub struct Pools {
    /// All but the global one, in its place nothing.
    pools: Vec<Option<ThreadPool>>,
    detached: AtomicUsize,
}

impl Pools {
    /// Builds the pools, the global one excepted.
    pub fn build(setting: &Setting) -> &'static Pools {
        let pools = (0..)
            .zip(&setting.pools)
            .map(|(number, &threads): (PoolNumber, _)| {
                (number > 0).then(|| {
                    workspan_rayon::ThreadPoolBuilder::new()
                        .num_threads(threads)
                        .stack_size(16 << 20)
                        .build()
                        .expect("threads can be started")
                })
            })
            .collect();
        Box::leak(Box::new(Pools {
            pools,
            detached: AtomicUsize::new(0),
        }))
    }

    fn get(&self, number: Option<PoolNumber>) -> Option<&ThreadPool> {
        number.map(|number| {
            self.pools[number]
                .as_ref()
                .expect("a program names no global pool")
        })
    }
}

/// What `is_sampled` is asked with.
static SAMPLED: AtomicU64 = AtomicU64::new(0);

/// Has a sample fall behind one in `every` pieces of work from now on, with their ticks as its weight; 0: none.
pub fn sample(every: u64) {
    SAMPLED.store(every, Ordering::Relaxed);
}

/// Does a sample fall behind a piece of work of `ticks`? Those of a program are the same on every schedule.
pub fn is_sampled(ticks: u64, every: u64) -> bool {
    every > 0 && ticks > 0 && (ticks / 4).is_multiple_of(every)
}

/// Works for `ticks`.
fn work(ticks: u64) {
    clock::advance(ticks as i64);
    if is_sampled(ticks, SAMPLED.load(Ordering::Relaxed)) {
        sample_here(ticks, ticks as usize);
    }
}

/// What a `Panic` statement unwinds with.
struct Unwinding;

/// A scope that the running block may spawn into, and those around it.
pub trait Enclosing<'p>: Sync {
    /// Spawns `body` at `site`.
    fn spawn(&self, site: Site, body: &'p Block);

    /// The scope around this one, as far as its tasks can name it.
    fn outer(&self) -> Option<&dyn Enclosing<'p>>;
}

type Scopes<'a, 'p> = Option<&'a dyn Enclosing<'p>>;

/// A scope, and what its tasks can see.
struct Opened<'r, 'scope, 'p, S> {
    scope: &'r S,
    outer: Scopes<'scope, 'p>,
    pools: &'static Pools,
}

macro_rules! enclosing {
    ($scope:ident, $spawn:ident, $spawn_broadcast:ident) => {
        impl<'p: 'scope, 'scope> Enclosing<'p> for Opened<'_, 'scope, 'p, $scope<'scope>> {
            fn spawn(&self, site: Site, body: &'p Block) {
                let (outer, pools) = (self.outer, self.pools);
                let task = move |scope: &$scope<'scope>| {
                    let opened = Opened {
                        scope,
                        outer,
                        pools,
                    };
                    run(body, pools, Some(&opened));
                };
                if site.construct.spawns_on_each_thread() {
                    calls::$spawn_broadcast(site.index, self.scope, move |scope, thread| {
                        work(thread as u64);
                        task(scope);
                    });
                } else {
                    calls::$spawn(site.index, self.scope, task);
                }
            }

            fn outer(&self) -> Option<&dyn Enclosing<'p>> {
                self.outer
            }
        }
    };
}

enclosing!(Scope, spawn, spawn_broadcast);
enclosing!(ScopeFifo, spawn_fifo, spawn_broadcast_fifo);

/// Runs a program from the calling thread. An uncaught panic ends it.
pub fn run_program(program: &Block, pools: &'static Pools) {
    catching(|| run(program, pools, None));
}

fn catching(body: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(body))
        && !payload.is::<Unwinding>()
    {
        resume_unwind(payload);
    }
}

fn run<'p>(block: &'p [Statement], pools: &'static Pools, scopes: Scopes<'_, 'p>) {
    for statement in block {
        step(statement, pools, scopes);
    }
}

fn step<'a, 'p: 'a>(statement: &'p Statement, pools: &'static Pools, scopes: Scopes<'a, 'p>) {
    match statement {
        Statement::Work(ticks) => {
            work(*ticks);
            // Virtual work takes no time in which another thread could steal.
            if ticks.is_multiple_of(4) {
                std::thread::yield_now();
            }
        }
        Statement::Join {
            site,
            pool,
            left,
            right,
        } => {
            let pool = pools.get(*pool);
            if site.construct == Construct::Join {
                calls::join(
                    site.index,
                    pool,
                    || run(left, pools, scopes),
                    || run(right, pools, scopes),
                );
            } else {
                calls::join_context(
                    site.index,
                    pool,
                    |_: FnContext| run(left, pools, scopes),
                    |_: FnContext| run(right, pools, scopes),
                );
            }
        }
        Statement::Scope { site, pool, body } => {
            let pool = pools.get(*pool);
            let lifo = |scope: &Scope<'a>| enter(scope, body, pools, scopes);
            let fifo = |scope: &ScopeFifo<'a>| enter(scope, body, pools, scopes);
            match site.construct {
                Construct::Scope => calls::scope(site.index, pool, lifo),
                Construct::ScopeFifo => calls::scope_fifo(site.index, pool, fifo),
                Construct::InPlaceScope => calls::in_place_scope(site.index, pool, lifo),
                _ => calls::in_place_scope_fifo(site.index, pool, fifo),
            }
        }
        Statement::Spawn { site, level, body } => {
            let mut target = scopes.expect("a spawn stands in a scope");
            for _ in 0..*level {
                target = target.outer().expect("a spawn names an enclosing scope");
            }
            target.spawn(*site, body);
        }
        Statement::Detached { site, pool, body } => {
            detached(*site, pools.get(*pool), body, pools);
        }
        Statement::Region { site, body } => {
            struct End(u64);
            impl Drop for End {
                fn drop(&mut self) {
                    region::end(self.0);
                }
            }
            let _end = End(region::begin(&site.to_string(), ("program", 1, 1)));
            run(body, pools, scopes);
        }
        Statement::Install { pool, body } => {
            let pool = pools.get(Some(*pool)).expect("a pool was named");
            pool.install(|| run(body, pools, scopes));
        }
        Statement::Broadcast {
            site,
            pool,
            ticks,
            panics,
        } => calls::broadcast(site.index, pools.get(*pool), |thread| {
            work(*ticks + thread as u64);
            if *panics {
                resume_unwind(Box::new(Unwinding));
            }
        }),
        Statement::Yield { local: false } => _ = workspan_rayon::yield_now(),
        Statement::Yield { local: true } => _ = workspan_rayon::yield_local(),
        // Not `panic!`, which would print a message for each.
        Statement::Panic => resume_unwind(Box::new(Unwinding)),
        Statement::Catch { body } => catching(|| run(body, pools, scopes)),
        Statement::AwaitDetached => {
            while pools.detached.load(Ordering::Acquire) > 0 {
                std::thread::yield_now();
            }
        }
    }
}

fn detached(site: Site, pool: Option<&ThreadPool>, body: &Arc<Block>, pools: &'static Pools) {
    let body = Arc::clone(body);
    let task = move || {
        run(&body, pools, None);
        pools.detached.fetch_sub(1, Ordering::Release);
    };
    let started = |tasks: usize| pools.detached.fetch_add(tasks, Ordering::Relaxed);
    match site.construct {
        Construct::Detached => {
            started(1);
            calls::detached(site.index, pool, task);
        }
        Construct::DetachedFifo => {
            started(1);
            calls::detached_fifo(site.index, pool, task);
        }
        _ => {
            // No core is assumed here, so that this is the number of threads.
            started(pool.map_or_else(
                workspan_rayon::current_num_threads,
                ThreadPool::current_num_threads,
            ));
            calls::detached_broadcast(site.index, pool, move |thread| {
                work(thread as u64);
                task();
            });
        }
    }
}

fn enter<'scope, 'p, S>(
    scope: &S,
    body: &'p Block,
    pools: &'static Pools,
    outer: Scopes<'scope, 'p>,
) where
    for<'r> Opened<'r, 'scope, 'p, S>: Enclosing<'p>,
{
    let opened = Opened {
        scope,
        outer,
        pools,
    };
    run(body, pools, Some(&opened));
}
