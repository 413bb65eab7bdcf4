//! One call of each construct for each of its sites.
//!
//! The engine distinguishes sites by the place of the call and the type of the closure. A closure
//! in a function with a constant parameter has one type for each value of it, whose name contains
//! the function and the value ([`site_of`]).

#![expect(
    clippy::redundant_closure,
    reason = "only a closure of this function has a type for each site"
)]

use workspan_rayon::{BroadcastContext, FnContext, Scope, ScopeFifo, ThreadPool};
use workspan_testkit::{Construct, Site};

/// Calls `$call` with the constant parameter that `$index` names.
macro_rules! at_site {
    ($index:expr, $call:ident($($argument:expr),*)) => {
        match $index {
            0 => $call::<0>($($argument),*),
            1 => $call::<1>($($argument),*),
            2 => $call::<2>($($argument),*),
            3 => $call::<3>($($argument),*),
            4 => $call::<4>($($argument),*),
            other => unreachable!("no site has the index {other}"),
        }
    };
}

/// Names of the functions below that contain the calls.
const CALLS: [(&str, Construct); 14] = [
    ("join_at", Construct::Join),
    ("join_context_at", Construct::JoinContext),
    ("scope_at", Construct::Scope),
    ("scope_fifo_at", Construct::ScopeFifo),
    ("in_place_scope_at", Construct::InPlaceScope),
    ("in_place_scope_fifo_at", Construct::InPlaceScopeFifo),
    ("spawn_at", Construct::Spawn),
    ("spawn_fifo_at", Construct::SpawnFifo),
    ("detached_at", Construct::Detached),
    ("detached_fifo_at", Construct::DetachedFifo),
    ("broadcast_at", Construct::Broadcast),
    ("spawn_broadcast_at", Construct::SpawnBroadcast),
    ("spawn_broadcast_fifo_at", Construct::SpawnBroadcastFifo),
    ("detached_broadcast_at", Construct::DetachedBroadcast),
];

/// The site whose closure has a type of this name: `…::join_at<3, …>::{{closure}}` is `Join` 3.
pub fn site_of(type_name: &str) -> Option<Site> {
    let (path, rest) = type_name.split_once('<')?;
    let name = path.rsplit("::").next()?;
    let &(_, construct) = CALLS.iter().find(|&&(call, _)| call == name)?;
    let index = rest
        .split([',', '>'])
        .find_map(|parameter| parameter.trim().parse().ok())?;
    Some(Site { construct, index })
}

pub fn join(
    index: u8,
    pool: Option<&ThreadPool>,
    left: impl FnOnce() + Send,
    right: impl FnOnce() + Send,
) {
    at_site!(index, join_at(pool, left, right));
}

fn join_at<const INDEX: u8>(
    pool: Option<&ThreadPool>,
    left: impl FnOnce() + Send,
    right: impl FnOnce() + Send,
) {
    // Both the free function and the method are called in a `track_caller` function, so that they
    // are the same site.
    #[track_caller]
    fn call(pool: Option<&ThreadPool>, left: impl FnOnce() + Send, right: impl FnOnce() + Send) {
        match pool {
            None => workspan_rayon::join(left, right),
            Some(pool) => pool.join(left, right),
        };
    }
    call(pool, || left(), || right());
}

pub fn join_context(
    index: u8,
    pool: Option<&ThreadPool>,
    left: impl FnOnce(FnContext) + Send,
    right: impl FnOnce(FnContext) + Send,
) {
    at_site!(index, join_context_at(pool, left, right));
}

fn join_context_at<const INDEX: u8>(
    pool: Option<&ThreadPool>,
    left: impl FnOnce(FnContext) + Send,
    right: impl FnOnce(FnContext) + Send,
) {
    // Never inlined, so that the place of the call exists only once.
    #[inline(never)]
    fn call(left: impl FnOnce(FnContext) + Send, right: impl FnOnce(FnContext) + Send) {
        workspan_rayon::join_context(left, right);
    }
    let left = |context: FnContext| left(context);
    let right = |context: FnContext| right(context);
    // Pools have no such method.
    match pool {
        None => call(left, right),
        Some(pool) => pool.install(|| call(left, right)),
    }
}

macro_rules! scope_calls {
    ($name:ident, $at:ident, $scope:ident $(, $send:ident)?) => {
        pub fn $name<'scope>(
            index: u8,
            pool: Option<&ThreadPool>,
            body: impl FnOnce(&$scope<'scope>) $(+ $send)?,
        ) {
            at_site!(index, $at(pool, body));
        }

        fn $at<'scope, const INDEX: u8>(
            pool: Option<&ThreadPool>,
            body: impl FnOnce(&$scope<'scope>) $(+ $send)?,
        ) {
            #[track_caller]
            fn call<'scope>(
                pool: Option<&ThreadPool>,
                body: impl FnOnce(&$scope<'scope>) $(+ $send)?,
            ) {
                match pool {
                    None => workspan_rayon::$name(body),
                    Some(pool) => pool.$name(body),
                }
            }
            call(pool, |scope: &$scope<'scope>| body(scope));
        }
    };
}

scope_calls!(scope, scope_at, Scope, Send);
scope_calls!(scope_fifo, scope_fifo_at, ScopeFifo, Send);
scope_calls!(in_place_scope, in_place_scope_at, Scope);
scope_calls!(in_place_scope_fifo, in_place_scope_fifo_at, ScopeFifo);

macro_rules! spawn_calls {
    ($name:ident, $at:ident, $scope:ident) => {
        pub fn $name<'scope>(
            index: u8,
            scope: &$scope<'scope>,
            body: impl FnOnce(&$scope<'scope>) + Send + 'scope,
        ) {
            at_site!(index, $at(scope, body));
        }

        fn $at<'scope, const INDEX: u8>(
            scope: &$scope<'scope>,
            body: impl FnOnce(&$scope<'scope>) + Send + 'scope,
        ) {
            scope.$name(|scope| body(scope));
        }
    };
}

spawn_calls!(spawn, spawn_at, Scope);
spawn_calls!(spawn_fifo, spawn_fifo_at, ScopeFifo);

// A separate macro, since the place of a call is that of the macro's use.
macro_rules! spawn_broadcast_calls {
    ($name:ident, $at:ident, $scope:ident) => {
        /// The body also gets the index of its thread.
        pub fn $name<'scope>(
            index: u8,
            scope: &$scope<'scope>,
            body: impl Fn(&$scope<'scope>, usize) + Send + Sync + 'scope,
        ) {
            at_site!(index, $at(scope, body));
        }

        fn $at<'scope, const INDEX: u8>(
            scope: &$scope<'scope>,
            body: impl Fn(&$scope<'scope>, usize) + Send + Sync + 'scope,
        ) {
            scope.spawn_broadcast(move |scope, context| body(scope, context.index()));
        }
    };
}

spawn_broadcast_calls!(spawn_broadcast, spawn_broadcast_at, Scope);
spawn_broadcast_calls!(spawn_broadcast_fifo, spawn_broadcast_fifo_at, ScopeFifo);

macro_rules! detached_calls {
    ($name:ident, $at:ident, $spawn:ident) => {
        pub fn $name(index: u8, pool: Option<&ThreadPool>, task: impl FnOnce() + Send + 'static) {
            at_site!(index, $at(pool, task));
        }

        fn $at<const INDEX: u8>(pool: Option<&ThreadPool>, task: impl FnOnce() + Send + 'static) {
            #[track_caller]
            fn call(pool: Option<&ThreadPool>, task: impl FnOnce() + Send + 'static) {
                match pool {
                    None => workspan_rayon::$spawn(task),
                    Some(pool) => pool.$spawn(task),
                }
            }
            call(pool, || task());
        }
    };
}

detached_calls!(detached, detached_at, spawn);
detached_calls!(detached_fifo, detached_fifo_at, spawn_fifo);

/// Starts a task on each of the pool's threads, which gets the thread's index.
pub fn detached_broadcast(
    index: u8,
    pool: Option<&ThreadPool>,
    task: impl Fn(usize) + Send + Sync + 'static,
) {
    at_site!(index, detached_broadcast_at(pool, task));
}

fn detached_broadcast_at<const INDEX: u8>(
    pool: Option<&ThreadPool>,
    task: impl Fn(usize) + Send + Sync + 'static,
) {
    #[track_caller]
    fn call(
        pool: Option<&ThreadPool>,
        task: impl Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    ) {
        match pool {
            None => workspan_rayon::spawn_broadcast(task),
            Some(pool) => pool.spawn_broadcast(task),
        }
    }
    call(pool, move |context: BroadcastContext<'_>| {
        task(context.index());
    });
}

/// Calls `op` with the index of each of the pool's threads.
pub fn broadcast(index: u8, pool: Option<&ThreadPool>, op: impl Fn(usize) + Sync) {
    at_site!(index, broadcast_at(pool, op));
}

fn broadcast_at<const INDEX: u8>(pool: Option<&ThreadPool>, op: impl Fn(usize) + Sync) {
    #[track_caller]
    fn call(pool: Option<&ThreadPool>, op: impl Fn(BroadcastContext<'_>) + Sync) {
        match pool {
            None => workspan_rayon::broadcast(op),
            Some(pool) => pool.broadcast(op),
        };
    }
    call(pool, |context: BroadcastContext<'_>| {
        op(context.index());
    });
}
