//! Tasks on every thread of a pool.

use crate::account::{run, Account};
use crate::elision::Pool;
use crate::engine;
use crate::{idle, BroadcastContext};
use rayon_core_real as real;
use std::panic::Location;
use workspan_rt::{mode, Call, Group, Kind, Mode, Seed};

/// Runs `op` on every thread of the present pool and returns all results; like rayon's `broadcast`.
///
/// That means every real thread, whatever the assumed number of cores.
#[track_caller]
pub fn broadcast<OP, R>(op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    let location = Location::caller();
    engine::prepare_spawn();
    broadcast_at(location, op, |op| real::broadcast(op))
}

pub(crate) fn broadcast_at<OP, R>(
    location: &'static Location<'static>,
    op: OP,
    broadcast: impl FnOnce(&(dyn Fn(real::BroadcastContext<'_>) -> R + Sync)) -> Vec<R>,
) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
{
    match mode() {
        Mode::Plain => broadcast(&|context| op(context.into())),
        Mode::Profile => {
            let call = Call::new::<OP>(Kind::Broadcast, location);
            Group::run(call, |group| match group {
                Some(group) => broadcast(&|context| run(group.member(), || op(context.into()))),
                None => broadcast(&|context| op(context.into())),
            })
        }
        Mode::Idle => {
            idle::elsewhere(|| broadcast(&|context| Account::Idle(None).run(|| op(context.into()))))
        }
        Mode::Elision => vec![op(BroadcastContext::alone())],
    }
}

/// Starts a detached task on every thread of the present pool; like rayon's `spawn_broadcast`.
#[track_caller]
pub fn spawn_broadcast<OP>(op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    if mode() == Mode::Elision {
        return Pool::global().run_detached(|| op(BroadcastContext::alone()));
    }
    engine::prepare_spawn();
    let seed = detached::<OP>(Location::caller());
    real::spawn_broadcast(instances(seed, op));
}

pub(crate) fn detached<OP>(location: &'static Location<'static>) -> Option<Seed> {
    Seed::detached(Call::new::<OP>(Kind::Spawn, location))
}

/// `op`, with each call run as a task.
pub(crate) fn instances<OP>(
    seed: Option<Seed>,
    op: OP,
) -> impl Fn(real::BroadcastContext<'_>) + Send + Sync + 'static
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    move |context| Account::instance(&seed).run(|| op(context.into()))
}
