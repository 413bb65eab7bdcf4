use super::*;
use crate::record::item::Origin;

const GRAIN: i64 = 100;

fn strand(ticks: i64) -> Item {
    Item::Strand { node: 1, ticks }
}

fn folded(work: i64, span: i64, tasks: u32) -> Folded {
    let burdened = span;
    let figures = Figures {
        work,
        span,
        burdened,
        tasks,
    };
    Folded {
        node: 1,
        at: 2,
        figures,
    }
}

fn bulk(later: u32, ticks: i64) -> Bulk {
    Bulk {
        point: 7,
        later,
        node: 1,
        figures: Figures {
            tasks: 1,
            ..Figures::of_strand(ticks)
        },
    }
}

/// A window of these entries, the position of the first, and the position after the last.
fn window(items: &[Item]) -> (Window, u64, u64) {
    let mut window = Window::new();
    let begin = window.position();
    items.iter().for_each(|item| window.push(*item));
    let end = window.position();
    (window, begin, end)
}

fn entries(mut window: Window) -> Vec<Item> {
    let mut entries = Vec::new();
    window.take(0, |item| entries.push(*item));
    entries
}

/// A fork of two strands, not yet ended.
fn fork(left: i64, right: i64) -> [Item; 4] {
    let fork = Item::Fork { node: 1 };
    [fork, strand(left), Item::Middle, strand(right)]
}

#[test]
fn a_small_fork_is_one_entry() {
    let (mut window, begin, _) = window(&fork(30, 40));
    assert!(window.fold(begin, folded(70, 40, 1), GRAIN));
    assert_eq!(entries(window), [Item::Folded(folded(70, 40, 1))]);
}

#[test]
fn neighbours_are_merged_below_the_grain() {
    let mut window = Window::new();
    window.push_piece(strand(60), GRAIN);
    window.push_piece(Item::Folded(folded(39, 20, 1)), GRAIN);
    window.push_piece(Item::Folded(folded(1, 1, 1)), GRAIN);
    let merged = Folded {
        at: 0,
        ..folded(99, 80, 1)
    };
    let apart = folded(1, 1, 1);
    assert_eq!(entries(window), [Item::Folded(merged), Item::Folded(apart)]);
}

#[test]
fn a_fork_of_the_grain_stays() {
    let (mut window, begin, _) = window(&fork(60, 40));
    assert!(!window.fold(begin, folded(100, 60, 1), GRAIN));
    assert!(!window.flatten(begin, folded(100, 60, 1), 0, GRAIN));
    assert_eq!(entries(window), fork(60, 40));
}

#[test]
fn nothing_is_folded_that_is_partly_written() {
    let (mut window, begin, _) = window(&fork(30, 40));
    window.take(3, |_| ());
    assert!(!window.fold(begin, folded(70, 40, 1), GRAIN));
    assert!(!window.flatten(begin, folded(170, 140, 1), 0, GRAIN));
}

#[test]
fn a_fork_that_was_cut_off_is_gone() {
    let (mut window, begin, _) = window(&fork(30, 400));
    window.cut(begin);
    assert!(!window.flatten(begin, folded(430, 400, 1), 0, GRAIN));
}

#[test]
fn a_tiny_late_branch_becomes_work_behind_the_other() {
    let late = Item::LateMiddle { mark: 3, node: 1 };
    let left = Figures::of_strand(50);
    let flattened = |right, grain| {
        let (mut window, _, _) = window(&[strand(50), late, strand(right)]);
        let is_told = window.flatten_late(folded(0, 0, 0), left, 0, grain);
        is_told.then(|| entries(window))
    };
    let beside = Folded {
        at: 0,
        ..folded(55, 50, 0)
    };
    assert_eq!(flattened(5, GRAIN), Some(vec![Item::Folded(beside)]));
    // An eighth of the grain or more; on the path; with every strand kept, even of negative time.
    assert_eq!(flattened(13, GRAIN), None);
    assert_eq!(flattened(51, 10 * GRAIN), None);
    assert_eq!(flattened(-5, 0), None);
}

#[test]
fn what_others_await_is_not_cut_off() {
    // A group begins; in it a fork; and in that a task of the group ends.
    let (mut window, group, fork) = window(&[strand(1)]);
    window.push(strand(1));
    window.obstruct(group);
    let inner = window.position();
    window.push(strand(1));
    assert!(window.fold(inner, folded(1, 1, 0), GRAIN));
    assert!(!window.fold(fork, folded(2, 2, 0), GRAIN));
    assert!(window.fold(group, folded(3, 3, 0), GRAIN));
    // If what awaits it began elsewhere, nothing around it may be cut off.
    window.obstruct(0);
    assert!(!window.fold(group, folded(3, 3, 0), GRAIN));
}

#[test]
fn obstacles_are_few() {
    let mut window = Window::new();
    for round in 0..1_000 {
        let begin = window.position();
        window.push(strand(1));
        window.obstruct(if round % 3 == 0 { begin } else { 1 });
    }
    assert!(window.obstacles.len() <= 2);
}

#[test]
fn tasks_of_a_point_are_merged() {
    let mut window = Window::new();
    for (later, ticks) in [(10, 30), (5, 20), (20, 25)] {
        let begin = window.position();
        window.push(strand(ticks));
        window.end_task(begin, 0, bulk(later, ticks), GRAIN);
    }
    // Starts at 5; the last to end does so at 20 + 25.
    let figures = Figures {
        work: 75,
        span: 40,
        burdened: 40,
        tasks: 3,
    };
    let later = 5;
    let merged = Bulk {
        later,
        figures,
        ..bulk(0, 0)
    };
    assert_eq!(entries(window), [Item::Bulk(merged)]);
}

#[test]
fn a_tiny_branch_becomes_work_before_the_other() {
    const BURDEN: i64 = 15;
    let beside = |burdened| {
        let figures = Figures {
            work: 5,
            span: 0,
            burdened,
            tasks: 1,
        };
        Item::Folded(Folded {
            figures,
            ..folded(0, 0, 0)
        })
    };
    let whole = |burdened| {
        let mut whole = folded(205, 200, 1);
        whole.figures.burdened = burdened;
        whole
    };
    let (mut left, begin, _) = window(&fork(5, 200));
    assert!(left.flatten(begin, whole(215), BURDEN, GRAIN));
    let nothing = Item::Nothing;
    let expected = [beside(BURDEN), nothing, nothing, strand(200)];
    assert_eq!(entries(left), expected);
    let (mut right, begin, _) = window(&fork(200, 5));
    assert!(right.flatten(begin, whole(200), BURDEN, GRAIN));
    assert_eq!(entries(right), [beside(0), strand(200)]);
}

#[test]
fn a_tiny_branch_stays_where_the_burdened_path_goes_through_it() {
    let (mut window, begin, _) = window(&fork(200, 5));
    let mut whole = folded(205, 200, 1);
    whole.figures.burdened = 5 + 1_000;
    assert!(!window.flatten(begin, whole, 1_000, GRAIN));
}

#[test]
fn a_recursion_that_makes_tiny_tasks_one_by_one_leaves_few_entries() {
    let depth = 200_i64;
    let mut window = Window::new();
    let mut begins = Vec::new();
    for _ in 0..depth {
        begins.push(window.position());
        for item in [Item::Fork { node: 1 }, strand(1), Item::Middle] {
            window.push(item);
        }
        window.push_piece(strand(2), GRAIN);
    }
    for (level, begin) in (1..).zip(begins.into_iter().rev()) {
        let whole = folded(3 * level, 2 * level, level as u32);
        let is_told = window.fold(begin, whole, GRAIN) || window.flatten(begin, whole, 0, GRAIN);
        assert!(is_told);
    }
    let (mut merged, mut last) = (0, Item::Nothing);
    window.take(0, |item| {
        if *item != Item::Nothing && !last.merge(item, GRAIN) {
            merged += 1;
            last = *item;
        }
    });
    assert!(merged <= 3 * depth as u64 / GRAIN as u64 + 2, "{merged}");
}

fn parcel(later: u32, ticks: i64) -> Parcel {
    Parcel {
        origin: Origin::Point,
        to: 8,
        bulk: bulk(later, ticks),
    }
}

/// Ends a task whose lane is one strand, folded into one entry.
fn run_task(window: &mut Window, later: u32, ticks: i64) {
    let begin = window.position();
    window.push(Item::Start {
        hub: 1,
        is_stealable: false,
        node: 1,
        at: 0,
    });
    window.push_piece(strand(ticks), GRAIN);
    assert!(window.fold_task(begin, 1, parcel(later, ticks), GRAIN));
}

#[test]
fn tasks_that_are_run_where_they_are_made_are_one_entry() {
    let (mut window, _, _) = window(&[Item::Nothing, strand(1)]);
    for later in 0..20 {
        run_task(&mut window, later, 2);
        window.push_piece(strand(1), GRAIN);
    }
    let mut all = parcel(0, 2);
    (1..20).for_each(|later| all = all.merged(parcel(later, 2)).expect("of one point"));
    let expected = [Item::Nothing, strand(21), all.item()];
    assert_eq!(entries(window), expected);
}

#[test]
fn what_began_behind_a_part_does_not_go_before_it() {
    let (mut window, _, _) = window(&[strand(1)]);
    run_task(&mut window, 0, 2);
    let begin = window.begin();
    window.push_piece(strand(3), GRAIN);
    assert!(window.take_lane(begin, 3, GRAIN));
    assert_eq!(entries(window), [strand(1), parcel(0, 2).item()]);
}
