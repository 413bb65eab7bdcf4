//! `scope` and its relatives.

use crate::engine;
use rayon_core_real as real;
use real::BroadcastContext;
use std::fmt;
use std::panic::Location;
use std::ptr;
use workspan_rt::{Call, Group, Kind, Task};

/// The real scope behind ours, and the account of its tasks.
struct Handle<S> {
    real: *const S,
    /// Null when the engine was off at the scope's start.
    group: *const Group,
}

impl<S> Clone for Handle<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Handle<S> {}

// SAFETY: both are only ever used as shared references to `Sync` types, while the scope that they belong to
// has not returned: its body and its tasks are what holds them.
unsafe impl<S: Sync> Send for Handle<S> {}
// SAFETY: as above.
unsafe impl<S: Sync> Sync for Handle<S> {}

impl<S> Handle<S> {
    fn new(real: &S, group: Option<&Group>) -> Self {
        Self {
            real,
            group: group.map_or(ptr::null(), ptr::from_ref),
        }
    }

    fn group(&self) -> Option<&Group> {
        // SAFETY: null, or a group that outlives the scope's body and tasks.
        unsafe { self.group.as_ref() }
    }

    fn real(&self) -> &S {
        // SAFETY: the real scope outlives its body and tasks.
        unsafe { &*self.real }
    }
}

macro_rules! scope_type {
    ($(#[$doc:meta])* $name:ident, $spawn:ident) => {
        $(#[$doc])*
        pub struct $name<'scope> {
            handle: Handle<real::$name<'scope>>,
        }

        impl<'scope> $name<'scope> {
            fn new(handle: Handle<real::$name<'scope>>) -> Self {
                Self { handle }
            }

            /// Runs `body` as the body of the real scope `real`, whose tasks `group` accounts for.
            pub(crate) fn enter<R>(
                group: Option<&Group>,
                real: &real::$name<'scope>,
                body: impl FnOnce(&Self) -> R,
            ) -> R {
                let body = || body(&Self::new(Handle::new(real, group)));
                match group {
                    Some(group) => group.body(body),
                    None => body(),
                }
            }

            /// Spawns a task that the scope awaits.
            #[track_caller]
            pub fn $spawn<BODY>(&self, body: BODY)
            where
                BODY: FnOnce(&$name<'scope>) + Send + 'scope,
            {
                let call = Call::new::<BODY>(Kind::Spawn, Location::caller());
                let task = self.handle.group().and_then(|group| group.spawn(call));
                self.handle.real().$spawn(move |scope| {
                    let group = task.as_ref().map_or(ptr::null(), Task::group);
                    let handle = Handle { real: ptr::from_ref(scope), group };
                    engine::run(task, || body(&$name::new(handle)))
                });
            }

            /// Spawns a task on each thread of the scope's pool; the scope awaits them.
            #[track_caller]
            pub fn spawn_broadcast<BODY>(&self, body: BODY)
            where
                BODY: Fn(&$name<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
            {
                let call = Call::new::<BODY>(Kind::Spawn, Location::caller());
                let seed = self.handle.group().and_then(|group| group.seed(call));
                self.handle.real().spawn_broadcast(move |scope, context| {
                    let task = seed.as_ref().map(|seed| seed.instance());
                    let group = task.as_ref().map_or(ptr::null(), Task::group);
                    let handle = Handle { real: ptr::from_ref(scope), group };
                    engine::run(task, || body(&$name::new(handle), context))
                });
            }
        }

        impl fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.handle.real().fmt(f)
            }
        }
    };
}

scope_type! {
    /// A block that awaits the tasks spawned into it; as rayon's `Scope`.
    Scope, spawn
}
scope_type! {
    /// A [`Scope`] whose tasks start in the order in which they were spawned; as rayon's `ScopeFifo`.
    ScopeFifo, spawn_fifo
}

/// Runs `op` with a scope into which tasks can be spawned, and awaits them; as rayon's `scope`.
#[track_caller]
pub fn scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R + Send,
    R: Send,
{
    let call = Call::new::<OP>(Kind::Scope, Location::caller());
    engine::prepare();
    Group::run(call, |group| {
        real::scope(|scope| Scope::enter(group, scope, op))
    })
}

/// Runs `op` with a scope into which tasks can be spawned, and awaits them; as rayon's `scope_fifo`.
#[track_caller]
pub fn scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
    R: Send,
{
    let call = Call::new::<OP>(Kind::Scope, Location::caller());
    engine::prepare();
    Group::run(call, |group| {
        real::scope_fifo(|scope| ScopeFifo::enter(group, scope, op))
    })
}

/// Runs `op` with a scope into which tasks can be spawned, and awaits them; as rayon's `in_place_scope`.
#[track_caller]
pub fn in_place_scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R,
{
    let call = Call::new::<OP>(Kind::Scope, Location::caller());
    engine::prepare();
    Group::run(call, |group| {
        real::in_place_scope(|scope| Scope::enter(group, scope, op))
    })
}

/// Runs `op` with a scope into which tasks can be spawned, and awaits them; as rayon's `in_place_scope_fifo`.
#[track_caller]
pub fn in_place_scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R,
{
    let call = Call::new::<OP>(Kind::Scope, Location::caller());
    engine::prepare();
    Group::run(call, |group| {
        real::in_place_scope_fifo(|scope| ScopeFifo::enter(group, scope, op))
    })
}
