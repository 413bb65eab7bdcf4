//! Records of task dags: every event, written by hand; each record cut at every byte; damaged ones.

mod writer;

use proptest::prelude::*;
use workspan_format::stream::{Recording, StreamError, parse};
use workspan_model::{Dag, NodeId, Side, SiteId, VertexId, VertexKind};
use writer::Writer;

fn read(bytes: &[u8]) -> Recording {
    let recording = parse(bytes).unwrap();
    let (nodes, sites) = (recording.nodes.len(), recording.sites.len());
    recording.dag.check(nodes, sites).unwrap();
    recording
}

/// The dag of threads with these events. The order of the threads' blocks in the file must not
/// change its totals.
fn dag(threads: &[&str]) -> Dag {
    let dag = dag_as_written(threads);
    let mut backwards = Writer::new();
    for (thread, events) in threads.iter().enumerate().rev() {
        backwards = backwards.thread(thread as u64, events);
    }
    assert_eq!(read(&backwards.whole()).dag.totals(), dag.totals());
    dag
}

/// The dag of threads with these events, whose blocks come one thread after another. The same
/// events in one block per thread must give the same dag, and every prefix of the record must give
/// a truncated one.
fn dag_as_written(threads: &[&str]) -> Dag {
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

/// The vertices in order: kind, work, node, and successors, with a minus if stealable.
fn shape(dag: &Dag) -> Vec<String> {
    let vertices = (0..).map(VertexId).zip(&dag.vertices);
    vertices
        .map(|(id, vertex)| {
            let node = dag.regions[vertex.region.index()].node.0;
            let mut text = format!("{:?} {} @{node}", vertex.kind, vertex.work);
            for (index, successor) in dag.successors(id).iter().enumerate() {
                let colon = if index == 0 { ":" } else { "" };
                let minus = if successor.is_stealable() { "-" } else { "" };
                text += &format!("{colon} {minus}{}", successor.to().0);
            }
            text
        })
        .collect()
}

#[track_caller]
fn assert_shape(dag: &Dag, expected: &str) {
    assert_eq!(shape(dag), expected.split("; ").collect::<Vec<_>>());
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

#[test]
fn a_program_of_one_strand() {
    let dag = dag(&["Root 0, Strand 0 40, Strand 0 2, LaneEnd"]);
    assert_shape(&dag, "Strand 42 @0");
    assert_eq!(places(&dag), [[(0, InBody), (0, InBody)]]);
    assert_eq!((dag.ticks_per_second, dag.grain, dag.burden), (1e9, 0, 100));
}

#[test]
fn a_program_without_any() {
    assert_shape(&dag(&["Root 0, LaneEnd"]), "Strand 0 @0");
    assert_shape(&dag(&[]), "Strand 0 @0");
}

#[test]
fn the_program_is_read() {
    let recording = read(&Writer::new().whole());
    assert_eq!(recording.modules[0].path, "/bin/app");
    assert_eq!((recording.sites.len(), recording.nodes.len()), (8, 8));
    let call = recording.sites[6].call.unwrap();
    assert_eq!((call.from, call.to, call.code), (0, 0x1000, 0));
    let empty = read(b"");
    assert_eq!((empty.sites.len(), empty.nodes.len()), (1, 1));
}

#[test]
fn a_join_with_both_branches_here() {
    let dag = dag(&[
        "Root 0, Strand 0 1, Fork 1, Strand 1 10, Middle, Strand 1 20, Join 0 0, Strand 0 2, \
         LaneEnd",
    ]);
    assert_shape(
        &dag,
        "Fork 1 @0: 1 -2; Strand 10 @1: 3; Strand 20 @1: 3; Sync 2 @0",
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

/// Forks, branches and syncs of no length, which the engine leaves out, are in the dag.
#[test]
fn empty_strands_are_filled_in() {
    let dag = dag(&["Root 0, Fork 1, Middle, Join 0 0, Fork 1, Middle, Join 0 0, LaneEnd"]);
    assert_shape(
        &dag,
        "Fork 0 @0: 1 -2; Strand 0 @1: 3; Strand 0 @1: 3; Sync 0 @0: 4; Fork 0 @0: 5 -6; \
         Strand 0 @1: 7; Strand 0 @1: 7; Sync 0 @0",
    );
}

#[test]
fn a_stolen_branch() {
    let dag = dag(&[
        "Root 0, Strand 0 1, Fork 1, Strand 1 10, Middle, Join 0 77, LaneEnd",
        "Right 77 1, Strand 1 20, LaneEnd",
    ]);
    assert_shape(
        &dag,
        "Fork 1 @0: 1 -2; Strand 10 @1: 3; Strand 20 @1: 3; Sync 0 @0",
    );
    let workers: Vec<u16> = dag.vertices.iter().map(|vertex| vertex.worker).collect();
    assert_eq!(workers, [0, 0, 1, 0]);
}

/// While a thread waits for a stolen branch, it runs a branch of another join.
#[test]
fn lanes_within_lanes() {
    let dag = dag(&[
        "Root 0, Fork 1, Strand 1 10, Middle, Right 5 7, Strand 7 3, LaneEnd, Join 0 4, \
         Strand 0 1, LaneEnd",
        "Right 4 1, Fork 7, Strand 7 30, Middle, Join 0 5, LaneEnd",
    ]);
    assert_shape(
        &dag,
        "Fork 0 @0: 1 -2; Strand 10 @1: 6; Fork 0 @1: 3 -4; Strand 30 @7: 5; Strand 3 @7: 5; \
         Sync 0 @1: 6; Sync 1 @0",
    );
}

#[test]
fn a_join_from_outside_the_pool() {
    let dag = dag(&[
        "Root 0, Strand 0 1, Fork 1, Join 8 9, LaneEnd",
        "Left 8 1, Strand 1 10, LaneEnd, Right 9 1, Strand 1 20, LaneEnd",
    ]);
    assert_shape(
        &dag,
        "Fork 1 @0: 1 -2; Strand 10 @1: 3; Strand 20 @1: 3; Sync 0 @0",
    );
    assert_eq!(places(&dag)[1], [(1, InLeft), (1, InLeft)]);
}

/// The right branch never ran, because the left one panicked.
#[test]
fn a_branch_that_never_ran() {
    let dag = dag(&[
        "Root 0, Fork 1, Join 8 0, LaneEnd",
        "Left 8 1, Strand 1 10, LaneEnd",
    ]);
    assert_shape(
        &dag,
        "Fork 0 @0: 1 -2; Strand 10 @1: 3; Strand 0 @1: 3; Sync 0 @0",
    );
}

#[test]
fn functions_are_entered_and_left() {
    let dag = dag(&[
        "Root 0, Fork 1, Strand 1 1, Strand 6 2, Strand 6 3, Fork 7, Middle, Join 0 0, Strand 6 4, \
         Strand 1 5, Middle, Strand 6 6, Join 0 0, LaneEnd",
    ]);
    assert_shape(
        &dag,
        "Fork 0 @0: 1 -7; Strand 1 @1: 2; Fork 5 @6: 3 -4; Strand 0 @7: 5; Strand 0 @7: 5; \
         Sync 4 @6: 6; Strand 5 @1: 8; Strand 6 @6: 8; Sync 0 @0",
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
    let dag = dag(&[
        "Root 0, Strand 0 5, Folded 0 2 100 60 160 3, Folded 0 0 10 10 10 0, Strand 0 7, Fork 1, \
         Folded 1 0 9 8 8 1, Middle, Join 0 0, LaneEnd",
    ]);
    assert_shape(
        &dag,
        "Strand 5 @0: 1; Folded 100 @0: 2; Folded 10 @0: 3; Fork 7 @0: 4 -5; Folded 9 @1: 6; \
         Strand 0 @1: 6; Sync 0 @0",
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
    let dag = dag(&["Root 0, Strand 0 5, Folded 0 7 100 60 160 3, LaneEnd"]);
    assert_eq!(places(&dag)[0], [(0, InBody), (6, InBody)]);
    assert_eq!(places(&dag)[1], [(6, InBody), (0, InBody)]);
}

#[test]
fn a_scope_and_its_tasks() {
    let dag = dag(&[
        "Root 0, Strand 0 1, Group 50 2, Body 50 2, Strand 2 2, Point 60 52 3, Strand 2 3, \
         Point 61 52 3, LaneEnd, Bulk 61 0 3 4 80 20 20, GroupEnd, Strand 0 9, LaneEnd",
        "Task 60 0 70 3, Strand 3 30, LaneEnd",
    ]);
    assert_shape(
        &dag,
        "Strand 1 @0: 1; Spawn 2 @2: 2 -5; Spawn 3 @2: 3 -4; Strand 0 @2: 6; Folded 80 @3: 6; \
         Strand 30 @3: 6; Sync 9 @0",
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

/// A group in which nothing ran, such as a scope whose body was never called.
#[test]
fn an_empty_group() {
    let dag = dag(&["Root 0, Group 50 2, GroupEnd, LaneEnd"]);
    assert_shape(&dag, "Strand 0 @0: 1; Sync 0 @0");
}

/// Tasks of a shared point split the strand that follows it.
#[test]
fn tasks_spawned_later_than_their_point() {
    let dag = dag(&[
        "Root 0, Point 60 0 3, Strand 0 100, LaneEnd",
        "Task 60 30 71 3, Strand 3 1, LaneEnd, Task 60 0 70 3, Strand 3 2, LaneEnd, \
         Task 60 30 72 3, Strand 3 3, LaneEnd, Task 60 1000 73 3, Strand 3 4, LaneEnd",
    ]);
    assert_shape(
        &dag,
        "Spawn 0 @0: 1 -7; Spawn 30 @0: 2 -5 -6; Spawn 70 @0: 3 -4; Strand 0 @0: 8; \
         Strand 4 @3: 8; Strand 1 @3: 8; Strand 3 @3: 8; Strand 2 @3: 8; Sync 0 @0",
    );
    assert_eq!(places(&dag)[1], [(3, Outside), (3, Outside)]);
    assert_eq!(places(&dag)[3], [(3, Outside), (0, InBody)]);
    assert_eq!(spans(&dag), (110, 104, 204));
}

#[test]
fn spawns_split_folded_pieces_too() {
    let dag = dag(&[
        "Root 0, Point 60 0 3, Folded 0 0 100 50 70 2, LaneEnd",
        "Task 60 30 71 3, LaneEnd",
    ]);
    let rest = &dag.vertices[2];
    assert_eq!(
        (rest.kind, rest.work, rest.span, rest.burdened_span),
        (VertexKind::Folded, 70, 20, 40)
    );
    assert_eq!(dag.vertices[1].kind, VertexKind::Spawn);
    assert_eq!(dag.totals().work, 100);
}

#[test]
fn a_spawn_whose_task_never_ran_is_a_strand() {
    let dag = dag(&["Root 0, Strand 0 1, Point 60 0 3, Strand 0 2, LaneEnd"]);
    assert_shape(&dag, "Strand 1 @0: 1; Strand 2 @0");
}

#[test]
fn a_broadcast() {
    let dag = dag(&[
        "Root 0, Strand 0 1, Group 50 4, Member 50 70 4, Strand 4 5, LaneEnd, GroupEnd, LaneEnd",
        "Member 50 71 4, Strand 4 6, LaneEnd",
    ]);
    assert_shape(
        &dag,
        "Fork 1 @0: -1 -2; Strand 5 @4: 3; Strand 6 @4: 3; Sync 0 @0",
    );
}

#[test]
fn a_call_that_was_handed_off() {
    let dag = dag(&[
        "Root 0, Strand 0 1, Handoff 90, HandoffEnd, Strand 0 3, LaneEnd",
        "Call 90 0, Strand 0 2, LaneEnd",
    ]);
    assert_shape(&dag, "Strand 1 @0: 1; Strand 2 @0: 2; Strand 3 @0");
    let workers: Vec<u16> = dag.vertices.iter().map(|vertex| vertex.worker).collect();
    assert_eq!(workers, [0, 1, 0]);
}

#[test]
fn threads_of_the_program() {
    let dag = dag(&[
        "Root 0, Strand 0 1, Point 60 1 5, Strand 0 2, Await 70, Strand 0 4, LaneEnd",
        "Task 60 0 70 5, Strand 5 8, LaneEnd",
        // Nobody joins this one.
        "Own 100 5, Strand 5 16, LaneEnd",
    ]);
    assert_shape(
        &dag,
        "Spawn 1 @0: 1 -2 4; Strand 2 @0: 3; Strand 8 @5: 3; Sync 4 @0: 6; Strand 0 @0: 5; \
         Strand 16 @5: 6; Sync 0 @0",
    );
    assert_eq!(dag.vertices[3].begun_by, VertexId(1));
    assert_eq!(spans(&dag), (31, 117, 117));
}

/// Joins that began in a folded piece, both at the mark. The inner one ends first.
#[test]
fn joins_with_late_middles() {
    let dag = dag(&[
        "Root 0, Fork 1, Folded 1 8 50 40 40 6, Mark 33, Strand 7 1, LateMiddle 33 7, Strand 7 2, \
         Join 0 0, Strand 6 3, LateMiddle 33 7, Join 0 70, Strand 1 4, Middle, Join 0 0, LaneEnd",
        "Right 70 7, Strand 7 5, LaneEnd",
    ]);
    assert_shape(
        &dag,
        "Fork 0 @0: 1 -9; Folded 50 @1: 2; Fork 0 @1: 3 -7; Fork 0 @1: 4 -5; Strand 1 @7: 6; \
         Strand 2 @7: 6; Sync 3 @6: 8; Strand 5 @7: 8; Sync 4 @1: 10; Strand 0 @1: 10; Sync 0 @0",
    );
    // The piece before the mark holds 6 tasks, two of which are those of these joins.
    assert_eq!(dag.vertices[1].tasks, 4);
    assert_eq!(dag.totals().tasks, 4 + 2 + 1);
}

/// A late middle without its mark: the left branch is empty.
#[test]
fn late_middles_of_an_unknown_mark() {
    let dag = dag(&["Root 0, Strand 0 1, LateMiddle 0 1, Strand 1 2, Join 0 0, LaneEnd"]);
    assert_shape(
        &dag,
        "Fork 1 @0: 1 -2; Strand 0 @1: 3; Strand 2 @1: 3; Sync 0 @0",
    );
}

/// The program exited within a join. Everything that is open ends there, including the lane of the
/// other branch, which the join did not name.
#[test]
fn what_is_open_ends_with_the_record() {
    let dag = dag(&[
        "Root 0, Strand 0 1, Group 50 2, Body 50 2, Strand 2 2, Fork 1, Strand 1 3",
        "Right 70 1, Strand 1 4",
        "",
    ]);
    assert_shape(
        &dag,
        "Strand 1 @0: 1; Fork 2 @2: 2 -3; Strand 3 @1: 4; Strand 4 @1: 4; Sync 0 @2: 5; Sync 0 @0",
    );
}

/// A recursion in a killed program: the first lane is a branch of the outermost join.
#[test]
fn loose_lanes_are_branches_of_incomplete_joins() {
    let dag = dag_as_written(&[
        "Root 0, Strand 0 1, Fork 1, Strand 1 2, Fork 1, Strand 1 3",
        "Right 70 1, Strand 1 40, Fork 1, Strand 1 5",
        "Right 71 1, Strand 1 60, LaneEnd",
        "Right 72 1, Strand 1 70, LaneEnd",
    ]);
    assert_eq!(spans(&dag).0, 1 + 2 + 3 + 40 + 5 + 60 + 70);
    assert_eq!(spans(&dag).1, 1 + 40 + 70);
}

/// The program's own thread waited, but its record does not say for what: what the pool ran for it
/// comes one after another.
#[test]
fn loose_lanes_from_outside_follow_one_another() {
    let dag = dag_as_written(&[
        "Root 0, Strand 0 1",
        "Left 70 1, Strand 1 40, LaneEnd",
        "Right 71 1, Strand 1 60, LaneEnd",
        "Call 72 0, Strand 0 5, LaneEnd",
        "Left 73 1, Strand 1 7",
    ]);
    assert_shape(
        &dag,
        "Strand 1 @0: 1; Fork 0 @0: 2 -3; Strand 40 @1: 4; Strand 60 @1: 4; Sync 0 @0: 5; \
         Strand 5 @0: 6; Fork 0 @0: 7 -8; Strand 7 @1: 9; Strand 0 @1: 9; Sync 0 @0",
    );
}

/// A task cannot fork the lane that spawns it, so the lane begins with the program.
#[test]
fn loose_lanes_that_fit_nowhere_begin_with_the_program() {
    let dag = dag(&[
        "Root 0, Strand 0 1, LaneEnd",
        "Right 70 1, Strand 1 2, Point 60 0 3, Strand 1 4, LaneEnd",
        "Task 60 0 71 3, Strand 3 8, Fork 1, Strand 1 16",
    ]);
    assert_eq!(
        spans(&dag),
        (1 + 2 + 4 + 8 + 16, 1 + 2 + 8 + 16, spans(&dag).2)
    );
}

#[test]
fn nodes_may_come_after_events() {
    let bytes = Writer::new()
        .thread(0, "Root 0, Strand 0 1")
        .block(
            b'T',
            b"site 8 region 0 0 0 -\nsitename 8 parse\nnode 8 0 8 0\n",
        )
        .thread(0, "Strand 8 2, LaneEnd")
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
    let events = |events: &str| damage(&Writer::new().thread_at_once(0, events).whole());
    for (wrong, problem) in [
        ("Root 0, Middle", "3: Middle: there is no left branch"),
        (
            "Strand 0 1",
            "3: Strand { node: 0, ticks: 1 }: it is in no lane",
        ),
        (
            "Root 0, Fork 9",
            "3: Fork { node: 9 }: there is no node 9 yet",
        ),
        (
            "Root 0, LaneEnd, Root 0, LaneEnd",
            "3: LaneEnd: the program began twice",
        ),
        (
            "Right 7 1, LaneEnd, Right 7 1, LaneEnd",
            "0: two are named 7",
        ),
    ] {
        assert_eq!(events(wrong), problem);
    }
    assert!(events("Call 9 0, Handoff 9, HandoffEnd, LaneEnd").contains("waits for itself"));
    let writer = Writer::new;
    for (kind, payload, problem) in [
        (b'E', "\0c", "3: the event 99 is not known"),
        (b'Q', "", "3: its kind `Q` is not known"),
        (b'Z', "", "4: it follows the end"),
        (b'T', "node 9 0 1 0\n", "id 9 where 8"),
        (b'H', "ticks_per_second 0\n", "not positive"),
    ] {
        let damage = damage(&writer().block(kind, payload.as_bytes()).whole());
        assert!(damage.contains(problem), "{damage}");
    }
    let too_long = "0: the times of the dag add up to more than 64 bits hold";
    for ticks in [i64::MIN, i64::MAX] {
        for long in [
            format!("Strand 0 {ticks}"),
            format!("Strand 0 {ticks}, Strand 0 {ticks}"),
            format!("Folded 0 0 1 1 {ticks} 1"),
            format!("Point 5 0 3, Bulk 5 1 3 1 0 {ticks} 1"),
            format!("Point 5 0 3, Folded 0 0 9 9 {ticks} 0, LaneEnd, Task 5 4 6 3, LaneEnd"),
        ] {
            assert_eq!(events(&format!("Root 0, {long}")), too_long, "{long}");
        }
        let burden = format!("ticks_per_second 1\nburden_ticks {ticks}\n");
        let forks = writer().block(b'H', burden.as_bytes());
        let forks = forks.thread(0, "Root 0, Fork 1, Middle, Join 0 0");
        assert_eq!(damage(&forks.whole()), too_long);
    }
    let slow = writer().block(b'H', b"ticks_per_second 1e-300\n");
    let slow = slow.thread(0, "Root 0, Strand 0 1").whole();
    assert_eq!(damage(&slow), too_long);
}

#[test]
fn every_flipped_bit_of_a_block_is_detected() {
    let bytes = Writer::new().thread(0, "Root 0, Strand 0 3").whole();
    let whole = read(&bytes);
    for index in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[index] ^= 1 << bit;
            // A greater length makes the record a truncated one.
            assert!(
                parse(&changed).is_ok_and(|read| read != whole && read.dag.is_truncated)
                    || parse(&changed).is_err(),
                "bit {bit} of byte {index}"
            );
        }
    }
}

#[test]
fn other_files_are_recognised() {
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

    /// Arbitrary events with correct checksums, cut anywhere, give a valid dag or an error.
    #[test]
    fn arbitrary_events_never_panic(
        events in prop::collection::vec((0..3_u64, any_event()), 0..60),
        cut in any::<prop::sample::Index>(),
    ) {
        check(&events, cut)?;
    }

    /// Few of those make sense together, so this drops each event that makes no sense after the
    /// others.
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

/// The record of these events, each with its thread.
fn record_of(events: &[(u64, String)]) -> Vec<u8> {
    let writer = events
        .iter()
        .fold(Writer::new(), |writer, (thread, event)| {
            writer.thread(*thread, event)
        });
    writer.whole()
}

/// Checks that the record of `events` gives a valid dag with their work, or an error, and that the
/// record cut at `cut` gives a valid dag or an error.
fn check(events: &[(u64, String)], cut: prop::sample::Index) -> Result<(), TestCaseError> {
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

/// What an event adds to the work of the dag.
fn work_of(event: &str) -> i64 {
    let words: Vec<&str> = event.split(' ').collect();
    match words[0] {
        "Strand" => words[2].parse().unwrap(),
        "Folded" => words[3].parse().unwrap(),
        "Bulk" => words[5].parse().unwrap(),
        _ => 0,
    }
}

/// An event out of few names, so that events refer to each other.
fn any_event() -> impl Strategy<Value = String> {
    let (name, node, ticks) = (|| 1..4_u64, || 0..8_u64, || 0..50_i64);
    let later = || 0..40_u64;
    let of_name = prop::sample::select(vec!["Mark", "Handoff", "Await"]);
    let of_name_and_node =
        prop::sample::select(vec!["LateMiddle", "Right", "Left", "Group", "Body", "Call"]);
    prop_oneof![
        4 => (node(), ticks()).prop_map(|(node, ticks)| format!("Strand {node} {ticks}")),
        1 => (node(), node(), ticks()).prop_map(|(node, at, work)| {
            format!("Folded {node} {at} {work} {} {work} 1", work / 2)
        }),
        3 => node().prop_map(|node| format!("Fork {node}")),
        3 => Just("Middle".to_owned()),
        3 => (0..3, 0..3).prop_map(|(left, right)| format!("Join {left} {right}")),
        3 => (of_name, name()).prop_map(|(event, name)| format!("{event} {name}")),
        6 => (of_name_and_node, name(), node())
            .prop_map(|(event, name, node)| format!("{event} {name} {node}")),
        4 => Just("LaneEnd".to_owned()),
        1 => Just("GroupEnd".to_owned()),
        2 => (name(), 0..6, node())
            .prop_map(|(point, awaited, node)| format!("Point {point} {awaited} {node}")),
        2 => (name(), later(), name(), node())
            .prop_map(|(point, later, lane, node)| format!("Task {point} {later} {lane} {node}")),
        1 => (name(), later(), node(), ticks()).prop_map(|(point, later, node, work)| {
            format!("Bulk {point} {later} {node} 2 {work} {} {work}", work / 2)
        }),
        1 => (name(), name(), node())
            .prop_map(|(group, lane, node)| format!("Member {group} {lane} {node}")),
        1 => Just("HandoffEnd".to_owned()),
        4 => Just("Root 0".to_owned()),
        1 => (ticks(), node()).prop_map(|(ticks, node)| format!("Own {ticks} {node}")),
    ]
}
