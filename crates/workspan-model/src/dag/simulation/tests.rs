use super::*;
use crate::speedup_bounds;
use crate::{Cost, DagBuilder, Nanos, VertexId, VertexKind};

/// A dag whose ticks are nanoseconds, of `(kind, ticks, begun by)` and edges. Those to a second
/// successor are stealable.
fn dag(vertices: &[(VertexKind, i64, u32)], edges: &[(u32, u32)]) -> Dag {
    let mut builder = DagBuilder::of_root();
    for &(kind, ticks, begun_by) in vertices {
        let id = builder.vertex(kind, ticks, 0);
        builder.vertices[id.index()].begun_by = VertexId(begun_by);
    }
    for &(from, to) in edges {
        builder.edge(VertexId(from), VertexId(to), false);
    }
    let dag = builder.finish();
    dag.check(1, 1).unwrap();
    dag
}

use VertexKind::{Fork, Spawn, Strand, Sync};

/// 10 ticks, a join of two branches of 100 each, 10 ticks.
fn one_join() -> Dag {
    dag(
        &[
            (Fork, 10, 0),
            (Strand, 100, 1),
            (Strand, 100, 2),
            (Sync, 10, 0),
        ],
        &[(0, 1), (0, 2), (1, 3), (2, 3)],
    )
}

fn costs(steal: f64, hand_back: f64, wake_up: f64, sleep_after: f64) -> SchedulingCosts {
    SchedulingCosts {
        steal: Cost::from_nanos(steal),
        hand_back: Cost::from_nanos(hand_back),
        wake_up: Cost::from_nanos(wake_up),
        sleep_after: Cost::from_nanos(sleep_after),
        ..SchedulingCosts::FREE
    }
}

/// Time, scheduling, idle time.
fn times(outcome: &Outcome) -> [i64; 3] {
    [outcome.time, outcome.scheduling, outcome.idle].map(Nanos::as_nanos)
}

fn run(dag: &Dag, costs: SchedulingCosts, scheduler: Scheduler, cores: u32) -> Outcome {
    Simulation::new(dag, &costs, scheduler).run(cores, 0)
}

#[test]
fn two_branches_run_in_parallel() {
    for scheduler in Scheduler::ALL {
        let one = run(&one_join(), SchedulingCosts::FREE, scheduler, 1);
        assert_eq!((times(&one), one.steals), ([220, 0, 0], 0));
        let two = run(&one_join(), SchedulingCosts::FREE, scheduler, 2);
        // The other worker has nothing to do in the first and the last 10 ticks.
        assert_eq!((times(&two), two.steals), ([120, 0, 20], 1));
        assert!((two.speedup - 220.0 / 120.0).abs() < 1e-12);
        assert!((two.utilisation - 220.0 / 240.0).abs() < 1e-12);
    }
}

#[test]
fn a_thief_starts_late_and_the_worker_that_waits_for_it_continues_late() {
    // Stolen at 15 and ended at 115. The other worker, idle since 110, notices at 122.
    let awake = costs(5.0, 7.0, 50.0, 1000.0);
    let outcome = run(&one_join(), awake, Scheduler::Rayon, 2);
    assert_eq!(times(&outcome), [132, 12, 32]);
    // Under Cilk the thief continues.
    let outcome = run(&one_join(), awake, Scheduler::Cilk, 2);
    assert_eq!(times(&outcome), [125, 5, 25]);
}

#[test]
fn a_sleeping_worker_has_to_be_woken() {
    // The thief is woken at 10 and runs from 60 to 160. The other worker, idle since 110, is asleep
    // by then.
    let outcome = run(&one_join(), costs(5.0, 7.0, 50.0, 4.0), Scheduler::Rayon, 2);
    assert_eq!(times(&outcome), [220, 100, 120]);
}

#[test]
fn offering_a_task_costs_the_worker_time() {
    let costs = SchedulingCosts {
        spawn: Cost::from_nanos(30.0),
        ..SchedulingCosts::FREE
    };
    let outcome = run(&one_join(), costs, Scheduler::Rayon, 1);
    assert_eq!(times(&outcome), [250, 30, 0]);
    assert!((outcome.speedup - 0.88).abs() < 1e-12);
}

/// A strand of 1, a spawned task of 100, a strand of 10, and the end of both.
fn one_spawn() -> Dag {
    dag(
        &[
            (Strand, 1, 0),
            (Spawn, 0, 1),
            (Strand, 10, 2),
            (Strand, 100, 3),
            (Sync, 1, 0),
        ],
        &[(0, 1), (1, 2), (1, 3), (2, 4), (3, 4)],
    )
}

#[test]
fn rayon_offers_the_task_and_cilk_the_continuation() {
    // A steal takes until 21. Under rayon the worker has ended its strand at 11 and taken the task
    // itself by then. Under Cilk the task runs from 1, and the continuation is stolen.
    let late = costs(20.0, 0.0, 20.0, 1000.0);
    let rayon = run(&one_spawn(), late, Scheduler::Rayon, 2);
    assert_eq!((times(&rayon)[0], rayon.steals), (112, 0));
    let cilk = run(&one_spawn(), late, Scheduler::Cilk, 2);
    assert_eq!((times(&cilk)[0], cilk.steals), (102, 1));
}

/// On many cores: a join with a right branch of 10, and a strand of 100 after it. In parallel,
/// another join whose right branch of 100 becomes ready while the worker of the first join waits.
fn two_joins() -> Dag {
    dag(
        &[
            (Fork, 0, 0),
            (Fork, 0, 1),
            (Strand, 1, 2),
            (Strand, 10, 3),
            (Sync, 100, 1),
            (Fork, 2, 5),
            (Strand, 100, 6),
            (Strand, 100, 7),
            (Sync, 0, 5),
            (Sync, 0, 0),
        ],
        &[
            (0, 1),
            (0, 5),
            (1, 2),
            (1, 3),
            (2, 4),
            (3, 4),
            (4, 9),
            (5, 6),
            (5, 7),
            (6, 8),
            (7, 8),
            (8, 9),
        ],
    )
}

#[test]
fn a_waiting_rayon_worker_may_hold_up_the_path() {
    let dag = two_joins();
    let outcomes = |scheduler| {
        let simulation = Simulation::new(&dag, &SchedulingCosts::FREE, scheduler);
        (0..50)
            .map(|seed| {
                let outcome = simulation.run(8, seed);
                [outcome.time, outcome.held_up].map(Nanos::as_nanos)
            })
            .collect::<Vec<_>>()
    };
    // Work 313 and span 110: a greedy scheduler takes 313/8 + 110 = 149 at most. A worker that
    // takes up the 100 ticks at 2, while it waits until 10, comes back at 102.
    let rayon = outcomes(Scheduler::Rayon);
    assert!(rayon.contains(&[110, 0]) && rayon.contains(&[202, 92]));
    let cilk = outcomes(Scheduler::Cilk);
    assert!(cilk.iter().all(|outcome| *outcome == [110, 0]));
}

#[test]
fn the_pieces_of_a_vertex_run_in_parallel() {
    let mut dag = dag(&[(Strand, 5, 0), (Strand, 100_000, 1)], &[(0, 1)]);
    dag.vertices[1].span = 30_000;
    for scheduler in Scheduler::ALL {
        let time = |cores| times(&run(&dag, SchedulingCosts::FREE, scheduler, cores))[0];
        assert_eq!(
            [1, 2, 3, 4, 64].map(time),
            [100_005, 60_005, 40_005, 30_005, 30_005]
        );
    }
}

/// What a what-if makes of a vertex if the target is out of reach: nothing is left of its span of
/// 100 s.
#[test]
fn a_long_vertex_has_no_more_pieces_than_there_are_cores() {
    let mut dag = dag(&[(Strand, 5, 0), (Strand, 100_000_000_000, 1)], &[(0, 1)]);
    dag.vertices[1].span = 0;
    let simulation = Simulation::new(&dag, &SchedulingCosts::FREE, Scheduler::Rayon);
    assert_eq!(simulation.vertices(), 1 + 4096 + 2);
    let speedup = simulation.run(64, 0).speedup;
    assert!((speedup - 64.0).abs() < 1e-3, "{speedup}");
}

/// A thread whose beginning was not seen waits for it. The wait is not work, and not part of the
/// burdened span either.
#[test]
fn a_wait_without_work_is_in_neither_span() {
    let mut dag = dag(
        &[(Spawn, 10, 0), (Strand, 500, 1), (Strand, 10, 2)],
        &[(0, 1), (0, 2), (1, 2)],
    );
    dag.vertices[1].work = 0;
    let bounds = Simulation::new(&dag, &SchedulingCosts::FREE, Scheduler::Rayon).bounds(4);
    assert_eq!(bounds, speedup_bounds(1.0, 1.0, 4));
}

#[test]
fn joining_threads_in_the_order_of_their_start_does_not_hang() {
    // Two threads are started one after the other, and the first is awaited first.
    let dag = dag(
        &[
            (Spawn, 1, 0),
            (Spawn, 1, 1),
            (Strand, 1, 2),
            (Strand, 50, 3),
            (Strand, 70, 4),
            (Sync, 1, 0),
            (Sync, 1, 1),
        ],
        &[
            (0, 1),
            (0, 3),
            (1, 2),
            (1, 4),
            (2, 5),
            (3, 5),
            (4, 6),
            (5, 6),
        ],
    );
    for scheduler in Scheduler::ALL {
        let time = |cores| times(&run(&dag, SchedulingCosts::FREE, scheduler, cores))[0];
        assert_eq!(time(1), 125);
        assert_eq!(time(3), 73);
    }
}

#[test]
fn the_median_is_between_the_least_and_the_most() {
    let predictions = predict(
        &two_joins(),
        &SchedulingCosts::FREE,
        Scheduler::Rayon,
        &[1, 8],
        51,
    );
    let [one, eight] = &predictions[..] else {
        panic!("{predictions:?}");
    };
    assert_eq!((one.cores, one.seeds), (1, 1));
    assert_eq!(
        (one.speedup.low, one.speedup.value, one.speedup.high),
        (1.0, 1.0, 1.0)
    );
    assert_eq!((eight.cores, eight.seeds), (8, 51));
    assert!((eight.speedup.low - 313.0 / 202.0).abs() < 1e-12);
    assert!((eight.speedup.high - 313.0 / 110.0).abs() < 1e-12);
    assert!(eight.speedup.low <= eight.speedup.value && eight.speedup.value <= eight.speedup.high);
    assert!((eight.bounds.upper - 313.0 / 110.0).abs() < 1e-12);
}

#[test]
fn a_larger_dag_is_simulated_in_fewer_runs() {
    let run = crate::example::quicksort().run;
    let seeds = |count: u32, span| {
        let vertices: Vec<_> = (0..count).map(|at| (Strand, 100_000_000_000, at)).collect();
        let edges: Vec<_> = (1..count).map(|at| (at - 1, at)).collect();
        let mut dag = dag(&vertices, &edges);
        let vertices = dag.vertices.iter_mut();
        vertices.for_each(|vertex| vertex.span = span);
        let curve = SpeedupCurve::within(&[speedup_bounds(1.0, 1.0, 8)], &dag, None, &run);
        curve.map(|curve| curve.predictions[0].seeds)
    };
    let serial = 100_000_000_000;
    assert_eq!(seeds(1_000, serial), Some(9));
    assert_eq!(seeds(100_000, serial), Some(4));
    assert_eq!(seeds(600_000, serial), Some(1));
    assert_eq!(seeds(1_000_001, serial), None);
    // Each has 4,096 pieces, which are simulated, too.
    assert_eq!(seeds(24, 0), Some(4));
    assert_eq!(seeds(250, 0), None);
}
