use super::*;
use crate::{
    Calibration, Cost, OnWork, ProcessorUse, Site, SiteId, ThreadShare, Work, analyse, example,
};

const fn millis(millis: i64) -> Nanos {
    Nanos::from_nanos(millis * 1_000_000)
}

/// A run of 100 ms in which the threads ran so long each.
fn run(by_thread: &[i64], change: impl FnOnce(&mut Profile)) -> Profile {
    let mut profile = example::quicksort();
    let useful: i64 = by_thread.iter().sum();
    profile.tree.truncate(1);
    profile.tree[0].on_work = OnWork {
        local_work: Work::from(millis(useful)),
        count: 1,
        ..OnWork::default()
    };
    profile.tree[0].path.truncate(1);
    profile.run.elapsed = millis(100);
    profile.run.threads = by_thread.len() as u32;
    profile.machine.cores = by_thread.len() as u32;
    profile.run.own_cost = Nanos::ZERO;
    profile.run.off_processor = Nanos::ZERO;
    profile.run.processors = Some(ProcessorUse {
        used: millis(useful),
        queued: None,
    });
    let shares = (1..).zip(by_thread).map(|(thread, &ran)| ThreadShare {
        node: NodeId::ROOT,
        thread,
        ran: millis(ran),
    });
    profile.shares = shares.collect();
    change(&mut profile);
    profile
}

/// Parallel efficiency, load balance, serialisation and transfer of `profile`, in per cent.
fn efficiencies(profile: &Profile) -> Option<[f64; 4]> {
    let books = crate::books(profile, &crate::totals(profile)).expect("measured");
    let of = books.efficiency?;
    let [serialisation, transfer] = [of.serialisation()?, of.transfer()?];
    assert!((serialisation * transfer - of.communication()).abs() < 1e-9);
    let product = of.load_balance() * of.communication();
    assert!((product - of.parallel()).abs() < 1e-9, "{product}");
    let all = [of.parallel(), of.load_balance(), serialisation, transfer];
    assert!(
        all.iter().all(|share| (0.0..=1.0).contains(share)),
        "{all:?}"
    );
    Some(all.map(|share| (share * 1e6).round() / 1e4))
}

#[test]
fn all_threads_that_run_all_the_time_are_used_whole() {
    let profile = run(&[100, 100, 100, 100], |_| ());
    assert_eq!(efficiencies(&profile), Some([100.0; 4]));
}

#[test]
fn one_thread_that_has_more_to_do_is_imbalance() {
    // (100 + 60 + 60 + 60) of 400 ms.
    let profile = run(&[100, 60, 60, 60], |_| ());
    assert_eq!(efficiencies(&profile), Some([70.0, 70.0, 100.0, 100.0]));
    // A thread that ran nothing counts, too.
    let profile = run(&[100, 100, 0], |profile| {
        profile.shares.pop();
    });
    let two_thirds = 66.6667;
    assert_eq!(
        efficiencies(&profile),
        Some([two_thirds, two_thirds, 100.0, 100.0])
    );
}

#[test]
fn what_all_wait_for_in_turns_is_serialisation() {
    // Each runs for half of the time.
    let profile = run(&[50, 50], |_| ());
    assert_eq!(efficiencies(&profile), Some([50.0, 100.0, 50.0, 100.0]));
}

#[test]
fn what_tasks_cost_is_transfer() {
    // A million joins that cost 40 ns each: 20 ms for each of two threads.
    let profile = run(&[60, 80], |profile| {
        profile.calibration = Calibration {
            join: Cost::from_nanos(40.0),
            ..profile.calibration
        };
        let mut join = profile.tree[0].clone();
        join.parent = Some(NodeId::ROOT);
        join.site = SiteId(1);
        join.on_work = OnWork {
            count: 1_000_000,
            top_count: 1,
            spawns: 1_000_000,
            syncs: 1_000_000,
            ..OnWork::default()
        };
        profile.tree.push(join);
    });
    assert_eq!(efficiencies(&profile), Some([70.0, 87.5, 100.0, 80.0]));
}

#[test]
fn the_profiler_and_other_programs_are_no_loss_of_the_program() {
    // They took 40 of 200 ms.
    let profile = run(&[80, 40], |profile| {
        profile.run.own_cost = millis(30);
        profile.run.off_processor = millis(10);
    });
    assert_eq!(efficiencies(&profile), Some([75.0, 75.0, 100.0, 100.0]));
}

#[test]
fn rayons_main_thread_takes_turns_with_the_pool() {
    // It sets up for 40 ms; then two workers run for 60 and 40.
    let profile = run(&[60, 40], |profile| {
        let main = profile.shares[0];
        profile.shares.push(ThreadShare {
            thread: 0,
            ran: millis(40),
            ..main
        });
    });
    assert_eq!(efficiencies(&profile), Some([70.0, 70.0, 100.0, 100.0]));
}

#[test]
fn a_main_thread_that_only_waits_is_none_of_those_that_it_starts() {
    let profile = run(&[100, 100, 100, 100], |profile| {
        profile.run.runtimes.clear();
        profile.run.threads = 0;
        profile.sites.truncate(1);
        let main = profile.shares[0];
        profile.shares.push(ThreadShare {
            thread: 0,
            ran: Nanos::from_nanos(70_000),
            ..main
        });
    });
    let books = crate::books(&profile, &crate::totals(&profile)).expect("measured");
    let of = books.efficiency.expect("known");
    assert_eq!(of.threads, 4);
    assert!(of.parallel() > 0.999 && of.load_balance() > 0.999);
}

#[test]
fn nothing_is_said_where_it_is_not_known() {
    let is_unknown = |change: fn(&mut Profile)| {
        assert_eq!(efficiencies(&run(&[50, 50], change)), None);
    };
    is_unknown(|profile| profile.shares.clear());
    is_unknown(|profile| profile.run.threads = 1);
    // A third thread of another pool, and strands that lasted longer than the run.
    is_unknown(|profile| {
        let share = profile.shares[0];
        profile.shares.push(ThreadShare { thread: 3, ..share });
    });
    is_unknown(|profile| profile.run.elapsed = millis(40));
    // Four threads on two processors.
    is_unknown(|profile| {
        profile.run.runtimes[0].kind = crate::RuntimeKind::OpenMp;
        profile.run.threads = 4;
        profile.engine = vec![crate::EngineCount {
            name: "threads".to_owned(),
            value: 4,
        }];
    });
}

#[test]
fn a_construct_has_what_ran_below_it() {
    let profile = run(&[20, 20], |profile| {
        let mut node = profile.tree[0].clone();
        node.on_work.local_work = Work::ZERO;
        profile.sites.truncate(1);
        for (site, kind) in (1..).zip([SiteKind::Parallel, SiteKind::Loop]) {
            profile.sites.push(Site::unnamed(kind));
            node.parent = Some(NodeId(site - 1));
            node.site = SiteId(site);
            profile.tree.push(node.clone());
        }
        let share = |node, thread, ran| ThreadShare {
            node: NodeId(node),
            thread,
            ran: millis(ran),
        };
        // Of the region, and of the loop in it.
        profile
            .shares
            .extend([share(1, 1, 10), share(2, 1, 50), share(2, 2, 30)]);
    });
    let analysis = analyse(&profile);
    let of = |kind| {
        let balances = analysis.balances.iter();
        let mut found = balances.filter(|found| analysis.sites[found.row].kind == kind);
        let Balance {
            by_thread,
            load_balance,
            ..
        } = found.next().expect("divided");
        (by_thread.clone(), *load_balance)
    };
    assert_eq!(of(SiteKind::Parallel), (vec![millis(60), millis(30)], 0.75));
    assert_eq!(of(SiteKind::Loop), (vec![millis(50), millis(30)], 0.8));
}

#[test]
fn what_one_thread_ran_was_not_divided() {
    let balance = |kind: SiteKind, by_thread: &[i64]| {
        let profile = run(&[100, 100, 100, 100], |profile| {
            profile.sites.truncate(1);
            profile.sites.push(Site::unnamed(kind));
            let mut node = profile.tree[0].clone();
            node.parent = Some(NodeId::ROOT);
            node.site = SiteId(1);
            node.on_work.local_work = Work::ZERO;
            profile.tree.push(node);
            for (share, &ran) in profile.shares.iter_mut().zip(by_thread) {
                share.ran = share.ran - millis(ran);
            }
            let shares = (1..).zip(by_thread).map(|(thread, &ran)| ThreadShare {
                node: NodeId(1),
                thread,
                ran: millis(ran),
            });
            profile.shares.extend(shares);
        });
        let analysis = analyse(&profile);
        analysis.balances.first().map(|found| found.load_balance)
    };
    assert_eq!(balance(SiteKind::Region, &[50]), None);
    assert_eq!(balance(SiteKind::Parallel, &[50]), None);
    // A team of two; of a named region, four threads might have taken part.
    assert_eq!(balance(SiteKind::Parallel, &[50, 25]), Some(0.75));
    assert_eq!(balance(SiteKind::Region, &[50, 30]), Some(0.4));
}
