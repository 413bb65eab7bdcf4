use super::*;
use crate::tree::kinds::End;

const KEY: u64 = 7;
const GRAIN: i64 = 1_000_000;

/// What strands of each kind are taken to last at two nodes.
const HERE: [i64; KINDS] = [1, 2, 30, 4];
const THERE: [i64; KINDS] = [10, 20, 300, 40];

fn before_fork() -> Kind {
    Kind::of(End::Fork, true)
}

fn between() -> Kind {
    Kind::of(End::Fork, false)
}

fn leaf() -> Kind {
    Kind::of(End::Branch, true)
}

fn tail() -> Kind {
    Kind::of(End::Branch, false)
}

/// A stretch in which its first fork has just begun.
fn opened() -> Stretch {
    let stretch = Stretch::default();
    stretch.clear();
    let position = Position {
        count: 1,
        ..Position::default()
    };
    stretch.open(KEY, [(1, HERE), (1, HERE)], position);
    stretch
}

fn end_strand(stretch: &Stretch, kind: Kind) {
    stretch.end_strand(stretch.take_strand(kind));
}

fn begin_fork(stretch: &Stretch, kind: Kind) {
    stretch.begin_fork(stretch.take_strand(kind));
}

/// Ends the stretch. Returns the depth of its path, the boundaries passed, and what it turned out
/// to be.
fn end(stretch: &Stretch, last: Option<Kind>) -> (i64, i64, Measured) {
    let Passed { position, unread } = stretch.count_up(last);
    (position.depth, unread, stretch.end(100, unread, GRAIN))
}

/// Node, forks and ticks taken.
fn shares(stretch: &Stretch) -> Vec<(u32, i64, i64)> {
    let of = |share: Share| (share.node, share.forks, share.taken);
    stretch.shares().map(of).collect()
}

#[test]
fn a_stretch_ends_with_its_branch() {
    let stretch = opened();
    end_strand(&stretch, leaf());
    end_strand(&stretch, leaf());
    let (depth, unread, measured) = end(&stretch, Some(tail()));
    assert_eq!((depth, unread), (30 + 30 + 4, 2));
    assert_eq!(
        (measured.forks, measured.strands, measured.taken),
        (1, 3, 64)
    );
    assert_eq!(shares(&stretch), [(1, 1, 64)]);
    assert!(!stretch.is_open());
}

#[test]
fn the_fork_at_which_a_stretch_is_broken_off_is_not_of_it() {
    let stretch = opened();
    begin_fork(&stretch, before_fork());
    end_strand(&stretch, leaf());
    end_strand(&stretch, leaf());
    let (_, unread, measured) = end(&stretch, Some(between()));
    assert_eq!(unread, 3);
    assert_eq!(
        (measured.forks, measured.strands, measured.taken),
        (2, 4, 63)
    );
}

#[test]
fn a_stretch_is_broken_off_at_another_node() {
    let stretch = opened();
    stretch
        .begin_fork_across(2, || Some(THERE), before_fork())
        .unwrap();
    end_strand(&stretch, leaf());
    let (depth, unread, measured) = end(&stretch, Some(before_fork()));
    assert_eq!((depth, unread), (1 + 300 + 10, 2));
    assert_eq!((measured.forks, measured.strands), (2, 3));
    assert_eq!(shares(&stretch), [(1, 1, 1), (2, 1, 310)]);
    assert_eq!(stretch.crossings(), 1);
}

#[test]
fn the_path_comes_back_from_another_node() {
    let stretch = opened();
    stretch
        .begin_fork_across(2, || Some(THERE), before_fork())
        .unwrap();
    end_strand(&stretch, leaf());
    end_strand(&stretch, leaf());
    stretch.go_back(1);
    let (_, unread, measured) = end(&stretch, Some(tail()));
    assert_eq!(unread, 3);
    assert_eq!((measured.forks, measured.strands), (2, 4));
    assert_eq!(shares(&stretch), [(1, 1, 5), (2, 1, 600)]);
}

#[test]
fn no_strand_runs_while_the_thread_waits() {
    let stretch = opened();
    end_strand(&stretch, leaf());
    let (depth, unread, measured) = end(&stretch, None);
    // The boundary at which the wait began read no clock either.
    assert_eq!((depth, unread), (30, 1));
    assert_eq!(
        (measured.forks, measured.strands, measured.taken),
        (1, 1, 30)
    );
}

#[test]
fn a_stretch_has_room_for_1024_forks() {
    let stretch = opened();
    while stretch.has_room(KEY) {
        begin_fork(&stretch, before_fork());
    }
    let (depth, unread, measured) = end(&stretch, Some(before_fork()));
    assert_eq!((depth, unread), (1024, 1023));
    assert_eq!((measured.forks, measured.strands), (1024, 1024));
    assert_eq!(shares(&stretch), [(1, 1024, 1024)]);
}

#[test]
fn a_branch_is_measured_for_1024_forks() {
    let stretch = opened();
    end(&stretch, Some(leaf()));
    let kinds = Kinds::default();
    let settings = Settings {
        grain: GRAIN,
        measured_forks: 64,
        ..Settings::default()
    };
    let (outer, inner) = (8, 16);
    stretch.consider(outer, 10, &settings, &kinds);
    assert!(stretch.is_measured());
    // Its later strands may be of other kinds than these.
    for _ in 0..FORKS {
        kinds.learn(before_fork(), 10, 1);
        stretch.consider(inner, 10, &settings, &kinds);
        assert!(stretch.is_measured() && stretch.opener() == 0);
    }
    // As in a list whose elements are left branches: the outer branch does not end.
    stretch.consider(inner, 10, &settings, &kinds);
    assert!(!stretch.is_measured() && stretch.opener() == inner);
}

#[test]
fn no_path_is_longer_than_its_stretch() {
    let stretch = opened();
    end_strand(&stretch, leaf());
    end_strand(&stretch, leaf());
    let Passed { position, unread } = stretch.count_up(Some(tail()));
    let depth = |ticks| stretch.within(ticks, position).depth;
    assert_eq!([depth(100), depth(64), depth(50)], [64, 64, 50]);
    stretch.end(50, unread, GRAIN);
}

#[test]
fn the_writer_may_end_a_stretch_between_any_two_steps_of_its_thread() {
    let stretch = opened();
    begin_fork(&stretch, before_fork());
    // The thread has counted the strand before its fork, which does not begin any more.
    let strand = stretch.take_strand(before_fork());
    let (depth, _, measured) = end(&stretch, Some(before_fork()));
    stretch.begin_fork(strand);
    end_strand(&stretch, leaf());
    assert_eq!(depth, 1 + 1);
    assert_eq!(
        (measured.forks, measured.strands, measured.taken),
        (3, 3, 3)
    );
    assert_eq!(shares(&stretch), [(1, 3, 3)]);
}

#[test]
fn a_strand_that_the_thread_is_counting_is_counted_once() {
    let stretch = opened();
    (0..10).for_each(|_| begin_fork(&stretch, before_fork()));
    // The thread has read the number of strands, and writes it after the end.
    let ended = &stretch.strands[before_fork().index()].ended;
    let before = ended.get();
    let (_, _, measured) = end(&stretch, Some(tail()));
    ended.set(before + 1);
    assert_eq!((measured.forks, measured.taken), (11, 10 + 4));
    assert_eq!(shares(&stretch), [(1, 11, 14)]);
    // Nor is it of the next stretch.
    stretch.open(KEY, [(1, HERE), (1, HERE)], Position::default());
    let (_, _, measured) = end(&stretch, Some(leaf()));
    assert_eq!((measured.forks, measured.taken), (1, 30));
}
