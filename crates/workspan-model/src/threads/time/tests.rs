use super::*;
use crate::{
    EngineCount, Lock, LockUse, NodeId, ProcessorUse, RuntimeKind, SiteId, analyse, example,
};

const fn millis(millis: i64) -> Nanos {
    Nanos::from_nanos(millis * 1_000_000)
}

/// A run of the quicksort: work 1060 ms, span 98 ms, and 35.2 ms of the engine, on two threads.
fn run(elapsed: i64, used: i64, change: impl FnOnce(&mut Profile)) -> Profile {
    let mut profile = example::quicksort();
    profile.run.elapsed = millis(elapsed);
    profile.run.processors = Some(ProcessorUse {
        used: millis(used),
        queued: None,
    });
    profile.run.off_processor = Nanos::ZERO;
    change(&mut profile);
    profile
}

fn books_of(profile: &Profile) -> Books {
    books(profile, &crate::totals(profile)).expect("measured")
}

fn discrepancy_of(average_strand: i64, profile: &Profile) -> Option<Discrepancy> {
    books_of(profile).discrepancy(Nanos::from_nanos(average_strand))
}

fn waited_for(waited: Nanos) -> Lock {
    Lock {
        uses: vec![LockUse {
            site: SiteId(1),
            held: Work::ZERO,
            acquisitions: 1,
            waits: 1,
            waited,
        }],
    }
}

#[test]
fn a_greedy_run_is_explained_whole() {
    // 1060 + 35.2 ms on two threads, and one of them idle while the span of 98 ms runs.
    let profile = run(596, 1_100, |_| ());
    assert_eq!(books_of(&profile).beyond_span(), Nanos::ZERO);
    // 2·596.6 = 1193.2.
    let profile = run(597, 1_100, |_| ());
    assert_eq!(books_of(&profile).beyond_span(), Nanos::from_nanos(800_000));
    assert_eq!(discrepancy_of(500_000, &profile), None);
}

#[test]
fn what_is_known_is_taken_off() {
    let profile = run(1_000, 1_100, |profile| {
        let count = |name: &str, value| EngineCount {
            name: name.to_owned(),
            value,
        };
        profile.engine = vec![
            count("start_nanos", 2_000_000),
            count("calibration_nanos", 3_000_000),
        ];
        profile.run.off_processor = millis(40);
        profile.run.processors.as_mut().unwrap().queued = Some(millis(60));
        profile.locks = vec![waited_for(millis(70))];
    });
    let books = books_of(&profile);
    assert_eq!(books.waiting, millis(70));
    assert_eq!(books.engine, Nanos::from_nanos(45_200_000));
    assert_eq!(books.taken_by_others, millis(60));
    // 2000 − 1060 − 70 − 45.2 − 60 − (98 + 60).
    assert_eq!(books.beyond_span(), Nanos::from_nanos(606_800_000));
    // Of 1940 ms.
    assert!((books.beyond_span_share() - 0.312_784).abs() < 1e-6);
}

#[test]
fn threads_without_a_task_run_or_sleep() {
    // 2 · 1000 − 1060 − 35.2 ms without a task; the span explains 98 ms.
    let without_task = |used| {
        let books = books_of(&run(1_000, used, |_| ()));
        let [.., ran, idle, _, _, unexplained] = books.parts().map(|(_, time)| time);
        assert_eq!(books.unexplained(), unexplained);
        [ran, idle, unexplained].map(Nanos::as_nanos)
    };
    assert_eq!(without_task(1_000), [0, 98_000_000, 806_800_000]);
    assert_eq!(without_task(1_800), [704_800_000, 98_000_000, 102_000_000]);
    assert_eq!(without_task(1_950), [854_800_000, 50_000_000, 0]);
    // Whatever the clock of another processor says.
    assert_eq!(without_task(2_100), [904_800_000, 0, 0]);
}

#[test]
fn waits_for_locks_may_spin() {
    // 450 ms of processor time beside strands and the engine.
    let books = |waited| {
        books_of(&run(776, 1_545, |profile| {
            profile.locks = vec![waited_for(millis(waited))];
        }))
    };
    let strand = Nanos::from_nanos(10_000);
    let spins = Some(Discrepancy::Spinning);
    assert_eq!(books(0).discrepancy(strand), spins);
    assert_eq!(books(350).discrepancy(strand), None);
    let ran = |waited| books(waited).parts()[3];
    assert_eq!(
        ran(350),
        (Spent::RanWithoutTask, Nanos::from_nanos(99_800_000))
    );
    assert_eq!(ran(500), (Spent::RanWithoutTask, Nanos::ZERO));
}

#[test]
fn a_span_that_may_be_longer_explains_more() {
    let mut books = books_of(&run(1_000, 1_000, |_| ()));
    books.span.high = Span::from(millis(700));
    assert_eq!(books.unexplained(), Nanos::from_nanos(204_800_000));
    assert_eq!(books.beyond_span(), Nanos::from_nanos(806_800_000));
    // It is no longer than the run.
    books.span.high = Span::from(millis(5_000));
    books.elapsed = millis(900);
    assert_eq!(books.unexplained(), Nanos::ZERO);
}

#[test]
fn processors_limit_the_threads_and_threads_that_ran_stand_in_for_a_pool() {
    let threads_of = |kind, pool, ran, cores| {
        let profile = run(600, 1_100, |profile| {
            profile.run.runtimes[0].kind = kind;
            profile.run.threads = pool;
            profile.machine.cores = cores;
            profile.engine = vec![EngineCount {
                name: "threads".to_owned(),
                value: ran,
            }];
        });
        books_of(&profile).threads
    };
    let threads = |pool, ran, cores| threads_of(RuntimeKind::Rayon, pool, ran, cores);
    assert_eq!(threads(64, 65, 2), 2);
    assert_eq!(threads(2, 3, 8), 2);
    // A pool of 64 that ran nothing, beside one of two and the main thread, which waits.
    assert_eq!(threads(64, 3, 8), 2);
    assert_eq!(threads(0, 3, 8), 2);
    assert_eq!(threads(0, 1, 8), 1);
    // That of OpenMP is one of the team.
    assert_eq!(threads_of(RuntimeKind::OpenMp, 64, 3, 8), 3);
}

#[test]
fn others_took_no_more_than_the_process_did_not_use() {
    let profile = run(600, 1_100, |profile| {
        profile.machine.cores = 2;
        // Of eight threads on two processors, most are queued behind one another.
        profile.run.processors.as_mut().unwrap().queued = Some(millis(3_000));
        profile.run.off_processor = millis(2_900);
    });
    assert_eq!(books_of(&profile).taken_by_others, millis(100));
}

#[test]
fn waits_that_overlap_take_no_more_than_there_is() {
    let profile = run(700, 1_100, |profile| {
        profile.locks = vec![waited_for(millis(9_000))];
    });
    let books = books_of(&profile);
    let parts = books.parts();
    let of = |what| parts.iter().find(|(spent, _)| *spent == what).unwrap().1;
    assert_eq!(books.blocked, Nanos::ZERO);
    // 1400 − 1060 − 35.2.
    assert_eq!(of(Spent::WaitingForLocks), Nanos::from_nanos(304_800_000));
    let all: Nanos = parts.iter().map(|(_, part)| *part).sum();
    assert_eq!(all, millis(1_400));
}

#[test]
fn unmeasured_processor_time_leaves_no_books() {
    let profile = example::quicksort();
    assert_eq!(profile.run.processors, None);
    assert_eq!(analyse(&profile).books, None);
}

#[test]
fn the_cause_follows_from_strands_and_processor_time() {
    // 2000 − 1193.2 ms are unexplained: 40 %.
    let slept = run(1_000, 1_150, |_| ());
    let spun = run(1_000, 1_900, |_| ());
    assert_eq!(discrepancy_of(9_999, &slept), Some(Discrepancy::FineTasks));
    assert_eq!(discrepancy_of(10_000, &slept), Some(Discrepancy::Sleeping));
    assert_eq!(discrepancy_of(10_000, &spun), Some(Discrepancy::Spinning));
}

#[test]
fn a_fifth_is_the_limit() {
    // (1500 − 1193.2)/1500 and (1490 − 1193.2)/1490.
    let profile = run(750, 1_100, |_| ());
    assert_eq!(
        discrepancy_of(10_000, &profile),
        Some(Discrepancy::Sleeping)
    );
    let profile = run(745, 1_100, |_| ());
    assert_eq!(discrepancy_of(10_000, &profile), None);
}

#[test]
fn a_twentieth_unexplained_is_said() {
    // 2 · 622.2 and 2 · 623.2 − 1095.2 − 98 − 4.8 ms that ran.
    let said = |elapsed| books_of(&run(elapsed, 1_100, |_| ())).leave_something_open();
    assert!(!said(630));
    assert!(said(631));
}

#[test]
fn strands_a_twentieth_longer_than_the_processor_time_are_said() {
    // Of 1060 ms.
    let said = |used| books_of(&run(596, used, |_| ())).leave_something_open();
    assert!(!said(1_007));
    assert!(said(1_006));
}

#[test]
fn strands_that_did_not_run_are_stalled_unless_they_waited() {
    // Of 1060 ms, threads ran 800.
    let profile = run(596, 800, |_| ());
    assert_eq!(discrepancy_of(10_000, &profile), Some(Discrepancy::Stalled));
    let profile = run(596, 800, |profile| {
        profile.tree[1].on_work.blocked = millis(200);
    });
    assert_eq!(discrepancy_of(10_000, &profile), None);
}

#[test]
fn processor_time_tells_where_others_took_the_machine() {
    // Nothing is left of the threads' time. Of the processor time, tasks, the engine and a thread
    // that spins while the span of 98 ms runs explain 1193.2 ms.
    let taken = |used| {
        run(600, used, |profile| {
            profile.run.off_processor = millis(1_200)
        })
    };
    assert_eq!(discrepancy_of(10_000, &taken(1_490)), None);
    let profile = taken(1_500);
    assert_eq!(
        discrepancy_of(10_000, &profile),
        Some(Discrepancy::Spinning)
    );
}

#[test]
fn the_span_may_have_been_delayed_by_others() {
    // Of 2 · 3000 ms others took 1900, in which a strand of the span may have waited, and the other
    // thread for it: 6000 − 1060 − 40.2 − 1900 − (98 + 1900).
    let profile = run(3_000, 1_100, |profile| {
        profile.run.off_processor = millis(1_900)
    });
    let books = books_of(&profile);
    assert_eq!(books.idle_on_span(), millis(1_998));
    let parts = books.parts().into_iter();
    assert_eq!(parts.map(|(_, time)| time).sum::<Nanos>(), millis(6_000));
}

#[test]
fn a_short_run_has_to_start_and_to_end() {
    let start = |elapsed| {
        run(elapsed, elapsed, |profile| {
            for node in &mut profile.tree {
                node.on_work.local_work = Work::ZERO;
            }
            profile.span = Span::ZERO;
            profile.run.own_cost = Nanos::ZERO;
        })
    };
    assert_eq!(discrepancy_of(1, &start(10)), None);
    assert_eq!(discrepancy_of(1, &start(11)), Some(Discrepancy::FineTasks));
}

#[test]
fn the_parts_are_the_threads_time() {
    let sum = |profile: &Profile| -> Nanos {
        books_of(profile)
            .parts()
            .into_iter()
            .map(|(_, time)| time)
            .sum()
    };
    for elapsed in [560, 597, 700, 1_000] {
        let profile = run(elapsed, 1_100, |profile| {
            profile.tree[1].on_work.blocked = millis(30);
            profile.run.off_processor = millis(5);
        });
        assert_eq!(sum(&profile), millis(2 * elapsed), "{elapsed}");
    }
    // 1060 + 35.2 ms do not fit.
    assert_eq!(
        sum(&run(500, 1_100, |_| ())),
        books_of(&run(500, 1_100, |_| ())).explained()
    );
}

#[test]
fn more_threads_than_processors_wait_for_no_more_than_the_processors_time() {
    // Ten threads sleep for 9 s in 1 s of two processors.
    let profile = run(1_000, 100, |profile| {
        profile.tree[1].on_work.local_work = Work::from(millis(9_000));
        profile.tree[1].on_work.blocked = millis(8_900);
    });
    let books = books_of(&profile);
    let parts = books.parts();
    let waits = parts
        .iter()
        .find(|(spent, _)| *spent == Spent::WaitingInTasks);
    let all: Nanos = parts.iter().map(|(_, time)| *time).sum();
    assert!(
        waits.unwrap().1 > Nanos::ZERO && all == millis(2_000),
        "{parts:?}"
    );
}

/// 300 ms of waits in tasks; calls of the kernel show so many of them for a channel and asleep, and
/// what the main thread and threads of the program wait for one another.
fn waits(elapsed: i64, channel: i64, sleep: i64) -> Vec<(Option<WaitCause>, i64)> {
    let profile = run(elapsed, 1_100, |profile| {
        profile.tree[1].on_work.blocked = millis(300);
        let place = |inside: &str, waited| {
            let mut waits = example::waiting(inside, 1, millis(waited), Nanos::ZERO).waits;
            (waits.frames.swap_remove(0), waits.queues.remove(0))
        };
        let mut add = |inside: &str, waited, change: &dyn Fn(&mut crate::Queue)| {
            let (frame, mut queue) = place(inside, waited);
            queue.waits[0].frames = vec![crate::FrameId(profile.waits.frames.len() as u32)];
            profile.waits.frames.push(frame);
            change(&mut queue);
            profile.waits.queues.push(queue);
        };
        add("std::sync::mpmc::list::Channel::recv", channel, &|_| ());
        add("std::thread::sleep", sleep, &|queue| queue.is_sleep = true);
        add("std::thread::scoped::scope", 900, &|queue| {
            queue.waits[0].node = NodeId::ROOT;
        });
        add("std::thread::join", 900, &|queue| {
            queue.awaited = Some(WaitCause::Thread);
        });
    });
    let waits = books_of(&profile).waits_in_tasks().into_iter();
    waits
        .map(|(cause, time)| (cause, time.as_nanos() / 1_000_000))
        .collect()
}

#[test]
fn waits_in_tasks_are_divided_by_what_for() {
    let (channel, sleep) = (Some(WaitCause::Channel), Some(WaitCause::Sleep));
    let found = waits(1_000, 100, 150);
    assert_eq!(found, [(sleep, 150), (channel, 100), (None, 50)]);
    // Calls of the kernel show more than its account of the threads.
    assert_eq!(waits(1_000, 400, 200), [(channel, 200), (sleep, 100)]);
    assert_eq!(waits(1_000, 0, 0), [(None, 300)]);
    // 1095.2 ms on two threads leave 204.8 of the 300 ms.
    let found = waits(500, 100, 150);
    assert_eq!(found, [(sleep, 102), (channel, 68), (None, 34)]);
}
