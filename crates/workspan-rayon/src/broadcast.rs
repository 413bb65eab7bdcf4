//! Tasks on every thread of a pool.

use crate::engine;
use rayon_core_real as real;
use real::BroadcastContext;
use std::panic::Location;
use workspan_rt::{Call, Group, Kind, Seed};

/// Runs `op` on every thread of the present pool and gives back all results; as rayon's `broadcast`.
///
/// Every thread means every real one, whatever number of cores is assumed.
#[track_caller]
pub fn broadcast<OP, R>(op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    let location = Location::caller();
    engine::prepare();
    broadcast_at(location, op, |op| real::broadcast(op))
}

pub(crate) fn broadcast_at<OP, R>(
    location: &'static Location<'static>,
    op: OP,
    broadcast: impl FnOnce(&(dyn Fn(BroadcastContext<'_>) -> R + Sync)) -> Vec<R>,
) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
{
    Group::run(
        Call::new::<OP>(Kind::Broadcast, location),
        |group| match group {
            Some(group) => broadcast(&|context| engine::run(group.member(), || op(context))),
            None => broadcast(&op),
        },
    )
}

/// Starts a detached task on every thread of the present pool; as rayon's `spawn_broadcast`.
#[track_caller]
pub fn spawn_broadcast<OP>(op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    engine::prepare();
    let seed = detached::<OP>(Location::caller());
    real::spawn_broadcast(instances(seed, op));
}

pub(crate) fn detached<OP>(location: &'static Location<'static>) -> Option<Seed> {
    Seed::detached(Call::new::<OP>(Kind::Spawn, location))
}

/// `op`, each of whose calls is a task.
pub(crate) fn instances<OP>(
    seed: Option<Seed>,
    op: OP,
) -> impl Fn(BroadcastContext<'_>) + Send + Sync + 'static
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    move |context| engine::run(seed.as_ref().map(Seed::instance), || op(context))
}
