//! Profiles of a program that continues to run.
#![cfg(all(target_os = "linux", not(loom), not(miri)))]

use std::fs;
use std::path::PathBuf;
use std::thread;
use workspan_rt::clock::{advance, Clock};
use workspan_rt::events::{At, Construct, Loop, Task};
use workspan_rt::session::{self, Config};
use workspan_rt::{snapshot, Kind, Recording};

fn construct(kind: Kind, line: u32) -> Construct<'static> {
    Construct {
        kind,
        at: At::Source {
            key: line as usize,
            file: "program.c",
            line,
            column: 0,
            name: None,
        },
    }
}

fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("snapshot");
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn run(task: &Task, ticks: i64) {
    let outside = Task::running().unwrap();
    outside.leave();
    task.enter();
    advance(ticks);
    task.end();
    outside.enter();
}

/// Tasks, a task within another that goes on, and a loop. Calls `look` in the middle of each.
fn program(mut look: impl FnMut()) {
    let root = Task::running().unwrap();
    let spawn = |task: &Task| task.spawn(&construct(Kind::Task, 1)).unwrap();
    run(&spawn(&root), 30);
    advance(5);
    look();
    let outer = spawn(&root);
    root.leave();
    outer.enter();
    advance(40);
    let inner = spawn(&outer);
    run(&inner, 100);
    advance(2);
    look();
    advance(3);
    outer.wait_for_children();
    outer.end();
    root.enter();
    root.wait_for_children();
    let pieces = Loop::begin(&root, &construct(Kind::Loop, 2)).unwrap();
    for ticks in [10, 20, 30] {
        let piece = pieces.piece();
        piece.enter();
        advance(ticks);
        look();
        piece.end();
    }
    pieces.end();
    advance(7);
}

/// The raw profile of the program, which calls `look`. What the engine reports about itself is left
/// out.
fn profiled(recording: Option<Recording>, look: impl FnMut()) -> Vec<String> {
    session::start(Config {
        clock: Clock::Virtual,
        recording,
        ..Config::default()
    });
    program(look);
    let text = session::finish().unwrap();
    let is_figure = |line: &&str| !line.starts_with("engine ") && !line.starts_with("module ");
    text.lines().filter(is_figure).map(str::to_owned).collect()
}

fn number(text: &str, name: &str) -> i64 {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap().parse().unwrap()
}

fn the_program_loses_nothing_and_each_snapshot_ends_where_it_was_taken() {
    let plain = profiled(None, || ());
    let file = folder().join("so-far.raw");
    let mut spans = Vec::new();
    let looked = profiled(None, || {
        assert!(snapshot::write(&file).unwrap());
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains("\nended not\n") && text.ends_with("\nend\n"));
        assert!(text.contains("\nword "));
        let pid = i64::from(std::process::id());
        assert_eq!(number(&text, "pid"), pid);
        spans.push(number(&text, "span_ticks"));
    });
    assert_eq!(looked, plain);
    // The first task; the outer one, which spawned the inner one at 45; the loop, which begins at
    // 145.
    assert_eq!(spans, [30, 145, 155, 165, 175]);
    assert!(plain.contains(&"span_ticks 182".to_owned()));
}

/// The number of bytes of events in a record.
fn bytes_of_events(record: &[u8]) -> usize {
    let first_line = record.iter().position(|byte| *byte == b'\n').unwrap();
    let mut rest = &record[first_line + 1..];
    let mut events = 0;
    while let [kind, a, b, c, d, more @ ..] = rest {
        let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
        events += if *kind == b'E' { length } else { 0 };
        rest = &more[length + 4..];
    }
    events
}

fn the_task_dag_is_written_next_to_it_and_the_record_goes_on() {
    let (own, file) = (folder().join("own.dag"), folder().join("dag.raw"));
    let written = file.with_extension("dag");
    let recording = || {
        Some(Recording {
            path: own.clone(),
            grain: 0,
            most_bytes: Recording::MOST_BYTES,
        })
    };
    profiled(recording(), || ());
    let plain = bytes_of_events(&fs::read(&own).unwrap());
    let mut lengths = Vec::new();
    profiled(recording(), || {
        assert!(snapshot::write(&file).unwrap());
        let record = fs::read(&written).unwrap();
        // Like the record of a program that ended, it has a last block without contents.
        assert_eq!(record[record.len() - 9..][..5], *b"Z\0\0\0\0");
        lengths.push(bytes_of_events(&record));
    });
    assert!(lengths.windows(2).all(|pair| pair[0] <= pair[1]) && lengths[0] > 0);
    // Only the strands in which `look` was called are cut.
    let looked = bytes_of_events(&fs::read(&own).unwrap());
    assert!(
        (plain..plain + 50).contains(&looked),
        "{plain} bytes, and {looked} with looks"
    );
}

fn a_failure_to_write_is_reported_and_the_program_goes_on() {
    assert!(!snapshot::write(&folder().join("off.raw")).unwrap());
    let plain = profiled(None, || ());
    let looked = profiled(None, || {
        let error = snapshot::write(&folder().join("no/such/folder.raw")).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    });
    assert_eq!(looked, plain);
}

/// The number of tasks in a raw profile.
fn tasks(text: &str) -> u64 {
    let lines = |first: &'static str| {
        text.lines()
            .map(|line| line.split(' ').collect::<Vec<_>>())
            .filter(move |words| words[0] == first)
    };
    let is_task = |site: &str| lines("site").any(|words| words[1] == site && words[2] == "task");
    let nodes = lines("node").filter(|words| is_task(words[3]));
    nodes
        .flat_map(|node| lines("work").filter(move |work| work[1] == node[1]))
        .map(|work| work[4].parse::<u64>().unwrap())
        .sum()
}

fn threads_that_go_on_lose_nothing() {
    const THREADS: u64 = 3;
    const TASKS: u64 = 20_000;
    let (own, file) = (
        folder().join("threads-own.dag"),
        folder().join("threads.raw"),
    );
    session::start(Config {
        clock: Clock::Monotonic,
        recording: Some(Recording {
            path: own,
            grain: 10_000,
            most_bytes: Recording::MOST_BYTES,
        }),
        ..Config::default()
    });
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            thread::spawn(|| {
                let own = Task::running().unwrap();
                for _ in 0..TASKS {
                    run(&own.spawn(&construct(Kind::Task, 1)).unwrap(), 0);
                }
                own.wait_for_children();
            })
        })
        .collect();
    let mut so_far = Vec::new();
    while !threads.iter().all(|thread| thread.is_finished()) {
        assert!(snapshot::write(&file).unwrap());
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.ends_with("\nend\n"));
        let [span, elapsed] = ["span_ticks", "elapsed_ticks"].map(|name| number(&text, name));
        assert!(span <= elapsed, "{span} of {elapsed}");
        so_far.push(tasks(&text));
    }
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    let all = tasks(&session::finish().unwrap());
    assert_eq!(all, THREADS * TASKS);
    so_far.push(all);
    let grows = so_far.windows(2).all(|pair| pair[0] <= pair[1]);
    assert!(grows, "{so_far:?}");
}

/// A single test: a thread that the test harness starts for another would belong to the program.
#[test]
fn snapshots() {
    the_program_loses_nothing_and_each_snapshot_ends_where_it_was_taken();
    the_task_dag_is_written_next_to_it_and_the_record_goes_on();
    a_failure_to_write_is_reported_and_the_program_goes_on();
    threads_that_go_on_lose_nothing();
}
