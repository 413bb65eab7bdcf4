//! A scenario agrees with what-if on the same changes; on a folded dag, nearly.

use proptest::prelude::*;
use workspan_model::{
    Change, Code, Dag, Execution, ExpectedSpeedup, Location, NodeId, Profile, Scenario,
    ScenarioLimits, Scenarios, Scheduler, SchedulingCosts, Simulation, Site, SiteId, SiteKind,
    Span, Work, example, scenarios, what_if,
};

use crate::random_dag::Statement::{Join, Scope, Spawn, Strand};
use crate::random_dag::{Block, SITES, dag_of, dags, programs};

/// No limits.
const ALL: ScenarioLimits = ScenarioLimits {
    vertices: usize::MAX,
    simulated: u64::MAX,
};

/// A profile that random dags can belong to.
fn profile() -> Profile {
    let mut profile = example::quicksort();
    for at in profile.sites.len() as u32..SITES {
        let kinds = [SiteKind::Join, SiteKind::Scope, SiteKind::Spawn];
        profile.sites.push(Site {
            location: Some(Location::new("src/main.rs", 10 * at, 5)),
            ..Site::unnamed(kinds[at as usize % kinds.len()])
        });
        let mut node = profile.tree[1].clone();
        node.parent = Some(NodeId::ROOT);
        node.site = SiteId(at);
        profile.tree.push(node);
    }
    profile
}

/// An execution on these cores, without locks.
const fn unlocked<'a>(costs: &'a SchedulingCosts, cores: &'a [u32]) -> Execution<'a> {
    Execution {
        costs,
        cores,
        locked: Work::ZERO,
    }
}

/// The answer of what-if to the changes of a scenario.
fn asked(
    dag: &Dag,
    code: &Code,
    execution: Execution<'_>,
    of: &Scenarios,
    scenario: &Scenario,
) -> workspan_model::WhatIf {
    let change = |&(piece, option): &(usize, usize)| -> Change {
        let code = &code.regions[of.pieces[piece].code];
        of.options[option].change(code.strand_regions.clone().into())
    };
    let changes: Vec<Change> = scenario.chosen.iter().map(change).collect();
    let execution = Execution {
        cores: &of.cores,
        ..execution
    };
    what_if(dag, code, &changes, execution)
}

#[test]
fn each_scenario_is_a_what_if() {
    let (profile, dag) = (example::quicksort(), example::quicksort_dag());
    let code = Code::new(&profile, &dag);
    let (costs, _) = SchedulingCosts::from_run(&profile.run);
    let execution = unlocked(&costs, &[2, 64]);
    check_each(&dag, &code, execution);
    let locked = Work::from_nanos(dag.time_of(dag.totals().work).as_nanos() / 5);
    check_each(
        &dag,
        &code,
        Execution {
            locked,
            ..execution
        },
    );
}

fn check_each(dag: &Dag, code: &Code, execution: Execution<'_>) {
    let scenarios = scenarios(dag, code, execution, ALL, &[]);
    let options = scenarios.options.len();
    assert_eq!(scenarios.pieces.len(), 2);
    assert_eq!(scenarios.after.len(), 2 * options + options * options);
    let basis = &scenarios.basis;
    assert!(!basis.is_folded && basis.seeds == 5 && basis.seeds_of_two == 5);
    for scenario in [&scenarios.before].into_iter().chain(&scenarios.after) {
        let expected = asked(dag, code, execution, &scenarios, scenario);
        let after = &expected.after;
        assert_eq!(
            (scenario.work, scenario.span, scenario.burdened_span),
            (after.work, after.span, after.burdened_span)
        );
        assert_eq!(scenario.parallelism, after.parallelism);
        assert_eq!(scenario.burdened_parallelism, after.burdened_parallelism);
        let expected: Vec<ExpectedSpeedup> =
            expected.speedup.iter().map(|change| change.after).collect();
        assert_eq!(scenario.speedup, expected);
    }
}

/// A reproducible source of random numbers (Knuth, The Art of Computer Programming 2, §3.3.4:
/// MMIX).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: i64) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as i64) % limit.max(1)
    }
}

/// A quicksort of this many elements, with a serial partition.
fn quicksort(elements: i64, random: &mut Random) -> Block {
    if elements < 2_000 {
        return vec![Strand(elements * 11)];
    }
    let left = elements / 10 + random.below(elements * 8 / 10);
    vec![
        Strand(elements),
        Join(
            1,
            quicksort(left, random),
            quicksort(elements - left, random),
        ),
        Strand(50),
    ]
}

/// Steps of a stencil, each a tree of joins with 2 to the power of `levels` leaves.
fn stencil(steps: usize, levels: u32, random: &mut Random) -> Block {
    fn tree(levels: u32, random: &mut Random) -> Block {
        match levels {
            0 => vec![Strand(9_000 + random.below(4_000))],
            _ => vec![Join(1, tree(levels - 1, random), tree(levels - 1, random))],
        }
    }
    let step = |_| {
        let mut step = vec![Strand(20_000)];
        step.extend(tree(levels, random));
        step
    };
    (0..steps).flat_map(step).collect()
}

/// Tasks of a scope, of varying lengths, spawned one after another.
fn spawning(tasks: usize, random: &mut Random) -> Block {
    let task = |_| {
        let ticks = 10_000 + random.below(60_000);
        [Strand(300), Spawn(3, vec![Strand(ticks)])]
    };
    vec![
        Strand(2_000_000),
        Scope(2, (0..tasks).flat_map(task).collect()),
    ]
}

/// The relative error of the spans of scenarios on folded dags: the median and the greatest.
fn span_errors(dag: &Dag, limits: ScenarioLimits) -> (f64, f64) {
    let profile = profile();
    let code = Code::new(&profile, dag);
    let costs = SchedulingCosts::default();
    let execution = unlocked(&costs, &[2, 8]);
    let scenarios = scenarios(dag, &code, execution, limits, &[]);
    let basis = &scenarios.basis;
    assert!(basis.is_folded && basis.vertices <= limits.vertices);
    let mut spans = Vec::new();
    // Only some of them, since each requires many runs of the whole dag.
    let all = [&scenarios.before].into_iter().chain(&scenarios.after);
    for scenario in all.step_by(7) {
        let expected = asked(dag, &code, execution, &scenarios, scenario);
        let time = |span: workspan_model::Span| span.time().as_nanos() as f64;
        spans.push((time(scenario.span) / time(expected.after.span) - 1.0).abs());
    }
    spans.sort_by(f64::total_cmp);
    (spans[spans.len() / 2], spans[spans.len() - 1])
}

#[test]
fn what_exceeds_the_simulation_limit_has_no_prediction() {
    let mut random = Random(5);
    let dag = dag_of(&quicksort(300_000, &mut random));
    let profile = profile();
    let code = Code::new(&profile, &dag);
    let costs = SchedulingCosts::default();
    let cores = [2, 64];
    let simulation = Simulation::new(&dag, &costs, Scheduler::Rayon);
    let known = cores.map(|cores| simulation.prediction(cores, 1));
    let with = |simulated| {
        let limits = ScenarioLimits {
            vertices: usize::MAX,
            simulated,
        };
        scenarios(&dag, &code, unlocked(&costs, &cores), limits, &known)
    };
    let is_predicted = |of: &Scenario| of.speedup.iter().all(|speedup| speedup.predicted.is_some());
    let one_run = (simulation.vertices() * cores.len()) as u64;
    let singles = with(u64::MAX)
        .after
        .iter()
        .filter(|of| of.chosen.len() == 1)
        .count() as u64;
    // The second limit is enough for one run of each single change.
    for (simulated, most_changes) in [(0, 0), (one_run * (1 + singles), 1), (u64::MAX, 2)] {
        let scenarios = with(simulated);
        for scenario in &scenarios.after {
            assert_eq!(
                is_predicted(scenario),
                scenario.chosen.len() <= most_changes
            );
        }
        assert!(is_predicted(&scenarios.before));
    }
}

/// How far off a folded dag is, as `docs/limits.md` states for the page.
#[test]
fn folded_dags_give_nearly_the_same() {
    let mut random = Random(11);
    let programs = [
        ("quicksort", quicksort(3_000_000, &mut random)),
        ("stencil", stencil(30, 8, &mut random)),
        ("tasks", spawning(6_000, &mut random)),
    ];
    for (name, program) in programs {
        // Pieces of parallelised code are no shorter than the grain, which is that of a recorded
        // dag.
        let dag = Dag {
            grain: 10_000,
            ..dag_of(&program)
        };
        let limits = ScenarioLimits {
            vertices: dag.vertices.len() / 2,
            simulated: 0,
        };
        let spans = span_errors(&dag, limits);
        assert!(spans.0 < 0.0005 && spans.1 < 0.001, "{name}: {spans:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Folding preserves the unchanged program and all work of a piece, and makes no path longer
    /// than it was.
    #[test]
    fn folded_dags_keep_work_and_bound_the_span(dag in dags(80), most in 1..60_usize) {
        check_folded(&dag, most, false)?;
    }

    /// Without spawned tasks, it makes no path longer than it is after the change.
    #[test]
    fn folded_joins_bound_the_changed_span(program in programs(80), most in 1..60_usize) {
        check_folded(&dag_of(&without_spawns(program)), most, true)?;
    }
}

fn without_spawns(program: Block) -> Block {
    let each = |statement| match statement {
        Join(at, left, right) => Join(at, without_spawns(left), without_spawns(right)),
        Scope(at, body) | Spawn(at, body) => Scope(at, without_spawns(body)),
        other => other,
    };
    program.into_iter().map(each).collect()
}

fn check_folded(dag: &Dag, most: usize, has_no_spawns: bool) -> Result<(), TestCaseError> {
    let profile = profile();
    let code = Code::new(&profile, dag);
    let costs = SchedulingCosts::default();
    let limits = ScenarioLimits {
        vertices: most,
        simulated: 10_000,
    };
    let execution = unlocked(&costs, &[4]);
    let folded = scenarios(dag, &code, execution, limits, &[]);
    let whole = scenarios(dag, &code, execution, ALL, &[]);
    let [before, expected] = [&folded.before, &whole.before];
    prop_assert_eq!(
        (before.work, before.span, before.burdened_span),
        (expected.work, expected.span, expected.burdened_span)
    );
    let nanos = |span: Span| span.time().as_nanos();
    let rounding = dag.vertices.len() as i64;
    for (scenario, expected) in folded.after.iter().zip(&whole.after) {
        prop_assert_eq!(&scenario.chosen, &expected.chosen);
        let [work, expected_work] = [scenario, expected].map(|of| of.work.time().as_nanos());
        prop_assert!(
            (work - expected_work).abs() <= rounding,
            "{} {}",
            work,
            expected_work
        );
        let bound = if has_no_spawns {
            expected.span
        } else {
            before.span
        };
        let [span, bound] = [scenario.span, bound].map(nanos);
        prop_assert!(span <= bound + rounding, "{} {}", span, bound);
    }
    Ok(())
}
