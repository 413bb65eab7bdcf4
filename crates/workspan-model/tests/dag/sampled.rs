//! Changes to code that is known by samples.

use proptest::prelude::*;
use workspan_model::{
    Change, ChangedCode, Code, CodeError, Dag, Execution, Location, Node, NodeId, Profile, Samples,
    SchedulingCosts, Site, SiteId, SiteKind, StackFrame, StrandRegionId, example, find_code,
    what_if,
};

use crate::random_dag::Statement::{Join, Strand};
use crate::random_dag::{SITES, dag_of, dags};

fn at(file: &str, line: u32) -> Option<Location> {
    Some(Location::new(file, line, 5))
}

/// Frames 0 and 1 are `partition` and a closure in it, 2 is the library, 3 is `quicksort` at the
/// call of 0 and 1, and 4 is another function.
fn frames() -> Vec<StackFrame> {
    let frame = |function: &str, location, user_code| StackFrame {
        function: Some(function.to_owned()),
        location,
        user_code,
        ..StackFrame::default()
    };
    vec![
        frame("app::sort::partition", at("src/sort.rs", 17), true),
        frame(
            "app::sort::partition::{closure}",
            at("src/sort.rs", 19),
            true,
        ),
        frame("core::slice::partition", at("library/slice.rs", 17), false),
        frame("app::quicksort", at("src/main.rs", 34), true),
        frame("app::insertion", at("src/main.rs", 9), true),
    ]
}

/// A stack: its node, its frames, and its samples on the work and on the span.
type Stack<'a> = (u32, &'a [u32], f64, f64);

/// A profile with a node for each site of random dags, and with these stacks.
fn profile(stacks: &[Stack<'_>]) -> Profile {
    let mut profile = example::quicksort();
    let root = profile.tree[0].clone();
    profile.sites = vec![Site::root()];
    profile.tree = vec![Node {
        path: Vec::new(),
        ..root.clone()
    }];
    for site in 1..SITES {
        profile.sites.push(Site::unnamed(SiteKind::Join));
        profile.tree.push(Node {
            parent: Some(NodeId::ROOT),
            site: SiteId(site),
            ..profile.tree[0].clone()
        });
    }
    profile.samples = Some(Samples {
        frames: frames(),
        ..example::samples(&[], stacks)
    });
    profile.check().unwrap();
    profile
}

/// A quarter of the root's samples are in `partition`; of the join's, six tenths on the work and
/// eight tenths on the span.
fn quicksort() -> Profile {
    profile(&[
        (0, &[0, 3], 5.0, 5.0),
        (0, &[4], 15.0, 15.0),
        (1, &[0, 3], 30.0, 30.0),
        (1, &[2, 1, 3], 30.0, 10.0),
        (1, &[4], 40.0, 10.0),
    ])
}

/// 803 ticks of the root, then 1 + 4000 in parallel with 1 + 3000.
fn dag() -> Dag {
    dag_of(&[Strand(800), Join(1, vec![Strand(4000)], vec![Strand(3000)])])
}

fn found(profile: &Profile, dag: &Dag, words: &str) -> Result<ChangedCode, CodeError> {
    find_code(profile, dag, &Code::new(profile, dag), words)
}

fn parallelise(code: ChangedCode, factor: f64) -> Change {
    Change::Parallelise { code, factor }
}

fn speed_up(code: ChangedCode, factor: f64) -> Change {
    Change::SpeedUp { code, factor }
}

/// Work and span after a change.
fn after(dag: &Dag, change: Change) -> (i64, i64) {
    let totals = dag.with_changes(&[change]).totals();
    (totals.work, totals.span)
}

#[test]
fn the_sampled_share_of_strands_is_changed() {
    let (profile, dag) = (quicksort(), dag());
    assert_eq!((dag.totals().work, dag.totals().span), (7805, 4804));
    let code = found(&profile, &dag, "partition").unwrap();
    let changed = after(&dag, parallelise(code.clone(), 4.0));
    // (800 + 3) (3/4 + 1/4/4) + 4000 (1/5 + 4/5/4); the branch's tick rounds to none.
    assert_eq!(changed, (7805, 650 + 2 + 1600));
    // The work of the root shrinks by 1/8, that of the join by 3/10; the span of the join by 4/10.
    // A tick rounds to one.
    let changed = after(&dag, speed_up(code, 2.0));
    assert_eq!(changed, (700 + 3 + 4900 + 2, 700 + 3 + 2400 + 1));
}

#[test]
fn estimates_have_the_number_of_their_samples() {
    let (profile, dag) = (quicksort(), dag());
    let estimate = found(&profile, &dag, "partition")
        .unwrap()
        .estimate
        .unwrap();
    assert_eq!(estimate.meaning, "app::sort::partition");
    let samples = (estimate.samples_on_work, estimate.samples_on_span);
    assert_eq!(samples, (120.0, 70.0));
    // Both nodes ran for the same time: (1/4 + 6/10)/2 and (1/4 + 8/10)/2.
    let near = |share: f64, expected: f64| (share - expected).abs() < 1e-9;
    assert!(near(estimate.on_work.value, 0.425), "{estimate:?}");
    assert!(near(estimate.on_span.value, 0.525), "{estimate:?}");
    assert!(estimate.on_span.low < 0.45 && estimate.on_span.high > 0.6);
}

#[test]
fn the_range_follows_from_the_confidence_interval() {
    let profile = profile(&[(0, &[0], 50.0, 50.0), (0, &[4], 50.0, 50.0)]);
    let dag = dag_of(&[Strand(1_000_000)]);
    let changes = [parallelise(
        found(&profile, &dag, "partition").unwrap(),
        2.0,
    )];
    let answer = what_if(
        &dag,
        &Code::new(&profile, &dag),
        &changes,
        Execution::new(&profile, &dag, &SchedulingCosts::default(), &[2]),
    );
    assert_eq!(answer.shares, [Some(0.5)]);
    assert_eq!(answer.after.span.time().as_nanos(), 750_000);
    // 50 of 100: 0.40383 to 0.59617 (Wilson), half of which is saved.
    let range = answer.range.unwrap();
    let [shortest, longest] = range.span.ends();
    let near = |nanos: i64, expected: i64| (nanos - expected).abs() < 20;
    assert!(near(shortest.time().as_nanos(), 701_915), "{range:?}");
    assert!(near(longest.time().as_nanos(), 798_085), "{range:?}");
    assert!((range.parallelism.low - 1e6 / 798_085.0).abs() < 1e-4);
    // Code that is known exactly has no range.
    let changes = [parallelise(found(&profile, &dag, "root").unwrap(), 2.0)];
    let costs = SchedulingCosts::default();
    let exact = what_if(
        &dag,
        &Code::new(&profile, &dag),
        &changes,
        Execution::new(&profile, &dag, &costs, &[2]),
    );
    assert_eq!(exact.range, None);
}

#[test]
fn functions_and_lines_are_named_by_their_ends() {
    let (profile, dag) = (quicksort(), dag());
    let find = |words: &str| found(&profile, &dag, words);
    let meaning = |words: &str| find(words).unwrap().estimate.unwrap().meaning;
    let partition = "app::sort::partition";
    for words in ["partition", "sort::partition", partition] {
        assert_eq!(meaning(words), partition);
    }
    assert_eq!(meaning("sort.rs:19"), "src/sort.rs:19");
    assert_eq!(meaning("src/sort.rs:19:9"), "src/sort.rs:19");
    assert_eq!(meaning("sort.rs:10-20"), "src/sort.rs:10-20");
    // What is called from a line is part of it, and closures are part of their function.
    let parts = |words: &str| find(words).unwrap().parts;
    assert_eq!(parts("main.rs:34"), parts("partition"));
    assert_eq!(parts("sort.rs:10-20"), parts("partition"));
    assert_ne!(parts("sort.rs:19"), parts("partition"));
    assert_eq!(parts("partition::{closure}"), parts("sort.rs:19"));
    for unknown in [
        "tition",
        "slice.rs:17",
        "core::slice::partition",
        "sort.rs:18",
    ] {
        let error = find(unknown).unwrap_err();
        assert!(matches!(error, CodeError::Unknown { .. }), "{error}");
    }
    let nearest = |words: &str| match find(words) {
        Err(CodeError::Unknown { nearest, .. }) => nearest,
        other => panic!("{other:?}"),
    };
    assert_eq!(nearest("partiton")[0], partition);
    assert_eq!(nearest("sort.rs:18"), ["src/sort.rs:17", "src/sort.rs:19"]);
}

#[test]
fn equal_names_of_samples_and_sites_are_distinguished() {
    let (mut profile, dag) = (quicksort(), dag());
    profile.sites[1].function = Some("old::partition".to_owned());
    let find = |words: &str| found(&profile, &dag, words);
    let Err(CodeError::Ambiguous { candidates, .. }) = find("partition") else {
        panic!("two functions are called so");
    };
    assert_eq!(candidates, ["app::sort::partition", "old::partition"]);
    assert_eq!(find("old::partition").unwrap().estimate, None);
    assert!(find("app::sort::partition").unwrap().estimate.is_some());

    let samples = profile.samples.as_mut().unwrap();
    samples.frames[4].function = Some("app::sort::quick".to_owned());
    samples.frames[3].function = Some("app::quick".to_owned());
    samples.frames[4].location = at("old/sort.rs", 17);
    let candidates = |words: &str| match found(&profile, &dag, words) {
        Err(CodeError::Ambiguous { candidates, .. }) => candidates,
        other => panic!("{other:?}"),
    };
    assert_eq!(candidates("quick"), ["app::quick", "app::sort::quick"]);
    let lines = ["old/sort.rs:17", "src/sort.rs:17"];
    assert_eq!(candidates("sort.rs:17"), lines);
    for line in lines {
        assert!(found(&profile, &dag, line).is_ok());
    }
}

#[test]
fn what_is_known_without_samples_takes_precedence() {
    let (mut profile, dag) = (quicksort(), dag());
    profile.sites[1].function = Some("app::sort::partition".to_owned());
    profile.sites[1].location = at("src/sort.rs", 19);
    for words in ["partition", "sort.rs:19", "sort.rs:17-19"] {
        let code = found(&profile, &dag, words).unwrap();
        assert_eq!(code.estimate, None, "{words}");
    }
}

#[test]
fn a_profile_without_samples_says_so() {
    let (mut profile, dag) = (quicksort(), dag());
    profile.samples = None;
    let error = found(&profile, &dag, "partition").unwrap_err();
    assert!(matches!(error, CodeError::Unsampled { .. }));
    assert!(error.to_string().contains("--sample-hz"), "{error}");
    let error = found(&profile, &dag, "main.rs:1..main.rs:9").unwrap_err();
    assert!(matches!(error, CodeError::Unknown { .. }));
}

#[test]
fn without_samples_on_the_span_those_on_the_work_are_used() {
    let profile = profile(&[(0, &[0], 25.0, 0.0), (0, &[4], 75.0, 0.0)]);
    let dag = dag_of(&[Strand(800)]);
    let code = found(&profile, &dag, "partition").unwrap();
    let estimate = code.estimate.clone().unwrap();
    assert_eq!(estimate.on_span, estimate.on_work);
    assert_eq!(after(&dag, parallelise(code, 2.0)), (800, 700));
}

/// Stacks of `partition` and of other functions at nodes.
fn stacks() -> impl Strategy<Value = Vec<(u32, bool, f64, f64)>> {
    let stack = (0..SITES, any::<bool>(), 0.1..50.0_f64, 0.0..=1.0_f64);
    let stack = stack.prop_map(|(node, is_meant, on_work, part)| {
        let on_span = if part < 0.2 { 0.0 } else { on_work * part };
        (node, is_meant, on_work, on_span)
    });
    prop::collection::vec(stack, 0..12).prop_map(|mut stacks| {
        stacks.push((0, true, 1.0, 1.0));
        stacks
    })
}

fn with_frames(stacks: &[(u32, bool, f64, f64)]) -> Profile {
    let stack = |&(node, is_meant, on_work, on_span): &(u32, bool, f64, f64)| {
        let frames: &[u32] = if is_meant { &[0, 3] } else { &[4] };
        (node, frames, on_work, on_span)
    };
    profile(&stacks.iter().map(stack).collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn all_samples_are_all_strands(
        dag in dags(60),
        stacks in stacks(),
        factor in 1.0..100.0_f64,
    ) {
        let all: Vec<_> = stacks.iter().map(|&(node, _, work, span)| (node, true, work, span)).collect();
        let estimated = found(&with_frames(&all), &dag, "partition").unwrap();
        let sampled: Vec<u32> = all.iter().map(|(node, ..)| *node).collect();
        let regions = (0..).map(StrandRegionId).zip(&dag.regions);
        let exact: Vec<_> = regions
            .filter(|(_, region)| sampled.contains(&region.node.0))
            .map(|(id, _)| id)
            .collect();
        for change in [parallelise, speed_up] {
            let one = dag.with_changes(&[change(estimated.clone(), factor)]);
            let other = dag.with_changes(&[change(exact.clone().into(), factor)]);
            prop_assert_eq!(one, other);
        }
    }

    #[test]
    fn no_samples_are_no_strands(dag in dags(60), factor in 1.0..100.0_f64) {
        let profile = with_frames(&[(0, true, 1.0, 1.0)]);
        let mut code = found(&profile, &dag, "partition").unwrap();
        for part in &mut code.parts {
            (part.on_work, part.on_span) = (0.0, 0.0);
        }
        for change in [parallelise, speed_up] {
            prop_assert_eq!(&dag.with_changes(&[change(code.clone(), factor)]), &dag);
        }
    }

    #[test]
    fn more_of_the_code_or_a_larger_factor_gives_no_longer_span(
        dag in dags(60),
        stacks in stacks(),
        factor in 1.0..100.0_f64,
        larger in 1.0..10.0_f64,
    ) {
        let code = found(&with_frames(&stacks), &dag, "partition").unwrap();
        for change in [parallelise, speed_up] {
            let totals = |code: ChangedCode, factor| {
                let totals = dag.with_changes(&[change(code, factor)]).totals();
                [totals.work, totals.span, totals.burdened_span]
            };
            let [most, some, least] = [code.at_most(), code.clone(), code.at_least()]
                .map(|code| totals(code, factor));
            for figure in 0..3 {
                prop_assert!(most[figure] <= some[figure] && some[figure] <= least[figure]);
            }
            let faster = totals(code.clone(), factor * larger);
            prop_assert!(faster[0] <= some[0] && faster[1] <= some[1]);
        }
    }

    #[test]
    fn the_ends_of_the_interval_enclose_each_share(stacks in stacks()) {
        let dag = dag_of(&[Strand(1)]);
        let code = found(&with_frames(&stacks), &dag, "partition").unwrap();
        let ends = code.at_least().parts.into_iter().zip(code.at_most().parts);
        for (part, (least, most)) in code.parts.iter().zip(ends) {
            prop_assert!(0.0 <= least.on_span && least.on_span <= part.on_span + 1e-12);
            prop_assert!(part.on_span <= most.on_span + 1e-12 && most.on_span <= 1.0);
        }
    }
}
