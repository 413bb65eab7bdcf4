//! Runtimes that tell by events: the engine's figures against the longest paths of what came before what.

mod locks;
mod machine;
mod program;
mod record;
mod sessions;

use std::sync::{Mutex, MutexGuard, PoisonError};

use program::{Generator, SITES};
use workspan_format::raw::{self, RawProfile};
use workspan_rt::clock::{self, Clock};
use workspan_rt::events::{At, Construct, Gathering, Task};
use workspan_rt::session::{self, Burden, Config};
use workspan_rt::{Kind, Recording};
use workspan_testkit::graph::Longest;

const BURDEN: i64 = 1_000_000;

/// What the profile tells of the sites, which are known by their addresses.
fn told(profile: &RawProfile) -> Longest {
    let mut sites = vec![(0, 0); SITES];
    let mut work = 0;
    for node in &profile.nodes {
        let address = profile.sites[node.site as usize].address;
        let site = &mut sites[address.map_or(0, |address| address as usize)];
        site.0 += node.work.local_ticks;
        site.1 += node.span.local_ticks;
        work += node.work.local_ticks;
    }
    Longest {
        work,
        span: profile.span_ticks,
        burdened_span: profile.burdened_span_ticks,
        sites,
    }
}

/// What of less work is folded in the record of program `seed`.
fn grain_of(seed: u64) -> i64 {
    // Nothing, some strands, small tasks, everything that can be.
    [0, 1 << 31, 1 << 34, 1 << 40][seed as usize / 4 % 4]
}

fn check(seed: u64) -> Result<(), String> {
    let script = Generator::new(seed).program();
    session::start(Config {
        clock: Clock::Virtual,
        burden: Burden::Cycles(BURDEN),
        recording: Some(Recording {
            path: record::path(),
            grain: grain_of(seed),
            most_bytes: Recording::MOST_BYTES,
        }),
        ..Config::default()
    });
    let graph = machine::run(script.clone(), seed, 1 + seed as usize % 3, BURDEN);
    let text = session::finish().expect("a session is under way");
    let profile = raw::parse(&text).map_err(|error| format!("{error}\n{text}"))?;
    let (expected, told) = (graph.longest(SITES), told(&profile));
    if expected == told {
        record::compare(&expected, grain_of(seed)).map_err(|error| format!("{script:?}\n{error}"))
    } else {
        Err(format!(
            "{script:?}\nexpected {expected:?}\ntold     {told:?}"
        ))
    }
}

#[test]
fn profiles_are_exact() {
    let _session = lock();
    let programs =
        std::env::var("WORKSPAN_PROGRAMS").map_or(2_000, |n| n.parse().expect("a number"));
    let first = std::env::var("WORKSPAN_SEED").map_or(0, |n| n.parse().expect("a number"));
    let failed = (first..first + programs).filter_map(|seed| check(seed).err().map(|e| (seed, e)));
    // The smallest of some says the most.
    if let Some((seed, problem)) = failed.take(30).min_by_key(|(_, problem)| problem.len()) {
        panic!("program {seed}: {problem}");
    }
    let _ = std::fs::remove_file(record::path());
}

/// A task that another one turned to, and that is left before it ends, is folded without what the other does meanwhile.
#[test]
fn what_a_task_does_between_parts_of_another_is_recorded() {
    let _session = lock();
    let grain = 1_000;
    session::start(Config {
        clock: Clock::Virtual,
        recording: Some(Recording {
            path: record::path(),
            grain,
            most_bytes: Recording::MOST_BYTES,
        }),
        ..Config::default()
    });
    let construct = Construct {
        kind: Kind::Task,
        at: At::Code(1),
    };
    let program = Task::running().expect("a session is under way");
    let outer = program.spawn(&construct).expect("a session is under way");
    program.leave();
    outer.enter();
    let inner = outer.spawn(&construct).expect("a session is under way");
    outer.turn_to(&inner);
    clock::advance(1);
    inner.leave();
    outer.enter();
    clock::advance(10);
    outer.leave();
    inner.enter();
    clock::advance(100);
    inner.end_and_turn_to(&outer);
    clock::advance(grain);
    outer.end();
    program.enter();
    session::finish().expect("a session is under way");
    let recording =
        workspan_format::stream::read(&record::path()).expect("as the engine writes it");
    assert_eq!(recording.dag.totals().work, grain + 111);
}

/// Tasks that spawn one another and wait for nothing, deeper than any stack.
#[test]
fn tasks_nest_without_limit() {
    const DEPTH: i64 = 200_000;
    let _session = lock();
    session::start(Config {
        clock: Clock::Virtual,
        ..Config::default()
    });
    let program = Task::running().expect("a session is under way");
    let mut task = program.clone();
    for _ in 0..DEPTH {
        let construct = Construct {
            kind: Kind::Task,
            at: At::Code(1),
        };
        let next = task.spawn(&construct).expect("a session is under way");
        if task.is(&program) {
            task.leave();
        } else {
            task.end();
        }
        task = next;
        task.enter();
        clock::advance(1);
    }
    task.end();
    program.enter();
    let text = session::finish().expect("a session is under way");
    let profile = raw::parse(&text).expect("as the engine writes it");
    assert_eq!(profile.span_ticks, DEPTH);
}

/// Tasks that follow one another, more than any stack has room for, and that a runtime discards.
#[test]
fn tasks_follow_one_another_without_limit() {
    const TASKS: usize = 1_000_000;
    let _session = lock();
    session::start(Config {
        clock: Clock::Virtual,
        ..Config::default()
    });
    let program = Task::running().expect("a session is under way");
    let construct = Construct {
        kind: Kind::Task,
        at: At::Code(1),
    };
    let mut last: Option<Task> = None;
    for _ in 0..TASKS {
        let next = program.spawn(&construct).expect("a session is under way");
        next.allow_followers();
        if let Some(last) = &last {
            next.follow(last);
        }
        last = Some(next);
    }
    drop(last);
    session::finish().expect("a session is under way");
}

/// What lies beside a path is told only of the frame that spawned what the path goes through, not of one that came to its
/// place.
#[test]
fn frames_are_told_from_those_before_them() {
    let _session = lock();
    session::start(Config {
        clock: Clock::Virtual,
        ..Config::default()
    });
    let construct = |kind, site| Construct {
        kind,
        at: At::Code(site),
    };
    let program = Task::running().expect("a session is under way");
    let gathering = Gathering::new();
    program.begin_scope(Some(&construct(Kind::Taskgroup, 1)));
    clock::advance(1);
    let task = (gathering.spawn(&program, &construct(Kind::Task, 2))).expect("a task");
    program.end_scope();
    program.leave();
    task.enter();
    clock::advance(1_000);
    task.end();
    program.enter();
    program.begin_scope(Some(&construct(Kind::Taskgroup, 3)));
    clock::advance(10);
    gathering.wait(&program);
    program.end_scope();
    let text = session::finish().expect("a session is under way");
    let profile = raw::parse(&text).expect("as the engine writes it");
    let node = profile.nodes.last().expect("the second group");
    assert_eq!(
        (node.work.local_ticks, node.work.local_span_ticks),
        (10, 10)
    );
}

/// A wait for children is one of the task that waits, whatever construct that is of.
#[test]
fn waits_are_counted() {
    const CHILDREN: u64 = 3;
    let _session = lock();
    session::start(Config {
        clock: Clock::Virtual,
        ..Config::default()
    });
    let program = Task::running().expect("a session is under way");
    let construct = |kind, site| Construct {
        kind,
        at: At::Code(site),
    };
    let run = |task: &Task, code: &dyn Fn()| {
        program.leave();
        task.enter();
        code();
        task.end();
        program.enter();
    };
    for _ in 0..CHILDREN {
        let child = program.spawn(&construct(Kind::Task, 1)).expect("a task");
        run(&child, &|| child.wait_for_children());
    }
    program.wait_for_children();
    program.begin_scope(None);
    program.end_scope();
    program.begin_scope(Some(&construct(Kind::Taskgroup, 2)));
    program.end_scope();
    let text = session::finish().expect("a session is under way");
    let profile = raw::parse(&text).expect("as the engine writes it");
    let syncs: Vec<u64> = profile.nodes.iter().map(|node| node.work.syncs).collect();
    assert_eq!(syncs, [2, CHILDREN, 1]);
}

/// There is one session at a time.
fn lock() -> MutexGuard<'static, ()> {
    static SESSION: Mutex<()> = Mutex::new(());
    SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}
