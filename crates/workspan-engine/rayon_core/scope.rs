//! `scope` and its relatives.

use crate::account::run;
use crate::elision::Panics;
use crate::engine;
use crate::idle;
use crate::waiting::has_tasks;
use crate::BroadcastContext;
use rayon_core_real as real;
use std::fmt;
use std::panic::Location;
use std::ptr;
use workspan_rt::idle::{worker, Awaited};
use workspan_rt::{mode, Call, Group, Kind, Mode, Task};

/// What is behind a scope.
enum Handle<S> {
    /// The real scope, and the account of its tasks.
    Real(*const S, Account),
    /// No scope of the real rayon: its tasks run where they are spawned.
    InPlace(*const Panics),
}

/// The account of a scope's tasks.
#[derive(Clone, Copy)]
enum Account {
    /// Null if the engine was off at the scope's start.
    Group(*const Group),
    Idle(*const Awaited),
}

impl<S> Clone for Handle<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Handle<S> {}

// SAFETY: what a handle gives other threads are shared references to the real scope, a `Group`, an
// `Awaited` or `Panics`, all `Sync`. Only the scope's body and tasks have one, and they end before
// what it points at.
unsafe impl<S: Sync> Send for Handle<S> {}
// SAFETY: a shared handle gives shared references to the same `Sync` types, and to nothing else.
unsafe impl<S: Sync> Sync for Handle<S> {}
// SAFETY: `Group` and `Awaited` are `Sync`, and both outlive the scope's body and tasks, who alone
// have an account.
unsafe impl Send for Account {}
// SAFETY: a shared account gives shared references to the same `Sync` types, and to nothing else.
unsafe impl Sync for Account {}

impl Account {
    fn group(&self) -> Option<&Group> {
        match *self {
            // SAFETY: null, or the group of `Group::run`, which returns only when the body and all
            // tasks of the scope have ended; they alone have this account.
            Self::Group(group) => unsafe { group.as_ref() },
            Self::Idle(_) => None,
        }
    }

    fn awaited(&self) -> Option<&Awaited> {
        match self {
            Self::Group(_) => None,
            // SAFETY: `idle::scope` has it on its stack until the body and all tasks of the scope
            // have ended; they alone have this account.
            Self::Idle(awaited) => Some(unsafe { &**awaited }),
        }
    }
}

/// The body of a scope, and the account of its tasks.
pub(crate) struct Body<OP> {
    account: Account,
    op: OP,
}

impl<OP> Body<OP> {
    /// Reports that the scope's tasks go to a pool that the calling thread does not belong to.
    pub(crate) fn scatter(&self) {
        if let Some(awaited) = self.account.awaited() {
            awaited.scatter();
        }
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

            /// Runs a scope whose body is `op`. `execute` enters the body that it gets into a scope
            /// of the real rayon.
            pub(crate) fn run<OP, R>(
                call: Call,
                op: OP,
                execute: impl FnOnce(Body<OP>) -> R,
            ) -> R
            where
                OP: FnOnce(&Self) -> R,
            {
                match mode() {
                    Mode::Plain | Mode::Profile => Group::run(call, |group| {
                        let account = Account::Group(group.map_or(ptr::null(), ptr::from_ref));
                        execute(Body { account, op })
                    }),
                    Mode::Idle => idle::scope(|scope| {
                        let account = Account::Idle(scope);
                        execute(Body { account, op })
                    }),
                    Mode::Elision => {
                        Panics::scope(|panics| op(&Self::new(Handle::InPlace(panics))))
                    }
                }
            }

            /// Runs `body` as the body of the real scope `real`.
            pub(crate) fn enter<OP, R>(body: Body<OP>, real: &real::$name<'scope>) -> R
            where
                OP: FnOnce(&Self) -> R,
            {
                let Body { account, op } = body;
                let op = || op(&Self::new(Handle::Real(real, account)));
                match (account.group(), account.awaited()) {
                    (Some(group), _) => group.body(op),
                    (None, Some(awaited)) => idle::body(awaited, op),
                    (None, None) => op(),
                }
            }

            /// Spawns a task that the scope awaits.
            #[track_caller]
            pub fn $spawn<BODY>(&self, body: BODY)
            where
                BODY: FnOnce(&$name<'scope>) + Send + 'scope,
            {
                let (real, account) = match self.handle {
                    // SAFETY: rayon's scope lives until its body and all its tasks have ended; they
                    // alone are lent the `Scope` that points at it.
                    Handle::Real(real, account) => (unsafe { &*real }, account),
                    Handle::InPlace(panics) => {
                        // SAFETY: `Panics::scope` has it on its stack until the body has returned,
                        // and with it all that is spawned, since that runs in place.
                        let panics = unsafe { &*panics };
                        panics.catch(|| body(self));
                        return;
                    }
                };
                if account.awaited().is_some() {
                    let spawner = worker();
                    real.$spawn(move |scope| {
                        let handle = Handle::Real(scope, account);
                        let body = || body(&$name::new(handle));
                        match account.awaited() {
                            Some(awaited) => awaited.task(spawner, has_tasks, body),
                            None => body(),
                        }
                    });
                    return;
                }
                let call = Call::new::<BODY>(Kind::Spawn, Location::caller());
                let task = account.group().and_then(|group| group.spawn(call));
                real.$spawn(move |scope| {
                    let group = task.as_ref().map_or(ptr::null(), Task::group);
                    let handle = Handle::Real(scope, Account::Group(group));
                    run(task, || body(&$name::new(handle)))
                });
            }

            /// Spawns a task on each thread of the scope's pool; the scope awaits them.
            #[track_caller]
            pub fn spawn_broadcast<BODY>(&self, body: BODY)
            where
                BODY: Fn(&$name<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
            {
                let (real, account) = match self.handle {
                    // SAFETY: rayon's scope lives until its body and all its tasks have ended; they
                    // alone are lent the `Scope` that points at it.
                    Handle::Real(real, account) => (unsafe { &*real }, account),
                    Handle::InPlace(panics) => {
                        // SAFETY: `Panics::scope` has it on its stack until the body has returned,
                        // and with it all that is spawned, since that runs in place.
                        let panics = unsafe { &*panics };
                        panics.catch(|| body(self, BroadcastContext::alone()));
                        return;
                    }
                };
                if let Some(awaited) = account.awaited() {
                    awaited.scatter();
                }
                let call = Call::new::<BODY>(Kind::Spawn, Location::caller());
                let seed = account.group().and_then(|group| group.seed(call));
                real.spawn_broadcast(move |scope, context| {
                    if let Some(awaited) = account.awaited() {
                        let handle = Handle::Real(scope, account);
                        return awaited.task(None, has_tasks, || {
                            body(&$name::new(handle), context.into())
                        });
                    }
                    let task = seed.as_ref().map(|seed| seed.instance());
                    let group = task.as_ref().map_or(ptr::null(), Task::group);
                    let handle = Handle::Real(scope, Account::Group(group));
                    run(task, || body(&$name::new(handle), context.into()))
                });
            }
        }

        impl fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.handle {
                    // SAFETY: rayon's scope lives until its body and all its tasks have ended; they
                    // alone are lent the `Scope` that points at it.
                    Handle::Real(real, _) => unsafe { &*real }.fmt(f),
                    Handle::InPlace(_) => {
                        f.debug_struct(stringify!($name)).finish_non_exhaustive()
                    }
                }
            }
        }
    };
}

scope_type! {
    /// A block that awaits the tasks spawned into it; like rayon's `Scope`.
    Scope, spawn
}
scope_type! {
    /// A [`Scope`] whose tasks start in the order in which they were spawned; like rayon's
    /// `ScopeFifo`.
    ScopeFifo, spawn_fifo
}

/// Runs `op` with a scope into which tasks can be spawned, and awaits them; like rayon's `scope`.
#[track_caller]
pub fn scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R + Send,
    R: Send,
{
    let call = Call::new::<OP>(Kind::Scope, Location::caller());
    in_pool(|| {
        Scope::run(call, op, |body| {
            real::scope(|scope| Scope::enter(body, scope))
        })
    })
}

/// Runs `op` with a scope into which tasks can be spawned, and awaits them; like rayon's
/// `scope_fifo`.
#[track_caller]
pub fn scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
    R: Send,
{
    let call = Call::new::<OP>(Kind::Scope, Location::caller());
    in_pool(|| {
        ScopeFifo::run(call, op, |body| {
            real::scope_fifo(|scope| ScopeFifo::enter(body, scope))
        })
    })
}

/// Runs `scope`, which moves into the pool if it is not there already.
fn in_pool<R: Send>(scope: impl FnOnce() -> R + Send) -> R {
    engine::prepare_spawn();
    match mode() {
        Mode::Idle => idle::in_pool(scope),
        _ => scope(),
    }
}

/// Runs `op` with a scope into which tasks can be spawned, and awaits them; like rayon's
/// `in_place_scope`.
#[track_caller]
pub fn in_place_scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R,
{
    let call = Call::new::<OP>(Kind::Scope, Location::caller());
    engine::prepare_spawn();
    Scope::run(call, op, |body| {
        real::in_place_scope(|scope| Scope::enter(body, scope))
    })
}

/// Runs `op` with a scope into which tasks can be spawned, and awaits them; like rayon's
/// `in_place_scope_fifo`.
#[track_caller]
pub fn in_place_scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R,
{
    let call = Call::new::<OP>(Kind::Scope, Location::caller());
    engine::prepare_spawn();
    ScopeFifo::run(call, op, |body| {
        real::in_place_scope_fifo(|scope| ScopeFifo::enter(body, scope))
    })
}
