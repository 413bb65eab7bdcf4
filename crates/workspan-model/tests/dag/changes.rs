//! The effect of changes to a program on its dag.

use proptest::prelude::*;
use workspan_model::{
    Change, Dag, Side, SiteId, StrandRegionId, Successor, Successors, Until, VertexId, VertexKind,
};

use crate::brute_force::{MOST_PATHS, longest_from, paths};
use crate::random_dag::Statement::{Folded, Join, Scope, Spawn, Strand};
use crate::random_dag::{BURDEN, SITES, dag_of, dags};

fn sizes(dag: &Dag) -> (i64, i64, i64, u64) {
    let totals = dag.totals();
    let (work, span) = (totals.work, totals.span);
    (work, span, totals.burdened_span, totals.tasks)
}

/// The regions of strands that begin at a side of a construct at `site`.
fn regions_from(dag: &Dag, site: u32, side: Side) -> Vec<StrandRegionId> {
    let regions = (0..).map(StrandRegionId).zip(&dag.regions);
    let chosen =
        regions.filter(|(_, region)| region.from.site == SiteId(site) && region.from.side == side);
    chosen.map(|(id, _)| id).collect()
}

fn parallelise(regions: Vec<StrandRegionId>, factor: f64) -> Change {
    Change::Parallelise {
        code: regions.into(),
        factor,
    }
}

fn coarsen(site: u32, factor: u32, cost: i64) -> Change {
    Change::Coarsen {
        sites: vec![SiteId(site)],
        factor,
        cost,
    }
}

/// 3 ticks, then 1 + 400 in parallel with 1 + 300, then nothing.
fn join() -> Dag {
    dag_of(&[Join(1, vec![Strand(400)], vec![Strand(300)])])
}

#[test]
fn parallel_code_leaves_the_path_next_to_it() {
    let dag = join();
    // With the burden, the right branch is 351 long and does not matter.
    assert_eq!(sizes(&dag), (705, 404, 404, 1));
    let left = regions_from(&dag, 1, Side::Left);
    let changed = dag.with_changes(&[parallelise(left.clone(), 4.0)]);
    assert_eq!(sizes(&changed), (705, 304, 3 + 301 + BURDEN, 1));
    let both = [left, regions_from(&dag, 1, Side::Right)].concat();
    let changed = dag.with_changes(&[parallelise(both, 4.0)]);
    // 400/4 against 300/4 behind a stealable edge, both with two halvings. Strands of one tick
    // round to none in the span, and are left alone in the burdened span.
    assert_eq!(sizes(&changed), (705, 103, 3 + 1 + 75 + 3 * BURDEN, 1));
}

#[test]
fn faster_code_is_less_work() {
    let dag = join();
    let regions = regions_from(&dag, 1, Side::Left);
    let changed = dag.with_changes(&[Change::SpeedUp {
        code: regions.into(),
        factor: 2.0,
    }]);
    // A strand of one tick rounds to one.
    assert_eq!(sizes(&changed), (505, 304, 354, 1));
}

#[test]
fn what_does_not_pay_is_left_alone() {
    let dag = dag_of(&[Join(1, vec![Strand(60)], vec![])]);
    let left = regions_from(&dag, 1, Side::Left);
    let changed = dag.with_changes(&[parallelise(left, 64.0)]);
    assert_eq!(dag.totals().burdened_span, 64);
    assert_eq!(changed.totals().burdened_span, 64);
    assert_eq!(changed.totals().span, 4);
}

/// A loop of four items of 100 ticks each, split by joins.
fn four_items() -> Dag {
    let half = || vec![Join(1, vec![Strand(100)], vec![Strand(100)])];
    dag_of(&[Join(1, half(), half())])
}

#[test]
fn the_smallest_joins_become_serial_first() {
    let dag = four_items();
    // Each item takes 101, each join 3, and each branch with a join 1.
    assert_eq!(sizes(&dag), (415, 108, 108 + 2 * BURDEN, 3));
    let changed = dag.with_changes(&[coarsen(1, 2, 0)]);
    assert_eq!(sizes(&changed), (415, 3 + 206, 209 + BURDEN, 1));
    let changed = dag.with_changes(&[coarsen(1, 3, 0)]);
    assert_eq!(changed.totals().tasks, 1);
    let changed = dag.with_changes(&[coarsen(1, 4, 0)]);
    assert_eq!(sizes(&changed), (415, 415, 415, 0));
    assert_eq!(sizes(&dag.with_changes(&[coarsen(2, 4, 0)])), sizes(&dag));
}

#[test]
fn merged_tasks_no_longer_cost_anything() {
    // Two joins of 20 ticks each are saved.
    let changed = four_items().with_changes(&[coarsen(1, 2, 20)]);
    assert_eq!(sizes(&changed), (375, 189, 189 + BURDEN, 1));
}

#[test]
fn parallelism_inside_merged_tasks_remains() {
    let item = || {
        vec![
            Strand(10),
            Join(2, vec![Strand(40)], vec![Strand(40)]),
            Strand(10),
        ]
    };
    let dag = dag_of(&[Join(1, item(), item())]);
    let changed = dag.with_changes(&[coarsen(1, 2, 0)]);
    assert_eq!(changed.totals().tasks, 2);
    assert_eq!(changed.totals().span, 3 + 2 * (1 + 10 + 3 + 41 + 10));
    assert_eq!(changed.totals().work, dag.totals().work);
}

#[test]
fn spawned_tasks_are_merged_in_their_order() {
    let tasks = (1..=4).map(|task| Spawn(2, vec![Strand(100 * task)]));
    let dag = dag_of(&[Scope(1, tasks.collect())]);
    // The scope takes 2, each spawn 4: the last task begins at 18.
    assert_eq!(sizes(&dag), (1022, 18 + 401, 419 + BURDEN, 4));
    let changed = dag.with_changes(&[coarsen(2, 2, 0)]);
    // The third and the fourth run one after the other once both are spawned.
    assert_eq!(sizes(&changed), (1022, 18 + 301 + 401, 720 + BURDEN, 2));
    let changed = dag.with_changes(&[coarsen(2, 3, 5)]);
    // Two of the first three are saved, 4 ticks of each spawn and 1 of each task: the merged one
    // begins at 14 - 8.
    assert_eq!(sizes(&changed), (1012, 607, 607 + BURDEN, 2));
}

/// If a record was cut, whatever lost its beginning begins with the program, which may begin with a
/// spawn.
#[test]
fn only_tasks_are_merged() {
    let mut dag = dag_of(&[Spawn(2, vec![Strand(100)]), Spawn(2, vec![Strand(200)])]);
    let mut edges: Vec<(VertexId, Successor)> = Vec::new();
    for from in (0..dag.vertices.len() as u32).map(VertexId) {
        let to = dag.successors(from).iter();
        edges.extend(to.map(|to| (from, Successor::new(to.to(), false))));
    }
    dag.successors = Successors::new(dag.vertices.len(), &edges);
    let changed = dag.with_changes(&[coarsen(2, 2, 0)]);
    assert_eq!(changed.successors, dag.successors);
}

#[test]
fn folded_subtrees_grow_with_merged_leaves() {
    let mut dag = dag_of(&[Folded(800, 100, 7)]);
    let of_site = |dag: &mut Dag, site| {
        for region in &mut dag.regions {
            region.from.site = SiteId(site);
        }
    };
    of_site(&mut dag, 1);
    let changed = dag.with_changes(&[coarsen(1, 2, 0)]);
    // Eight leaves of 100 become four of 200.
    assert_eq!(sizes(&changed), (800, 200, 200 + BURDEN, 3));
    let changed = dag.with_changes(&[coarsen(1, 8, 10)]);
    assert_eq!(sizes(&changed), (730, 730, 730, 0));
}

proptest! {
    /// The spans after the change are those of the longest of all paths, with the strands of the
    /// code divided one by one.
    #[test]
    fn parallel_code_is_divided_on_each_path(
        dag in dags(30), chosen in any::<prop::sample::Index>(), factor in 1..20_i64,
    ) {
        prop_assume!(paths(&dag) <= MOST_PATHS);
        let region = StrandRegionId(chosen.index(dag.regions.len()) as u32);
        let totals = dag.with_changes(&[parallelise(vec![region], factor as f64)]).totals();
        let mut by_hand = dag.clone();
        for vertex in by_hand.vertices.iter_mut().filter(|vertex| vertex.region == region) {
            vertex.span = (2 * vertex.span + factor) / (2 * factor);
        }
        prop_assert_eq!(totals.work, dag.totals().work);
        prop_assert_eq!(totals.span, longest_from(&by_hand, VertexId(0)).0);
    }

    /// The factor found reaches the target, and no smaller one does.
    #[test]
    fn the_factor_for_a_target_is_the_smallest(
        dag in dags(60), chosen in any::<prop::sample::Index>(), target in 1.0..8.0_f64,
    ) {
        let region = StrandRegionId(chosen.index(dag.regions.len()) as u32);
        let with = |factor| {
            let totals = dag.with_changes(&[parallelise(vec![region], factor)]).totals();
            totals.parallelism().unwrap_or(f64::INFINITY)
        };
        match dag.parallelised_until(&[vec![region].into()], target) {
            Until::Factor(factor) => {
                prop_assert!(with(factor as f64) >= target);
                prop_assert!(factor == 1 || with(factor as f64 - 1.0) < target);
            }
            Until::OutOfReach { most } => prop_assert!(with(1e9) <= most && most < target),
        }
    }

    #[test]
    fn parallel_code_keeps_the_work_and_lengthens_nothing(
        dag in dags(60),
        chosen in prop::collection::vec(0..40_usize, 0..8),
        factor in 1.0..1e6_f64,
    ) {
        let chosen = chosen.iter().map(|region| region % dag.regions.len());
        let mut regions: Vec<_> = chosen.map(|region| StrandRegionId(region as u32)).collect();
        regions.sort_unstable();
        regions.dedup();
        let (before, after) = (dag.totals(), dag.with_changes(&[parallelise(regions, factor)]));
        let totals = after.totals();
        prop_assert_eq!(totals.work, before.work);
        prop_assert_eq!(totals.tasks, before.tasks);
        prop_assert!(totals.span <= before.span);
        prop_assert!(totals.burdened_span <= before.burdened_span);
        prop_assert!(totals.span <= totals.burdened_span);
    }

    #[test]
    fn speeding_everything_up_divides_all_by_the_factor(dag in dags(60), factor in 0.5..8.0_f64) {
        let regions: Vec<_> = (0..dag.regions.len() as u32).map(StrandRegionId).collect();
        let code = regions.into();
        let after = dag.with_changes(&[Change::SpeedUp { code, factor }]).totals();
        let before = dag.totals();
        // Each vertex is rounded by at most half a tick.
        let room = dag.vertices.len() as f64;
        let near = |after: i64, before: i64| (after as f64 - before as f64 / factor).abs() <= room;
        prop_assert!(near(after.work, before.work));
        prop_assert!(near(after.span, before.span));
    }

    #[test]
    fn merged_tasks_are_fewer_and_less_parallel(
        dag in dags(80),
        site in 1..SITES,
        factor in 2..9_u32,
        cost in 0..3_i64,
    ) {
        let after = dag.with_changes(&[coarsen(site, factor, cost)]);
        prop_assert_eq!(after.check(SITES as usize, SITES as usize), Ok(()));
        prop_assert_eq!(after.vertices.len(), dag.vertices.len());
        let (before, after_totals) = (dag.totals(), after.totals());
        let fewer = before.tasks - after_totals.tasks;
        prop_assert!(after_totals.work <= before.work);
        prop_assert!(after_totals.work >= before.work - cost * fewer as i64);
        prop_assert!(after_totals.span <= after_totals.work);
        if cost == 0 {
            prop_assert!(after_totals.span >= before.span);
        }
    }

    #[test]
    fn all_merged_is_serial(dag in dags(60)) {
        prop_assume!(dag.vertices.iter().all(|vertex| vertex.kind != VertexKind::Spawn));
        let sites = (0..SITES).map(SiteId).collect();
        let serial = dag.with_changes(&[Change::Coarsen { sites, factor: u32::MAX, cost: 0 }]);
        let totals = serial.totals();
        prop_assert_eq!((totals.tasks, totals.span), (0, totals.work));
    }
}
