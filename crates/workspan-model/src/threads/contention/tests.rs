use super::*;
use crate::{EngineCount, FrameId, Limit, analyse, example};

/// [`example::waiting`], with a work of 1,060 ms and an elapsed time of 561 ms; in milliseconds.
fn waiting(inside: &str, count: u64, any: f64, unwoken: f64) -> Profile {
    let [any, unwoken] = [any, unwoken].map(|millis| Nanos::from_nanos_f64(millis * 1e6));
    example::waiting(inside, count, any, unwoken)
}

const LOCK: &str = "std::sys::sync::mutex::futex::Mutex::lock_contended";

/// 1.23 of 1,061.23 ms off the processor leave 139.84 of 140 ms: 1,060 / 139.84 = 7.58.
#[test]
fn a_lock_is_held_while_one_waits_and_none_was_woken() {
    let analysis = analyse(&waiting(LOCK, 100, 280.5, 140.0));
    let lock = analysis.awaited.contended.as_ref().unwrap();
    assert_eq!(lock.location.as_ref().unwrap().line, 10);
    assert_eq!(lock.holder.as_ref().unwrap().line, 12);
    assert!((lock.share - 0.5).abs() < 1e-9, "{lock:?}");
    assert!((lock.most_speedup - 7.58).abs() < 0.01, "{lock:?}");
    // Tasks did nothing but run.
    assert_eq!(lock.likely_most_speedup, f64::INFINITY);
    assert!(lock.is_exact && !lock.is_starved);
    assert!(lock.idles_half(64) && !lock.idles_half(8));
    assert_eq!(analysis.verdict.limit, Limit::Contended);
    // What threads wait for one another is in neither work nor span.
    assert_eq!((analysis.speedup.len(), analysis.predicted), (0, None));
}

#[test]
fn a_change_gains_over_the_time_under_the_lock() {
    let mut profile = waiting(LOCK, 100, 280.5, 140.0);
    profile.tree[1].on_work.blocked = Nanos::from_nanos(280_500_000);
    let analysis = analyse(&profile);
    let lock = analysis.awaited.certain_lock(64).unwrap();
    let held = lock.held;
    // 280.5 of 1,060 ms: one of two threads waits for h²/2 of its work, so h is 0.727.
    assert!((lock.likely_most_speedup - 1.375).abs() < 0.001, "{lock:?}");
    assert!(held > analysis.totals.span.value.time());
    let finding = &analysis.findings[0];
    assert_eq!(finding.diagnosis().number(), "WS006");
    assert!(finding.gain.now.low >= held && finding.gain.after.low < held);
}

#[test]
fn an_initialisation_is_no_other_lock() {
    let is_initialisation = |inside| {
        let mut profile = waiting(inside, 100, 280.5, 140.0);
        profile.tree[1].on_work.blocked = Nanos::from_nanos(280_500_000);
        let lock = analyse(&profile).awaited.contended.unwrap();
        // Threads do not come to an initialisation at random.
        assert_eq!(
            lock.is_initialisation,
            lock.likely_most_speedup.is_infinite()
        );
        lock.is_initialisation
    };
    assert!(is_initialisation("std::sys::sync::once::futex::Once::call"));
    assert!(!is_initialisation(LOCK));
}

#[test]
fn child_processes_explain_waits_of_tasks() {
    let awaited = |children: i64, of_serial_code: i64| {
        let mut profile = example::quicksort();
        profile.tree[1].on_work.blocked = Nanos::from_nanos(500_000_000);
        profile.tree[0].on_work.blocked = Nanos::from_nanos(of_serial_code * 1_000_000);
        profile.engine = vec![crate::EngineCount {
            name: "children_nanos".to_owned(),
            value: children * 1_000_000,
        }];
        let analysis = analyse(&profile);
        let is_of_waits = |finding: &crate::Finding| finding.diagnosis().number() == "WS006";
        let is_explained = !analysis.findings.iter().any(is_of_waits);
        let awaited = analysis.awaited;
        assert_eq!(awaited.children.is_some(), is_explained);
        let millis = |nanos: Nanos| nanos.as_nanos() / 1_000_000;
        (awaited.children.map(millis), millis(awaited.for_one_lock))
    };
    assert_eq!(awaited(480, 0), (Some(480), 20));
    assert_eq!(awaited(900, 0), (Some(900), 0));
    assert_eq!(awaited(250, 0), (None, 500));
    // The serial code may have waited for them instead.
    assert_eq!(awaited(480, 300), (None, 500));
}

#[test]
fn serial_code_waits_for_child_processes_where_its_calls_show_it() {
    let of_serial_code = |waited: f64, ran: i64, blocked: i64| {
        let profile = example::of_serial_children(
            Nanos::from_nanos_f64(waited * 1e6),
            Nanos::from_nanos(ran * 1_000_000),
        );
        let children = serial_children(&profile, Nanos::from_nanos(blocked * 1_000_000))?;
        assert_eq!(children.location.unwrap().line, 10);
        Some(children.waited.as_nanos() / 1_000_000)
    };
    assert_eq!(of_serial_code(60.0, 60, 80), Some(60));
    assert_eq!(of_serial_code(40.0, 20, 80), Some(40));
    // They hardly ran; or it waited for something else.
    assert_eq!(of_serial_code(40.0, 19, 80), None);
    assert_eq!(of_serial_code(39.0, 60, 80), None);
}

#[test]
fn a_lock_without_an_address_has_no_bound() {
    let own = "parking_lot::raw_mutex::RawMutex::lock_slow";
    let analysis = analyse(&waiting(own, 100, 280.5, 140.0));
    let lock = analysis.awaited.contended.as_ref().unwrap();
    assert!(lock.limits() && lock.most_speedup.is_infinite() && !lock.idles_half(64));
}

/// A sixteenth of the run, in which sixteen threads come to a lock that each holds for 2.3 % of its
/// work: 0.0625 = 120 · 0.0228². On two threads it would be 25 %.
#[test]
fn of_many_threads_some_wait_though_a_lock_is_held_little() {
    let limits = |threads| {
        let mut profile = waiting(LOCK, 100, 35.06, 0.0);
        profile.run.threads = threads;
        let lock = analyse(&profile).awaited.contended.unwrap();
        (lock.likely_held, lock.limits())
    };
    let (held, limits_many) = limits(16);
    assert!((held - 0.0228).abs() < 1e-4 && !limits_many, "{held}");
    let (held, limits_two) = limits(2);
    assert!((held - 0.25).abs() < 1e-3 && limits_two, "{held}");
}

#[test]
fn short_waits_are_worth_no_word() {
    let lock = |count, any| analyse(&waiting(LOCK, count, any, any)).awaited.contended;
    assert_eq!(lock(100, 5.0), None);
    assert!(lock(100, 6.0).unwrap().limits());
    assert!(!lock(9, 50.0).unwrap().limits());
    assert!(lock(9, 60.0).unwrap().limits());
}

/// In 500 ms off the processor, threads that take turns on one change places 25 times or more.
#[test]
fn threads_that_run_in_turns_meet_at_a_held_lock() {
    let lock = |count| {
        let mut profile = waiting(LOCK, count, 2.0, 1.0);
        profile.run.off_processor = Nanos::from_nanos(500_000_000);
        analyse(&profile).awaited.contended
    };
    assert_eq!(lock(24), None);
    let met = lock(25).unwrap();
    assert!(met.limits() && !met.is_exact && !met.idles_half(64));
}

/// Of two threads one spins for a third of the work: the other one holds the lock meanwhile. Both
/// sometimes sleep there, for so many locks. The main thread waits for them.
#[test]
fn a_lock_that_threads_spin_for_is_held_if_it_is_one() {
    let spun = |inside: &str, spinning, locks| {
        let mut profile = waiting(LOCK, 1, 1.0, 1.0);
        profile.waits.queues = vec![profile.waits.queues[0].clone(); locks];
        let stacks: [(u32, &[u32], f64, f64); 2] = [
            (1, &[0, 1], spinning, 0.0),
            (1, &[1], 3_000.0 - spinning, 0.0),
        ];
        let mut samples = example::samples(&[inside, "app::draw"], &stacks);
        samples.frames[0].user_code = false;
        samples.frames[1].location = Some(Location::new("main.rs", 10, 0));
        profile.samples = Some(samples);
        profile.run.off_processor = Nanos::ZERO;
        profile.engine.push(EngineCount {
            name: "threads".to_owned(),
            value: 3,
        });
        analyse(&profile)
    };
    let spin = "std::sys::sync::mutex::futex::Mutex::spin";
    let analysis = spun(spin, 1_000.0, 1);
    let lock = analysis.awaited.contended.as_ref().unwrap();
    assert_eq!(lock.function.as_deref(), Some("app::draw"));
    // (1 - w)/w, where w is the lower end of 0.333 ± 0.017.
    assert!((lock.most_speedup - 2.16).abs() < 0.01, "{lock:?}");
    assert!(lock.idles_half(64) && !lock.idles_half(8));
    assert_eq!(analysis.verdict.limit, Limit::Contended);
    assert_eq!(lock.library, None);
    assert_eq!(spun(spin, 100.0, 1).awaited.contended, None);
    assert_eq!(spun("app::spin", 1_000.0, 1).awaited.contended, None);
    // Of several locks, or of readers, nothing bounds.
    let of_readers = "std::sys::sync::rwlock::futex::RwLock::spin_write";
    let spin_write = of_readers.replace("spin_write", "spin_read");
    for (inside, locks) in [(spin, 2), (spin, 0), (of_readers, 1), (&spin_write, 1)] {
        let lock = spun(inside, 1_000.0, locks).awaited.contended.unwrap();
        assert!(lock.limits() && !lock.idles_half(64), "{inside}: {lock:?}");
    }
}

#[test]
fn a_function_of_the_c_library_may_have_a_lock() {
    let contended = |called: &str| {
        let mut profile = example::quicksort();
        let stacks: [(u32, &[u32], f64, f64); 2] =
            [(1, &[0, 1, 2], 1_000.0, 0.0), (1, &[2], 2_000.0, 0.0)];
        let frames = ["__lll_lock_wait_private", called, "roll"];
        let mut samples = example::samples(&frames, &stacks);
        samples.frames[0].user_code = false;
        samples.frames[1].user_code = false;
        profile.samples = Some(samples);
        let lock = analyse(&profile).awaited.contended.unwrap();
        assert!(lock.limits() && !lock.idles_half(64), "{lock:?}");
        (lock.library, lock.is_allocators)
    };
    assert_eq!(contended("rand"), (Some("rand".to_owned()), false));
    assert_eq!(contended("pthread_mutex_lock"), (None, false));
    assert_eq!(contended("malloc"), (None, true));
}

#[test]
fn waits_at_several_addresses_are_not_for_one_lock() {
    let held = |addresses: usize| {
        let mut profile = waiting(LOCK, 10, 30.0, 30.0);
        let queue = profile.waits.queues[0].clone();
        profile.waits.queues = vec![queue; addresses];
        profile.tree[1].on_work.blocked = Nanos::from_nanos(300_000_000);
        analyse(&profile).awaited.least_held
    };
    // Of 300 ms, 30 ms are at an address each, and the rest may be for any.
    let work = 1_060.0;
    for (addresses, one) in [(1, 300.0), (5, 180.0), (10, 30.0)] {
        let found = held(addresses);
        assert!((found - one / work).abs() < 1e-6, "{addresses}: {found}");
    }
}

#[test]
fn what_the_kernel_does_may_limit() {
    let limit_of = |used: i64, in_kernel: i64, blocked: i64, cores| {
        let mut profile = example::quicksort();
        profile.run.assumed_cores = 0;
        profile.machine.cores = cores;
        profile.tree[1].on_work.blocked = Nanos::from_nanos(blocked * 1_000_000);
        profile.run.processors = Some(crate::ProcessorUse {
            used: Nanos::from_nanos(used * 1_000_000),
            queued: None,
        });
        profile.engine = vec![crate::EngineCount {
            name: "kernel_nanos".to_owned(),
            value: in_kernel * 1_000_000,
        }];
        analyse(&profile).verdict.limit
    };
    let limit = |used, in_kernel| limit_of(used, in_kernel, 0, 2);
    assert_eq!(limit(1_060, 530), Limit::Contended);
    assert_eq!(limit(1_060, 300), Limit::None);
    // Threads without a task ran as long, and may have asked the kernel for more.
    assert_eq!(limit(2_000, 1_000), Limit::None);
    // Waits that nothing explains are the kernel's, or for a lock if it does little.
    assert_eq!(limit_of(1_060, 530, 700, 16), Limit::Contended);
    let little = limit_of(1_060, 100, 700, 16);
    assert_eq!(little, Limit::Awaited { row: 0 });
}

#[test]
fn what_is_waited_for_shows_in_the_functions_that_wait() {
    for (inside, cause) in [
        (LOCK, Some(WaitCause::Lock)),
        (
            "std::sys::sync::rwlock::futex::RwLock::write_contended",
            Some(WaitCause::Lock),
        ),
        (
            "parking_lot::raw_rwlock::RawRwLock::lock_shared_slow",
            Some(WaitCause::Lock),
        ),
        (
            "parking_lot::condvar::Condvar::wait_until_internal",
            Some(WaitCause::Condition),
        ),
        (
            "std::sys::sync::condvar::futex::Condvar::wait_optional_timeout",
            Some(WaitCause::Condition),
        ),
        (
            "std::sync::mpmc::list::Channel::recv",
            Some(WaitCause::Channel),
        ),
        ("std::thread::park", Some(WaitCause::Park)),
        ("rayon_core::sleep::Sleep::sleep", Some(WaitCause::Runtime)),
        ("other::wait", None),
    ] {
        let profile = waiting(inside, 1, 1.0, 1.0);
        let queue = &profile.waits.queues[0];
        assert_eq!(
            profile.waits.cause(queue, &queue.waits[0]),
            cause,
            "{inside}"
        );
    }
}

#[test]
fn crates_of_locks_and_channels_wait_for_their_users() {
    for (inside, cause) in [
        (
            "crossbeam_channel::flavors::list::Channel::recv",
            WaitCause::Channel,
        ),
        (
            "<parking_lot::raw_mutex::RawMutex>::lock_slow",
            WaitCause::Lock,
        ),
    ] {
        let mut profile = waiting(inside, 1, 1.0, 1.0);
        profile.waits.frames[0].user_code = true;
        let queue = &profile.waits.queues[0];
        let place = &queue.waits[0];
        assert_eq!(profile.waits.cause(queue, place), Some(cause));
        assert_eq!(profile.waits.innermost_line(place).unwrap().line, 10);
    }
}

#[test]
fn sleep_is_a_reason_where_it_is_most_of_what_tasks_waited() {
    let reason = |blocked| {
        let mut profile = waiting("std::thread::sleep", 1, 600.0, 0.0);
        profile.waits.queues[0].is_sleep = true;
        profile.tree[1].on_work.blocked = Nanos::from_nanos(blocked);
        analyse(&profile)
    };
    let found = reason(600_000_000);
    assert_eq!(
        found.awaited.reason.as_ref().unwrap().causes,
        [WaitCause::Sleep]
    );
    assert_eq!(found.awaited.contended, None);
    assert!(matches!(found.verdict.limit, Limit::Awaited { .. }));
    assert_eq!(reason(1_300_000_000).awaited.reason, None);
}

/// 250 ms for a channel, 150 ms for a condition and 10 ms for another thread.
#[test]
fn messages_are_a_reason_together_and_named_as_far_as_needed() {
    let reason = |blocked: i64| {
        let mut profile = waiting("std::sync::mpmc::list::Channel::recv", 1, 250.0, 0.0);
        for (inside, millis) in [
            ("std::sys::sync::condvar::futex::Condvar::wait", 150.0),
            ("std::thread::park", 10.0),
        ] {
            let mut other = waiting(inside, 1, millis, 0.0).waits;
            other.queues[0].waits[0].frames[0] = FrameId(profile.waits.frames.len() as u32);
            profile.waits.frames.push(other.frames.swap_remove(0));
            profile.waits.queues.append(&mut other.queues);
        }
        profile.tree[1].on_work.blocked = Nanos::from_nanos(blocked * 1_000_000);
        let reason = analyse(&profile).awaited.reason?;
        Some((reason.causes, reason.waited.as_nanos() / 1_000_000))
    };
    let [channel, condition, park] = WaitCause::MESSAGES;
    assert_eq!(reason(500), Some((vec![channel], 250)));
    assert_eq!(reason(510), Some((vec![channel, condition], 400)));
    assert_eq!(reason(810), Some((vec![channel, condition, park], 410)));
    assert_eq!(reason(830), None);
}

#[test]
fn input_is_a_reason_and_no_lock() {
    let awaited = |cause, children: i64| {
        let mut profile = waiting("read", 1, 400.0, 0.0);
        profile.waits.queues[0].awaited = Some(cause);
        profile.tree[1].on_work.blocked = Nanos::from_nanos(500_000_000);
        profile.engine = vec![crate::EngineCount {
            name: "children_nanos".to_owned(),
            value: children * 1_000_000,
        }];
        analyse(&profile).awaited
    };
    for cause in WaitCause::OUTSIDE {
        let slept = awaited(cause, 10);
        assert_eq!(slept.reason.unwrap().causes, [cause]);
        assert_eq!(slept.for_one_lock, Nanos::from_nanos(100_000_000));
        // Child processes ran meanwhile, and need cores.
        let ran = awaited(cause, 450);
        assert_eq!((ran.reason, ran.children.is_some()), (None, true));
        assert_eq!(ran.for_one_lock, Nanos::from_nanos(50_000_000));
    }
}

#[test]
fn serial_code_that_waits_for_its_threads_is_no_wait_between_them() {
    let awaited = |outer: &str, counted| {
        let mut profile = waiting("std::thread::park", 1, 400.0, 0.0);
        profile.run.runtimes[0].kind = RuntimeKind::Threads;
        profile.sites[1].kind = SiteKind::Thread;
        let mut of_main = profile.waits.queues[0].clone();
        of_main.waits[0].node = NodeId::ROOT;
        of_main.waits[0].waited = Nanos::from_nanos(500_000_000);
        of_main.waits[0].frames.insert(1, FrameId(3));
        profile.waits.queues.push(of_main);
        profile.waits.frames.push(crate::StackFrame {
            function: Some(outer.to_owned()),
            ..crate::StackFrame::default()
        });
        profile.engine = vec![crate::EngineCount {
            name: "threads_waited_nanos".to_owned(),
            value: counted,
        }];
        analyse(&profile).awaited
    };
    for counted in [900_000_000, 400_000_000] {
        let of_scope = awaited("std::thread::scoped::scope", counted);
        assert_eq!(of_scope.blocked, Nanos::from_nanos(400_000_000));
        assert_eq!(of_scope.reason.unwrap().causes, [WaitCause::Park]);
    }
    let of_channel = awaited("std::sync::mpmc::Receiver::recv", 900_000_000);
    assert_eq!(of_channel.blocked, Nanos::from_nanos(900_000_000));
}

#[test]
fn a_lock_that_limits_no_machine_is_not_worth_a_word() {
    // Of 1,060 ms.
    let is_named = |held: i64, waited: i64| {
        let mut profile = example::locked_quicksort();
        let lock = &mut profile.locks[0].uses[0];
        lock.held = crate::Work::from_nanos(held * 1_000_000);
        lock.waited = Nanos::from_nanos(waited * 1_000_000);
        analyse(&profile).awaited.recorded.is_some()
    };
    assert!(is_named(33, 1) && !is_named(32, 1));
    assert!(is_named(1, 11) && !is_named(1, 10));
}
