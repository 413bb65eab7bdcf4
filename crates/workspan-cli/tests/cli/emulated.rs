//! Instructions counted by an emulator. Tests that need QEMU are skipped if it is missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::project::{Project, Ran, copy_workspan, most_of_three, plain, script, site, words};
use crate::skip::skip;

/// Strands of known numbers of instructions, in the shapes that tasks have.
const MAIN: &str = r#"
use std::arch::asm;

/// Runs 2 · `n` + 1 instructions.
#[inline(never)]
fn strand(n: u64) {
    unsafe { asm!("mov {0}, {1}", "2:", "dec {0}", "jnz 2b", out(reg) _, in(reg) n) };
}

fn balanced(depth: u32, n: u64) {
    if depth == 0 {
        strand(n);
    } else {
        rayon::join(|| balanced(depth - 1, n), || balanced(depth - 1, n));
    }
}

fn uneven(depth: u64, n: u64) {
    if depth > 0 {
        rayon::join(|| strand(depth * n), || uneven(depth - 1, n));
    }
}

fn spawned(count: u64, n: u64) {
    rayon::scope(|scope| (1..=count).for_each(|i| scope.spawn(move |_| strand(i * n))));
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let shape = arguments.next().unwrap();
    let n = arguments.next().unwrap().parse().unwrap();
    match &*shape {
        "balanced" => balanced(6, n),
        "uneven" => uneven(16, n),
        "spawned" => spawned(16, n),
        _ => panic!("{shape}"),
    }
    // Keys in an order that depends on random numbers.
    let keys: std::collections::HashSet<u64> = (0..1000).collect();
    let found: Vec<u64> = keys.into_iter().filter(|key| key % 7 == 0).collect();
    println!("{found:?}");
}
"#;

pub(crate) fn has_emulator() -> bool {
    let found = Command::new("qemu-x86_64").arg("--version").output();
    if cfg!(target_arch = "x86_64") && found.is_ok() {
        return true;
    }
    skip("qemu-x86_64", "not installed (`ci/setup` installs it)");
    false
}

/// `workspan run --emulate LINE` by a copy of workspan without a plug-in next to it, so that it
/// builds its own.
fn emulate(folder: &Path, line: &str) -> Command {
    let own = folder.join("workspan");
    if !own.exists() {
        copy_workspan(&own);
    }
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emulator-cache");
    let mut command = plain(Command::new(own));
    command
        .current_dir(folder)
        .env("XDG_CACHE_HOME", cache)
        .args(["run", "--no-report", "--no-record", "--emulate"])
        .args(words(line));
    command
}

/// A project with this program, and the program built with the engine.
fn built(name: &str, main: &str) -> (Project, PathBuf) {
    let project = Project::new(name);
    project.write("src/main.rs", main).lock();
    project
        .run("run --locked --no-report --no-record -- balanced 1")
        .succeeds();
    let program = project.target.join("workspan/release").join(name);
    (project, program)
}

fn local(profile: &Value, kind: &str) -> i64 {
    site(profile, kind)["on_work"]["local_work_count"]
        .as_i64()
        .unwrap()
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn known_numbers_of_instructions_are_found_twice() {
    if !has_emulator() {
        return;
    }
    let (project, program) = built("emulated", MAIN);
    // Shape, site, number of its boundaries, and how often `n` is on the work and on the span.
    let cases = [
        ("balanced", "join", 3 * 63, 64, 1),
        ("uneven", "join", 3 * 16, 16 * 17 / 2, 16),
        ("spawned", "spawn", 3 * 16, 16 * 17 / 2, 16),
    ];
    for (shape, kind, boundaries, on_work, on_span) in cases {
        let known = |times: i64| 2 * 2000 * times;
        let emulated = |n: u32| {
            let line = format!("--json out.json -- {} {shape} {n}", program.display());
            Ran::new(&mut emulate(&project.folder, &line)).succeeds();
            project.json("out.json")
        };
        // Everything but the serial code, in which the pool starts and threads run concurrently.
        let tasks = |profile: &Value| -> Vec<Value> {
            let sites = profile["sites"].as_array().unwrap().iter();
            let tasks = sites.filter(|site| site["kind"] != "root");
            tasks.map(|site| site["on_work"].clone()).collect()
        };
        let totals = |profile: &Value| {
            ["work_count", "span_count", "burdened_span_count"]
                .map(|name| profile["totals"][name].as_i64().unwrap() - local(profile, "root"))
        };
        let wrong = |[less, again, more]: &[Value; 3]| -> Option<String> {
            if tasks(less) != tasks(again) || totals(less) != totals(again) {
                return Some(format!("{less:#}\nand again {again:#}"));
            }
            let serial = [less, again].map(|profile| local(profile, "root"));
            if (serial[0] - serial[1]).abs() >= 1_000 {
                return Some(format!("serial code {serial:?}"));
            }
            // Exact to the instruction, since code outside the loops does not depend on their
            // length.
            let longer = |of: &dyn Fn(&Value) -> i64| of(more) - of(less);
            let found = [
                longer(&|profile| local(profile, kind)),
                longer(&|profile| totals(profile)[0]),
                longer(&|profile| totals(profile)[1]),
            ];
            let expected = [on_work, on_work, on_span].map(known);
            (found != expected).then(|| format!("longer by {found:?}, and not {expected:?}"))
        };
        // If other programs keep the main thread off the processor for some milliseconds, its work
        // may reach the pool just when the worker goes to sleep, and take 4 more instructions
        // (docs/emulate.md). So most runs have to be right, not all.
        let mut less = Value::Null;
        let is_right = || {
            let three = [1000, 1000, 3000].map(emulated);
            let wrong = wrong(&three);
            eprintln!("{shape}: {wrong:?}");
            less = three[0].clone();
            wrong.is_none()
        };
        assert!(most_of_three(is_right), "{shape}: most runs are wrong");
        // The rest is the runtime's own code, and at each boundary the error of the correction for
        // the engine's own code.
        let rest = local(&less, kind) - 2 * 1000 * on_work;
        assert!(
            (-20 * boundaries..400 * boundaries).contains(&rest),
            "{shape}: {rest} instructions besides the loops"
        );
    }
}

/// Waits in several ways, some of which pass a clock time to the kernel, and prints how long each
/// took by the clock.
const WAITING: &str = r#"
use std::sync::{mpsc, Condvar, Mutex};
use std::time::{Duration, Instant};

fn took(wait: impl FnOnce()) -> u128 {
    let start = Instant::now();
    wait();
    start.elapsed().as_micros()
}

fn main() {
    let (mutex, condition) = (Mutex::new(()), Condvar::new());
    let (_sender, receiver) = mpsc::channel::<()>();
    let lock = || mutex.lock().unwrap();
    let time = Duration::from_secs(1);
    println!("{}", took(|| drop(condition.wait_timeout(lock(), time))));
    println!("{}", took(|| drop(condition.wait_timeout_while(lock(), time, |_| true))));
    println!("{}", took(|| _ = receiver.recv_timeout(time)));
    println!("{}", took(|| std::thread::sleep(time)));
    // Last, so that no thread of the pool reads the clock meanwhile.
    rayon::join(|| (), || ());
}
"#;

#[test]
#[ignore = "judges time: ci/full timed"]
fn waits_end_although_the_clock_stands_still() {
    if !has_emulator() {
        return;
    }
    let (project, program) = built("stilled", WAITING);
    let file = project.folder.join("waits");
    let mut command = emulate(
        &project.folder,
        &format!("--still-clock -- {}", program.display()),
    );
    command.stdout(fs::File::create(&file).unwrap());
    let mut running = command.spawn().unwrap();
    let start = Instant::now();
    let status = loop {
        if let Some(status) = running.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > Duration::from_secs(300) {
            running.kill().unwrap();
            panic!(
                "a wait has no end; up to it: {:?}",
                fs::read_to_string(file)
            );
        }
        thread::sleep(Duration::from_millis(50));
    };
    assert!(status.success(), "{status}");
    let waits = fs::read_to_string(file).unwrap();
    let waits: Vec<u64> = waits.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(waits.len(), 4);
    for wait in waits {
        // Each reading advances the clock by a microsecond.
        assert!((1_000_000..1_000_100).contains(&wait), "{wait}");
    }
}

#[test]
fn emulators_that_cannot_count_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let refused = |emulator: &Path| {
        let mut command = emulate(folder.path(), "-- true");
        Ran::new(command.env("WORKSPAN_QEMU", emulator))
    };
    if !cfg!(target_arch = "x86_64") {
        refused(&path("missing")).exits(3).says("this machine is");
        return;
    }
    refused(&path("missing"))
        .exits(3)
        .says("apt install qemu-user");
    let says = |text: &str| {
        script(&path("qemu"), &format!("echo {text}"));
        refused(&path("qemu"))
    };
    says("qemu-x86_64 version 6.2.0")
        .exits(3)
        .says("QEMU 6.2")
        .says("7.2 or newer");
    says("qemu-x86_64 version 8.0.0")
        .exits(3)
        .says("without plug-ins");
    says("hello").exits(3).says("does not say its version");
}

#[test]
fn programs_that_cannot_be_counted_are_refused() {
    if !has_emulator() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    script(&folder.path().join("script"), "true");
    let run = |line: &str| Ran::new(&mut emulate(folder.path(), line));
    run("-- ./script").exits(3).says("is a script");
    run("--functions exact -- true")
        .exits(2)
        .says("--functions exact");
    run("--clock thread -- true").exits(2);
}
