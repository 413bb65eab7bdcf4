//! The effect of changes under a lock: what is done under it stays serial, whatever becomes
//! parallel.

use workspan_model::{
    AdviceEnd, Change, Code, Dag, Execution, Goal, Lock, LockUse, Nanos, SchedulingCosts, SiteId,
    WhatIf, Work, advise, example, totals, what_if,
};

use crate::random_dag::Statement::{Join, Strand};
use crate::random_dag::dag_of;

const CORES: [u32; 3] = [2, 8, 1_024];

/// 9,000 ticks: some before two halves of 4,000, in pieces of 1,000 that may run at once. The joins
/// take a few.
fn program() -> Dag {
    let strand = || vec![Strand(1_000)];
    let pair = || vec![Join(1, strand(), strand())];
    let four = || vec![Join(1, pair(), pair())];
    let dag = dag_of(&[Strand(965), Join(1, four(), four())]);
    assert_eq!(dag.totals().work, 9_000);
    dag
}

fn all_code(code: &Code) -> Vec<workspan_model::StrandRegionId> {
    let regions = code.regions.iter();
    regions
        .flat_map(|region| region.strand_regions.clone())
        .collect()
}

/// Whether two numbers are equal except for the rounding of a few ticks.
fn near(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() < 0.01
}

fn asked(
    dag: &Dag,
    locked: i64,
    change: fn(Vec<workspan_model::StrandRegionId>) -> Change,
) -> WhatIf {
    let code = Code::new(&example::quicksort(), dag);
    let execution = Execution {
        costs: &SchedulingCosts::FREE,
        cores: &CORES,
        locked: Work::from_nanos(locked),
    };
    what_if(dag, &code, &[change(all_code(&code))], execution)
}

/// 2,000 of 9,000 ticks are under a lock: no more than 4.5 times as fast, whether as it is or fully
/// parallel.
#[test]
fn what_becomes_parallel_is_still_done_under_the_lock() {
    let dag = program();
    let parallel = |code: Vec<_>| Change::Parallelise {
        code: code.into(),
        factor: 1e6,
    };
    let free = asked(&dag, 0, parallel);
    assert_eq!(free.lock, None);
    assert!(free.speedup[2].after.bounds.upper > 1_000.0);
    let locked = asked(&dag, 2_000, parallel);
    let limit = locked.lock.unwrap();
    assert_eq!((limit.before, limit.after.low), (4.5, 4.5));
    for change in &locked.speedup {
        for expected in [change.before, change.after] {
            let predicted = expected.predicted.unwrap();
            assert!(expected.bounds.upper <= 4.5, "{change:?}");
            assert!(predicted <= 4.5, "{change:?}");
            assert!(expected.bounds.lower <= predicted, "{change:?}");
        }
    }
    assert_eq!(locked.speedup[2].after.bounds.upper, 4.5);
    assert_eq!(locked.after, free.after);
}

/// Twice as fast saves 4,500 of 9,000. If 6,000 are under a lock, 1,500 to 4,500 of them are left:
/// 9,000 is no more than 2 to 6 times that. If 3,000 are, all of them may have been saved.
#[test]
fn what_becomes_faster_may_be_what_is_done_under_the_lock() {
    let dag = program();
    let faster = |code: Vec<_>| Change::SpeedUp {
        code: code.into(),
        factor: 2.0,
    };
    let most = asked(&dag, 6_000, faster);
    let limit = most.lock.unwrap();
    assert_eq!(limit.before, 1.5);
    assert!(near(limit.after.low, 2.0), "{limit:?}");
    assert!(near(limit.after.high, 6.0), "{limit:?}");
    let expected = most.speedup[2].after;
    assert!(
        near(expected.bounds.upper, 6.0) && near(expected.predicted.unwrap(), 2.0),
        "{expected:?}"
    );
    assert!(expected.bounds.lower < 2.0);
    let limit = asked(&dag, 3_000, faster).lock.unwrap();
    assert!(
        near(limit.after.low, 3.0) && limit.after.high.is_infinite(),
        "{limit:?}"
    );
}

/// The lock allows a speedup of 4.5: advice ends at ten times that, a parallelism of 45.
#[test]
fn advice_ends_where_a_lock_takes_over() {
    let dag = program();
    let code = Code::new(&example::quicksort(), &dag);
    let with = |locked| {
        let goal = Goal {
            target: 1_000.0,
            factor: 2.0,
            least_strand: Nanos::from_nanos(1),
            locked: Work::from_nanos(locked),
        };
        advise(&dag, &code, goal)
    };
    let free = with(0);
    assert_eq!(free.end, AdviceEnd::Reached);
    let locked = with(2_000);
    assert_eq!(locked.end, AdviceEnd::Locked { most_speedup: 4.5 });
    assert!(locked.after.parallelism >= 45.0 && locked.steps.len() < free.steps.len());
    assert_eq!(locked.steps[..], free.steps[..locked.steps.len()]);
    assert!(with(7_500).steps.len() < locked.steps.len());
}

/// A program that is already parallel enough is not reported to be limited by a lock.
#[test]
fn a_target_that_is_reached_is_reached_under_a_lock_too() {
    let dag = program();
    let code = Code::new(&example::quicksort(), &dag);
    let parallelism = dag.totals().parallelism().unwrap();
    let goal = |target| Goal {
        target,
        factor: 2.0,
        least_strand: Nanos::from_nanos(1),
        locked: Work::from_nanos(90_000),
    };
    let reached = advise(&dag, &code, goal(parallelism));
    assert_eq!(reached.end, AdviceEnd::Reached);
    let beyond = advise(&dag, &code, goal(parallelism + 1.0));
    assert_eq!(beyond.end, AdviceEnd::Locked { most_speedup: 0.1 });
}

/// Half of the work is under a lock. Half of a record that ends early is assumed to be, too, and no
/// change reduces that if nothing is saved.
#[test]
fn a_lock_has_its_share_of_a_record_that_ends_early() {
    let mut profile = example::quicksort();
    let whole = totals(&profile).work.time().as_nanos();
    profile.locks.push(Lock {
        uses: vec![LockUse {
            site: SiteId::ROOT,
            held: Work::from_nanos(whole / 2),
            acquisitions: 1,
            waits: 0,
            waited: Nanos::ZERO,
        }],
    });
    let mut dag = program();
    let locked = |dag: &Dag| Execution::locked_in(&profile, dag).time().as_nanos();
    assert_eq!(locked(&dag), whole / 2);
    dag.is_truncated = true;
    assert_eq!(locked(&dag), 4_500);
    let costs = SchedulingCosts::FREE;
    let execution = Execution::new(&profile, &dag, &costs, &CORES);
    let code = Code::new(&profile, &dag);
    let limit = what_if(&dag, &code, &[], execution).lock.unwrap();
    assert!(limit.is_estimated);
    assert_eq!((limit.held, limit.before), (Work::from_nanos(4_500), 2.0));
}
