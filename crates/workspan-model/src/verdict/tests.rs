use super::*;
use crate::{Exit, Note, analyse, example};

#[test]
fn the_span_limits_the_quicksort_at_its_join() {
    let analysis = analyse(&example::quicksort());
    assert_eq!(analysis.verdict.limit, Limit::Span { row: 0 });
    assert_eq!(analysis.verdict.bounds.cores, 64);
    assert_eq!(analysis.notes, []);
}

#[test]
fn a_search_is_compared_with_one_thread_first() {
    let limit = |detail: &str| {
        let mut profile = example::quicksort();
        profile.run.assumed_cores = 0;
        profile.run.threads = 4;
        profile.sites[1].kind = SiteKind::ParIter;
        profile.sites[1].detail = Some(detail.to_owned());
        analyse(&profile).verdict.limit
    };
    let search = |name: &str| limit(&format!("ParallelIterator::{name}"));
    for name in ["find_any", "any", "all", "position_first"] {
        assert_eq!(search(name), Limit::Search { row: 0 }, "{name}");
    }
    for name in ["for_each", "try_for_each"] {
        assert_eq!(search(name), Limit::None, "{name}");
    }
}

#[test]
fn waits_of_threads_for_one_another_are_on_no_path() {
    let analysis = |threads, waited| {
        let mut profile = example::quicksort();
        profile.run.assumed_cores = 0;
        profile.run.runtimes[0].kind = RuntimeKind::Threads;
        profile.sites[1].kind = SiteKind::Thread;
        profile.tree[1].on_work.count = threads;
        profile.tree[1].on_work.spawns = 0;
        profile.engine = vec![crate::EngineCount {
            name: "threads_waited_nanos".to_owned(),
            value: waited,
        }];
        analyse(&profile)
    };
    // The work is 1060 ms, so with 117.8 ms threads wait for a tenth of their time.
    let few = analysis(4, 117_000_000);
    assert_eq!(few.verdict.divided_for, Some(4));
    assert_eq!(few.verdict.limit, Limit::None);
    assert_eq!(analysis(2, 117_000_000).verdict.limit, Limit::None);
    assert_eq!(analysis(64, 117_000_000).verdict.limit, Limit::None);
    let many = analysis(4, 118_000_000);
    assert_eq!(many.verdict.limit, Limit::Awaited { row: 0 });
    for threads in [2, 64] {
        let limit = analysis(threads, 118_000_000).verdict.limit;
        assert_eq!(limit, Limit::Awaited { row: 0 });
    }
    let upper = |analysis: &crate::Analysis| analysis.totals.span.high.time();
    let more = upper(&many) - upper(&few);
    assert_eq!(more, Nanos::from_nanos(1_000_000));
}

#[test]
fn a_lock_that_is_waited_for_while_it_is_free_makes_turns() {
    let limit = |waited: i64, held: i64, waits: u64| {
        let mut profile = example::quicksort();
        (profile.run.assumed_cores, profile.run.threads) = (0, 2);
        profile.locks = vec![crate::Lock {
            uses: vec![crate::LockUse {
                site: crate::SiteId(1),
                held: crate::Work::from_nanos(held),
                acquisitions: 100,
                waits,
                waited: Nanos::from_nanos(waited),
            }],
        }];
        profile.machine.cores = 2;
        profile.run.processors = Some(crate::ProcessorUse {
            used: Nanos::from_nanos(1_060_000_000),
            queued: None,
        });
        analyse(&profile).verdict.limit
    };
    // The run took 561 ms: of two threads that run one after another, one waits for half of it.
    let turns = Limit::Turns { lock: 0, row: 0 };
    assert_eq!(limit(142_000_000, 1_000_000, 50), turns);
    // Of blocks in order, each thread waits once for all before its own.
    assert_eq!(limit(142_000_000, 1_000_000, 1), turns);
    assert_ne!(limit(140_000_000, 1_000_000, 50), turns);
    // While one waited, the other one held it.
    assert_ne!(limit(142_000_000, 50_000_000, 50), turns);
    // It was free, and acquiring it takes its time.
    assert_ne!(limit(142_000_000, 1_000_000, 0), turns);
}

#[test]
fn real_cores_count_when_none_are_assumed() {
    let mut profile = example::quicksort();
    profile.run.assumed_cores = 0;
    profile.run.threads = 4;
    let verdict = analyse(&profile).verdict;
    assert_eq!(verdict.bounds.cores, 4);
    // 1/(1/4 + 1.7 * 3/4 / 10.786) = 2.716: more than half of linear.
    assert_eq!(verdict.limit, Limit::None);
}

#[test]
fn bounds_hold_for_the_whole_interval_of_the_span() {
    let mut profile = example::quicksort();
    profile.timing.span_open = Nanos::from_nanos(49_000_000);
    profile.timing.burdened_span_open = Nanos::from_nanos(98_277_500);
    let analysis = analyse(&profile);
    // 1060 ms of work, on a span of at least 49 ms and, with the burden, at most 196.555 ms,
    // and 3 % more than the 98.2775 ms measured.
    let bounds = analysis.verdict.bounds;
    assert!((bounds.upper - 1_060.0 / 49.0).abs() < 1e-9, "{bounds:?}");
    let lower = 1.0 / (1.0 / 64.0 + 1.7 * (63.0 / 64.0) / (1_060.0 / (196.555 + 0.03 * 98.277_5)));
    assert!((bounds.lower - lower).abs() < 1e-6, "{bounds:?}");
    assert_eq!(analysis.speedup[5], bounds);
}

#[test]
fn moving_tasks_limits_when_it_halves_the_parallelism() {
    let mut profile = example::quicksort();
    profile.burdened_span = Span::from_nanos(2 * 98_000_000 + 1);
    assert_eq!(analyse(&profile).verdict.limit, Limit::Migration { row: 0 });
    // A burdened parallelism of 5.4 leaves half of 64 cores idle for certain, unless the span may be so
    // short that it is 33.
    assert!(!analyse(&profile).leaves_small_tasks_open());
    profile.timing.burdened_span_open = Nanos::from_nanos(2 * 98_000_000 - 32_000_000);
    assert!(analyse(&profile).leaves_small_tasks_open());
}

#[test]
fn a_bridge_limits_only_the_threads_it_ran_on() {
    let mut profile = example::quicksort();
    profile.sites[1].kind = SiteKind::ParBridge;
    assert_eq!(analyse(&profile).verdict.limit, Limit::Bridge { row: 0 });
    // With more of the span elsewhere, the bridge does not limit.
    profile.tree[0].on_span.local_span = Span::from_nanos(76_600_001);
    assert_eq!(analyse(&profile).verdict.limit, Limit::Span { row: 0 });
}

/// The quicksort with a function call below the join; the call has most of the span.
fn with_call() -> Profile {
    let mut profile = example::quicksort();
    let mut call = profile.tree[1].clone();
    (call.parent, call.site) = (Some(crate::NodeId(1)), crate::SiteId(2));
    call.on_span.local_span = Span::from_nanos(70_000_000);
    profile.tree[1].on_span.local_span = Span::from_nanos(6_600_000);
    profile.tree.push(call);
    let partition = Some("quicksort::partition".to_owned());
    profile.sites.push(crate::Site {
        name: partition,
        ..crate::Site::unnamed(SiteKind::Function)
    });
    profile
}

#[test]
fn a_function_limits_where_it_holds_the_span() {
    let analysis = analyse(&with_call());
    assert_eq!(analysis.verdict.limit, Limit::Span { row: 0 });
    assert_eq!(analysis.sites[0].kind, SiteKind::Function);
}

#[test]
fn what_a_bridge_calls_counts_as_the_bridge() {
    let mut profile = with_call();
    profile.sites[1].kind = SiteKind::ParBridge;
    let analysis = analyse(&profile);
    let Limit::Bridge { row } = analysis.verdict.limit else {
        panic!("{:?}", analysis.verdict);
    };
    assert_eq!(analysis.sites[row].kind, SiteKind::ParBridge);
}

#[test]
fn calls_move_no_tasks() {
    let mut profile = with_call();
    profile.tree[2].on_span.count = 1_000_000;
    profile.burdened_span = Span::from_nanos(2 * 98_000_000 + 1);
    let analysis = analyse(&profile);
    let Limit::Migration { row } = analysis.verdict.limit else {
        panic!("{:?}", analysis.verdict);
    };
    assert_eq!(analysis.sites[row].kind, SiteKind::Join);
}

#[test]
fn calls_alone_are_one_strand() {
    let mut profile = with_call();
    profile.sites[1].kind = SiteKind::Region;
    let analysis = analyse(&profile);
    assert_eq!(analysis.verdict.limit, Limit::OneStrand);
    assert_eq!(analysis.notes, [Note::NoParallelConstruct]);
}

#[test]
fn waiting_limits_from_half_of_the_rows_span() {
    let limit = |blocked, local_work| {
        let mut profile = example::quicksort();
        profile.tree[0].on_span.local_span = Span::from_nanos(80_000_000);
        profile.tree[0].on_work.local_work = Work::from_nanos(local_work);
        profile.tree[0].on_work.blocked = Nanos::from_nanos(blocked);
        analyse(&profile).verdict.limit
    };
    assert_eq!(limit(40_000_000, 80_000_000), Limit::Waiting { row: 0 });
    assert_eq!(limit(39_999_999, 80_000_000), Limit::Span { row: 0 });
    // 10 ms off the critical path may have been waits, so only 30 ms, then 40 ms, are certain.
    assert_eq!(limit(40_000_000, 90_000_000), Limit::Span { row: 0 });
    assert_eq!(limit(50_000_000, 90_000_000), Limit::Waiting { row: 0 });
}

#[test]
fn serial_code_that_waits_while_tasks_run_is_not_the_span() {
    // Without its wait of 80 ms, two threads had 1,080 ms for 1,060 ms of strands, or 880 ms.
    let limit = |elapsed: i64| {
        let mut profile = example::quicksort();
        profile.run.elapsed = Nanos::from_nanos(elapsed * 1_000_000);
        profile.tree[0].on_span.local_span = Span::from_nanos(80_000_000);
        profile.tree[0].on_work.local_work = Work::from_nanos(80_000_000);
        profile.tree[0].on_work.blocked = Nanos::from_nanos(80_000_000);
        let analysis = analyse(&profile);
        (analysis.verdict.limit, analysis.findings.is_empty())
    };
    assert_eq!(limit(620), (Limit::Waiting { row: 0 }, false));
    assert_eq!(limit(500), (Limit::Unfollowed { row: 0 }, true));
}

#[test]
fn serial_code_that_waits_for_messages_is_not_the_span() {
    let waited = Nanos::from_nanos(80_000_000);
    let receive = "std::sync::mpmc::list::Channel::recv";
    let mut profile = example::waiting(receive, 1, waited, Nanos::ZERO);
    profile.waits.queues[0].waits[0].node = crate::NodeId::ROOT;
    profile.tree[0].on_span.local_span = Span::from_nanos(80_000_000);
    profile.tree[0].on_work.local_work = Work::from_nanos(80_000_000);
    profile.tree[0].on_work.blocked = waited;
    let limit = analyse(&profile).verdict.limit;
    assert_eq!(limit, Limit::Unfollowed { row: 0 });
}

#[test]
fn serial_code_that_takes_messages_all_the_time_limits() {
    let limit = |function: &str, of_serial: f64| {
        let mut profile = example::quicksort();
        profile.tree[0].on_span.local_span = Span::from_nanos(80_000_000);
        profile.tree[0].on_work.local_work = Work::from_nanos(80_000_000);
        let stacks: &[(u32, &[u32], f64, f64)] = &[
            (0, &[0, 1], of_serial, of_serial),
            (0, &[1], 80.0 - of_serial, 80.0 - of_serial),
        ];
        profile.samples = Some(example::samples(&[function, "app::main"], stacks));
        analyse(&profile).verdict.limit
    };
    let unfollowed = Limit::Unfollowed { row: 0 };
    assert_eq!(limit("std::sync::mpmc::Receiver::recv", 70.0), unfollowed);
    assert_eq!(
        limit("crossbeam_channel::channel::IntoIter::next", 70.0),
        unfollowed
    );
    assert_ne!(limit("std::sync::mpmc::Receiver::recv", 10.0), unfollowed);
    assert_ne!(limit("std::sync::mpmc::Sender::send", 70.0), unfollowed);
    assert_ne!(limit("app::Reader::next", 70.0), unfollowed);
}

#[test]
fn a_run_that_a_signal_ended_says_nothing() {
    let limit = |blocked| {
        let mut profile = example::quicksort();
        profile.run.interrupted = true;
        profile.run.exit = Exit::Signal(2);
        profile.run.elapsed = Nanos::from_nanos(1_060_000_000);
        profile.tree[1].on_work.blocked = Nanos::from_nanos(blocked);
        let analysis = analyse(&profile);
        assert_eq!(analysis.findings, []);
        analysis.verdict.limit
    };
    assert_eq!(limit(529_999_999), Limit::Interrupted);
    assert_eq!(limit(530_000_000), Limit::Standstill { row: Some(0) });
}

#[test]
fn waits_limit_if_one_lock_would() {
    let limit = |blocked, threads| {
        let mut profile = example::quicksort();
        profile.run.threads = threads;
        profile.tree[1].on_work.blocked = Nanos::from_nanos(blocked);
        let analysis = analyse(&profile);
        (analysis.verdict.limit, analysis.awaited.most_speedup())
    };
    // Of 1060 ms of work, on two threads: 1060 / 98.28 is the parallelism.
    assert_eq!(limit(106_000_000, 2), (Limit::Awaited { row: 0 }, 10.0));
    assert_eq!(limit(90_000_000, 2).0, Limit::Span { row: 0 });
    assert_eq!(limit(106_000_000, 3), (Limit::Span { row: 0 }, 20.0));
    // A wait for a tenth of the work is half a hold of a lock that is held for √0.2 of it.
    let likely = |blocked| {
        let mut profile = example::quicksort();
        profile.run.threads = 2;
        profile.tree[1].on_work.blocked = Nanos::from_nanos(blocked);
        analyse(&profile).awaited.likely_most_speedup()
    };
    assert!((likely(106_000_000) - 5_f64.sqrt()).abs() < 1e-9);
    assert_eq!(likely(1_060_000_000), 1.0);
    // A single thread waits for nobody.
    assert_eq!(limit(106_000_000, 1).1, f64::INFINITY);
}

#[test]
fn threads_that_nobody_measured_are_no_strand() {
    let mut profile = example::serial();
    profile.run.runtimes.clear();
    profile.run.threads = 3;
    let analysis = analyse(&profile);
    assert_eq!(analysis.verdict.limit, Limit::OwnThreads);
    assert_eq!((analysis.unseen_threads, analysis.notes), (3, Vec::new()));
}

#[test]
fn loops_that_were_divided_for_few_threads_say_nothing_of_more() {
    let analysis = |threads, pieces| {
        let mut profile = example::quicksort();
        profile.sites[1].kind = SiteKind::Loop;
        profile.run.runtimes[0].kind = crate::RuntimeKind::OpenMp;
        (profile.run.assumed_cores, profile.run.threads) = (0, threads);
        profile.tree[1].on_work.top_count = 1;
        profile.tree[1].on_work.spawns = pieces;
        analyse(&profile)
    };
    let two = analysis(2, 8);
    assert_eq!(
        (two.verdict.divided_for, two.verdict.bounds.cores),
        (Some(2), 2)
    );
    assert_eq!(two.speedup.iter().map(|bounds| bounds.cores).max(), Some(2));
    // Its longest piece is so long that the loop may be guided, unless there are too many.
    assert_eq!(analysis(2, 88).verdict.divided_for, Some(2));
    assert_eq!(analysis(2, 89).verdict.divided_for, None);
    assert_eq!(analysis(1, 1).verdict.limit, Limit::Cut);
}

#[test]
fn short_tasks_of_unknown_cost_get_no_yes() {
    let limit = |spawns, kind| {
        let mut profile = example::quicksort();
        profile.run.runtimes[0].kind = kind;
        profile.sites[1].kind = SiteKind::Task;
        (profile.run.assumed_cores, profile.machine.cores) = (2, 2);
        profile.tree[1].on_work.spawns = spawns;
        analyse(&profile).verdict.limit
    };
    // 1060 ms in 106,000 tasks are 10 µs each.
    let openmp = crate::RuntimeKind::OpenMp;
    let costly = |is_known| Limit::TaskCost { row: 0, is_known };
    assert_eq!(limit(106_001, openmp), costly(false));
    assert_eq!(limit(106_000, openmp), Limit::None);
    assert_eq!(limit(106_001, crate::RuntimeKind::Rayon), Limit::None);
}

#[test]
fn tasks_that_cost_a_tenth_of_the_work_get_no_yes() {
    let limit = |cost| {
        let mut profile = example::quicksort();
        (profile.run.assumed_cores, profile.machine.cores) = (2, 2);
        profile.calibration.join = crate::Cost::from_nanos(cost);
        let analysis = analyse(&profile);
        (
            analysis.totals.tasking_overhead.share,
            analysis.verdict.limit,
        )
    };
    let (share, none) = limit(150.0);
    assert!(share < 0.1 && none == Limit::None, "{share}");
    let (share, costly) = limit(200.0);
    assert!(share > 0.1, "{share}");
    assert_eq!(
        costly,
        Limit::TaskCost {
            row: 0,
            is_known: true
        }
    );
}

#[test]
fn a_region_that_nothing_divides_gets_no_yes() {
    let mut profile = example::quicksort();
    (profile.run.assumed_cores, profile.machine.cores) = (0, 2);
    profile.run.threads = 2;
    profile.sites[1].kind = SiteKind::Parallel;
    profile.tree[1].on_work.spawns = 2;
    let undivided = analyse(&profile);
    assert_eq!(undivided.verdict.limit, Limit::Undivided { row: 0 });
    assert!(!undivided.sites[0].may_divide_by_code());
    profile.sites[1].detail = Some(SiteRow::DIVIDES_BY_CODE.to_owned());
    let unknown = analyse(&profile);
    assert_eq!(unknown.verdict.limit, Limit::Undivided { row: 0 });
    assert!(unknown.sites[0].may_divide_by_code() && unknown.claims.made.is_empty());
    profile.sites[1].kind = SiteKind::Loop;
    assert_eq!(analyse(&profile).verdict.limit, Limit::None);
}

#[test]
fn a_librarys_work_limits_where_enough_samples_show_it() {
    let limit = |inner: &str, inside, other| {
        let mut profile = example::quicksort();
        let frame = |function: &str, user_code| crate::StackFrame {
            function: Some(function.to_owned()),
            user_code,
            ..crate::StackFrame::default()
        };
        let stack = |frames: [u32; 2], samples| crate::SampledStack {
            node: crate::NodeId::ROOT,
            frames: frames.map(crate::FrameId).to_vec(),
            on_work: samples,
            on_span: samples,
            elapsed: samples,
            line: crate::LineUse::Unknown,
        };
        profile.tree[0].on_span.local_span = Span::from_nanos(80_000_000);
        profile.samples = Some(crate::Samples {
            frames: vec![
                frame(inner, false),
                frame("core::slice::copy", false),
                frame("sort::main", true),
            ],
            stacks: vec![stack([0, 2], inside), stack([1, 2], other)],
            ..crate::Samples::default()
        });
        analyse(&profile).verdict.limit
    };
    let drop = "core::ptr::drop_in_place<alloc::vec::Vec<u8>>";
    assert_eq!(limit(drop, 60.0, 30.0), Limit::Freeing { row: 0 });
    assert_eq!(limit(drop, 50.0, 50.0), Limit::Span { row: 0 });
    assert_eq!(limit(drop, 2.0, 1.0), Limit::Span { row: 0 });
    let extend = "std::collections::hash::map::HashMap::par_extend";
    assert_eq!(limit(extend, 60.0, 30.0), Limit::Collecting { row: 0 });
    assert_eq!(limit(extend, 50.0, 50.0), Limit::Span { row: 0 });
    let reduce = "rayon::iter::reduce::ReduceConsumer::reduce";
    assert_eq!(limit(reduce, 60.0, 30.0), Limit::Merging { row: 0 });
    assert_eq!(limit(reduce, 50.0, 50.0), Limit::Span { row: 0 });
    let consume = "rayon::iter::reduce::ReduceFolder::consume";
    assert_eq!(limit(consume, 60.0, 30.0), Limit::Span { row: 0 });
}

#[test]
fn waits_for_a_lock_that_leave_less_than_half_of_the_gain_limit() {
    let analysis = |kind: SiteKind, threads: u32, waited: i64, inner: &str| {
        let mut profile = example::quicksort();
        (profile.run.assumed_cores, profile.run.threads) = (0, threads);
        profile.run.runtimes[0].kind = RuntimeKind::OpenMp;
        profile.sites[1].kind = kind;
        profile.sites[1].detail = Some(SiteRow::DIVIDES_BY_CODE.to_owned());
        profile.tree[1].on_work.spawns = threads.into();
        profile.tree[1].on_work.blocked = Nanos::from_nanos(waited);
        let stacks = [(1, &[0, 1][..], 60.0, 0.0), (1, &[1], 940.0, 0.0)];
        let mut samples = example::samples(&[inner, "app::log"], &stacks);
        samples.frames[0].user_code = false;
        profile.samples = Some(samples);
        analyse(&profile)
    };
    let limit = |kind, threads, waited, inner| analysis(kind, threads, waited, inner).verdict.limit;
    let locks = Limit::Awaited { row: 0 };
    let lock = "__lll_lock_wait";
    // Of two threads' 1060 ms, waited for a quarter: they have reached a speedup of 1.5.
    let (long, short) = (266_000_000, 264_000_000);
    let region = SiteKind::Parallel;
    assert_eq!(limit(region, 2, long, lock), locks);
    assert_eq!(limit(SiteKind::Loop, 2, long, lock), locks);
    assert_eq!(
        limit(SiteKind::Sections, 2, long, "pthread_mutex_lock"),
        locks
    );
    assert!(analysis(region, 2, long, lock).claims.made.is_empty());
    // Three that wait for a third of it have reached a speedup of two.
    assert_eq!(limit(SiteKind::Loop, 3, 354_000_000, lock), locks);
    assert_eq!(limit(SiteKind::Loop, 3, 353_000_000, lock), Limit::None);
    assert_eq!(limit(SiteKind::Loop, 2, short, lock), Limit::None);
    assert_eq!(limit(region, 2, short, lock), Limit::Undivided { row: 0 });
    // What waits is no lock.
    assert_eq!(limit(SiteKind::Loop, 2, long, "app::read"), Limit::None);
}

#[test]
fn calls_to_another_pool_leave_speedups_open() {
    let limit = |calls| {
        let mut profile = example::quicksort();
        profile.run.assumed_cores = 2;
        profile.engine.push(crate::EngineCount {
            name: "installed_between_pools".to_owned(),
            value: calls,
        });
        analyse(&profile).verdict.limit
    };
    assert_eq!(limit(32), Limit::BetweenPools);
    assert_eq!(limit(31), Limit::None);
}

#[test]
fn a_serial_filter_takes_one_item_after_the_other() {
    let limit = |runtime, name: &str| {
        let mut profile = example::quicksort();
        profile.run.runtimes[0].kind = runtime;
        profile.sites[1].name = Some(name.to_owned());
        analyse(&profile).verdict.limit
    };
    let (tbb, serial) = (RuntimeKind::Tbb, SiteRow::SERIAL_FILTER);
    assert_eq!(limit(tbb, serial), Limit::SerialFilter { row: 0 });
    assert_eq!(limit(tbb, SiteRow::PARALLEL_FILTER), Limit::Span { row: 0 });
    assert_eq!(limit(RuntimeKind::Rayon, serial), Limit::Span { row: 0 });
    let header = include_str!(
        "../../../workspan-engine/include/workspan/overlay/oneapi/tbb/parallel_pipeline.h"
    );
    for name in [serial, SiteRow::PARALLEL_FILTER] {
        assert!(header.contains(&format!("\"{name}\"")), "{name}");
    }
}

#[test]
fn bounds_a_factor_of_20_apart_say_nothing() {
    let mut profile = example::quicksort();
    profile.timing.span_open = Nanos::from_nanos(97_000_000);
    profile.timing.burdened_span_open = Nanos::from_nanos(300_000_000);
    let verdict = analyse(&profile).verdict;
    assert!(verdict.bounds.leave_all_open());
    assert_eq!(verdict.limit, Limit::Uncertain { row: 0 });
}

#[test]
fn the_root_alone_is_one_strand() {
    let analysis = analyse(&example::serial());
    assert_eq!(analysis.verdict.limit, Limit::OneStrand);
    assert_eq!(analysis.notes, [Note::NoParallelConstruct]);
}

#[test]
fn own_threads_are_more_than_one_strand() {
    let mut profile = example::quicksort();
    profile.sites[1].kind = SiteKind::Thread;
    profile.machine.cores = 64;
    let analysis = analyse(&profile);
    assert_eq!(analysis.verdict.limit, Limit::Span { row: 0 });
    assert_eq!(analysis.notes, [Note::NoParallelConstruct]);
}

#[test]
fn own_threads_can_use_no_more_cores_than_there_are() {
    let verdict = |kind, threads: u64, cores: u32| {
        let mut profile = example::quicksort();
        (profile.run.assumed_cores, profile.run.threads) = (0, 16);
        profile.machine.cores = cores;
        profile.sites[1].kind = kind;
        profile.tree[1].on_work.count = threads;
        profile.tree[1].on_work.spawns = 16;
        profile.tree[1].on_work.top_count = 1;
        let verdict = analyse(&profile).verdict;
        (verdict.divided_for, verdict.bounds.cores, verdict.limit)
    };
    let own = SiteKind::Thread;
    // The parallelism is 10.8: enough for the machine, not for a thread for each job.
    assert_eq!(verdict(own, 48, 2), (Some(48), 2, Limit::None));
    assert_eq!(verdict(own, 9, 4), (Some(9), 4, Limit::None));
    let span = Limit::Span { row: 0 };
    assert_eq!(verdict(own, 48, 64), (Some(48), 48, span));
    // Fewer threads than cores are all that can run.
    assert_eq!(verdict(own, 3, 8), (Some(3), 3, Limit::None));
    // The user chose the threads of a runtime.
    assert_eq!(verdict(SiteKind::Loop, 1, 2), (Some(16), 16, span));
    // On one processor there is no speedup to ask about.
    assert_eq!(verdict(own, 48, 1), (Some(48), 48, span));
}

#[test]
fn an_empty_program_is_one_strand() {
    let mut profile = example::serial();
    profile.tree[0].on_work.local_work = Work::from_nanos(-7);
    (profile.span, profile.burdened_span) = (Span::ZERO, Span::ZERO);
    profile.run.exit = Exit::Signal(15);
    let analysis = analyse(&profile);
    assert_eq!(analysis.totals.parallelism.value, 1.0);
    assert_eq!(analysis.sites[0].on_span.share, 0.0);
    assert_eq!(
        analysis.notes,
        [Note::NoParallelConstruct, Note::Failed(Exit::Signal(15))]
    );
}
