//! The speedup that the phases of a dag allow: by hand, and compared with brute force.

use std::ops::Range;

use proptest::prelude::*;
use workspan_model::{
    Dag, DagBuilder, Estimate, Scheduler, SchedulingCosts, Simulation, SpeedupLimits, VertexId,
    VertexKind, analyse_with_dag, example,
};

use crate::random_dag::{dags, shapeless_dags};

/// A strand of 50 ticks, then 50 tasks of 1 tick.
fn half_serial(first: VertexKind) -> Dag {
    let mut builder = DagBuilder::of_root();
    let begin = builder.vertex(first, 50, 0);
    let tasks: Vec<VertexId> = (0..50)
        .map(|_| builder.vertex(VertexKind::Strand, 1, 0))
        .collect();
    let end = builder.vertex(VertexKind::Sync, 0, 0);
    builder.vertices[end.index()].begun_by = begin;
    for task in tasks {
        builder.edge(begin, task, true);
        builder.edge(task, end, false);
    }
    let dag = builder.finish();
    dag.check(1, 1).unwrap();
    dag
}

#[test]
fn serial_work_adds_to_what_the_tasks_take() {
    let dag = half_serial(VertexKind::Fork);
    let most = |parallelism: f64, cores| dag.phases(parallelism).unwrap().most_speedup(cores);
    let measured = 100.0 / 51.0;
    assert_eq!(most(measured, 1), 1.0);
    assert_eq!(most(measured, 2), 100.0 / 75.0);
    assert_eq!(most(measured, 50), measured);
    assert_eq!(most(measured, 1_000), measured);
    // Of the span, 10 ticks may be a delay.
    assert!((most(100.0 / 41.0, 2) - 100.0 / 65.0).abs() < 1e-9);
    assert_eq!(most(f64::INFINITY, 50), f64::INFINITY);
}

#[test]
fn bounds_respect_the_phases() {
    let phases = half_serial(VertexKind::Fork).phases(100.0 / 51.0);
    let [parallelism, burdened] = [100.0 / 51.0, 1.9].map(Estimate::exactly);
    let limits = SpeedupLimits::new(parallelism, burdened);
    let bounds = limits.clone().in_phases(phases).on(2);
    assert_eq!(bounds.upper, 100.0 / 75.0);
    assert_eq!(bounds.lower, limits.on(2).lower.min(bounds.upper));
}

#[test]
fn what_folding_may_have_moved_before_a_spawn_is_not_serial() {
    let mut dag = half_serial(VertexKind::Spawn);
    let most = |dag: &Dag| dag.phases(100.0 / 51.0).unwrap().most_speedup(2);
    dag.grain = 50;
    assert_eq!(most(&dag), 100.0 / 75.0);
    dag.grain = 51;
    assert_eq!(most(&dag), 100.0 / 51.0);
}

#[test]
fn nothing_is_known_to_follow_a_truncated_dag() {
    let (profile, mut dag) = (example::quicksort(), example::quicksort_dag());
    let upper = |dag: Option<&Dag>| analyse_with_dag(&profile, dag).limits.on(2).upper;
    assert!(upper(Some(&dag)) < upper(None));
    dag.is_truncated = true;
    assert_eq!(upper(Some(&dag)), upper(None));
}

/// The dag without negative times, as it is simulated.
fn clamped(mut dag: Dag) -> Dag {
    for vertex in &mut dag.vertices {
        vertex.work = vertex.work.max(0);
        vertex.span = vertex.span.clamp(0, vertex.work);
    }
    dag
}

/// Whether the last vertex can be reached from the first without `cut`.
fn is_avoidable(dag: &Dag, cut: usize) -> bool {
    let mut is_reached = vec![false; dag.vertices.len()];
    is_reached[0] = cut != 0;
    for from in 0..dag.vertices.len() {
        for successor in dag.successors(VertexId(from as u32)) {
            let to = successor.to().index();
            is_reached[to] |= is_reached[from] && to != cut;
        }
    }
    *is_reached.last().unwrap()
}

/// Work and span of the vertices in `range`.
fn work_and_span(dag: &Dag, range: Range<usize>) -> (i64, i64) {
    let mut ends = vec![0; dag.vertices.len()];
    let mut work = 0;
    for at in range.clone() {
        let before = range.clone().filter(|&from| {
            let mut successors = dag.successors(VertexId(from as u32)).iter();
            successors.any(|successor| successor.to().index() == at)
        });
        let begin = before.map(|from| ends[from]).max().unwrap_or(0);
        ends[at] = begin + dag.vertices[at].span;
        work += dag.vertices[at].work;
    }
    (work, ends.into_iter().max().unwrap_or(0))
}

/// The least time on this many cores, by the vertices that no path avoids.
fn least_time(dag: &Dag, cores: u32) -> f64 {
    let cuts = (0..dag.vertices.len()).filter(|&at| !is_avoidable(dag, at));
    let mut begin = 0;
    let mut time = 0.0;
    for cut in cuts {
        for phase in [begin..cut, cut..cut + 1] {
            let (work, span) = work_and_span(dag, phase);
            time += (work as f64 / f64::from(cores)).max(span as f64);
        }
        begin = cut + 1;
    }
    time
}

fn any_dags() -> impl Strategy<Value = Dag> {
    prop_oneof![dags(60), shapeless_dags(30)].prop_map(clamped)
}

/// No more than the span law allows of a dag.
fn parallelism(dag: &Dag) -> f64 {
    dag.totals().parallelism().unwrap_or(f64::INFINITY)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn phases_lie_between_the_vertices_that_no_path_avoids(dag in any_dags(), cores in 1..40_u32) {
        let most = dag.phases(parallelism(&dag)).unwrap().most_speedup(cores);
        let expected = dag.totals().work as f64 / least_time(&dag, cores);
        prop_assert!(expected.is_nan() || (most / expected - 1.0).abs() < 1e-9, "{most} {expected}");
    }

    #[test]
    fn no_simulated_run_is_faster(dag in any_dags(), cores in 1..20_u32, seed: u64) {
        for scheduler in Scheduler::ALL {
            let simulation = Simulation::new(&dag, &SchedulingCosts::FREE, scheduler);
            let speedup = simulation.run(cores, seed).speedup;
            let most = dag.phases(parallelism(&dag)).unwrap().most_speedup(cores);
            prop_assert!(speedup <= most * (1.0 + 1e-9), "{speedup} > {most}");
        }
    }

    #[test]
    fn spans_may_be_shorter_wherever_they_are(
        dag in any_dags(), shares in prop::collection::vec(0..=100_i64, 1..8), cores in 1..40_u32
    ) {
        let mut truth = dag.clone();
        for (vertex, share) in truth.vertices.iter_mut().zip(shares.iter().cycle()) {
            vertex.span = vertex.span * share / 100;
        }
        let most = dag.phases(parallelism(&truth)).unwrap().most_speedup(cores);
        let true_most = dag.totals().work as f64 / least_time(&truth, cores);
        prop_assert!(true_most.is_nan() || true_most <= most * (1.0 + 1e-9), "{true_most} > {most}");
    }

    #[test]
    fn folding_never_lowers_the_bound(dag in any_dags(), most in 1..20_usize, cores in 1..40_u32) {
        let folded = dag.folded(most);
        let [whole, folded] = [&dag, &folded].map(|dag| dag.phases(parallelism(dag)).unwrap().most_speedup(cores));
        prop_assert!(whole <= folded * (1.0 + 1e-9), "{whole} > {folded}");
    }

    #[test]
    fn bounds_are_in_order(
        dag in any_dags(), parallelism in 0.0..1e3_f64, burdened in 0.0..1e3_f64, cores in 0..1_000_u32
    ) {
        let limits = SpeedupLimits::new(Estimate::exactly(parallelism), Estimate::exactly(burdened));
        let without = limits.on(cores);
        let bounds = limits.in_phases(dag.phases(parallelism)).on(cores);
        prop_assert!(0.0 <= bounds.lower && bounds.lower <= bounds.upper);
        prop_assert!(bounds.upper <= without.upper);
    }
}
