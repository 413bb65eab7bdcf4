//! What the engine costs on this machine, and what the runtime's own tasks cost.
//!
//! Every boundary takes time that ends up in a strand. That time is measured once, at the first use
//! of the runtime, and taken off each strand, as Cilkprof does: the difference between a construct
//! with the engine on and the same construct of the runtime alone, over the number of its
//! boundaries.

use crate::clock::{self, Clock};
use crate::path::frame::Position;
use crate::session::signals;
use crate::state::calibrated::Calibration;
use crate::state::settings::{self, Settings};
use crate::state::under_way;
use crate::thread::{self, aside, ASIDE};
use crate::tree::kinds::{Kinds, KINDS};
use crate::{functions, tree};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Once;

/// Calls its argument, once.
pub type Around<'a> = &'a (dyn Fn(&dyn Fn()) + Sync);

/// The runtime's constructs, as the calibration needs them: each function runs a number of them
/// with nothing in them, on a thread of the runtime.
pub struct Workload {
    /// Key of the call in [`Workload::joins`] ([`Call::key_of`](crate::Call::key_of)).
    pub join_key: u64,
    /// A complete binary tree of joins of the runtime alone.
    pub plain_joins: fn(depth: usize),
    /// The same with the engine.
    pub joins: fn(depth: usize),
    /// A scope of the runtime alone with `n` spawns, which are made within a call of `around`.
    pub plain_spawns: fn(n: usize, around: Around<'_>),
    /// The same with the engine.
    pub spawns: fn(n: usize, around: Around<'_>),
    /// The same joins, reported to the engine or not, by the same code: what the two differ by is
    /// the engine's to the instruction, where a clock counts instructions.
    pub alike_joins: fn(depth: usize, told: bool),
    /// As `alike_joins`, for spawns.
    pub alike_spawns: fn(n: usize, told: bool),
}

/// Measures, once per process. `run` must call its argument on a thread of the runtime. The time
/// this takes is not part of any strand.
pub fn calibrate_once(workload: Workload, run: impl FnOnce(&(dyn Fn() + Sync))) {
    static ONCE: Once = Once::new();
    if !under_way::active() || !under_way::calibrates() {
        return;
    }
    ONCE.call_once(|| {
        let start = clock::now();
        // If the session is too young for that, the strand that ends here is too short to be
        // suspect, and the time passes while measuring.
        under_way::settle_rate_if_old();
        let paused = thread::with(|thread| {
            thread.refresh();
            thread.end_strand_if_any(clock::now() - start)
        });
        signals::watch_once();
        crate::constructs::user_thread::start_unobserved(|| run(&|| measure(&workload)));
        if paused == Some(true) {
            thread::with(|thread| thread.start_strand_after_wait());
        }
    });
}

const DEPTH: usize = 8;
const JOINS: usize = (1 << DEPTH) - 1;
const SPAWNS: usize = 100;
const SCOPES: usize = 25;

fn measure(workload: &Workload) {
    if clock::chosen() == Clock::Emulated {
        return count(workload);
    }
    let begin = clock::monotonic_nanos();
    const ROUNDS: usize = 15;
    // From here on it is known how the program will be timed.
    under_way::settle_rate_once();
    let grain = settings::settings().grain;
    // Joins in a stretch whose first fork led from one node to the other.
    let unread_joins = |from: u32, to: u32| {
        thread::with(|thread| {
            let stretch = &thread.stretch;
            let begin = Position {
                count: 1,
                ..Position::default()
            };
            let nodes = [from, to].map(|node| (node, [1; KINDS]));
            stretch.open(workload.join_key, nodes, begin);
        });
        (workload.joins)(DEPTH);
    };
    let staying_joins = || unread_joins(tree::ROOT, tree::ROOT);
    let crossing_joins = || unread_joins(ASIDE[1], ASIDE[0]);
    let read_clock = || (0..JOINS).for_each(|_| _ = std::hint::black_box(clock::now()));
    // How long making the tasks of the last scope took.
    let spawning = AtomicI64::new(0);
    let around = |spawns: &dyn Fn()| spawning.store(time(spawns), Ordering::Relaxed);
    let profiled_joins = || (workload.joins)(DEPTH);
    let plain = || {
        let clock_read = time(&read_clock);
        let join = time(&|| (workload.plain_joins)(DEPTH));
        let scope = time(&|| (workload.plain_spawns)(0, &|spawns| spawns()));
        let spawns = time(&|| (workload.plain_spawns)(SPAWNS, &|spawns| spawns()));
        (workload.plain_spawns)(SPAWNS, &around);
        let spawning = spawning.load(Ordering::Relaxed);
        [clock_read, join, scope, spawns, spawning]
    };
    let profiled = || {
        let joins = [time(&profiled_joins), time(&staying_joins)];
        // As the program will be timed: tasks may share the point at which they were spawned.
        thread::with(|thread| {
            thread.settings.set(Settings {
                grain,
                ..thread.settings.get()
            });
        });
        (workload.spawns)(SPAWNS, &around);
        [joins[0], joins[1], spawning.load(Ordering::Relaxed)]
    };
    let crossing = || {
        // So that it is known where the joins lead, and how long strands are there.
        (workload.joins)(2);
        thread::with(|thread| {
            for node in ASIDE {
                thread.cell(node).kinds.set(&Kinds::alike(1));
            }
        });
        let time = time(&crossing_joins);
        let crossed = thread::with(|thread| {
            let all = thread.stretch.crossings() == JOINS as i64;
            // There may be room for only one of the two edges, and then the joins were no stretch.
            let are_known =
                ASIDE.map(|node| thread.knows_edge(node, workload.join_key)) == [true; 2];
            debug_assert_eq!(all, are_known);
            all
        });
        (crossed == Some(true)).then_some(time)
    };
    // All in turns, so that a slow moment of the machine affects all alike; and the least of each,
    // so that no such moment counts. Taking off a strand what was not spent there makes it too
    // short, by any factor if it is tiny.
    let mut rounds = [[0; ROUNDS]; 9];
    for round in 0..ROUNDS {
        let profiled = aside(0, tree::ROOT, profiled);
        // A cost that is not known is not taken off. Where every boundary reads the clock, this one
        // is not needed.
        let crossing = (grain > 0).then(|| aside(0, ASIDE[0], crossing));
        let crossing = crossing.flatten().unwrap_or(profiled[1]);
        let times = plain().into_iter().chain(profiled).chain([crossing]);
        for (times_of_kind, time) in rounds.iter_mut().zip(times) {
            times_of_kind[round] = time;
        }
    }
    let [clock_read, join, scope, spawns, spawning, profiled_join, unread_join, profiled_spawning, crossing_join] =
        rounds.map(least);
    let a_join = |time: f64| time / JOINS as f64;
    let a_spawn = |time: f64| time.max(0.0) / SPAWNS as f64;
    // A join has three boundaries. The beginning and the end of a spawned task are like those of a
    // branch. Whatever else the engine does for it is in no strand, and is taken off none; so
    // making the tasks is timed by itself.
    let a_boundary = |time: f64| (a_join(time - join) / 3.0).max(0.0);
    let boundary = a_boundary(profiled_join);
    let ordinary_boundary = if !functions::are_measured() {
        boundary
    } else {
        // Where functions are measured, joins lead to another node and their branches have frames.
        let run = || aside(0, ASIDE[0], || time(&profiled_joins));
        a_boundary(least([(); ROUNDS].map(|()| run())))
    };
    under_way::settle_rate();
    under_way::set_calibration(Calibration {
        clock_read: a_join(clock_read),
        join: a_join(join),
        spawn: a_spawn(spawns - scope),
        scope,
        boundary,
        ordinary_boundary,
        spawn_boundary: a_spawn(profiled_spawning - spawning),
        unread_boundary: a_boundary(unread_join),
        crossing: a_join(crossing_join - unread_join).max(0.0),
        nanos: clock::monotonic_nanos() - begin,
    });
}

/// Counts by a clock that gives the same each time, so that once is enough.
fn count(workload: &Workload) {
    let begin = clock::monotonic_nanos();
    let joins = |told| time(&|| (workload.alike_joins)(DEPTH, told));
    // Few at a time, so that the tasks' memory is what was just freed, whatever the engine
    // allocates in between.
    let scopes = |n, told| {
        let run = || (0..SCOPES).for_each(|_| (workload.alike_spawns)(n, told));
        time(&run)
    };
    let spawns = |told| {
        let none = scopes(0, told);
        (scopes(SPAWNS / SCOPES, told) - none, none)
    };
    let each = |ticks: i64, of: usize| ticks as f64 / of as f64;
    let all = || (joins(true), spawns(true));
    // The first run of each also meets what happens only once.
    let (join, (spawn, scope)) = [(); 2].map(|()| (joins(false), spawns(false)))[1];
    let (told_join, (told_spawn, _)) = [(); 2].map(|()| aside(0, tree::ROOT, all))[1];
    let boundary = (each(told_join - join, JOINS) / 3.0).max(0.0);
    under_way::set_calibration(Calibration {
        join: each(join, JOINS),
        spawn: each(spawn, SPAWNS),
        scope: each(scope, SCOPES),
        boundary,
        ordinary_boundary: boundary,
        spawn_boundary: (each(told_spawn - spawn, SPAWNS) - 2.0 * boundary).max(0.0),
        nanos: clock::monotonic_nanos() - begin,
        ..Calibration::default()
    });
}

/// Measures what the entry and the exit of a function cost, if functions are measured. The time
/// this takes is not part of any strand.
pub(crate) fn calibrate_functions() {
    const CALLS: usize = 200;
    const ROUNDS: usize = 15;
    let Some(functions) = functions::nothing() else {
        return;
    };
    let begin = clock::monotonic_nanos();
    let paused = thread::with(|thread| {
        thread.end_strand_if_any(0);
        thread.base()
    });
    let Some(base) = paused else {
        return;
    };
    let calls = functions.map(|function| {
        // SAFETY: both are functions of assembly that take nothing and keep to the calling
        // convention.
        move || (0..CALLS).for_each(|_| unsafe { function() })
    });
    let (mut plain, mut told) = ([0; ROUNDS], [0; ROUNDS]);
    for (plain, told) in plain.iter_mut().zip(&mut told) {
        *plain = time(&calls[0]);
        *told = aside(base, tree::ROOT, || time(&calls[1]));
    }
    let [plain, told] = [plain, told].map(least);
    settings::set_function_cost(((told - plain) / CALLS as f64).max(0.0));
    thread::with(|thread| {
        thread.forget_all_of(ASIDE[0]);
        thread.refresh();
        thread.start_strand_after_wait();
    });
    under_way::add_start(clock::monotonic_nanos() - begin);
}

fn time(run: &dyn Fn()) -> i64 {
    let start = clock::now();
    run();
    clock::now() - start
}

/// The least of the times that a fifth of the others confirm: they are longer, but less than twice
/// as long. One that stands alone at the lower end was no time: a counter was estimated, or the
/// clock was another processor's. However many rounds were interrupted does not matter: what is
/// found is then taken off every strand, and a cost too high makes their sum negative.
fn least<const N: usize>(mut times: [i64; N]) -> f64 {
    times.sort_unstable();
    let mut confirmed = times
        .into_iter()
        .zip(times.into_iter().skip(N / 5))
        .filter(|(time, other)| 2 * time >= *other);
    confirmed.next().map_or(times[N / 2], |(time, _)| time) as f64
}

#[cfg(test)]
mod tests {
    use super::least;

    #[test]
    fn neither_slow_rounds_nor_absurd_ones_count() {
        assert_eq!(least([130, 101, 100, 250, 99]), 99.0);
        assert_eq!(least([130, 101, -7, 250, 3]), 101.0);
        assert_eq!(least([0, 0, 0, 5, 9]), 0.0);
    }

    #[test]
    fn rounds_without_an_interruption_count_also_if_most_have_one() {
        assert_eq!(least([4_100, 101, 4_000, 100, 9_000]), 100.0);
        assert_eq!(least([7, 101, 4_000, 100, 9_000]), 100.0);
    }

    #[test]
    fn the_median_counts_if_no_two_rounds_are_alike() {
        assert_eq!(least([-90, 1, 10, 100, 1_000]), 10.0);
    }
}
