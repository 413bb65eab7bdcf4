//! Threads that extend, read and drop chains that they share.

use super::{extended, whole, Carried};
use crate::segment::Chain;
use crate::sync::{check, live};
use loom::thread::spawn;

/// Chains with the paths of 11, 22 and 33 extensions, each a part of the next, in three segments.
/// The longest counts as so long that each extension tries to coalesce it.
fn three() -> [Chain; 3] {
    let mut chain = Chain::default();
    let mut ends = Vec::new();
    for i in 0..33 {
        chain = extended(chain, i / 11);
        if i % 11 == 10 {
            ends.push(chain.clone());
        }
    }
    drop(extended(chain, 3));
    assert_eq!(live(), 3, "poured together");
    ends.try_into().ok().unwrap()
}

fn ticks(chain: &Chain) -> i64 {
    whole(chain).values().sum()
}

fn on_another_thread(
    chain: Chain,
    run: impl FnOnce(Chain) + 'static,
) -> loom::thread::JoinHandle<()> {
    let chain = Carried(chain);
    spawn(move || run(chain.get()))
}

#[test]
fn the_middle_is_dropped_while_the_end_is_extended() {
    check(4, || {
        let [first, middle, last] = three();
        let other = on_another_thread(middle, drop);
        let longer = extended(last, 3);
        assert_eq!(ticks(&longer), 34);
        other.join().unwrap();
        assert_eq!((ticks(&longer), ticks(&first)), (34, 11));
    });
}

#[test]
fn the_middle_is_read_while_the_end_is_extended() {
    check(4, || {
        let [first, middle, last] = three();
        drop(first);
        let other = on_another_thread(middle, |middle| assert_eq!(ticks(&middle), 22));
        let longer = extended(last, 3);
        other.join().unwrap();
        assert_eq!(ticks(&longer), 34);
    });
}

#[test]
fn the_end_is_extended_twice_at_once() {
    check(3, || {
        let [first, middle, last] = three();
        drop(middle);
        let other = on_another_thread(last.clone(), |last| {
            assert_eq!(ticks(&extended(last, 4)), 34);
        });
        let longer = extended(last, 3);
        drop(first);
        assert_eq!(ticks(&longer), 34);
        other.join().unwrap();
        assert_eq!(ticks(&longer), 34);
    });
}

#[test]
fn three_threads_extend_read_and_drop() {
    check(2, || {
        let [first, middle, last] = three();
        let dropping = on_another_thread(middle, |middle| drop((middle, first)));
        let reading = on_another_thread(last.clone(), |last| assert_eq!(ticks(&last), 33));
        assert_eq!(ticks(&extended(last, 3)), 34);
        dropping.join().unwrap();
        reading.join().unwrap();
    });
}

#[test]
fn the_last_handles_on_a_chain_are_dropped_at_once() {
    check(4, || {
        let [first, middle, last] = three();
        drop(first);
        let other = on_another_thread(middle, drop);
        drop(last);
        other.join().unwrap();
        assert_eq!(live(), 0);
    });
}
