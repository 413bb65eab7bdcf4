//! Owners and thieves without a runtime: threads that do what a runtime would have them do.

use super::*;
use std::sync::mpsc::channel;
use std::thread::{scope, sleep};
use std::time::Duration;

const STEP: Duration = Duration::from_millis(20);
/// Less than a step, in nanoseconds, however late a thread wakes up.
const NEARLY: i64 = 15_000_000;

fn none() -> bool {
    false
}

/// Busy, idle and scheduling time of the calling worker so far.
fn sums() -> (i64, i64, i64) {
    let Worker(record) = worker().unwrap();
    let mut account = record.account();
    account.bring_to(clock::now());
    (account.busy, account.idle, account.scheduling)
}

/// Runs `test` as a task of a new worker.
fn as_worker(test: impl FnOnce() + Send) {
    scope(|threads| {
        threads.spawn(|| task(None, none, test));
    });
}

#[test]
fn a_wait_for_a_thief_is_idle_time() {
    as_worker(|| {
        let before = sums();
        let join = Awaited::new(worker());
        let (taken, is_taken) = channel();
        let (waiting, is_waiting) = channel();
        scope(|threads| {
            let join = &join;
            threads.spawn(move || {
                join.task(None, none, || {
                    taken.send(()).unwrap();
                    is_waiting.recv().unwrap();
                    sleep(STEP);
                })
            });
            is_taken.recv().unwrap();
            join.wait(none);
            waiting.send(()).unwrap();
        });
        join.end();
        let after = sums();
        assert!(after.1 - before.1 >= NEARLY, "{before:?} {after:?}");
        let waited = after.1 + after.2 - before.1 - before.2;
        sleep(STEP);
        let later = sums();
        assert!(later.0 - after.0 >= NEARLY);
        assert_eq!(later.1 + later.2 - before.1 - before.2, waited);
    });
}

#[test]
fn a_steal_after_the_look_is_noticed_in_the_end() {
    as_worker(|| {
        let before = sums();
        let join = Awaited::new(worker());
        join.wait(none);
        assert_eq!(sums().1, before.1);
        scope(|threads| {
            threads.spawn(|| join.task(None, none, || sleep(STEP)));
        });
        join.end();
        let after = sums();
        assert!(after.1 - before.1 >= NEARLY, "{before:?} {after:?}");
    });
}

#[test]
fn what_runs_in_a_wait_is_work() {
    as_worker(|| {
        let before = sums();
        let scope_of_tasks = Awaited::elsewhere(worker());
        scope_of_tasks.wait(none);
        sleep(STEP);
        scope_of_tasks.task(worker(), none, || sleep(STEP * 2));
        sleep(STEP);
        scope_of_tasks.end();
        let after = sums();
        assert!(after.0 - before.0 >= 2 * NEARLY, "{before:?} {after:?}");
        assert!(after.1 - before.1 >= 2 * NEARLY, "{before:?} {after:?}");
    });
}

#[test]
fn nothing_stolen_is_no_wait() {
    as_worker(|| {
        let before = sums();
        for _ in 0..10 {
            let join = Awaited::new(worker());
            join.wait(none);
            join.keep();
            join.end();
        }
        let scope_of_tasks = Awaited::new(worker());
        scope_of_tasks.wait(none);
        scope_of_tasks.task(worker(), none, || sleep(STEP));
        scope_of_tasks.end();
        let after = sums();
        assert_eq!((before.1, before.2), (after.1, after.2));
    });
}

#[test]
fn tasks_in_the_own_queue_come_before_a_wait() {
    as_worker(|| {
        let before = sums();
        let tasks = Awaited::elsewhere(worker());
        tasks.wait(|| true);
        sleep(STEP);
        tasks.end();
        assert_eq!(sums().1, before.1);
    });
}

#[test]
fn a_call_that_unwinds_leaves_the_account_in_order() {
    as_worker(|| {
        let before = sums();
        let tasks = Awaited::elsewhere(worker());
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            tasks.wait(none);
            tasks.task(worker(), none, || panic!("as it should"));
        }));
        assert!(caught.is_err());
        sleep(STEP);
        tasks.end();
        sleep(STEP);
        let after = sums();
        assert!(after.1 - before.1 >= NEARLY && after.0 - before.0 >= NEARLY);
    });
}

#[test]
fn a_thread_that_ends_lends_its_record_to_the_next() {
    process::note_process();
    // Other tests run at the same time, but never a hundred threads.
    for _ in 0..100 {
        as_worker(|| ());
    }
    assert!(all().len() < 50);
}
