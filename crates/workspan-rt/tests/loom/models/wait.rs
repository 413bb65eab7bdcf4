//! A wait that thieves stamp.

use crate::sync::check;
use crate::wait::Wait;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::sync::Arc;
use loom::thread::{spawn, yield_now};

/// A construct with the runtime's latch, which counts its tasks.
struct Construct {
    wait: Wait,
    latch: AtomicUsize,
}

// SAFETY: only the owner looks.
unsafe impl Send for Construct {}
// SAFETY: as above.
unsafe impl Sync for Construct {}

/// `Awaited::task` on a thread that began it at `now`.
fn thief(construct: &Construct, now: i64) {
    construct.wait.take(now);
    construct.wait.end(now + 100);
    construct.latch.fetch_sub(1, Ordering::Release);
}

fn model(thieves: usize) {
    check(4, move || {
        let construct = Arc::new(Construct {
            wait: Wait::new(),
            latch: AtomicUsize::new(thieves),
        });
        assert!(!construct.wait.is_taken() && construct.wait.ended() == 0);
        let stealing: Vec<_> = (1..=thieves as i64)
            .map(|now| {
                let construct = construct.clone();
                spawn(move || thief(&construct, now))
            })
            .collect();
        // `Awaited::wait`, the runtime's wait, `Awaited::end`.
        let wait = &construct.wait;
        let noticed = wait.is_taken();
        if noticed {
            wait.look();
        }
        while construct.latch.load(Ordering::Acquire) > 0 {
            yield_now();
        }
        assert!(wait.is_taken());
        match wait.unseen() {
            Some(taken) => assert!((1..=thieves as i64).contains(&taken)),
            // Nothing is unseen only if the look has noticed the steal.
            None => assert!(noticed),
        }
        if thieves == 1 {
            assert_eq!((wait.unseen().is_none(), wait.ended()), (noticed, 101));
        }
        assert!(wait.ended() > 100);
        stealing.into_iter().for_each(|thief| thief.join().unwrap());
    });
}

#[test]
fn a_steal_is_seen_at_the_look_or_at_the_end() {
    model(1);
}

#[test]
fn steals_of_two_thieves_are_seen_at_the_look_or_at_the_end() {
    model(2);
}
