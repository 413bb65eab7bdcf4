//! Properties of simulated runs, on random dags.

#[path = "../random_dag/mod.rs"]
mod random_dag;

use proptest::prelude::*;
use random_dag::{dags, shapeless_dags};
use workspan_model::{
    Cost, Dag, Nanos, Outcome, Scheduler, SchedulingCosts, Simulation, Vertex, VertexId,
};

/// Dags of programs, and of any shape.
fn any_dags() -> impl Strategy<Value = Dag> {
    prop_oneof![dags(60), shapeless_dags(60)]
}

fn any_costs() -> impl Strategy<Value = SchedulingCosts> {
    let cost = || (0..300_u32).prop_map(|nanos| Cost::from_nanos(nanos.into()));
    (cost(), cost(), cost(), cost(), cost(), cost()).prop_map(
        |(spawn, steal, failed_attempt, hand_back, wake_up, sleep_after)| SchedulingCosts {
            spawn,
            steal,
            failed_attempt,
            hand_back,
            wake_up,
            sleep_after,
        },
    )
}

fn schedulers() -> impl Strategy<Value = Scheduler> {
    prop::sample::select(Scheduler::ALL.to_vec())
}

/// Work and span of a dag in which negative times count as 0.
fn work_and_span(dag: &Dag) -> (i64, i64) {
    work_and_longest(dag, |vertex| vertex.span.min(vertex.work))
}

/// The same if folded subtrees run as one strand, as short ones do.
fn work_and_span_of_whole(dag: &Dag) -> (i64, i64) {
    work_and_longest(dag, |vertex| vertex.work)
}

fn work_and_longest(dag: &Dag, length: impl Fn(&Vertex) -> i64) -> (i64, i64) {
    let mut begins = vec![0; dag.vertices.len()];
    let (mut work, mut span) = (0, 0);
    for (index, vertex) in dag.vertices.iter().enumerate() {
        work += vertex.work.max(0);
        let end = begins[index] + length(vertex).max(0);
        span = span.max(end);
        for successor in dag.successors(VertexId(index as u32)) {
            let begin: &mut i64 = &mut begins[successor.to().index()];
            *begin = end.max(*begin);
        }
    }
    (work, span)
}

fn ticks(outcome: &Outcome) -> [i64; 4] {
    let Outcome {
        time,
        busy,
        scheduling,
        idle,
        ..
    } = *outcome;
    [time, busy, scheduling, idle].map(Nanos::as_nanos)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_vertex_runs_once_and_no_time_is_lost(
        dag in any_dags(), costs in any_costs(), scheduler in schedulers(), cores in 1..20_u32, seed: u64
    ) {
        let simulation = Simulation::new(&dag, &costs, scheduler);
        let outcome = simulation.run(cores, seed);
        let [time, busy, scheduling, idle] = ticks(&outcome);
        prop_assert_eq!(outcome.vertices, simulation.vertices() as u64);
        prop_assert_eq!(busy, work_and_span(&dag).0);
        prop_assert_eq!(i64::from(cores) * time, busy + scheduling + idle);
    }

    #[test]
    fn no_run_is_above_the_upper_bound(
        dag in any_dags(), costs in any_costs(), scheduler in schedulers(), cores in 1..20_u32, seed: u64
    ) {
        let simulation = Simulation::new(&dag, &costs, scheduler);
        let outcome = simulation.run(cores, seed);
        let (work, span) = work_and_span(&dag);
        let time = ticks(&outcome)[0];
        prop_assert!(time >= span && i64::from(cores) * time >= work);
        if work > 0 {
            let upper = simulation.bounds(cores).upper;
            prop_assert!(outcome.speedup <= upper * (1.0 + 1e-12), "{} > {}", outcome.speedup, upper);
        }
    }

    #[test]
    fn one_worker_takes_the_work(dag in any_dags(), scheduler in schedulers(), seed: u64) {
        let outcome = Simulation::new(&dag, &SchedulingCosts::FREE, scheduler).run(1, seed);
        prop_assert_eq!(ticks(&outcome)[0], work_and_span(&dag).0);
    }

    /// The greedy bound in its sharp form: T₁/P + (1 − 1/P) T∞ (Graham 1969; Blumofe and Leiserson
    /// 1999, Theorem 1).
    #[test]
    fn cilk_is_greedy_when_scheduling_is_free(dag in any_dags(), cores in 1..20_u32, seed: u64) {
        let outcome = Simulation::new(&dag, &SchedulingCosts::FREE, Scheduler::Cilk).run(cores, seed);
        let (work, span) = work_and_span_of_whole(&dag);
        let (time, cores) = (ticks(&outcome)[0], i64::from(cores));
        prop_assert_eq!(outcome.held_up, Nanos::ZERO);
        prop_assert!(cores * time <= work + (cores - 1) * span);
    }

    /// Rayon is greedy except for the time that a sync waits for the one worker that may continue
    /// there, and never slower than one worker.
    #[test]
    fn rayon_is_greedy_except_for_syncs_that_are_held_up(dag in any_dags(), cores in 1..20_u32, seed: u64) {
        let outcome = Simulation::new(&dag, &SchedulingCosts::FREE, Scheduler::Rayon).run(cores, seed);
        let (work, span) = work_and_span_of_whole(&dag);
        let (time, cores) = (ticks(&outcome)[0], i64::from(cores));
        let held_up = outcome.held_up.as_nanos();
        prop_assert!(cores * time <= work + (cores - 1) * (span + held_up));
        prop_assert!(time <= work);
    }

    #[test]
    fn the_same_seed_gives_the_same_run(
        dag in any_dags(), costs in any_costs(), scheduler in schedulers(), cores in 1..20_u32, seed: u64
    ) {
        let simulation = Simulation::new(&dag, &costs, scheduler);
        prop_assert_eq!(simulation.run(cores, seed), simulation.run(cores, seed));
    }
}
