//! The entry points while idle time is measured: `WORKSPAN_IDLE=FILE`.
//!
//! Scheduling is rayon's. A call from outside the pool moves into it first, so that everything that
//! runs there runs in a task known to the engine.

use crate::engine::prepare_idle;
use crate::waiting::has_tasks;
use crate::FnContext;
use rayon_core_real as real;
use workspan_rt::idle::{self, Awaited, Worker};

#[inline]
pub(crate) fn join_context<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    match idle::worker() {
        Some(owner) => join_of(owner, oper_a, oper_b),
        None => join_from_elsewhere(oper_a, oper_b),
    }
}

#[inline(always)]
fn join_of<A, B, RA, RB>(owner: Worker, oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    let join = Awaited::new(Some(owner));
    let _end = End(&join);
    real::join_context(
        |context| {
            let _wait = Wait(&join);
            oper_a(context.into())
        },
        |context| {
            if context.migrated() {
                return join.task(None, has_tasks, || oper_b(context.into()));
            }
            join.keep();
            oper_b(context.into())
        },
    )
}

#[cold]
#[inline(never)]
fn join_from_elsewhere<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    if real::current_thread_index().is_some() {
        // A handler of a pool's thread, not a task.
        return real::join_context(|a| oper_a(a.into()), |b| oper_b(b.into()));
    }
    enter(|| {
        // As rayon reports for both branches of a call from outside.
        let migrated = || FnContext::new(true);
        match idle::worker() {
            Some(owner) => join_of(owner, |_| oper_a(migrated()), |_| oper_b(migrated())),
            None => real::join_context(|_| oper_a(migrated()), |_| oper_b(migrated())),
        }
    })
}

/// Runs `op` on a thread of the present pool: the calling one, or if that is in no pool, one of the
/// global pool.
pub(crate) fn in_pool<R: Send>(op: impl FnOnce() -> R + Send) -> R {
    if real::current_thread_index().is_some() {
        return op();
    }
    enter(op)
}

/// Runs `op` on a thread of the global pool, from outside.
fn enter<R: Send>(op: impl FnOnce() -> R + Send) -> R {
    prepare_idle();
    let since = idle::now();
    elsewhere(|| real::scope(|_| idle::handed_over(since, has_tasks, op)))
}

/// Runs `op` in `pool`.
pub(crate) fn install<R: Send>(pool: &real::ThreadPool, op: impl FnOnce() -> R + Send) -> R {
    if pool.current_thread_index().is_some() {
        return op();
    }
    let since = idle::now();
    elsewhere(|| pool.install(|| idle::handed_over(since, has_tasks, op)))
}

/// Runs `call`, in which the calling thread waits for other threads.
pub(crate) fn elsewhere<R>(call: impl FnOnce() -> R) -> R {
    let owner = idle::worker();
    let awaited = Awaited::elsewhere(owner);
    let _end = End(&awaited);
    awaited.wait(has_tasks);
    call()
}

/// Runs `execute`, which runs a scope's body by way of [`body`] and waits for its tasks.
pub(crate) fn scope<R>(execute: impl FnOnce(&Awaited) -> R) -> R {
    let scope = Awaited::new(idle::worker());
    let _end = End(&scope);
    execute(&scope)
}

pub(crate) fn body<R>(scope: &Awaited, body: impl FnOnce() -> R) -> R {
    let _wait = Wait(scope);
    body()
}

/// Makes the owner wait when dropped, even if its own part unwinds: rayon waits then, too.
struct Wait<'a>(&'a Awaited);

impl Drop for Wait<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.wait(has_tasks);
    }
}

/// Makes the owner continue when dropped.
struct End<'a>(&'a Awaited);

impl Drop for End<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.end();
    }
}
