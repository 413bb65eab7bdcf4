use super::{Access, Dependences};

use Access::{ExclusiveSet, Read, Set, Write};

/// Whom each task follows, of tasks 0, 1, … that are created one after the other.
fn followed(tasks: &[&[(usize, Access)]]) -> Vec<Vec<usize>> {
    let mut dependences = Dependences::default();
    let mut followed = Vec::new();
    for (task, accesses) in tasks.iter().enumerate() {
        let mut before = Vec::new();
        dependences.add(&task, accesses, |&other| before.push(other));
        followed.push(before);
    }
    followed
}

#[test]
fn readers_follow_the_writer_and_the_next_writer_follows_all_readers() {
    let tasks: [&[_]; 5] = [
        &[(1, Write)],
        &[(1, Read)],
        &[(1, Read)],
        &[(1, Write)],
        &[(1, Write)],
    ];
    assert_eq!(
        followed(&tasks),
        [vec![], vec![0], vec![0], vec![1, 2], vec![3]]
    );
}

#[test]
fn sets_are_ordered_with_one_another_and_with_readers() {
    let tasks: [&[_]; 6] = [
        &[(1, Read)],
        &[(1, Set)],
        &[(1, Set)],
        &[(1, ExclusiveSet)],
        &[(1, ExclusiveSet)],
        &[(1, Read)],
    ];
    assert_eq!(
        followed(&tasks),
        [vec![], vec![0], vec![0], vec![1, 2], vec![1, 2], vec![3, 4]]
    );
}

#[test]
fn places_are_independent() {
    let tasks: [&[_]; 4] = [
        &[(1, Write)],
        &[(2, Write)],
        &[(1, Read), (2, Write)],
        &[(2, Read)],
    ];
    assert_eq!(followed(&tasks), [vec![], vec![], vec![0, 1], vec![2]]);
}

#[test]
fn a_place_named_as_read_and_written_is_written_and_no_task_follows_itself() {
    let tasks: [&[_]; 3] = [&[(1, Read)], &[(1, Read), (1, Write)], &[(1, Read)]];
    assert_eq!(followed(&tasks), [vec![], vec![0], vec![1]]);
}

#[test]
fn all_memory_stands_between_all_before_and_all_after() {
    let mut dependences = Dependences::default();
    dependences.add(&0, &[(1, Write)], |_| panic!("the first follows none"));
    dependences.add(&1, &[(2, Read)], |_| panic!("nobody wrote there"));
    let mut before = Vec::new();
    dependences.add_everything(&2, |&other| before.push(other));
    before.sort_unstable();
    assert_eq!(before, [0, 1]);
    for (task, place) in [(3, 1), (4, 3)] {
        let mut before = Vec::new();
        dependences.add(&task, &[(place, Read)], |&other| before.push(other));
        assert_eq!(before, [2], "task {task}");
    }
    let mut before = Vec::new();
    dependences.add_everything(&5, |&other| before.push(other));
    before.sort_unstable();
    assert_eq!(before, [2, 3, 4]);
}
