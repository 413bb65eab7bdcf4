//! Runtimes that tell by events: the engine's figures against the longest paths of what came before what.

mod locks;
mod machine;
mod program;
mod record;

use std::sync::{Mutex, MutexGuard, PoisonError};

use program::{Generator, SITES};
use workspan_format::raw::{self, RawProfile};
use workspan_rt::clock::{self, Clock};
use workspan_rt::events::{At, Construct, Task};
use workspan_rt::session::{self, Burden, Config};
use workspan_rt::{Kind, Recording};
use workspan_testkit::graph::Longest;

const BURDEN: i64 = 1_000_000;

/// What the profile tells of the sites, which are known by their addresses.
fn told(profile: &RawProfile) -> Longest {
    let mut sites = vec![(0, 0); SITES];
    let mut work = 0;
    for node in &profile.nodes {
        let addresses = &profile.sites[node.site as usize].addresses;
        let site = &mut sites[addresses.first().map_or(0, |address| *address as usize)];
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
    [0, 0, 1 << 31, 1 << 34][seed as usize % 4]
}

fn check(seed: u64) -> Result<(), String> {
    let script = Generator::new(seed).program();
    session::start(Config {
        clock: Clock::Virtual,
        burden: Burden::Cycles(BURDEN),
        recording: Some(Recording {
            path: record::path(),
            grain: grain_of(seed),
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

/// There is one session at a time.
fn lock() -> MutexGuard<'static, ()> {
    static SESSION: Mutex<()> = Mutex::new(());
    SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}
