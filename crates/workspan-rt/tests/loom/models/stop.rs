//! Bookkeeping and the writer of the profile. In place of `membarrier`, both sides have a fence.
//!
//! One waits for one here: loom has no end where two threads wait in a loop. More threads add nothing to the protocol,
//! which is between each of them and the writer.

use crate::stop::{guarded, mode, pause, stop, turn_off, turn_on, Stop, OFF, ON};
use crate::sync::{check, let_deadlines_pass, without_membarrier};
use crate::thread::Thread;
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::sync::Arc;
use loom::thread::spawn;

fn thread() -> Arc<Thread> {
    Arc::new(Thread {
        busy: AtomicBool::new(false),
        account: UnsafeCell::new(0),
    })
}

/// loom fails if another thread's access to the account is not ordered before or after.
fn keep_books(thread: &Thread) -> u32 {
    thread.account.with_mut(|account| {
        // SAFETY: just checked.
        unsafe {
            *account += 1;
            *account
        }
    })
}

fn work(thread: &Thread, rounds: u32) {
    for _ in 0..rounds {
        if guarded(thread, keep_books).is_none() {
            assert_eq!(mode(), OFF, "went on before the writer was done");
        }
    }
}

/// As `session::write` asks: is anyone but the writer in the middle of bookkeeping?
fn write(threads: &[&Thread]) -> bool {
    let won = stop(|| threads.iter().any(|t| t.busy.load(Ordering::Acquire))) == Stop::Stopped;
    if won {
        threads.iter().for_each(|thread| _ = keep_books(thread));
        turn_off();
    }
    won
}

/// A writer that has waited long enough touches nothing, and the worker goes on.
#[test]
fn nobody_reads_what_a_stuck_thread_may_write() {
    check(4, || {
        let_deadlines_pass();
        turn_on(false);
        let of_worker = thread();
        let worker = spawn({
            let of_worker = of_worker.clone();
            move || work(&of_worker, 2)
        });
        _ = write(&[&of_worker]);
        assert_eq!(mode(), OFF);
        worker.join().unwrap();
    });
}

fn one_worker() {
    turn_on(false);
    let of_worker = thread();
    let worker = spawn({
        let of_worker = of_worker.clone();
        move || work(&of_worker, 2)
    });
    assert!(write(&[&of_worker]));
    worker.join().unwrap();
}

#[test]
fn no_bookkeeping_while_the_profile_is_written() {
    check(4, one_worker);
}

#[test]
fn no_bookkeeping_while_the_profile_is_written_without_membarrier() {
    check(4, || {
        without_membarrier();
        one_worker();
    });
}

#[test]
fn no_bookkeeping_is_lost_by_a_pause_nor_done_in_it() {
    check(4, || {
        turn_on(false);
        let of_worker = thread();
        let worker = spawn({
            let of_worker = of_worker.clone();
            move || (0..2).for_each(|_| _ = guarded(&of_worker, keep_books).unwrap())
        });
        let pause = pause(|| of_worker.busy.load(Ordering::Acquire)).unwrap();
        let seen = keep_books(&of_worker);
        assert!((1..=3).contains(&seen));
        pause.end();
        assert_eq!(mode(), ON);
        worker.join().unwrap();
        assert_eq!(keep_books(&of_worker), 4);
        turn_off();
    });
}

#[test]
fn a_writer_comes_after_a_pause() {
    check(4, || {
        turn_on(false);
        let nobody = thread();
        let other = spawn({
            let nobody = nobody.clone();
            move || assert!(write(&[&nobody]))
        });
        if let Some(pause) = pause(|| false) {
            _ = keep_books(&nobody);
            pause.end();
        }
        other.join().unwrap();
        assert_eq!(mode(), OFF);
    });
}

#[test]
fn of_two_writers_one_writes_and_both_go_on_after_it() {
    check(4, || {
        turn_on(false);
        let nobody = thread();
        let other = spawn({
            let nobody = nobody.clone();
            move || {
                let won = write(&[&nobody]);
                assert_eq!(mode(), OFF);
                won
            }
        });
        let won = write(&[&nobody]);
        assert_eq!(mode(), OFF);
        assert_ne!(won, other.join().unwrap());
    });
}
