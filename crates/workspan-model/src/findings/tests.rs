//! Findings of hand-made profiles: the quicksort of [`example`](crate::example), changed until it
//! shows something else.

use super::*;
use crate::{
    Boundary, Cost, DagBuilder, Limit, Nanos, Node, NodeId, OnSpan, OnWork, RuntimeKind, Side,
    Site, SiteId, SiteKind, SiteRow, Span, StrandRegion, VertexKind, Work, analyse, example,
};

fn findings_of(profile: &Profile) -> Vec<Finding> {
    analyse(profile).findings
}

fn diagnoses(profile: &Profile) -> Vec<Diagnosis> {
    let findings = findings_of(profile);
    findings.iter().map(Finding::diagnosis).collect()
}

fn span(nanos: i64) -> Span {
    Span::from_nanos(nanos)
}

/// A program that scales to 64 cores: 1.06 s of work, with a span of 1 ms at the root and 9 ms in
/// the joins.
fn scaling() -> Profile {
    let mut profile = example::quicksort();
    set_spans(&mut profile, 1_000_000, 9_000_000);
    profile
}

fn set_spans(profile: &mut Profile, of_root: i64, of_joins: i64) {
    let [root, joins] = &mut profile.tree[..] else {
        panic!("the quicksort has two nodes");
    };
    root.on_work.local_work = Work::from_nanos(of_root);
    joins.on_work.local_work = Work::from_nanos(1_060_000_000 - of_root);
    root.on_span.local_span = span(of_root);
    joins.on_span.local_span = span(of_joins);
    joins.on_work.top_span = span(of_joins);
    profile.span = span(of_root + of_joins);
    profile.burdened_span = span(of_root + of_joins + 37 * 7_500);
}

#[test]
fn a_program_that_scales_has_no_findings() {
    assert_eq!(findings_of(&scaling()), []);
}

#[test]
fn the_quicksort_lacks_parallelism() {
    let findings = findings_of(&example::quicksort());
    // The joins' own code has 76.6 ms of 98 ms of span, then comes the root with 21.4 ms.
    let numbers: Vec<_> = findings.iter().map(|found| found.diagnosis()).collect();
    let expected = [Diagnosis::InsufficientParallelism, Diagnosis::SerialCode];
    assert_eq!(numbers, expected);
    // 1060 ms of work, 587,213 joins of 17 ns and 214 steals of 7.5 µs on 64 cores, plus 98.2775
    // ms less its share.
    let shared = (1_060_000_000.0 + 587_213.0 * 17.0 + 214.0 * 7_500.0) / 64.0;
    let gain = findings[0].gain;
    assert_eq!(gain.cores, 64);
    let near = |time: Nanos, nanos: f64| (time.as_nanos() as f64 - nanos).abs() < 2.0;
    assert!(
        near(gain.now.value, shared + 98_277_500.0 * 63.0 / 64.0),
        "{gain:?}"
    );
    let rest = 98_277_500.0 - 76_600_000.0 * 63.0 / 64.0;
    assert!(
        near(gain.after.value, shared + rest * 63.0 / 64.0),
        "{gain:?}"
    );
}

#[test]
fn parallelism_is_insufficient_below_half_of_the_gain() {
    // 65/2 = 32.5 is half of the gain. 1060 ms over 33 ms plus 37 moves of 7.5 µs is 31.9; with
    // 0.7 ms less, 32.54.
    let with_span = |of_joins| {
        let mut profile = scaling();
        set_spans(&mut profile, 1_000_000, of_joins);
        diagnoses(&profile)
    };
    assert_eq!(with_span(32_000_000), [Diagnosis::InsufficientParallelism]);
    assert_eq!(with_span(31_300_000), []);
    let mut on_ten_cores = example::quicksort();
    on_ten_cores.run.assumed_cores = 10;
    assert_eq!(findings_of(&on_ten_cores), []);
}

#[test]
fn a_span_that_is_not_known_to_be_long_shows_nothing() {
    let mut profile = example::quicksort();
    profile.timing.burdened_span_open = Nanos::from_nanos(70_000_000);
    assert_eq!(findings_of(&profile), []);
}

#[test]
fn tasks_are_too_fine_from_a_tenth_of_the_work() {
    // 587,213 joins of 181 ns are 106.3 ms, of 180 ns 105.7 ms; the work is 1060 ms.
    let with_join = |nanos| {
        let mut profile = scaling();
        profile.calibration.join = Cost::from_nanos(nanos);
        findings_of(&profile)
    };
    assert_eq!(with_join(180.0), []);
    // 106.3 of 1060 ms, but the gain is only 6% of (1060 + 106.3) / 64 + 10.3 ms.
    assert_eq!(with_join(181.0), []);
    let found = &with_join(400.0)[0];
    let Evidence::FineTasks {
        tasks, overhead, ..
    } = found.evidence
    else {
        panic!("{found:?}");
    };
    assert_eq!(tasks, 587_213);
    let overhead = overhead.unwrap();
    assert!((overhead - 587_213.0 * 400.0 / 1.06e9).abs() < 1e-9);
}

#[test]
fn tasks_that_halve_the_parallelism_by_moving_are_too_fine() {
    let mut profile = scaling();
    profile.burdened_span = span(60_000_000);
    assert_eq!(diagnoses(&profile), [Diagnosis::FineTasks]);
    // What is left is enough for half of the cores' gain.
    profile.burdened_span = span(32_500_000);
    assert_eq!(diagnoses(&profile), []);
}

#[test]
fn serial_code_runs_alone() {
    let mut profile = scaling();
    set_spans(&mut profile, 100_000_000, 9_000_000);
    let findings = findings_of(&profile);
    assert_eq!(findings.len(), 1);
    let Evidence::SerialCode {
        time, work_share, ..
    } = findings[0].evidence
    else {
        panic!("{findings:?}");
    };
    assert_eq!(time, Nanos::from_nanos(100_000_000));
    assert!((work_share - 100.0 / 1_060.0).abs() < 1e-9);
}

#[test]
fn a_function_in_serial_code_is_named() {
    let mut profile = scaling();
    set_spans(&mut profile, 100_000_000, 9_000_000);
    let call = below(&mut profile, 0, SiteKind::Function);
    let [root, .., function] = &mut profile.tree[..] else {
        panic!("there are three nodes");
    };
    function.on_work.local_work = Work::from_nanos(90_000_000);
    function.on_span.local_span = span(90_000_000);
    root.on_work.local_work = Work::from_nanos(10_000_000);
    root.on_span.local_span = span(10_000_000);
    let analysis = analyse(&profile);
    assert_eq!(analysis.findings.len(), 1);
    let within = analysis.findings[0].within.unwrap();
    assert_eq!(analysis.sites[within].sites, [call]);
}

#[test]
fn deep_recursion_is_skewed() {
    // Halving 587,214 tasks goes through log₂ of them, 19.16; six times that is 115.
    let with_depth = |depth: u64| {
        let mut profile = scaling();
        profile.tree[1].on_span.count = depth;
        profile.burdened_span = span(60_000_000);
        diagnoses(&profile)
    };
    assert_eq!(with_depth(115), [Diagnosis::SkewedChildren]);
    assert_eq!(with_depth(114), [Diagnosis::FineTasks]);
}

#[test]
fn the_items_of_a_pipeline_are_no_recursion() {
    let with_region = |runtime, name: &str| {
        let mut profile = scaling();
        profile.run.runtimes[0].kind = runtime;
        profile.tree[1].on_span.count = 115;
        profile.burdened_span = span(60_000_000);
        profile.sites.push(Site {
            name: Some(name.to_owned()),
            ..Site::unnamed(SiteKind::Region)
        });
        let mut region = Node::new(Some(NodeId(1)), SiteId(2));
        region.on_work.count = 1;
        profile.tree.push(region);
        diagnoses(&profile)
    };
    let (tbb, filter) = (RuntimeKind::Tbb, SiteRow::PARALLEL_FILTER);
    assert_eq!(with_region(tbb, "filtering"), [Diagnosis::SkewedChildren]);
    assert_ne!(with_region(tbb, filter), [Diagnosis::SkewedChildren]);
    let of_rayon = with_region(RuntimeKind::Rayon, filter);
    assert_eq!(of_rayon, [Diagnosis::SkewedChildren]);
}

/// A program of one parallel iterator: 1 s of work in this many pieces, the longest of which takes
/// this long.
fn iterator(pieces: u64, longest: i64) -> Profile {
    let mut profile = scaling();
    set_spans(&mut profile, 1_000_000, longest);
    let site = &mut profile.sites[1];
    site.kind = SiteKind::ParIter;
    site.detail = Some("ParallelIterator::for_each".to_owned());
    let node = &mut profile.tree[1];
    node.on_work.count = pieces - 1;
    node.on_work.spawns = pieces - 1;
    node.on_work.stolen = 3;
    node.on_span.count = node.on_work.count.min(7);
    profile.burdened_span = span(1_000_000 + longest + 7 * 7_500);
    profile
}

#[test]
fn pieces_are_skewed_from_four_times_the_even_length() {
    // 1059 ms in 128 pieces are 8.27 ms each; four times that is 33.09 ms.
    assert_eq!(
        diagnoses(&iterator(128, 33_100_000)),
        [Diagnosis::SkewedChildren]
    );
    assert_eq!(
        diagnoses(&iterator(128, 33_080_000)),
        [Diagnosis::InsufficientParallelism]
    );
    let mut reduction = iterator(128, 60_000_000);
    reduction.sites[1].detail = Some("ParallelIterator::reduce".to_owned());
    assert_eq!(diagnoses(&reduction), [Diagnosis::InsufficientParallelism]);
}

#[test]
fn few_pieces_of_which_one_has_most_of_the_work_are_uneven() {
    // Of 1059 ms in 8 pieces.
    let diagnosis = |longest| diagnoses(&iterator(8, longest));
    assert_eq!(diagnosis(900_000_000), [Diagnosis::SkewedChildren]);
    assert_eq!(diagnosis(500_000_000), [Diagnosis::FewTasks]);
    // What combines the pieces may be what is long.
    let mut reduction = iterator(8, 900_000_000);
    reduction.sites[1].detail = Some("ParallelIterator::reduce".to_owned());
    assert_eq!(diagnoses(&reduction), [Diagnosis::FewTasks]);
}

#[test]
fn loops_of_other_runtimes_are_skewed_like_iterators() {
    let with_longest = |kind, longest| {
        let mut profile = iterator(128, longest);
        let node = &mut profile.tree[1];
        (node.on_work.count, node.on_work.spawns) = (1, 128);
        node.on_span.count = 1;
        profile.sites[1].kind = kind;
        profile.sites[1].detail = None;
        profile
    };
    for kind in [SiteKind::Loop, SiteKind::Sections] {
        let skewed = with_longest(kind, 33_100_000);
        assert_eq!(diagnoses(&skewed), [Diagnosis::SkewedChildren], "{kind}");
        let even = with_longest(kind, 33_080_000);
        let expected = [Diagnosis::InsufficientParallelism];
        assert_eq!(diagnoses(&even), expected, "{kind}");
    }
    // The threads of a region are, if its code may divide its work among them.
    let region = |detail: Option<&str>| {
        let mut profile = with_longest(SiteKind::Parallel, 900_000_000);
        profile.tree[1].on_work.spawns = 2;
        let run = &mut profile.run;
        (run.assumed_cores, run.threads, profile.machine.cores) = (0, 2, 2);
        profile.sites[1].detail = detail.map(str::to_owned);
        diagnoses(&profile)
    };
    let divided = region(Some(SiteRow::DIVIDES_BY_CODE));
    assert_eq!(divided, [Diagnosis::SkewedChildren]);
    assert_eq!(region(None), [Diagnosis::SerialCode]);
    let mut reduction = with_longest(SiteKind::Loop, 60_000_000);
    reduction.sites[1].detail = Some("tbb::parallel_reduce".to_owned());
    assert_eq!(diagnoses(&reduction), [Diagnosis::InsufficientParallelism]);
}

#[test]
fn threads_of_a_region_share_the_pieces_of_a_loop() {
    let pieces_at_a_time = |around: SiteKind| {
        let mut profile = iterator(32, 40_000_000);
        let inner = below(&mut profile, 1, SiteKind::Loop);
        profile.sites[inner.index()].detail = None;
        profile.sites[1].kind = around;
        let [_, outer, inner] = &mut profile.tree[..] else {
            panic!("there are three nodes");
        };
        (outer.on_work.count, outer.on_work.spawns) = (1, 32);
        (inner.on_work.count, inner.on_work.top_count) = (1, 1);
        inner.on_work.spawns = 32;
        inner.on_work.local_work = outer.on_work.local_work;
        inner.on_span = outer.on_span;
        outer.on_work.local_work = Work::ZERO;
        outer.on_span.local_span = Span::ZERO;
        let findings = findings_of(&profile);
        findings.iter().find_map(|found| match found.evidence {
            Evidence::FewTasks { tasks, .. } => Some(tasks),
            _ => None,
        })
    };
    assert_eq!(pieces_at_a_time(SiteKind::Parallel), Some(32.0));
    // A loop in each of 32 others has 1024 pieces at a time, enough for 64 cores.
    assert_eq!(pieces_at_a_time(SiteKind::Loop), None);
}

#[test]
fn tasks_are_too_few_below_the_cores() {
    assert_eq!(diagnoses(&iterator(50, 40_000_000)), [Diagnosis::FewTasks]);
    // One more task would gain nothing: 63 tasks leave cores idle for another reason.
    let almost = diagnoses(&iterator(63, 40_000_000));
    assert_eq!(almost, [Diagnosis::InsufficientParallelism]);
    assert_eq!(
        diagnoses(&iterator(64, 40_000_000)),
        [Diagnosis::InsufficientParallelism]
    );
    let findings = findings_of(&iterator(2, 530_000_000));
    let Evidence::FewTasks { tasks, .. } = findings[0].evidence else {
        panic!("{findings:?}");
    };
    assert_eq!(tasks, 2.0);
}

#[test]
fn few_tasks_in_each_of_many_are_not_too_few() {
    let mut profile = iterator(100, 40_000_000);
    // An inner loop of two halves does the work.
    below(&mut profile, 1, SiteKind::ParIter);
    let [_, outer, inner] = &mut profile.tree[..] else {
        panic!("there are three nodes");
    };
    (inner.on_work.count, inner.on_work.top_count) = (100, 100);
    inner.on_work.local_work = outer.on_work.local_work;
    inner.on_span = outer.on_span;
    outer.on_work.local_work = Work::ZERO;
    outer.on_span.local_span = Span::ZERO;
    assert!(!diagnoses(&profile).contains(&Diagnosis::FewTasks));
}

#[test]
fn branches_of_a_join_may_be_serial_code() {
    let join = |of_joins| {
        let mut profile = iterator(2, of_joins);
        profile.sites[1].kind = SiteKind::Join;
        diagnoses(&profile)
    };
    assert_eq!(join(530_000_000), [Diagnosis::FewTasks]);
    assert_eq!(join(800_000_000), [Diagnosis::SerialCode]);
}

#[test]
fn steals_are_many_where_they_cost_a_tenth_of_the_work() {
    // 14,133 steals of 7.5 µs are 106.0 ms; one fewer is less than a tenth of 1060 ms.
    let with_steals = |stolen, tasks: u64| {
        let mut profile = iterator(tasks + 1, 4_000_000);
        profile.tree[1].on_work.stolen = stolen;
        diagnoses(&profile)
    };
    assert_eq!(with_steals(20_000, 100_000), [Diagnosis::ManySteals]);
    assert_eq!(with_steals(14_132, 100_000), []);
    // These are only a few of the tasks.
    assert_eq!(with_steals(20_000, 200_001), []);
}

#[test]
fn a_bridge_serialises_where_it_limits() {
    let mut profile = iterator(64, 500_000_000);
    profile.sites[1].kind = SiteKind::ParBridge;
    assert_eq!(diagnoses(&profile), [Diagnosis::Serialised]);
    profile.run.assumed_cores = 3;
    assert_eq!(diagnoses(&profile), []);
}

#[test]
fn no_change_is_faster_than_what_feeds_a_bridge() {
    let profile = iterator(128, 33_100_000);
    let analysis = analyse(&profile);
    let longest_after = |bridge_held| {
        let awaited = Awaited {
            bridge_held,
            ..analysis.awaited.clone()
        };
        let (totals, sites) = (&analysis.totals, &analysis.sites);
        let locks = &analysis.locks;
        let found = findings(
            &profile,
            totals,
            sites,
            locks,
            None,
            &awaited,
            &analysis.verdict,
            None,
        );
        found[0].gain.after.low
    };
    // One thread at a time does 2.5 % of the 1060 ms.
    assert!(longest_after(0.0) < Nanos::from_nanos(26_500_000));
    assert_eq!(longest_after(0.025), Nanos::from_nanos(26_500_000));
}

#[test]
fn waits_serialise_from_a_tenth_of_the_time() {
    let with_wait = |blocked, longest| {
        let mut profile = iterator(128, longest);
        profile.tree[1].on_work.blocked = Nanos::from_nanos(blocked);
        diagnoses(&profile)
    };
    assert_eq!(with_wait(300_000_000, 9_000_000), [Diagnosis::Serialised]);
    // The loop has 1059 ms; waits of less than a tenth of that call for no change.
    assert_eq!(with_wait(105_800_000, 9_000_000), []);
    // Waiting for the user on the critical path is not serial code.
    let mut profile = scaling();
    set_spans(&mut profile, 200_000_000, 9_000_000);
    profile.tree[0].on_work.blocked = Nanos::from_nanos(150_000_000);
    assert_eq!(diagnoses(&profile), [Diagnosis::Serialised]);
}

#[test]
fn splitting_is_too_fine_from_four_times_what_the_cores_need() {
    // 2 pieces per core, for the loop itself and for each of 3 steals: 512, and four times that.
    let with_pieces = |pieces| {
        let mut profile = iterator(pieces, 4_000_000);
        profile.calibration.join = Cost::from_nanos(150_000.0);
        diagnoses(&profile)
    };
    assert_eq!(with_pieces(2_048), [Diagnosis::OverSplitting]);
    assert_eq!(with_pieces(2_047), [Diagnosis::FineTasks]);
    // Here it costs nothing.
    assert_eq!(diagnoses(&iterator(100_000, 4_000_000)), []);
}

#[test]
fn a_costly_loop_inside_a_sufficient_one_is_split_in_vain() {
    let mut profile = iterator(128, 4_000_000);
    let inner = below(&mut profile, 1, SiteKind::ParIter);
    let node = &mut profile.tree[2];
    (node.on_work.count, node.on_work.top_count) = (1_000_000, 10_000);
    node.on_span.local_span = span(1_000);
    profile.calibration.join = Cost::from_nanos(400.0);
    let analysis = analyse(&profile);
    let [found] = &analysis.findings[..] else {
        panic!("{:?}", analysis.findings);
    };
    let Evidence::OverSplitting {
        inside: Some(outer),
        tasks,
        ..
    } = found.evidence
    else {
        panic!("{found:?}");
    };
    assert_eq!(tasks, 101.0);
    assert_eq!(analysis.sites[found.row].sites, [inner]);
    assert_eq!(analysis.sites[outer].sites, [SiteId(1)]);
}

#[test]
fn one_strand_or_one_core_has_no_findings() {
    let mut profile = example::quicksort();
    profile.run.assumed_cores = 1;
    assert_eq!(findings_of(&profile), []);
    profile.run.assumed_cores = 64;
    profile.sites[1].kind = SiteKind::Region;
    assert_eq!(findings_of(&profile), []);
}

#[test]
fn the_greatest_gain_comes_first() {
    let gains: Vec<f64> = findings_of(&example::quicksort())
        .iter()
        .map(|found| found.gain.factor.value)
        .collect();
    assert!(gains.len() > 1 && gains.is_sorted_by(|one, other| one >= other));
    assert!(gains.iter().all(|&gain| gain >= LEAST_GAIN));
}

/// Adds a node of a new site below another node.
fn below(profile: &mut Profile, parent: u32, kind: SiteKind) -> SiteId {
    let site = SiteId(profile.sites.len() as u32);
    profile.sites.push(Site {
        name: kind.is_serial().then(|| "partition".to_owned()),
        detail: Some("ParallelIterator::sum".to_owned()),
        ..Site::unnamed(kind)
    });
    profile.tree.push(Node::new(Some(NodeId(parent)), site));
    site
}

/// Strands of 18, 80, 70 and 0: the second, of the join, in parallel with the third, of the serial
/// code.
fn diamond() -> Dag {
    let boundary = Boundary {
        site: SiteId::ROOT,
        side: Side::Body,
    };
    let regions = [0, 1].map(|node| StrandRegion {
        node: NodeId(node),
        from: boundary,
        to: boundary,
    });
    let mut builder = DagBuilder::new(regions.to_vec());
    let fork = builder.vertex(VertexKind::Fork, 18, 0);
    let left = builder.vertex(VertexKind::Strand, 80, 1);
    let right = builder.vertex(VertexKind::Strand, 70, 0);
    let sync = builder.vertex(VertexKind::Sync, 0, 0);
    builder.join(fork, [(left, left), (right, right)], sync);
    builder.finish()
}

#[test]
fn a_dag_accounts_for_the_second_longest_path() {
    let profile = example::quicksort();
    let analysis = analyse(&profile);
    let dag = diamond();
    assert_eq!(dag.check(2, 2), Ok(()));
    let findings = findings(
        &profile,
        &analysis.totals,
        &analysis.sites,
        &analysis.locks,
        None,
        &analysis.awaited,
        &analysis.verdict,
        Some(&dag),
    );
    let diagnosis = Diagnosis::InsufficientParallelism;
    let found = findings
        .iter()
        .find(|found| found.diagnosis() == diagnosis)
        .unwrap();
    assert_eq!(found.gain.estimate, EstimatedBy::WhatIf);
    // The span of the dag goes from 18 + 80 to 18 + 70, so that of the profile to 88/98.
    let less = found.gain.now.value - found.gain.after.value;
    let expected = 98_277_500.0 * 10.0 / 98.0 * 63.0 / 64.0;
    assert!((less.as_nanos() as f64 - expected).abs() < 2.0, "{less:?}");
    // By the bounds, only a 64th of the join's 76.6 ms would be left.
    assert!(found.gain.factor.value < analysis.findings[0].gain.factor.value);
}

/// The program that scales, with locks that are held this long.
fn with_locks(held: &[i64]) -> Profile {
    let mut profile = scaling();
    for (site, &held) in (2..).map(SiteId).zip(held) {
        profile.sites.push(Site {
            name: Some(format!("lock {}", site.0)),
            ..Site::unnamed(SiteKind::Lock)
        });
        profile.locks.push(crate::Lock {
            uses: vec![crate::LockUse {
                site,
                held: Work::from_nanos(held),
                acquisitions: 10,
                waits: 3,
                waited: Nanos::from_nanos(500),
            }],
        });
    }
    profile
}

#[test]
fn a_lock_serialises() {
    // 106 of 1060 ms of work: a tenth.
    let analysis = analyse(&with_locks(&[2_000, 106_000_000]));
    let [found] = &analysis.findings[..] else {
        panic!("{:?}", analysis.findings);
    };
    let Evidence::SerialisingLock {
        held,
        work_share,
        places,
        most_speedup,
        ..
    } = found.evidence
    else {
        panic!("{found:?}");
    };
    assert_eq!((held.as_nanos(), places), (106_000_000, 1));
    assert!((work_share - 0.1).abs() < 1e-9 && (most_speedup - 10.0).abs() < 1e-9);
    let row = &analysis.sites[found.row];
    assert_eq!(row.name.as_deref(), Some("lock 3"));
    assert_eq!((row.on_work.count, row.on_span.share), (10, 0.0));
    // 1060 ms of work, joins of 17 ns and steals on 64 cores, plus 106 ms, or plus the burdened
    // span of 10.2775 ms.
    let shared = (1_060_000_000.0 + 587_213.0 * 17.0 + 214.0 * 7_500.0) / 64.0;
    let near = |time: Nanos, nanos: f64| (time.as_nanos() as f64 - nanos).abs() < 2.0;
    assert!(
        near(found.gain.now.value, shared + 106_000_000.0 * 63.0 / 64.0),
        "{found:?}"
    );
    assert!(
        near(found.gain.after.value, shared + 10_277_500.0 * 63.0 / 64.0),
        "{found:?}"
    );
    // No bound on the speedup exceeds what the lock allows.
    let limit = analysis.verdict.limit;
    assert_eq!(limit, Limit::Lock { row: found.row });
    let upper: Vec<f64> = analysis.speedup.iter().map(|at| at.upper).collect();
    assert_eq!(upper[..3], [2.0, 4.0, 8.0]);
    assert!(upper[3..].iter().all(|upper| (upper - 10.0).abs() < 1e-9));
    assert!((analysis.verdict.bounds.upper - 10.0).abs() < 1e-9);
}

#[test]
fn a_lock_held_for_less_than_the_span_does_not_limit() {
    for held in [0, 10_000_000, 10_277_500] {
        let analysis = analyse(&with_locks(&[held]));
        assert_eq!(analysis.findings, [], "{held}");
        let limit = analysis.verdict.limit;
        assert!(!matches!(limit, Limit::Lock { .. }), "{limit:?}");
    }
}

#[test]
fn each_lock_that_limits_by_itself_has_a_finding() {
    let profile = with_locks(&[60_000_000, 60_000_000, 90_000_000]);
    let analysis = analyse(&profile);
    let names = analysis.findings.iter().map(|found| {
        assert_eq!(found.diagnosis(), Diagnosis::SerialisingLock);
        analysis.sites[found.row].name.clone().unwrap()
    });
    let names: Vec<String> = names.collect();
    assert_eq!(names, ["lock 4", "lock 2", "lock 3"]);
    // The longest-held lock bounds the speedup, not all of them together.
    assert!((analysis.totals.most_speedup_by_locks() - 1060.0 / 90.0).abs() < 1e-9);
}

#[test]
fn a_lock_is_reported_where_it_is_held_longest() {
    let mut profile = with_locks(&[30_000_000, 76_000_000]);
    let other = profile.locks.pop().unwrap();
    profile.locks[0].uses.extend(other.uses);
    let analysis = analyse(&profile);
    assert_eq!(analysis.locks.len(), 1);
    let lock = &analysis.locks[0];
    assert_eq!((lock.acquisitions, lock.waits), (20, 6));
    let found = &analysis.findings[0];
    assert_eq!(analysis.sites[found.row].name.as_deref(), Some("lock 3"));
    assert!(matches!(
        found.evidence,
        Evidence::SerialisingLock { held, here, places: 2, .. }
            if held.as_nanos() == 106_000_000 && here.as_nanos() == 76_000_000
    ));
}

#[test]
fn few_cores_seldom_meet_at_a_lock() {
    // Held for a tenth of the work: a fifth of the time on two cores, half of it on five.
    let on_cores = |cores| {
        let mut profile = with_locks(&[106_000_000]);
        profile.run.assumed_cores = cores;
        diagnoses(&profile)
    };
    assert_eq!(on_cores(5), []);
    assert_eq!(on_cores(6), [Diagnosis::SerialisingLock]);
}

/// A fork with two pieces of the iterator and the reduction of their results.
fn reduction(piece: i64, reduction: i64) -> Dag {
    let boundary = |site, side| Boundary { site, side };
    let region = |node, from, to| StrandRegion { node, from, to };
    let (root, site) = (SiteId::ROOT, SiteId(1));
    let mut builder = DagBuilder::new(vec![
        region(
            NodeId::ROOT,
            boundary(root, Side::Body),
            boundary(site, Side::Outside),
        ),
        region(
            NodeId(1),
            boundary(site, Side::Left),
            boundary(site, Side::Left),
        ),
        region(
            NodeId(1),
            boundary(site, Side::Right),
            boundary(site, Side::Right),
        ),
        region(
            NodeId(1),
            boundary(site, Side::Outside),
            boundary(root, Side::Body),
        ),
    ]);
    let fork = builder.vertex(VertexKind::Fork, 1_000_000, 0);
    let left = builder.vertex(VertexKind::Strand, piece, 1);
    let right = builder.vertex(VertexKind::Strand, 8_000_000, 2);
    let sync = builder.vertex(VertexKind::Sync, reduction, 3);
    builder.join(fork, [(left, left), (right, right)], sync);
    builder.finish()
}

#[test]
fn the_dag_tells_a_long_piece_from_a_long_reduction() {
    let diagnosis = |profile: &Profile, dag: &Dag| {
        assert_eq!(dag.check(2, 2), Ok(()));
        let analysis = analyse(profile);
        let (totals, verdict) = (&analysis.totals, &analysis.verdict);
        let found = findings(
            profile,
            totals,
            &analysis.sites,
            &[],
            None,
            &analysis.awaited,
            verdict,
            Some(dag),
        );
        found[0].diagnosis()
    };
    let mut profile = iterator(128, 60_000_000);
    profile.sites[1].detail = Some("ParallelIterator::reduce".to_owned());
    profile.tree[1].on_work.top_count = 1;
    let (piece, merge) = (
        reduction(59_000_000, 1_000_000),
        reduction(8_000_000, 52_000_000),
    );
    assert_eq!(diagnosis(&profile, &piece), Diagnosis::SkewedChildren);
    assert_eq!(
        diagnosis(&profile, &merge),
        Diagnosis::InsufficientParallelism
    );
    // Of two calls, the longer may have the longer pieces.
    profile.tree[1].on_work.top_count = 2;
    assert_eq!(
        diagnosis(&profile, &piece),
        Diagnosis::InsufficientParallelism
    );
}

/// Four threads of the program's own, with 400 ms of work between them; the longest of them, which
/// the program waits for, takes `longest` milliseconds.
fn threads(longest: i64) -> Profile {
    let mut profile = example::quicksort();
    profile.run.assumed_cores = 0;
    profile.run.runtimes[0].kind = RuntimeKind::Threads;
    profile.sites[1].kind = SiteKind::Thread;
    let [root, thread] = &mut profile.tree[..] else {
        panic!("the quicksort has two nodes");
    };
    root.on_work.local_work = Work::from_nanos(0);
    root.on_span.local_span = span(0);
    root.path.clear();
    thread.on_work = OnWork {
        local_work: Work::from_nanos(400_000_000),
        count: 4,
        top_count: 4,
        ..OnWork::default()
    };
    profile.span = span(longest * 1_000_000);
    profile.burdened_span = profile.span;
    thread.on_span = OnSpan {
        local_span: profile.span,
        count: 1,
        top_count: 1,
        ..OnSpan::default()
    };
    profile
}

#[test]
fn threads_are_uneven_if_the_longest_has_a_quarter_more_than_its_share() {
    assert_eq!(diagnoses(&threads(124)), []);
    let findings = findings_of(&threads(200));
    assert_eq!(findings.len(), 1, "{findings:?}");
    let Evidence::SkewedChildren(SkewedBy::Pieces { longest, even }) = findings[0].evidence else {
        panic!("{findings:?}");
    };
    assert_eq!(
        (longest, even),
        (
            Nanos::from_nanos(200_000_000),
            Nanos::from_nanos(100_000_000)
        )
    );
}
