//! Runtimes that report events: the engine's figures against the longest paths through the strands.

mod locks;
mod machine;
mod program;
mod record;
mod sessions;
#[path = "../virtual_session/mod.rs"]
mod virtual_session;

use program::{Generator, SITES};
use virtual_session::{lock, profile_of, profile_with};
use workspan_format::raw::{self, RawNode, RawProfile};
use workspan_rt::Kind;
use workspan_rt::clock::{self, Clock};
use workspan_rt::events::{At, Construct, Gathering, Task};
use workspan_rt::session::{self, Burden, Config};
use workspan_testkit::graph::Longest;

const BURDEN: i64 = 1_000_000;

/// A construct of the program at a code address.
fn at(kind: Kind, code: usize) -> Construct<'static> {
    Construct {
        kind,
        at: At::Code(code),
    }
}

/// The task that the program itself is.
fn running() -> Task {
    Task::running().expect("a session is under way")
}

/// A task that `parent` spawns.
fn spawn(parent: &Task, code: usize) -> Task {
    parent
        .spawn(&at(Kind::Task, code))
        .expect("a session is under way")
}

/// The node of the only construct at a code address. A thread that the test harness starts meanwhile
/// has a node too, which may be anywhere among the others.
fn node_at(profile: &RawProfile, code: u64) -> &RawNode {
    let is_at = |node: &&RawNode| profile.sites[node.site as usize].address == Some(code);
    profile.nodes.iter().find(is_at).expect("it ran")
}

/// The figures of the profile. Its sites are identified by their addresses.
fn figures_of(profile: &RawProfile) -> Longest {
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

/// The grain of the record of program `seed`: what has less work is folded.
fn grain_of(seed: u64) -> i64 {
    // Folds nothing, some strands, small tasks, everything that can be.
    [0, 1 << 31, 1 << 34, 1 << 40][seed as usize / 4 % 4]
}

fn check(seed: u64) -> Result<(), String> {
    let script = Generator::new(seed).program();
    session::start(Config {
        clock: Clock::Virtual,
        burden: Burden::Cycles(BURDEN),
        recording: record::to(grain_of(seed)),
        ..Config::default()
    });
    let graph = machine::run(script.clone(), seed, 1 + seed as usize % 3, BURDEN);
    let text = session::finish().expect("a session is under way");
    let profile = raw::parse(&text).map_err(|error| format!("{error}\n{text}"))?;
    let (expected, found) = (graph.longest(SITES), figures_of(&profile));
    if expected == found {
        record::compare(&expected, grain_of(seed)).map_err(|error| format!("{script:?}\n{error}"))
    } else {
        Err(format!(
            "{script:?}\nexpected {expected:?}\nfound    {found:?}"
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
    // The smallest of the first few says the most.
    if let Some((seed, problem)) = failed.take(30).min_by_key(|(_, problem)| problem.len()) {
        panic!("program {seed}: {problem}");
    }
    let _ = std::fs::remove_file(record::path());
}

/// If a task turns to another one, which is then left before it ends, that one is folded without
/// what the first does meanwhile.
#[test]
fn what_a_task_does_between_parts_of_another_is_recorded() {
    let _session = lock();
    let grain = 1_000;
    let config = Config {
        recording: record::to(grain),
        ..Config::default()
    };
    profile_with(config, || {
        let program = running();
        let outer = spawn(&program, 1);
        program.leave();
        outer.enter();
        let inner = spawn(&outer, 1);
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
    });
    let recording =
        workspan_format::stream::read(&record::path()).expect("as the engine writes it");
    assert_eq!(recording.dag.totals().work, grain + 111);
}

/// Each task spawns the next one and waits for nothing, deeper than any stack.
#[test]
fn tasks_nest_without_limit() {
    const DEPTH: i64 = 200_000;
    let profile = profile_of(|| {
        let program = running();
        let mut task = program.clone();
        for _ in 0..DEPTH {
            let next = spawn(&task, 1);
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
    });
    assert_eq!(profile.span_ticks, DEPTH);
}

/// Each task follows the one before, more tasks than any stack has room for, and a runtime discards
/// them.
#[test]
fn tasks_follow_one_another_without_limit() {
    const TASKS: usize = 1_000_000;
    profile_of(|| {
        let program = running();
        let mut last: Option<Task> = None;
        for _ in 0..TASKS {
            let next = spawn(&program, 1);
            next.allow_followers();
            if let Some(last) = &last {
                next.follow(last);
            }
            last = Some(next);
        }
    });
}

/// Work beside a path counts only for the frame that spawned what the path goes through, not for a
/// later frame in its place.
#[test]
fn frames_are_distinguished_from_earlier_ones_in_their_place() {
    let profile = profile_of(|| {
        let program = running();
        let gathering = Gathering::new();
        program.begin_scope(Some(&at(Kind::Taskgroup, 1)));
        clock::advance(1);
        let task = (gathering.spawn(&program, &at(Kind::Task, 2))).expect("a task");
        program.end_scope();
        program.leave();
        task.enter();
        clock::advance(1_000);
        task.end();
        program.enter();
        program.begin_scope(Some(&at(Kind::Taskgroup, 3)));
        clock::advance(10);
        gathering.wait(&program);
        program.end_scope();
    });
    let node = node_at(&profile, 3);
    assert_eq!(
        (node.work.local_ticks, node.work.local_span_ticks),
        (10, 10)
    );
}

/// A wait for children counts for the task that waits, whatever its construct.
#[test]
fn waits_are_counted() {
    const CHILDREN: u64 = 3;
    let profile = profile_of(|| {
        let program = running();
        let parent = spawn(&program, 1);
        program.leave();
        parent.enter();
        for _ in 0..CHILDREN {
            let child = spawn(&parent, 2);
            parent.leave();
            child.enter();
            child.wait_for_children();
            child.end();
            parent.enter();
        }
        parent.wait_for_children();
        parent.begin_scope(None);
        parent.end_scope();
        parent.begin_scope(Some(&at(Kind::Taskgroup, 3)));
        parent.end_scope();
        parent.end();
        program.enter();
    });
    let syncs = [1, 2, 3].map(|code| node_at(&profile, code).work.syncs);
    assert_eq!(syncs, [2, CHILDREN, 1]);
}
