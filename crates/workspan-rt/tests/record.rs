//! Recording without a runtime, for Miri: every construct, on the thread that begins it and on
//! another one. The oracle checks the contents of the record (`workspan-testkit`).
#![cfg(not(loom))]

use std::panic::{self, AssertUnwindSafe, Location};
use std::thread;
use workspan_rt::clock::{advance, Clock};
use workspan_rt::session::{self, Config};
use workspan_rt::{start_unobserved, Call, Fork, Group, Handoff, Kind, Recording};

#[track_caller]
fn join<L: FnOnce() + Send>(left: L, right: impl FnOnce() + Send, is_stolen: bool) {
    let location = Location::caller();
    Fork::run::<L, _>(
        location,
        || (),
        |fork| {
            let fork = fork.expect("a session is under way");
            if is_stolen {
                elsewhere(|| fork.right(right), || fork.left(left));
            } else {
                fork.left(left);
                fork.right(right);
            }
        },
    );
}

/// Runs `there` on another thread, and `here` meanwhile.
fn elsewhere(there: impl FnOnce() + Send, here: impl FnOnce()) {
    thread::scope(|scope| {
        let other = start_unobserved(|| scope.spawn(there));
        here();
        // The scope does not wait for what the engine does after a thread has ended.
        start_unobserved(|| other.join()).expect("a branch that does not panic");
    });
}

fn tree(depth: u32, ticks: i64, is_stolen: bool) {
    advance(ticks);
    if depth > 0 {
        let branch = || tree(depth - 1, ticks, false);
        join(branch, branch, is_stolen);
    }
}

#[track_caller]
fn scope(is_stolen: bool) {
    let call = |kind| Call::new::<()>(kind, Location::caller());
    Group::run(call(Kind::Scope), |group| {
        let group = group.expect("a session is under way");
        let mut tasks = Vec::new();
        group.body(|| {
            for _ in 0..3 {
                advance(2);
                tasks.extend(group.spawn(call(Kind::Spawn)));
            }
        });
        let run = || {
            tasks
                .into_iter()
                .for_each(|task| task.run(|| tree(1, 3, false)))
        };
        if is_stolen {
            elsewhere(run, || ());
        } else {
            run();
        }
    });
}

fn install(is_stolen: bool) {
    Handoff::run(|handoff| {
        let handoff = handoff.expect("a session is under way");
        let call = || handoff.call(|| tree(1, 3, false));
        if is_stolen {
            elsewhere(call, || ());
        } else {
            call();
        }
    });
}

fn program() {
    for is_stolen in [false, true] {
        for ticks in [0, 1, 50] {
            tree(3, ticks, is_stolen);
        }
        scope(is_stolen);
        install(is_stolen);
        let unwinding =
            AssertUnwindSafe(|| join(|| panic::resume_unwind(Box::new(())), || (), false));
        assert!(panic::catch_unwind(unwinding).is_err());
    }
}

/// The kinds of the blocks of a record.
fn kinds(record: &[u8]) -> String {
    let mut rest = record
        .strip_prefix(b"workspan-dag 4\n")
        .expect("the first line");
    let mut kinds = String::new();
    while let [kind, a, b, c, d, after @ ..] = rest {
        kinds.push(char::from(*kind));
        rest = &after[u32::from_le_bytes([*a, *b, *c, *d]) as usize + 4..];
    }
    kinds
}

#[test]
fn every_construct_is_recorded() {
    let path = std::env::temp_dir().join(format!("workspan-record-{}", std::process::id()));
    for (grain, record_grain) in [(0, 0), (0, 30), (40, 1), (40, 100)] {
        session::start(Config {
            clock: Clock::Virtual,
            grain,
            recording: Some(Recording {
                path: path.clone(),
                grain: record_grain,
                most_bytes: Recording::MOST_BYTES,
            }),
            ..Config::default()
        });
        program();
        assert!(session::finish().is_some());
        let record = std::fs::read(&path).expect("there is a record");
        let kinds = kinds(&record);
        assert!(kinds.starts_with("HTE") && kinds.ends_with("HZ"), "{kinds}");
        assert!(
            kinds.matches('E').count() > 1,
            "no other thread has told: {kinds}"
        );
    }
    let _ = std::fs::remove_file(path);
}
