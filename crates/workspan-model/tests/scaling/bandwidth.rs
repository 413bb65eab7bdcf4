//! Copies that run at once.

use workspan_model::{BandwidthVerdict, Exit, Nanos, SweepRun, bandwidth};

use crate::sweeps::{copies, sweep};

fn rounds(rounds: &[&[i64]]) -> Vec<SweepRun> {
    let rounds = rounds.iter().enumerate();
    rounds
        .flat_map(|(order, times)| copies(order as u32, times))
        .collect()
}

/// A single copy takes 100; two at once 150 and 170; four 400 each.
#[test]
fn copies_that_slow_one_another_down() {
    let runs = rounds(&[&[100], &[150, 170], &[400; 4]]);
    let bandwidth = bandwidth(&sweep(4, runs)).unwrap();
    let points: Vec<_> = bandwidth
        .points
        .iter()
        .map(|point| (point.copies, point.slowdown.value, point.throughput.value))
        .collect();
    assert_eq!(points, [(1, 1.0, 1.0), (2, 1.6, 1.25), (4, 4.0, 1.0)]);
    assert_eq!(
        bandwidth.verdict,
        BandwidthVerdict::MemoryFrom { copies: 2 }
    );
}

#[test]
fn the_limit_begins_where_all_further_copies_are_slow() {
    let runs = rounds(&[&[100], &[101, 99], &[120; 4]]);
    assert_eq!(
        bandwidth(&sweep(4, runs)).unwrap().verdict,
        BandwidthVerdict::MemoryFrom { copies: 4 }
    );
    let runs = rounds(&[&[100], &[101, 99], &[105; 4]]);
    assert_eq!(
        bandwidth(&sweep(4, runs)).unwrap().verdict,
        BandwidthVerdict::NoLimit { copies: 4 }
    );
}

#[test]
fn copies_that_may_be_slower_or_not_prove_nothing() {
    let runs = rounds(&[&[100], &[100], &[100; 2], &[140; 2]]);
    assert_eq!(
        bandwidth(&sweep(2, runs)).unwrap().verdict,
        BandwidthVerdict::Unsure { copies: 2 }
    );
}

/// Two copies that take twice as long, but no more processor time.
#[test]
fn copies_that_wait_do_not_prove_a_lack_of_bandwidth() {
    let second = 1_000_000_000;
    let mut runs = rounds(&[&[second], &[2 * second; 2]]);
    for run in &mut runs {
        run.user = Nanos::from_nanos(second);
    }
    let verdict = |runs: &[SweepRun]| bandwidth(&sweep(2, runs.to_vec())).unwrap().verdict;
    let waits = |lacks_processors| BandwidthVerdict::WaitsFrom {
        copies: 2,
        lacks_processors,
    };
    assert_eq!(verdict(&runs), waits(false));
    for run in &mut runs {
        run.lacked = Some(run.elapsed - Nanos::from_nanos(second));
    }
    assert_eq!(verdict(&runs), waits(true));
    for run in &mut runs[1..] {
        run.user = Nanos::from_nanos(second * 8 / 5);
    }
    assert_eq!(verdict(&runs), BandwidthVerdict::MemoryFrom { copies: 2 });
}

#[test]
fn copies_that_share_cores_prove_nothing() {
    let runs = rounds(&[&[100], &[200, 200]]);
    let mut sweep = sweep(2, runs);
    sweep.machine.physical_cores = Some(1);
    let bandwidth = bandwidth(&sweep).unwrap();
    assert!(bandwidth.points[1].shares_cores);
    assert_eq!(bandwidth.verdict, BandwidthVerdict::Unknown);
}

#[test]
fn a_round_with_a_failed_copy_does_not_count() {
    let mut runs = rounds(&[&[100], &[100, 100], &[900, 900]]);
    runs[4].exit = Exit::Signal(11);
    let bandwidth = bandwidth(&sweep(2, runs)).unwrap();
    assert_eq!(bandwidth.points[1].slowdown.value, 1.0);
}

#[test]
fn without_a_single_copy_there_is_no_comparison() {
    assert_eq!(bandwidth(&sweep(2, rounds(&[&[100, 100]]))), None);
}
