//! `join` and `join_context`.

use crate::branches::run;
use crate::{elision, engine, idle, FnContext};
use rayon_core_real as real;
use std::panic::Location;
use workspan_rt::{mode, Fork, Mode};

/// Runs both closures, possibly in parallel, and returns both results; like rayon's `join`.
#[track_caller]
#[inline]
pub fn join<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    join_at(Location::caller(), oper_a, oper_b)
}

#[inline(always)]
pub(crate) fn join_at<A, B, RA, RB>(
    location: &'static Location<'static>,
    oper_a: A,
    oper_b: B,
) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    match mode() {
        Mode::Plain => real::join(oper_a, oper_b),
        Mode::Profile => Fork::run::<A, _>(location, engine::prepare, |fork| match fork {
            Some(fork) => run(fork, |_| oper_a(), |_| oper_b()),
            None => real::join(oper_a, oper_b),
        }),
        Mode::Idle => idle::join_context(|_| oper_a(), |_| oper_b()),
        Mode::Elision => elision::join(oper_a, oper_b),
    }
}

/// Like [`join`], with closures that are told whether they were stolen.
#[track_caller]
#[inline]
pub fn join_context<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    let location = Location::caller();
    match mode() {
        Mode::Plain => real::join_context(|a| oper_a(a.into()), |b| oper_b(b.into())),
        Mode::Profile => Fork::run::<A, _>(location, engine::prepare, |fork| match fork {
            Some(fork) => run(fork, oper_a, oper_b),
            None => real::join_context(|a| oper_a(a.into()), |b| oper_b(b.into())),
        }),
        Mode::Idle => idle::join_context(oper_a, oper_b),
        Mode::Elision => {
            let here = || FnContext::new(false);
            elision::join(|| oper_a(here()), || oper_b(here()))
        }
    }
}
