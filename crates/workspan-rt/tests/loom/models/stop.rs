//! Bookkeeping and the writer of the profile. In place of `membarrier`, both sides have a fence.
//!
//! Only one thread waits for another: loom does not end if two threads wait in a loop. More threads
//! add nothing to the protocol, which is between each of them and the writer.

use crate::guard::guarded;
use crate::stop::{mode, pause, stop, turn_off, turn_on, Stop, OFF, ON};
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

/// Stops bookkeeping as `session::write` does, waiting until no thread but the writer is in the
/// middle of it, and reads all accounts. Returns whether this writer did.
fn write(threads: &[&Thread]) -> bool {
    let won = stop(|| threads.iter().any(|t| t.busy.load(Ordering::Acquire))) == Stop::Stopped;
    if won {
        threads.iter().for_each(|thread| _ = keep_books(thread));
        turn_off();
    }
    won
}

/// A writer whose deadline has passed touches nothing, and the worker goes on.
#[test]
fn nothing_reads_what_a_stuck_thread_may_write() {
    check(4, || {
        let_deadlines_pass();
        turn_on(false);
        let worker_data = thread();
        let worker = spawn({
            let worker_data = worker_data.clone();
            move || work(&worker_data, 2)
        });
        _ = write(&[&worker_data]);
        assert_eq!(mode(), OFF);
        worker.join().unwrap();
    });
}

fn one_worker() {
    turn_on(false);
    let worker_data = thread();
    let worker = spawn({
        let worker_data = worker_data.clone();
        move || work(&worker_data, 2)
    });
    assert!(write(&[&worker_data]));
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
fn a_pause_loses_no_bookkeeping_and_has_none_in_it() {
    check(4, || {
        turn_on(false);
        let worker_data = thread();
        let worker = spawn({
            let worker_data = worker_data.clone();
            move || (0..2).for_each(|_| _ = guarded(&worker_data, keep_books).unwrap())
        });
        let pause = pause(|| worker_data.busy.load(Ordering::Acquire)).unwrap();
        let seen = keep_books(&worker_data);
        assert!((1..=3).contains(&seen));
        pause.end();
        assert_eq!(mode(), ON);
        worker.join().unwrap();
        assert_eq!(keep_books(&worker_data), 4);
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
