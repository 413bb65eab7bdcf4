//! The interval of one run holds the truth: by hand, and on made dags with delays from a fixed seed.

use proptest::prelude::*;

use super::*;
use crate::{
    Boundary, DagBuilder, NodeId, Side, SiteId, StrandRegion, VertexId, VertexKind, example,
    totals_with_dag,
};

const SEEDS: std::ops::Range<u64> = 32..43;
const RUNS_OF_A_SEED: usize = 50;
const RUNS: usize = 11 * RUNS_OF_A_SEED;

/// The serial code before a loop, which nothing delays.
const SERIAL: i64 = 16_000;

const LEAF: i64 = 650_000;

const fn region(node: u32, side: Side) -> StrandRegion {
    let boundary = Boundary {
        site: SiteId(node),
        side,
    };
    StrandRegion {
        node: NodeId(node),
        from: boundary,
        to: boundary,
    }
}

/// A loop of these leaves, split in halves.
fn dag_of(leaves: &[i64]) -> Dag {
    let sides = [Side::Left, Side::Right].map(|side| region(1, side));
    let mut builder = DagBuilder::new(vec![region(0, Side::Body), sides[0], sides[1]]);
    let serial = builder.vertex(VertexKind::Strand, SERIAL, 0);
    let (first, _) = halve(&mut builder, leaves, 1);
    builder.edge(serial, first, false);
    builder.finish()
}

fn halve(builder: &mut DagBuilder, leaves: &[i64], side: usize) -> (VertexId, VertexId) {
    if let [leaf] = leaves {
        let leaf = builder.vertex(VertexKind::Strand, *leaf, side);
        return (leaf, leaf);
    }
    let fork = builder.vertex(VertexKind::Fork, 0, 0);
    let (left, right) = leaves.split_at(leaves.len() / 2);
    let branches = [halve(builder, left, 1), halve(builder, right, 2)];
    let sync = builder.vertex(VertexKind::Sync, 0, 0);
    builder.join(fork, branches, sync);
    (fork, sync)
}

fn parallelism(leaves: &[i64]) -> f64 {
    let longest = leaves.iter().max().expect("there are leaves");
    (SERIAL + leaves.iter().sum::<i64>()) as f64 / (SERIAL + longest) as f64
}

/// The interval of the parallelism in the totals of a run of these leaves.
fn interval(leaves: &[i64]) -> (f64, f64) {
    let dag = dag_of(leaves);
    let mut profile = example::quicksort();
    let totals = dag.totals();
    profile.span = dag.time_of(totals.span).into();
    profile.burdened_span = profile.span;
    profile.tree[0].on_work.local_work = dag.time_of(totals.work).into();
    profile.tree[1].on_work.local_work = crate::Work::ZERO;
    let parallelism = totals_with_dag(&profile, Some(&dag)).parallelism;
    assert!(parallelism.high.is_finite());
    (parallelism.low, parallelism.high)
}

/// The leaves with delays as measured on a shared machine: most are short, one in a hundred leaves
/// takes up to half as long again, and one in three thousand up to three times as long.
fn delayed(leaves: &[i64], random: &mut fastrand::Rng) -> Vec<i64> {
    let mut delay = |leaf: &i64| {
        let normal: f64 = (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
        let short = 0.02 * normal.exp();
        let rare = match random.u32(0..3_000) {
            0 => 2.0 * random.f64(),
            1..=30 => 0.5 * random.f64(),
            _ => 0.0,
        };
        (*leaf as f64 * (1.0 + short + rare)) as i64
    };
    leaves.iter().map(&mut delay).collect()
}

/// How many runs have an interval that holds the truth, and the median of upper over lower.
fn covered(leaves: &[i64]) -> (usize, f64) {
    let truth = parallelism(leaves);
    let runs_from = |seed| {
        let mut random = fastrand::Rng::with_seed(seed);
        (0..RUNS_OF_A_SEED).map(move |_| interval(&delayed(leaves, &mut random)))
    };
    let runs: Vec<(f64, f64)> = SEEDS.flat_map(runs_from).collect();
    let held = runs.iter().filter(|run| (run.0..=run.1).contains(&truth));
    let mut widths: Vec<f64> = runs.iter().map(|(lower, upper)| upper / lower).collect();
    widths.sort_by(f64::total_cmp);
    (held.count(), widths[RUNS / 2])
}

fn assert_covered(leaves: &[i64], most: f64) {
    let (held, width) = covered(leaves);
    assert!(
        held * 20 >= RUNS * 19 && width <= most,
        "{held} of {RUNS}, {width} wide in the median"
    );
}

#[test]
fn equal_leaves_are_covered() {
    // The most delayed of so many leaves takes about twice as long as the others.
    assert_covered(&[LEAF; 512], 2.1);
    assert_covered(&[LEAF; 4_096], 2.1);
    assert_covered(&[LEAF; 64], 2.0);
}

#[test]
fn leaves_that_differ_are_covered() {
    let uniform = |leaf: i64| LEAF * 4 / 5 + LEAF * 2 / 5 * leaf / 511;
    assert_covered(&(0..512).map(uniform).collect::<Vec<_>>(), 2.0);
    let alternating = |leaf: i64| LEAF * if leaf % 2 == 0 { 7 } else { 13 } / 10;
    assert_covered(&(0..512).map(alternating).collect::<Vec<_>>(), 2.0);
    // From one to ten lengths.
    let wide = |leaf: i64| LEAF + 9 * LEAF * leaf / 511;
    assert_covered(&(0..512).map(wide).collect::<Vec<_>>(), 2.5);
}

#[test]
fn one_long_leaf_is_covered() {
    for times in [2, 3, 10] {
        let mut leaves = [LEAF; 512];
        leaves[300] = times * LEAF;
        assert_covered(&leaves, 2.2);
    }
}

fn noise(profile: &Profile, dag: &Dag) -> Noise {
    Noise::new(profile, levelled(profile, Some(dag)).as_ref())
}

#[test]
fn factors_by_hand() {
    // Eight leaves of 100 and one of 150: levelled, all nine take 100.
    let leaves = [[100; 8].as_slice(), &[150]].concat();
    let dag = dag_of(&leaves);
    let (measured, levelled) = (SERIAL + 150, SERIAL + 100);
    assert_eq!(dag.totals().span, measured);
    assert_eq!(dag.levelled().totals().span, levelled);
    let noise = noise(&example::quicksort(), &dag);
    // The longest is half above the median, but no more than a tenth counts; the mean of 950/9 is
    // that much above the shortest. A quarter of the serial code may be cold.
    let cold = SERIAL as f64 / 4.0 / measured as f64;
    let least = levelled as f64 / measured as f64 / 1.1 - cold;
    let most = 1.0 + (950.0 / 9.0 - 100.0) / 100.0;
    assert!((noise.span.least - least).abs() < 1e-12, "{noise:?}");
    assert!((noise.span.most - most).abs() < 1e-12, "{noise:?}");
    assert_eq!(noise.at_once, 9.0);
}

#[test]
fn what_is_alike_by_hand() {
    let levelled = |leaves: &[i64]| dag_of(leaves).levelled().totals().span - SERIAL;
    let with = |more: &[i64]| levelled(&[[1_000; 8].as_slice(), more].concat());
    // Twice the median is alike, more is not, …
    assert_eq!(with(&[1_900, 2_000]), 1_000);
    assert_eq!(with(&[2_100]), 2_100);
    // … but one that is a little longer than the next may have been delayed.
    assert_eq!(with(&[1_900, 2_100]), 1_000);
    assert_eq!(with(&[1_200, 2_100]), 2_100);
    // Too few.
    assert_eq!(levelled(&[100, 100, 100, 100, 100, 100, 150]), 150);
    // Two lengths of one site, each levelled by itself.
    let both: Vec<i64> = (0..10)
        .flat_map(|leaf| [100 + leaf, 1_000 + leaf])
        .collect();
    assert_eq!(levelled(&both), 1_004);
    // Times below 0, which the calibration may leave.
    assert_eq!(levelled(&[-5; 20]), -5);
}

#[test]
fn counts_and_serial_programs_are_exact() {
    let dag = dag_of(&[LEAF; 16]);
    let mut counts = example::quicksort();
    counts.run.metric.unit = "instructions".to_owned();
    assert_eq!(noise(&counts, &dag), Noise::NONE);
    let mut serial = example::quicksort();
    for node in &mut serial.tree {
        node.on_work.spawns = 0;
    }
    assert_eq!(noise(&serial, &dag), Noise::NONE);
}

#[test]
fn without_a_dag_only_one_end_is_known() {
    let profile = example::quicksort();
    let totals = totals_with_dag(&profile, None);
    let parallelism = totals.parallelism;
    assert!((parallelism.low * 1.03 - parallelism.value).abs() < 1e-6);
    assert!(!shows_delays(&profile, None));
    // A span that is all of the work cannot be longer, but shorter.
    let mut serial = profile.clone();
    serial.span = totals.work.time().into();
    let analysis = crate::analyse(&serial);
    let span = analysis.totals.span;
    assert!(analysis.is_open(span) && !span.is_wide());
    let mut dag = example::quicksort_dag();
    assert!(levelled(&profile, Some(&dag)).is_some());
    dag.is_truncated = true;
    assert!(levelled(&profile, Some(&dag)).is_none());
    assert_eq!(noise(&profile, &dag), Noise::new(&profile, None));
}

#[test]
fn a_better_run_narrows_the_interval_as_far_as_delays_explain_it() {
    let factors = Factors {
        least: 0.75,
        most: 1.03,
    };
    let most = |gain, even| factors.with_better(gain, 100, even).most;
    assert!((most(1.1, 80) - 1.03 / 1.1).abs() < 1e-9);
    // Strands that do the same explain a span of four fifths, and no more.
    assert!((most(1.5, 80) - 1.03 / 1.25).abs() < 1e-9);
    assert_eq!((most(1.5, 100), most(0.9, 80)), (1.03, 1.03));
}

#[test]
fn several_runs_without_a_dag_are_read_like_one() {
    let runs = [98, 90, 100].map(|span| {
        let mut profile = example::quicksort();
        profile.span = crate::Span::from_nanos(span * 1_000_000);
        profile
    });
    let profile = crate::repeated(runs.into()).unwrap();
    let lower = totals_with_dag(&profile, None).parallelism.low;
    assert!((lower - 1_060.0 / 98.0 / 1.03).abs() < 0.001, "{lower}");
}

proptest! {
    #[test]
    fn what_was_measured_lies_inside(leaves in proptest::collection::vec(0..1_000_000_i64, 1..100)) {
        let (lower, upper) = interval(&leaves);
        let measured = parallelism(&leaves);
        prop_assert!(lower <= measured && measured <= upper + 1e-9, "{lower} {measured} {upper}");
        prop_assert!(upper <= leaves.len() as f64 + 1e-9 || upper <= measured + 1e-9);
    }
}
