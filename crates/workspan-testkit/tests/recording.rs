//! The record of the task dag of real programs, which end in all the ways that programs end.
//!
//! Each runs in a process of its own, since the engine starts with the process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use workspan_format::raw::{self, RawKind, RawNode, RawProfile};
use workspan_format::stream::{self, Recording};

/// The variable that makes the process a program, and says which.
const PROGRAM: &str = "WORKSPAN_RECORDED";

/// Number of threads of the pool.
const POOL: usize = 4;

/// Runs the program if this is a process of one. Returns whether it is.
fn is_program() -> bool {
    let Ok(program) = std::env::var(PROGRAM) else {
        return false;
    };
    match program.as_str() {
        "tree" => tree(24),
        "long" => busy_tree(21),
        "deep" => deep(100_000),
        "deep often" => (0..40).for_each(|_| deep(20_000)),
        "exit" => exit_while_others_run(),
        "killed" => loop {
            tree(20);
        },
        "fork" => fork_in_a_join(),
        "panics" => panics(),
        other => unreachable!("there is no program {other}"),
    }
    true
}

fn tree(depth: u32) {
    if depth > 0 {
        workspan_rayon::join(|| tree(depth - 1), || tree(depth - 1));
    }
}

/// A tree whose leaves take longer than the grain, which makes the record long.
fn busy_tree(depth: u32) {
    if depth > 0 {
        workspan_rayon::join(|| busy_tree(depth - 1), || busy_tree(depth - 1));
    } else {
        (0..1_000).for_each(|number| _ = std::hint::black_box(number));
    }
}

/// Nested joins.
fn deep(depth: u32) {
    workspan_rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .stack_size(1 << 30)
        .build()
        .expect("a pool of one thread")
        .install(|| nest(depth));
}

fn nest(depth: u32) {
    if depth > 0 {
        workspan_rayon::join(|| nest(depth - 1), || std::hint::black_box(depth));
    }
}

/// Exits while all other threads are in the middle of something.
fn exit_while_others_run() {
    let (sender, rounds) = channel();
    for _ in 0..2 * POOL {
        let sender = sender.clone();
        workspan_rayon::spawn(move || {
            loop {
                tree(12);
                let _ = sender.send(());
            }
        });
    }
    std::thread::spawn(move || {
        loop {
            workspan_rayon::join(|| tree(10), || tree(10));
            let _ = sender.send(());
        }
    });
    rounds.iter().take(20 * POOL).for_each(drop);
    std::process::exit(0);
}

fn fork_in_a_join() {
    unsafe extern "C" {
        fn fork() -> i32;
        fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
    }
    workspan_rayon::join(
        || tree(16),
        || {
            // SAFETY: the child calls nothing but the engine, which is off there, and ends.
            let child = unsafe { fork() };
            if child == 0 {
                (0..1_000).for_each(|_| nest(10));
                std::process::exit(0);
            }
            // SAFETY: waits for that child.
            unsafe { waitpid(child, &mut 0, 0) };
        },
    );
}

fn panics() {
    std::panic::set_hook(Box::new(|_| ()));
    for round in 0..2_000 {
        let caught = std::panic::catch_unwind(|| {
            workspan_rayon::scope(|scope| {
                scope.spawn(|_| tree(6));
                workspan_rayon::join(
                    || workspan_rayon::join(|| tree(4), || assert!(round % 3 != 0)),
                    || workspan_rayon::join(|| assert!(round % 2 != 0), || tree(4)),
                )
            })
        });
        assert_eq!(caught.is_ok(), round % 3 != 0 && round % 2 != 0);
    }
}

/// The folder with the files of a program's process.
struct Files(PathBuf);

impl Files {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!(
            "workspan-recording-{}-{}",
            std::process::id(),
            name.replace(' ', "-")
        ));
        fs::create_dir_all(&folder).expect("a folder of its own");
        Self(folder)
    }

    fn record(&self) -> PathBuf {
        self.0.join("dag")
    }

    fn profile(&self) -> RawProfile {
        let text = fs::read_to_string(self.0.join("raw")).expect("there is a profile");
        raw::parse(&text).unwrap_or_else(|error| panic!("{error}"))
    }

    fn recording(&self) -> Recording {
        stream::read(&self.record()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The command that runs `program`, through a shell that runs `before` first.
    fn command(&self, test: &str, program: &str, before: &str) -> Command {
        let mut command = Command::new("bash");
        command
            .args(["-c", &format!("{before}\nexec \"$@\""), "bash"])
            .arg(std::env::current_exe().expect("a test knows its file"))
            .args(["--exact", "--nocapture", "--test-threads=1"])
            .args(["--include-ignored", test])
            .env(PROGRAM, program)
            .env("WORKSPAN_PROFILE", self.0.join("raw"))
            .env("WORKSPAN_RECORD", self.record())
            .env("WORKSPAN_THREADS", POOL.to_string())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, test: &str, program: &str, before: &str) -> Output {
        self.command(test, program, before)
            .output()
            .expect("a test can start its own file")
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Checks that the record is whole and agrees with the profile.
fn check_agreement(files: &Files) {
    let (profile, recording) = (files.profile(), files.recording());
    let dag = &recording.dag;
    dag.check(profile.nodes.len(), profile.sites.len())
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(!dag.is_truncated, "the record is not whole");
    let totals = dag.totals();
    let work: i64 = profile.nodes.iter().map(|node| node.work.local_ticks).sum();
    let is_thread = |node: &&RawNode| profile.sites[node.site as usize].kind == RawKind::Thread;
    let threads = profile
        .nodes
        .iter()
        .filter(is_thread)
        .map(|node| node.work.count);
    // In a dag, the program's threads are among the tasks.
    let tasks = tasks(&profile) + threads.sum::<u64>();
    assert_eq!((totals.work, totals.tasks), (work, tasks));
    let open = profile.span_open_ticks;
    assert!(
        (totals.span - profile.span_ticks).abs() <= open,
        "the span is {} ± {open}, not {}",
        totals.span,
        profile.span_ticks
    );
}

fn tasks(profile: &RawProfile) -> u64 {
    profile.nodes.iter().map(|node| node.work.spawns).sum()
}

fn entries(files: &Files) -> usize {
    files.recording().dag.vertices.len()
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// How often `output` says on standard error that the record ends early.
fn complaints(output: &Output) -> usize {
    String::from_utf8_lossy(&output.stderr)
        .lines()
        .filter(|line| line.starts_with("workspan: the task dag is recorded no further"))
        .count()
}

#[test]
fn programs_are_recorded_whole() {
    if is_program() {
        return;
    }
    for program in ["tree", "deep", "exit", "fork", "panics"] {
        let files = Files::new(program);
        let output = files.run("programs_are_recorded_whole", program, "");
        assert!(output.status.success(), "{program}: {output:?}");
        eprintln!(
            "{program}: {} bytes, {} vertices",
            length(&files.record()),
            entries(&files)
        );
        check_agreement(&files);
    }
}

#[test]
fn a_full_disk_ends_the_record_and_nothing_else() {
    if is_program() {
        return;
    }
    const TEST: &str = "a_full_disk_ends_the_record_and_nothing_else";
    let full = "trap '' XFSZ; ulimit -f 20";
    for (name, before) in [
        ("full", full.to_owned()),
        ("full and unheard", format!("{full}; exec 2>/dev/full")),
        ("limit", "ulimit -f 20".to_owned()),
        ("few bytes", "export WORKSPAN_RECORD_BYTES=20000".to_owned()),
    ] {
        let files = Files::new(name);
        let output = files.run(TEST, "tree", &before);
        assert!(output.status.success(), "{name}: {output:?}");
        let expected = if name == "full and unheard" { 0 } else { 1 };
        assert_eq!(complaints(&output), expected, "{name}: {output:?}");
        let profile = files.profile();
        assert_eq!(tasks(&profile), (1 << 24) - 1);
        assert!(files.recording().dag.is_truncated);
        assert!(length(&files.record()) <= 20 << 10, "{name}");
    }
}

#[test]
fn what_was_recorded_before_a_program_is_killed_can_be_read() {
    if is_program() {
        return;
    }
    const TEST: &str = "what_was_recorded_before_a_program_is_killed_can_be_read";
    for (signal, is_whole) in [("TERM", true), ("KILL", false)] {
        let files = Files::new(signal);
        let mut program = files
            .command(TEST, "killed", "")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a test can start its own file");
        while length(&files.record()) < 1 << 16 {
            assert!(program.try_wait().expect("a child").is_none(), "it ends");
            std::thread::sleep(Duration::from_millis(10));
        }
        let mut kill = Command::new("kill");
        kill.args(["-s", signal, &program.id().to_string()]);
        assert!(kill.status().expect("there is kill").success());
        assert!(!program.wait().expect("a child").success());
        let dag = files.recording().dag;
        assert_eq!(dag.is_truncated, !is_whole);
        dag.check(usize::MAX, usize::MAX)
            .unwrap_or_else(|error| panic!("{error}"));
        if is_whole {
            check_agreement(&files);
        } else {
            assert!(dag.vertices.len() > 1_000);
        }
    }
}

#[test]
fn a_long_record_becomes_coarser() {
    if is_program() {
        return;
    }
    let files = Files::new("long");
    let output = files
        .command("a_long_record_becomes_coarser", "long", "")
        .env("WORKSPAN_TIMING", "exact")
        .env("WORKSPAN_GRAIN_NANOS", "10")
        .output()
        .expect("a test can start its own file");
    assert!(output.status.success(), "{output:?}");
    check_agreement(&files);
    let dag = files.recording().dag;
    let totals = dag.totals();
    let doubled = dag.grain as f64 / dag.ticks_per_second / 10e-9;
    assert!(doubled > 1.8, "{doubled}: {totals:?}");
    let most = (doubled.log2() + 1.5) * f64::from(16 << 20);
    assert!(length(&files.record()) as f64 <= most, "{doubled}");
}

/// Although the main thread waits for a message from the test's thread, and joins it only then.
#[test]
#[ignore = "judges time: ci/full timed"]
fn the_wait_for_the_tests_thread_is_not_on_the_span() {
    if is_program() {
        return;
    }
    let files = Files::new("waited for");
    let test = "the_wait_for_the_tests_thread_is_not_on_the_span";
    let output = files.run(test, "long", "");
    assert!(output.status.success(), "{output:?}");
    let totals = files.recording().dag.totals();
    assert!(totals.span < totals.work / 10, "{totals:?}");
}

#[test]
fn joins_nested_deeply_leave_few_entries() {
    if is_program() {
        return;
    }
    let files = Files::new("deep often");
    let output = files.run("joins_nested_deeply_leave_few_entries", "deep often", "");
    assert!(output.status.success(), "{output:?}");
    check_agreement(&files);
    let dag = files.recording().dag;
    let grains = dag.totals().work / dag.grain;
    eprintln!(
        "{grains} grains: {} bytes, {} vertices",
        length(&files.record()),
        entries(&files)
    );
    assert!((entries(&files) as i64) < 12 * grains + 100_000, "{grains}");
}
