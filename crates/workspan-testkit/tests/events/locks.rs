//! Locks: how long each is held, under a virtual clock.

use std::collections::BTreeMap;
use std::thread;

use workspan_format::raw::{RawKind, RawLockUse, RawNode, RawProfile};
use workspan_rt::Kind;
use workspan_rt::clock;
use workspan_rt::events::{self, Team};
use workspan_testkit::Random;

use crate::virtual_session::profile_of;
use crate::{at, running, spawn};

/// Waits for a lock for `waits` ticks, and acquires it.
fn acquire(lock: u64, code: usize, waits: i64) {
    events::acquire();
    clock::advance(waits);
    events::acquired(lock, &at(Kind::Lock, code));
}

/// Holds a lock for `ticks`.
fn hold(lock: u64, code: usize, ticks: i64) {
    acquire(lock, code, 0);
    clock::advance(ticks);
    events::released(lock);
}

/// The ticks for which each lock was held.
fn held(profile: &RawProfile) -> Vec<i64> {
    let held = |uses: &Vec<RawLockUse>| uses.iter().map(|one| one.held_ticks).sum();
    profile.locks.iter().map(held).collect()
}

#[test]
fn a_lock_is_held_from_its_acquisition_to_its_release() {
    let profile = profile_of(|| {
        clock::advance(3);
        hold(7, 1, 10);
        clock::advance(4);
        acquire(7, 2, 100);
        clock::advance(20);
        events::released(7);
        hold(8, 2, 5);
    });
    assert_eq!(held(&profile), [30, 5]);
    let by_site: Vec<_> = profile.locks[0]
        .iter()
        .map(|one| {
            let code = profile.sites[one.site as usize].address.unwrap();
            (
                code,
                one.held_ticks,
                one.acquisitions,
                one.waits,
                one.waited_ticks,
            )
        })
        .collect();
    assert_eq!(by_site, [(1, 10, 1, 0, 0), (2, 20, 1, 1, 100)]);
    // The wait is not work, and the construct has no instance. (Threads that the test harness
    // starts meanwhile are in the profile too.)
    assert_eq!(profile.nodes[0].work.local_ticks, 42);
    assert_eq!(profile.span_ticks, 42);
    let is_lock = |node: &RawNode| profile.sites[node.site as usize].kind == RawKind::Lock;
    assert!(!profile.nodes.iter().any(is_lock));
}

#[test]
fn waiting_for_another_lock_is_not_done_under_the_first() {
    let profile = profile_of(|| {
        acquire(1, 1, 0);
        clock::advance(10);
        acquire(2, 2, 1_000);
        clock::advance(5);
        // Locks may be released in any order.
        events::released(1);
        clock::advance(2);
        events::released(2);
    });
    assert_eq!(held(&profile), [15, 7]);
}

#[test]
fn a_lock_that_its_holder_acquires_again_counts_once() {
    let profile = profile_of(|| {
        acquire(1, 1, 0);
        clock::advance(10);
        events::acquired(1, &at(Kind::Lock, 2));
        clock::advance(5);
        events::released(1);
        clock::advance(2);
        events::released(1);
        // Nobody holds these.
        events::released(1);
        events::released(9);
    });
    assert_eq!(held(&profile), [17]);
    assert_eq!(profile.locks[0][0].acquisitions, 1);
}

#[test]
fn a_task_that_is_spawned_serially_runs_under_its_spawners_lock() {
    let profile = profile_of(|| {
        let program = running();
        acquire(1, 1, 0);
        clock::advance(10);
        let child = (program.spawn_serially(&at(Kind::Task, 3))).expect("as above");
        program.leave();
        child.enter();
        clock::advance(100);
        child.end();
        program.enter();
        program.continue_after(&child);
        clock::advance(5);
        events::released(1);
    });
    assert_eq!(held(&profile), [115]);
}

/// The account of the second task takes the place of the first one's.
#[test]
fn a_lock_that_its_holder_left_to_another_task_has_no_held_time() {
    let profile = profile_of(|| {
        let program = running();
        let tasks = [(); 2].map(|()| spawn(&program, 3));
        program.leave();
        tasks[0].enter();
        acquire(1, 1, 0);
        clock::advance(10);
        tasks[0].end();
        tasks[1].enter();
        clock::advance(100);
        events::released(1);
        tasks[1].end();
        program.enter();
    });
    assert_eq!(
        (held(&profile), profile.locks[0][0].acquisitions),
        (vec![0], 1)
    );
}

#[test]
fn tasks_that_the_holder_waits_for_may_have_run_before() {
    let profile = profile_of(|| {
        let program = running();
        let child = spawn(&program, 3);
        acquire(1, 1, 0);
        clock::advance(10);
        program.leave();
        child.enter();
        clock::advance(100);
        child.end();
        program.enter();
        program.wait_for_children();
        clock::advance(5);
        events::released(1);
    });
    assert_eq!(profile.span_ticks, 105);
    assert_eq!(held(&profile), [15]);
}

#[test]
fn a_region_under_a_lock_counts_with_its_span() {
    let profile = profile_of(|| {
        let program = running();
        acquire(1, 1, 0);
        clock::advance(10);
        let team = Team::begin(&program, &at(Kind::Parallel, 4), 2).expect("as above");
        for (index, ticks) in [(0, 20), (1, 30)] {
            let member = team.member(index);
            member.enter();
            clock::advance(ticks);
            team.arrive(&member);
        }
        team.end();
        clock::advance(5);
        events::released(1);
    });
    assert_eq!(profile.span_ticks, 45);
    assert_eq!(held(&profile), [45]);
}

#[test]
fn a_lock_that_is_renewed_is_another_lock() {
    let profile = profile_of(|| {
        for ticks in 1..=3 {
            events::renewed(1);
            hold(1, 1, ticks);
            hold(1, 2, 10 * ticks);
            // A thread that only sees the first of them.
            if ticks == 1 {
                on_a_thread_of_its_own(|| hold(1, 1, 100));
            }
        }
    });
    assert_eq!(held(&profile), [111, 33, 22]);
}

#[test]
fn a_lock_that_is_held_at_the_end_counts_up_to_there() {
    let profile = profile_of(|| {
        acquire(1, 1, 0);
        clock::advance(10);
    });
    assert_eq!(held(&profile), [10]);
}

#[test]
fn of_very_many_locks_those_held_longest_are_listed() {
    const MANY: u64 = 20_000;
    let profile = profile_of(|| {
        hold(MANY, 1, 1_000);
        for lock in 0..MANY {
            hold(lock, 2, 1 + (lock % 3) as i64);
        }
        hold(MANY, 1, 1_000);
    });
    assert_eq!(held(&profile)[0], 2_000);
    assert!(profile.locks.len() <= 1_000);
    let sum = |uses: &[RawLockUse]| -> (i64, u64) {
        let uses = uses.iter().map(|one| (one.held_ticks, one.acquisitions));
        uses.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    };
    let listed = profile.locks.iter().map(|uses| sum(uses));
    let all = listed.chain([sum(&profile.other_locks)]);
    let all = all.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let ticks: i64 = (0..MANY).map(|lock| 1 + (lock % 3) as i64).sum();
    assert_eq!(all, (2_000 + ticks, MANY + 2));
}

/// Runs `f` as a task that nothing waits for, on another thread.
fn on_a_thread_of_its_own(f: impl FnOnce() + Send) {
    let program = running();
    let task = spawn(&program, 99);
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            task.enter();
            f();
            task.end();
        });
        // The end of the scope does not wait for what the engine does when the thread ends.
        thread.join().expect("the thread does not panic");
    });
}

/// A thread's part: nested locks, released in any order.
fn random_part(random: &mut Random, expected: &mut BTreeMap<u64, (i64, u64)>) {
    let mut open: Vec<(u64, i64)> = Vec::new();
    let mut path = 0;
    for _ in 0..random.below(40) {
        if random.chance(50) {
            let ticks = random.below(1_000) as i64;
            clock::advance(ticks);
            path += ticks;
        }
        // A lock that is already held would only count once.
        let lock = random.below(5) as u64;
        if random.chance(60) && open.iter().all(|(held, _)| *held != lock) {
            acquire(lock, random.below(3), random.below(50) as i64);
            open.push((lock, path));
        } else if !open.is_empty() {
            let (lock, since) = open.remove(random.below(open.len()));
            events::released(lock);
            let sum = expected.entry(lock).or_default();
            *sum = (sum.0 + path - since, sum.1 + 1);
        }
    }
    for (lock, since) in open {
        events::released(lock);
        let sum = expected.entry(lock).or_default();
        *sum = (sum.0 + path - since, sum.1 + 1);
    }
}

#[test]
fn random_locks_on_several_threads_are_exact() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let mut expected = BTreeMap::new();
        let profile = profile_of(|| {
            for _ in 0..1 + random.below(3) {
                random_part(&mut random, &mut expected);
                let (random, expected) = (&mut random, &mut expected);
                on_a_thread_of_its_own(move || random_part(random, expected));
            }
        });
        let mut expected: Vec<_> = expected.into_values().collect();
        expected.sort_unstable();
        let mut found: Vec<(i64, u64)> = profile
            .locks
            .iter()
            .map(|uses| {
                let acquisitions = uses.iter().map(|one| one.acquisitions).sum();
                (uses.iter().map(|one| one.held_ticks).sum(), acquisitions)
            })
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected, "seed {seed}");
    }
}
