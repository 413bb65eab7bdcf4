//! Records of task dags: every event by hand, each record cut at every byte, and damaged ones.

mod writer;

use proptest::prelude::*;
use workspan_format::stream::{Recording, StreamError, parse};
use workspan_model::{Dag, NodeId, Side, SiteId, VertexId, VertexKind};
use writer::Event::{self, *};
use writer::Writer;

fn read(bytes: &[u8]) -> Recording {
    let recording = parse(bytes).unwrap();
    let (nodes, sites) = (recording.nodes.len(), recording.sites.len());
    recording.dag.check(nodes, sites).unwrap();
    recording
}

/// The dag of threads that tell these events, which have to give the same whichever thread's blocks stand first in the file.
fn dag(threads: &[&[Event]]) -> Dag {
    let dag = dag_as_written(threads);
    let mut backwards = Writer::new();
    for (thread, events) in threads.iter().enumerate().rev() {
        backwards = backwards.thread(thread as u64, events);
    }
    assert_eq!(read(&backwards.whole()).dag.totals(), dag.totals());
    dag
}

/// The dag of threads that tell these events one after the other, which have to give the same in one block. Every record cut
/// short gives a dag, too.
fn dag_as_written(threads: &[&[Event]]) -> Dag {
    let mut one_by_one = Writer::new();
    let mut at_once = Writer::new();
    for (thread, events) in (0..).zip(threads) {
        one_by_one = one_by_one.thread(thread, events);
        at_once = at_once.thread_at_once(thread, events);
    }
    let bytes = one_by_one.whole();
    let dag = read(&bytes).dag;
    assert!(!dag.is_truncated);
    assert_eq!(read(&at_once.whole()).dag, dag);
    for length in 0..bytes.len() {
        assert!(read(&bytes[..length]).dag.is_truncated, "{length} bytes");
    }
    dag
}

/// The vertices in order: kind, work, node, and the successors, those that can be stolen with a minus.
fn shape(dag: &Dag) -> Vec<(VertexKind, i64, u32, Vec<i64>)> {
    let vertices = dag.vertices.iter().enumerate();
    vertices
        .map(|(index, vertex)| {
            let successors = dag.successors(VertexId(index as u32)).iter();
            let to = successors.map(|successor| {
                let to = i64::from(successor.to().0);
                if successor.is_stealable() { -to } else { to }
            });
            let node = dag.regions[vertex.region.index()].node.0;
            (vertex.kind, vertex.work, node, to.collect())
        })
        .collect()
}

/// Where each vertex begins and ends.
fn places(dag: &Dag) -> Vec<[(u32, Side); 2]> {
    let regions = dag
        .vertices
        .iter()
        .map(|vertex| dag.regions[vertex.region.index()]);
    regions
        .map(|region| [region.from, region.to].map(|boundary| (boundary.site.0, boundary.side)))
        .collect()
}

fn spans(dag: &Dag) -> (i64, i64, i64) {
    let totals = dag.totals();
    (totals.work, totals.span, totals.burdened_span)
}

use Side::{Body as InBody, Left as InLeft, Outside, Right as InRight};
use VertexKind::{Folded as Piece, Fork as Forks, Spawn as Spawns, Strand as Plain, Sync as Syncs};

#[test]
fn a_program_of_one_strand() {
    let dag = dag(&[&[Root(0), Strand(0, 40), Strand(0, 2), LaneEnd]]);
    assert_eq!(shape(&dag), [(Plain, 42, 0, vec![])]);
    assert_eq!(places(&dag), [[(0, InBody), (0, InBody)]]);
    assert_eq!((dag.ticks_per_second, dag.grain, dag.burden), (1e9, 0, 100));
}

#[test]
fn a_program_without_any() {
    assert_eq!(shape(&dag(&[&[Root(0), LaneEnd]])), [(Plain, 0, 0, vec![])]);
    assert_eq!(shape(&dag(&[])), [(Plain, 0, 0, vec![])]);
}

#[test]
fn the_program_is_told() {
    let recording = read(&Writer::new().whole());
    assert_eq!(recording.modules[0].path, "/bin/app");
    assert_eq!((recording.sites.len(), recording.nodes.len()), (8, 8));
    let call = recording.sites[6].call.unwrap();
    assert_eq!((call.from, call.to, call.code), (0, 0x1000, 0));
    let empty = read(b"");
    assert_eq!((empty.sites.len(), empty.nodes.len()), (1, 1));
}

#[test]
fn a_join_of_which_both_branches_ran_here() {
    let dag = dag(&[&[
        Root(0),
        Strand(0, 1),
        Fork(1),
        Strand(1, 10),
        Middle,
        Strand(1, 20),
        Join(0, 0),
        Strand(0, 2),
        LaneEnd,
    ]]);
    assert_eq!(
        shape(&dag),
        [
            (Forks, 1, 0, vec![1, -2]),
            (Plain, 10, 1, vec![3]),
            (Plain, 20, 1, vec![3]),
            (Syncs, 2, 0, vec![]),
        ]
    );
    assert_eq!(
        places(&dag),
        [
            [(0, InBody), (1, Outside)],
            [(1, InLeft), (1, InLeft)],
            [(1, InRight), (1, InRight)],
            [(1, Outside), (0, InBody)],
        ]
    );
    assert_eq!(dag.vertices[3].begun_by, VertexId(0));
    assert_eq!(spans(&dag), (33, 23, 123));
}

/// What the recorder leaves out is there: a fork, a branch and a sync of no length.
#[test]
fn empty_strands_are_filled_in() {
    let dag = dag(&[&[
        Root(0),
        Fork(1),
        Middle,
        Join(0, 0),
        Fork(1),
        Middle,
        Join(0, 0),
        LaneEnd,
    ]]);
    assert_eq!(
        shape(&dag),
        [
            (Forks, 0, 0, vec![1, -2]),
            (Plain, 0, 1, vec![3]),
            (Plain, 0, 1, vec![3]),
            (Syncs, 0, 0, vec![4]),
            (Forks, 0, 0, vec![5, -6]),
            (Plain, 0, 1, vec![7]),
            (Plain, 0, 1, vec![7]),
            (Syncs, 0, 0, vec![]),
        ]
    );
}

#[test]
fn a_stolen_branch() {
    let dag = dag(&[
        &[
            Root(0),
            Strand(0, 1),
            Fork(1),
            Strand(1, 10),
            Middle,
            Join(0, 77),
            LaneEnd,
        ],
        &[Right(77, 1), Strand(1, 20), LaneEnd],
    ]);
    assert_eq!(
        shape(&dag),
        [
            (Forks, 1, 0, vec![1, -2]),
            (Plain, 10, 1, vec![3]),
            (Plain, 20, 1, vec![3]),
            (Syncs, 0, 0, vec![]),
        ]
    );
    let workers: Vec<u16> = dag.vertices.iter().map(|vertex| vertex.worker).collect();
    assert_eq!(workers, [0, 0, 1, 0]);
}

/// While it waits for a stolen branch, a thread runs a branch of another join.
#[test]
fn lanes_within_lanes() {
    let dag = dag(&[
        &[
            Root(0),
            Fork(1),
            Strand(1, 10),
            Middle,
            Right(5, 7),
            Strand(7, 3),
            LaneEnd,
            Join(0, 4),
            Strand(0, 1),
            LaneEnd,
        ],
        &[
            Right(4, 1),
            Fork(7),
            Strand(7, 30),
            Middle,
            Join(0, 5),
            LaneEnd,
        ],
    ]);
    assert_eq!(
        shape(&dag),
        [
            (Forks, 0, 0, vec![1, -2]),
            (Plain, 10, 1, vec![6]),
            (Forks, 0, 1, vec![3, -4]),
            (Plain, 30, 7, vec![5]),
            (Plain, 3, 7, vec![5]),
            (Syncs, 0, 1, vec![6]),
            (Syncs, 1, 0, vec![]),
        ]
    );
}

#[test]
fn a_join_from_outside_the_pool() {
    let dag = dag(&[
        &[Root(0), Strand(0, 1), Fork(1), Join(8, 9), LaneEnd],
        &[
            Left(8, 1),
            Strand(1, 10),
            LaneEnd,
            Right(9, 1),
            Strand(1, 20),
            LaneEnd,
        ],
    ]);
    assert_eq!(
        shape(&dag),
        [
            (Forks, 1, 0, vec![1, -2]),
            (Plain, 10, 1, vec![3]),
            (Plain, 20, 1, vec![3]),
            (Syncs, 0, 0, vec![]),
        ]
    );
    assert_eq!(places(&dag)[1], [(1, InLeft), (1, InLeft)]);
}

/// The right branch never ran, because the left one panicked.
#[test]
fn a_branch_that_never_ran() {
    let dag = dag(&[
        &[Root(0), Fork(1), Join(8, 0), LaneEnd],
        &[Left(8, 1), Strand(1, 10), LaneEnd],
    ]);
    assert_eq!(shape(&dag)[0], (Forks, 0, 0, vec![1, -2]));
    assert_eq!(shape(&dag)[2], (Plain, 0, 1, vec![3]));
}

#[test]
fn functions_are_entered_and_left() {
    let dag = dag(&[&[
        Root(0),
        Fork(1),
        Strand(1, 1),
        Strand(6, 2),
        Strand(6, 3),
        Fork(7),
        Middle,
        Join(0, 0),
        Strand(6, 4),
        Strand(1, 5),
        Middle,
        Strand(6, 6),
        Join(0, 0),
        LaneEnd,
    ]]);
    let work: Vec<(i64, u32)> = shape(&dag)
        .iter()
        .map(|(_, work, node, _)| (*work, *node))
        .collect();
    assert_eq!(
        work,
        [
            (0, 0),
            (1, 1),
            (5, 6),
            (0, 7),
            (0, 7),
            (4, 6),
            (5, 1),
            (6, 6),
            (0, 0)
        ]
    );
    let places = places(&dag);
    assert_eq!(places[1], [(1, InLeft), (6, InBody)]);
    assert_eq!(places[2], [(6, InBody), (7, Outside)]);
    assert_eq!(places[5], [(7, Outside), (6, InBody)]);
    assert_eq!(places[6], [(6, InBody), (1, InLeft)]);
    assert_eq!(places[7], [(6, InBody), (1, InRight)]);
}

#[test]
fn pieces_stand_for_subtrees() {
    let dag = dag(&[&[
        Root(0),
        Strand(0, 5),
        Folded(0, 2, 100, 60, 160, 3),
        Folded(0, 0, 10, 10, 10, 0),
        Strand(0, 7),
        Fork(1),
        Folded(1, 0, 9, 8, 8, 1),
        Middle,
        Join(0, 0),
        LaneEnd,
    ]]);
    assert_eq!(
        shape(&dag),
        [
            (Plain, 5, 0, vec![1]),
            (Piece, 100, 0, vec![2]),
            (Piece, 10, 0, vec![3]),
            (Forks, 7, 0, vec![4, -5]),
            (Piece, 9, 1, vec![6]),
            (Plain, 0, 1, vec![6]),
            (Syncs, 0, 0, vec![]),
        ]
    );
    let piece = &dag.vertices[1];
    assert_eq!((piece.span, piece.burdened_span, piece.tasks), (60, 160, 3));
    assert_eq!(places(&dag)[0], [(0, InBody), (1, Outside)]);
    assert_eq!(places(&dag)[1], [(1, Outside), (1, Outside)]);
    assert_eq!(places(&dag)[2], [(1, Outside), (0, InBody)]);
    assert_eq!(dag.totals().tasks, 3 + 1 + 1);
}

/// A piece that begins with a function begins within it.
#[test]
fn pieces_may_begin_with_functions() {
    let dag = dag(&[&[
        Root(0),
        Strand(0, 5),
        Folded(0, 7, 100, 60, 160, 3),
        LaneEnd,
    ]]);
    assert_eq!(places(&dag)[0], [(0, InBody), (6, InBody)]);
    assert_eq!(places(&dag)[1], [(6, InBody), (0, InBody)]);
}

#[test]
fn a_scope_and_its_tasks() {
    let dag = dag(&[
        &[
            Root(0),
            Strand(0, 1),
            Group(50, 2),
            Body(50, 2),
            Strand(2, 2),
            Point(60, 2 + 50, 3),
            Strand(2, 3),
            Point(61, 2 + 50, 3),
            LaneEnd,
            Bulk(61, 0, 3, 4, 80, 20, 20),
            GroupEnd,
            Strand(0, 9),
            LaneEnd,
        ],
        &[Task(60, 0, 70, 3), Strand(3, 30), LaneEnd],
    ]);
    assert_eq!(
        shape(&dag),
        [
            (Plain, 1, 0, vec![1]),
            (Spawns, 2, 2, vec![2, -5]),
            (Spawns, 3, 2, vec![3, -4]),
            (Plain, 0, 2, vec![6]),
            (Piece, 80, 3, vec![6]),
            (Plain, 30, 3, vec![6]),
            (Syncs, 9, 0, vec![]),
        ]
    );
    assert_eq!(
        places(&dag)[..4],
        [
            [(0, InBody), (2, Outside)],
            [(2, InBody), (3, Outside)],
            [(3, Outside), (3, Outside)],
            [(3, Outside), (2, InBody)],
        ]
    );
    assert_eq!(places(&dag)[4], [(3, InBody), (3, InBody)]);
    assert_eq!(dag.vertices[6].begun_by, VertexId(0));
    assert_eq!(dag.totals().tasks, 5);
    assert_eq!(spans(&dag), (125, 1 + 2 + 30 + 9, 142));
}

/// A group that nothing ran in, such as a scope whose body was never called.
#[test]
fn an_empty_group() {
    let dag = dag(&[&[Root(0), Group(50, 2), GroupEnd, LaneEnd]]);
    assert_eq!(shape(&dag), [(Plain, 0, 0, vec![1]), (Syncs, 0, 0, vec![])]);
}

/// Tasks of a shared point divide the strand that follows it.
#[test]
fn tasks_that_were_spawned_later() {
    let dag = dag(&[
        &[Root(0), Point(60, 0, 3), Strand(0, 100), LaneEnd],
        &[
            Task(60, 30, 71, 3),
            Strand(3, 1),
            LaneEnd,
            Task(60, 0, 70, 3),
            Strand(3, 2),
            LaneEnd,
            Task(60, 30, 72, 3),
            Strand(3, 3),
            LaneEnd,
            Task(60, 1_000, 73, 3),
            Strand(3, 4),
            LaneEnd,
        ],
    ]);
    assert_eq!(
        shape(&dag),
        [
            (Spawns, 0, 0, vec![1, -7]),
            (Spawns, 30, 0, vec![2, -5, -6]),
            (Spawns, 70, 0, vec![3, -4]),
            (Plain, 0, 0, vec![8]),
            (Plain, 4, 3, vec![8]),
            (Plain, 1, 3, vec![8]),
            (Plain, 3, 3, vec![8]),
            (Plain, 2, 3, vec![8]),
            (Syncs, 0, 0, vec![]),
        ]
    );
    assert_eq!(places(&dag)[1], [(3, Outside), (3, Outside)]);
    assert_eq!(places(&dag)[3], [(3, Outside), (0, InBody)]);
    assert_eq!(spans(&dag), (110, 104, 204));
}

#[test]
fn pieces_are_divided_by_spawns_as_well() {
    let dag = dag(&[
        &[
            Root(0),
            Point(60, 0, 3),
            Folded(0, 0, 100, 50, 70, 2),
            LaneEnd,
        ],
        &[Task(60, 30, 71, 3), LaneEnd],
    ]);
    let rest = &dag.vertices[2];
    assert_eq!(
        (rest.kind, rest.work, rest.span, rest.burdened_span),
        (Piece, 70, 20, 40)
    );
    assert_eq!(dag.vertices[1].kind, Spawns);
    assert_eq!(dag.totals().work, 100);
}

#[test]
fn a_spawn_of_which_nothing_ran_is_a_strand() {
    let dag = dag(&[&[
        Root(0),
        Strand(0, 1),
        Point(60, 0, 3),
        Strand(0, 2),
        LaneEnd,
    ]]);
    assert_eq!(shape(&dag), [(Plain, 1, 0, vec![1]), (Plain, 2, 0, vec![])]);
}

#[test]
fn a_broadcast() {
    let dag = dag(&[
        &[
            Root(0),
            Strand(0, 1),
            Group(50, 4),
            Member(50, 70, 4),
            Strand(4, 5),
            LaneEnd,
            GroupEnd,
            LaneEnd,
        ],
        &[Member(50, 71, 4), Strand(4, 6), LaneEnd],
    ]);
    assert_eq!(
        shape(&dag),
        [
            (Forks, 1, 0, vec![-1, -2]),
            (Plain, 5, 4, vec![3]),
            (Plain, 6, 4, vec![3]),
            (Syncs, 0, 0, vec![]),
        ]
    );
}

#[test]
fn a_call_that_was_handed_off() {
    let dag = dag(&[
        &[
            Root(0),
            Strand(0, 1),
            Handoff(90),
            HandoffEnd,
            Strand(0, 3),
            LaneEnd,
        ],
        &[Call(90, 0), Strand(0, 2), LaneEnd],
    ]);
    assert_eq!(
        shape(&dag),
        [
            (Plain, 1, 0, vec![1]),
            (Plain, 2, 0, vec![2]),
            (Plain, 3, 0, vec![]),
        ]
    );
    let workers: Vec<u16> = dag.vertices.iter().map(|vertex| vertex.worker).collect();
    assert_eq!(workers, [0, 1, 0]);
}

#[test]
fn threads_of_the_program() {
    let dag = dag(&[
        &[
            Root(0),
            Strand(0, 1),
            Point(60, 1, 5),
            Strand(0, 2),
            Await(70),
            Strand(0, 4),
            LaneEnd,
        ],
        &[Task(60, 0, 70, 5), Strand(5, 8), LaneEnd],
        // Nobody joins this one.
        &[Own(100, 5), Strand(5, 16), LaneEnd],
    ]);
    assert_eq!(
        shape(&dag),
        [
            (Spawns, 1, 0, vec![1, -2, 4]),
            (Plain, 2, 0, vec![3]),
            (Plain, 8, 5, vec![3]),
            (Syncs, 4, 0, vec![6]),
            (Plain, 0, 0, vec![5]),
            (Plain, 16, 5, vec![6]),
            (Syncs, 0, 0, vec![]),
        ]
    );
    assert_eq!(dag.vertices[3].begun_by, VertexId(1));
    assert_eq!(spans(&dag), (31, 117, 117));
}

/// Joins that began unseen in a stretch: the inner one ends first, and both began at the mark.
#[test]
fn joins_that_are_told_late() {
    let dag = dag(&[
        &[
            Root(0),
            Fork(1),
            Folded(1, 8, 50, 40, 40, 6),
            Mark(33),
            Strand(7, 1),
            LateMiddle(33, 7),
            Strand(7, 2),
            Join(0, 0),
            Strand(6, 3),
            LateMiddle(33, 7),
            Join(0, 70),
            Strand(1, 4),
            Middle,
            Join(0, 0),
            LaneEnd,
        ],
        &[Right(70, 7), Strand(7, 5), LaneEnd],
    ]);
    assert_eq!(
        shape(&dag),
        [
            (Forks, 0, 0, vec![1, -9]),
            (Piece, 50, 1, vec![2]),
            (Forks, 0, 1, vec![3, -7]),
            (Forks, 0, 1, vec![4, -5]),
            (Plain, 1, 7, vec![6]),
            (Plain, 2, 7, vec![6]),
            (Syncs, 3, 6, vec![8]),
            (Plain, 5, 7, vec![8]),
            (Syncs, 4, 1, vec![10]),
            (Plain, 0, 1, vec![10]),
            (Syncs, 0, 0, vec![]),
        ]
    );
    // The piece before the mark holds 6 tasks, of which these two are told of.
    assert_eq!(dag.vertices[1].tasks, 4);
    assert_eq!(dag.totals().tasks, 4 + 2 + 1);
}

/// A join that ends late and whose beginning is nowhere has an empty left branch.
#[test]
fn joins_of_an_unknown_mark() {
    let dag = dag(&[&[
        Root(0),
        Strand(0, 1),
        LateMiddle(0, 1),
        Strand(1, 2),
        Join(0, 0),
        LaneEnd,
    ]]);
    assert_eq!(
        shape(&dag),
        [
            (Forks, 1, 0, vec![1, -2]),
            (Plain, 0, 1, vec![3]),
            (Plain, 2, 1, vec![3]),
            (Syncs, 0, 0, vec![]),
        ]
    );
}

/// The program left from within: what is open ends there, also the lane that the join has not told of.
#[test]
fn what_is_open_at_the_end_ends_there() {
    let dag = dag(&[
        &[
            Root(0),
            Strand(0, 1),
            Group(50, 2),
            Body(50, 2),
            Strand(2, 2),
            Fork(1),
            Strand(1, 3),
        ],
        &[Right(70, 1), Strand(1, 4)],
        &[Handoff(1)].as_slice()[..0],
    ]);
    assert_eq!(
        shape(&dag),
        [
            (Plain, 1, 0, vec![1]),
            (Forks, 2, 2, vec![2, -3]),
            (Plain, 3, 1, vec![4]),
            (Plain, 4, 1, vec![4]),
            (Syncs, 0, 2, vec![5]),
            (Syncs, 0, 0, vec![]),
        ]
    );
}

/// Of a recursion that was killed: the first lane is the branch of the outermost join.
#[test]
fn loose_lanes_are_branches_of_open_joins() {
    let dag = dag_as_written(&[
        &[
            Root(0),
            Strand(0, 1),
            Fork(1),
            Strand(1, 2),
            Fork(1),
            Strand(1, 3),
        ],
        &[Right(70, 1), Strand(1, 40), Fork(1), Strand(1, 5)],
        &[Right(71, 1), Strand(1, 60), LaneEnd],
        &[Right(72, 1), Strand(1, 70), LaneEnd],
    ]);
    assert_eq!(spans(&dag).0, 1 + 2 + 3 + 40 + 5 + 60 + 70);
    assert_eq!(spans(&dag).1, 1 + 40 + 70);
}

/// The program's own thread waited, and had not written down for what: what the pool had from it comes one after the other.
#[test]
fn loose_lanes_from_outside_follow_one_another() {
    let dag = dag_as_written(&[
        &[Root(0), Strand(0, 1)],
        &[Left(70, 1), Strand(1, 40), LaneEnd],
        &[Right(71, 1), Strand(1, 60), LaneEnd],
        &[Call(72, 0), Strand(0, 5), LaneEnd],
        &[Left(73, 1), Strand(1, 7)],
    ]);
    assert_eq!(
        shape(&dag),
        [
            (Plain, 1, 0, vec![1]),
            (Forks, 0, 0, vec![2, -3]),
            (Plain, 40, 1, vec![4]),
            (Plain, 60, 1, vec![4]),
            (Syncs, 0, 0, vec![5]),
            (Plain, 5, 0, vec![6]),
            (Forks, 0, 0, vec![7, -8]),
            (Plain, 7, 1, vec![9]),
            (Plain, 0, 1, vec![9]),
            (Syncs, 0, 0, vec![]),
        ]
    );
}

/// A task cannot fork the lane that spawns it: such a lane begins with the program.
#[test]
fn loose_lanes_that_fit_nowhere_begin_with_the_program() {
    let dag = dag(&[
        &[Root(0), Strand(0, 1), LaneEnd],
        &[
            Right(70, 1),
            Strand(1, 2),
            Point(60, 0, 3),
            Strand(1, 4),
            LaneEnd,
        ],
        &[Task(60, 0, 71, 3), Strand(3, 8), Fork(1), Strand(1, 16)],
    ]);
    assert_eq!(
        spans(&dag),
        (1 + 2 + 4 + 8 + 16, 1 + 2 + 8 + 16, spans(&dag).2)
    );
}

#[test]
fn nodes_may_be_told_as_they_come() {
    let bytes = Writer::new()
        .thread(0, &[Root(0), Strand(0, 1)])
        .block(
            b'T',
            b"site 8 region 0 0 0 -\nsitename 8 parse\nnode 8 0 8 0\n",
        )
        .thread(0, &[Strand(8, 2), LaneEnd])
        .block(
            b'H',
            b"ticks_per_second 2e9\ngrain_ticks 20000\nburden_ticks 7\n",
        )
        .whole();
    let recording = read(&bytes);
    assert_eq!(recording.sites[8].name.as_deref(), Some("parse"));
    assert_eq!(recording.dag.regions[1].node, NodeId(8));
    assert_eq!(recording.dag.regions[1].from.site, SiteId(8));
    let dag = recording.dag;
    assert_eq!(
        (dag.ticks_per_second, dag.grain, dag.burden),
        (2e9, 20_000, 7)
    );
}

fn damage(bytes: &[u8]) -> String {
    match parse(bytes) {
        Err(StreamError::Damaged { block, problem }) => format!("{block}: {problem}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn damage_is_named_with_its_block() {
    let events = |events: &[Event]| damage(&Writer::new().thread_at_once(0, events).whole());
    assert_eq!(
        events(&[Root(0), Middle]),
        "3: Middle: there is no left branch"
    );
    assert_eq!(
        events(&[Strand(0, 1)]),
        "3: Strand { node: 0, ticks: 1 }: it is in no lane"
    );
    assert_eq!(
        events(&[Root(0), Fork(9)]),
        "3: Fork { node: 9 }: there is no node 9 yet"
    );
    assert_eq!(
        events(&[Root(0), LaneEnd, Root(0), LaneEnd]),
        "3: LaneEnd: the program began twice"
    );
    let lane = [Right(7, 1), LaneEnd];
    assert_eq!(events(&[lane, lane].concat()), "0: two are named 7");
    let called_by_itself = [Call(9, 0), Handoff(9), HandoffEnd, LaneEnd];
    assert!(events(&called_by_itself).contains("waits for itself"));
    let writer = Writer::new;
    assert_eq!(
        damage(&writer().block(b'E', &[0, 99]).whole()),
        "3: the event 99 is not known"
    );
    assert_eq!(
        damage(&writer().block(b'Q', b"").whole()),
        "3: its kind `Q` is not known"
    );
    assert_eq!(
        damage(&writer().block(b'Z', b"").whole()),
        "4: it follows the end"
    );
    assert!(damage(&writer().block(b'T', b"node 9 0 1 0\n").whole()).contains("id 9 where 8"));
    assert!(
        damage(&writer().block(b'H', b"ticks_per_second 0\n").whole()).contains("not positive")
    );
    let too_long = "0: the times of the dag add up to more than 64 bits hold";
    let extremes = [i64::MIN, i64::MAX];
    for ticks in extremes {
        assert_eq!(events(&[Root(0), Strand(0, ticks)]), too_long);
        assert_eq!(
            events(&[Root(0), Strand(0, ticks), Strand(0, ticks)]),
            too_long
        );
        assert_eq!(events(&[Root(0), Folded(0, 0, 1, 1, ticks, 1)]), too_long);
        let tasks = [Root(0), Point(5, 0, 3), Bulk(5, 1, 3, 1, 0, ticks, 1)];
        assert_eq!(events(&tasks), too_long);
        let spawner = [Root(0), Point(5, 0, 3), Folded(0, 0, 9, 9, ticks, 0)];
        let task = [LaneEnd, Task(5, 4, 6, 3), LaneEnd];
        assert_eq!(events(&[&spawner[..], &task].concat()), too_long);
        let burden = format!("ticks_per_second 1\nburden_ticks {ticks}\n");
        let forks = writer().block(b'H', burden.as_bytes());
        let forks = forks.thread(0, &[Root(0), Fork(1), Middle, Join(0, 0)]);
        assert_eq!(damage(&forks.whole()), too_long);
    }
    let slow = writer().block(b'H', b"ticks_per_second 1e-300\n");
    let slow = slow.thread(0, &[Root(0), Strand(0, 1)]).whole();
    assert_eq!(damage(&slow), too_long);
}

#[test]
fn every_flipped_bit_of_a_block_is_seen() {
    let bytes = Writer::new().thread(0, &[Root(0), Strand(0, 3)]).whole();
    let whole = read(&bytes);
    for index in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[index] ^= 1 << bit;
            // A longer length makes it a record that is cut.
            assert!(
                parse(&changed).is_ok_and(|read| read != whole && read.dag.is_truncated)
                    || parse(&changed).is_err(),
                "bit {bit} of byte {index}"
            );
        }
    }
}

#[test]
fn other_files_are_told_apart() {
    assert!(matches!(parse(b"\x7fELF"), Err(StreamError::Foreign)));
    assert!(matches!(
        parse(b"workspan-raw 3\n"),
        Err(StreamError::Foreign)
    ));
    let Err(StreamError::OtherVersion { found }) = parse(b"workspan-dag 1\n") else {
        panic!("another version is read");
    };
    assert_eq!(found, "1");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever events there are, with right checksums, cut anywhere: a valid dag or an error.
    #[test]
    fn arbitrary_events_never_panic(
        events in prop::collection::vec((0..3_u64, any_event()), 0..60),
        cut in any::<prop::sample::Index>(),
    ) {
        check(&events, cut)?;
    }

    /// Few of those make sense together; so the same with each event left out that does not after the others.
    #[test]
    fn events_that_make_sense_give_a_valid_dag(
        events in prop::collection::vec((0..3_u64, any_event()), 0..60),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut kept = Vec::new();
        for event in events {
            kept.push(event);
            if parse(&record_of(&kept)).is_err() {
                kept.pop();
            }
        }
        prop_assert!(parse(&record_of(&kept)).is_ok());
        check(&kept, cut)?;
    }
}

/// The record of threads that tell these events.
fn record_of(events: &[(u64, Event)]) -> Vec<u8> {
    let writer = events
        .iter()
        .fold(Writer::new(), |writer, (thread, event)| {
            writer.thread(*thread, &[*event])
        });
    writer.whole()
}

/// Whether their record is a valid dag of their work or an error; and a valid dag or an error where it is cut.
fn check(events: &[(u64, Event)], cut: prop::sample::Index) -> Result<(), TestCaseError> {
    let bytes = record_of(events);
    let read = |bytes| {
        let Ok(recording) = parse(bytes) else {
            return Ok(None);
        };
        let (nodes, sites) = (recording.nodes.len(), recording.sites.len());
        prop_assert_eq!(recording.dag.check(nodes, sites), Ok(()));
        Ok(Some(recording.dag))
    };
    read(&bytes[..cut.index(bytes.len())])?;
    if let Some(dag) = read(&bytes)? {
        let work: i64 = events.iter().map(|(_, event)| work_of(event)).sum();
        prop_assert_eq!(dag.totals().work, work);
    }
    Ok(())
}

/// What an event adds to the work.
fn work_of(event: &Event) -> i64 {
    match *event {
        Strand(_, ticks) => ticks,
        Folded(_, _, work, ..) | Bulk(_, _, _, _, work, ..) => work,
        _ => 0,
    }
}

/// Events of few names, so that they meet.
fn any_event() -> impl Strategy<Value = Event> {
    let (name, node, ticks) = (|| 1..4_u64, || 0..8_u64, || 0..50_i64);
    prop_oneof![
        4 => (node(), ticks()).prop_map(|(node, ticks)| Strand(node, ticks)),
        1 => (node(), node(), ticks()).prop_map(|(node, at, work)| Folded(node, at, work, work / 2, work, 1)),
        3 => node().prop_map(Fork),
        3 => Just(Middle),
        3 => (0..3_u64, 0..3_u64).prop_map(|(left, right)| Join(left, right)),
        1 => name().prop_map(Mark),
        1 => (name(), node()).prop_map(|(mark, node)| LateMiddle(mark, node)),
        1 => (name(), node()).prop_map(|(lane, node)| Right(lane, node)),
        4 => Just(LaneEnd),
        1 => (name(), node()).prop_map(|(lane, node)| Left(lane, node)),
        1 => (name(), node()).prop_map(|(group, node)| Group(group, node)),
        1 => (name(), node()).prop_map(|(group, node)| Body(group, node)),
        1 => Just(GroupEnd),
        2 => (name(), 0..6_u64, node()).prop_map(|(point, awaited, node)| Point(point, awaited, node)),
        2 => (name(), 0..40_u64, name(), node()).prop_map(|(point, later, lane, node)| Task(point, later, lane, node)),
        1 => (name(), 0..40_u64, node(), ticks()).prop_map(|(point, later, node, work)| Bulk(point, later, node, 2, work, work / 2, work)),
        1 => (name(), name(), node()).prop_map(|(group, lane, node)| Member(group, lane, node)),
        1 => name().prop_map(Handoff),
        1 => (name(), node()).prop_map(|(call, node)| Call(call, node)),
        1 => Just(HandoffEnd),
        1 => name().prop_map(Await),
        4 => Just(Root(0)),
        1 => (ticks(), node()).prop_map(|(ticks, node)| Own(ticks, node)),
    ]
}
