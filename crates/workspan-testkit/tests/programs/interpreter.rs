//! Runs a program on the real scheduler, under the engine, with the virtual clock.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use workspan_rayon::{FnContext, Scope, ScopeFifo, ThreadPool};
use workspan_rt::{region, sample_here};
use workspan_testkit::{Block, Construct, PoolNumber, Setting, Site, Statement};

use super::calls;
use super::cost::{self, Body};
use super::thief;

/// The pools of a [`Setting`]. They live as long as the process, since detached tasks may hold
/// them.
pub struct Pools {
    /// By number; `None` in place of the global one.
    pools: Vec<Option<ThreadPool>>,
    yields: bool,
    detached: AtomicUsize,
}

impl Pools {
    /// Builds all pools except the global one. `yields`: whether work lets other threads steal
    /// meanwhile.
    pub fn build(setting: &Setting, yields: bool) -> &'static Pools {
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
            yields,
            detached: AtomicUsize::new(0),
        }))
    }

    /// A pool of the setting, if it has a number.
    pub fn get(&self, number: Option<PoolNumber>) -> Option<&ThreadPool> {
        number.map(|number| {
            self.pools[number]
                .as_ref()
                .expect("a program names no global pool")
        })
    }
}

/// The current `every` for [`is_sampled`].
static SAMPLED: AtomicU64 = AtomicU64::new(0);

/// From now on, takes a sample after one in `every` pieces of work, whose ticks are its weight. 0
/// takes none.
pub fn sample(every: u64) {
    SAMPLED.store(every, Ordering::Relaxed);
}

/// Whether a sample is taken after a piece of work of `ticks`. A program has the same samples on
/// every schedule.
pub fn is_sampled(ticks: u64, every: u64) -> bool {
    every > 0 && ticks > 0 && (ticks / 4).is_multiple_of(every)
}

/// From now on, takes a sample whenever this much work has been done since the last; 0 takes none.
pub fn sample_by_time(period: u64) {
    PERIOD.store(period, Ordering::Relaxed);
    SINCE.store(0, Ordering::Relaxed);
}

static PERIOD: AtomicU64 = AtomicU64::new(0);
static SINCE: AtomicU64 = AtomicU64::new(0);

/// Works for `ticks`, and takes the sample after it, if any.
fn work(ticks: u64) {
    cost::pass(ticks as i64);
    let period = PERIOD.load(Ordering::Relaxed);
    if period > 0 {
        let since = SINCE.fetch_add(ticks, Ordering::Relaxed) + ticks;
        if since >= period {
            SINCE.store(since % period, Ordering::Relaxed);
            sample_here(since / period, 1);
        }
    }
    if is_sampled(ticks, SAMPLED.load(Ordering::Relaxed)) {
        sample_here(ticks, ticks as usize);
    }
}

/// The payload of a `Panic` statement.
struct Unwinding;

/// A scope that the running block may spawn into, and those around it.
pub trait Enclosing<'p>: Sync {
    /// Spawns `body` at `site`.
    fn spawn(&self, site: Site, body: &'p Block);

    /// The scope around this one, as far as its tasks can name it.
    fn outer(&self) -> Option<&dyn Enclosing<'p>>;
}

type Scopes<'a, 'p> = Option<&'a dyn Enclosing<'p>>;

/// A scope, with the outer scopes that its tasks can see.
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
                    let _body = Body::begin();
                    let opened = Opened {
                        scope,
                        outer,
                        pools,
                    };
                    run(body, pools, Some(&opened));
                };
                cost::before_spawn();
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
            // Virtual work takes no real time in which another thread could steal.
            if pools.yields && ticks.is_multiple_of(4) {
                std::thread::yield_now();
            }
        }
        Statement::Join {
            site,
            pool,
            left,
            right,
        } => {
            let branch = |body: &'p [Statement]| {
                let _body = Body::begin();
                run(body, pools, scopes);
            };
            in_pool(pools.get(*pool), |pool| {
                cost::before_boundary();
                if site.construct == Construct::Join {
                    calls::join(site.index, pool, || branch(left), || branch(right));
                } else {
                    let left = |_: FnContext| branch(left);
                    let right = |_: FnContext| branch(right);
                    calls::join_context(site.index, pool, left, right);
                }
            });
        }
        Statement::Scope { site, pool, body } => {
            let pool = pools.get(*pool);
            let lifo = |scope: &Scope<'a>| enter(scope, body, pools, scopes);
            let fifo = |scope: &ScopeFifo<'a>| enter(scope, body, pools, scopes);
            let open = |pool: Option<&ThreadPool>| {
                cost::before_boundary();
                match site.construct {
                    Construct::Scope => calls::scope(site.index, pool, lifo),
                    Construct::ScopeFifo => calls::scope_fifo(site.index, pool, fifo),
                    Construct::InPlaceScope => calls::in_place_scope(site.index, pool, lifo),
                    _ => calls::in_place_scope_fifo(site.index, pool, fifo),
                }
            };
            if site.construct.is_in_place() {
                open(pool);
            } else {
                in_pool(pool, open);
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
                    cost::before_boundary();
                    region::end(self.0);
                }
            }
            cost::before_boundary();
            let _end = End(region::begin(&site.to_string(), ("program", 1, 1)));
            run(body, pools, scopes);
        }
        Statement::Install { pool, body } => {
            let pool = pools.get(Some(*pool)).expect("a pool was named");
            install(pool, || run(body, pools, scopes));
        }
        Statement::Broadcast {
            site,
            pool,
            ticks,
            panics,
        } => {
            cost::before_boundary();
            calls::broadcast(site.index, pools.get(*pool), |thread| {
                let _body = Body::begin();
                work(*ticks + thread as u64);
                if *panics {
                    resume_unwind(Box::new(Unwinding));
                }
            });
        }
        Statement::Yield { local } => {
            // Outside a pool there is nothing to run, so there is no boundary.
            if workspan_rayon::current_thread_index().is_some() {
                cost::before_boundary();
            }
            if *local {
                workspan_rayon::yield_local();
            } else {
                workspan_rayon::yield_now();
            }
        }
        Statement::Steal => thief::steal(),
        // Not `panic!`, which would print a message each time.
        Statement::Panic => resume_unwind(Box::new(Unwinding)),
        Statement::Catch { body } => catching(|| run(body, pools, scopes)),
        Statement::AwaitDetached => {
            while pools.detached.load(Ordering::Acquire) > 0 {
                std::thread::yield_now();
            }
        }
    }
}

/// Hands `call` to the pool and waits for it.
fn install(pool: &ThreadPool, call: impl FnOnce() + Send) {
    cost::before_boundary();
    pool.install(|| {
        let _body = Body::begin();
        call();
    });
}

/// Lets `call` make its call in the pool. A pool's method would begin it between two boundaries,
/// where the program cannot spend their cost; so if they cost anything, the call is installed.
fn in_pool(pool: Option<&ThreadPool>, call: impl FnOnce(Option<&ThreadPool>) + Send) {
    match pool {
        Some(pool) if cost::is_any() => install(pool, || call(None)),
        pool => call(pool),
    }
}

fn detached(site: Site, pool: Option<&ThreadPool>, body: &Arc<Block>, pools: &'static Pools) {
    let body = Arc::clone(body);
    let task = move || {
        let _body = Body::begin();
        run(&body, pools, None);
        pools.detached.fetch_sub(1, Ordering::Release);
    };
    cost::before_spawn();
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
            // No number of cores is assumed here, so this is the number of threads.
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
    let _body = Body::begin();
    run(body, pools, Some(&opened));
}
