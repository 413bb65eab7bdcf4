//! Instructions counted by an emulator. What needs QEMU is skipped where it is missing.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::project::{Project, Ran, plain, read_json, site};

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
    // Keys in an order that hangs on random numbers.
    let keys: std::collections::HashSet<u64> = (0..1000).collect();
    let found: Vec<u64> = keys.into_iter().filter(|key| key % 7 == 0).collect();
    println!("{found:?}");
}
"#;

/// A script of the shell that can be executed.
fn script(file: &Path, text: &str) {
    fs::write(file, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

pub(crate) fn has_emulator() -> bool {
    let found = Command::new("qemu-x86_64").arg("--version").output();
    if cfg!(target_arch = "x86_64") && found.is_ok() {
        return true;
    }
    eprintln!("skipped: there is no qemu-x86_64 (`ci/setup` installs it)");
    false
}

/// A copy of workspan with no plug-in beside it, so that it builds its own.
fn workspan(folder: &Path) -> Command {
    let own = folder.join("workspan");
    if !own.exists() {
        fs::copy(env!("CARGO_BIN_EXE_workspan"), &own).unwrap();
    }
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emulator-cache");
    let mut command = plain(Command::new(own));
    command
        .current_dir(folder)
        .env("XDG_CACHE_HOME", cache)
        .args(["run", "--no-report", "--no-record", "--emulate"]);
    command
}

fn emulated(folder: &Path, program: &Path, arguments: &[&str]) -> Value {
    let json = folder.join("emulated.json");
    let mut command = workspan(folder);
    command.arg("--json").arg(&json).arg("--").arg(program);
    Ran::of(command.args(arguments)).succeeds();
    read_json(&json)
}

/// A project's program, built with the engine.
fn built(project: &Project, name: &str) -> PathBuf {
    project.lock();
    let arguments = [
        "run",
        "--locked",
        "--no-report",
        "--no-record",
        "--",
        "balanced",
        "1",
    ];
    project.run(&arguments).succeeds();
    project.target.join("workspan/release").join(name)
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
    let project = Project::new("emulated");
    project.write("src/main.rs", MAIN);
    let program = built(&project, "emulated");
    // Shape, site, its boundaries, and how often it runs `n` on the work and on the span.
    let cases = [
        ("balanced", "join", 3 * 63, 64, 1),
        ("uneven", "join", 3 * 16, 16 * 17 / 2, 16),
        ("spawned", "spawn", 3 * 16, 16 * 17 / 2, 16),
    ];
    for (shape, kind, boundaries, on_work, on_span) in cases {
        let known = |times: i64| 2 * 2000 * times;
        let three =
            || ["1000", "1000", "3000"].map(|n| emulated(&project.folder, &program, &[shape, n]));
        // All but the serial code, in which the pool starts: there threads run at a time.
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
            // To the instruction: what is in the strands beside the loops does not hang on their length.
            let longer = |of: &dyn Fn(&Value) -> i64| of(more) - of(less);
            let found = [
                longer(&|profile| local(profile, kind)),
                longer(&|profile| totals(profile)[0]),
                longer(&|profile| totals(profile)[1]),
            ];
            let expected = [on_work, on_work, on_span].map(known);
            (found != expected).then(|| format!("longer by {found:?}, and not {expected:?}"))
        };
        // Where others keep the main thread from the processor for some milliseconds, its work may come to the pool just when
        // the worker goes to sleep, and have 4 instructions more (docs/emulate.md).
        let mut runs = three();
        for _ in 0..2 {
            let Some(what) = wrong(&runs) else { break };
            eprintln!("{shape} again: {what}");
            runs = three();
        }
        assert_eq!(wrong(&runs), None, "{shape}");
        let [less, ..] = &runs;
        // Beside the loops there is the runtime's own code, and at each boundary what is known of the engine's own too little
        // or too much.
        let beside = local(less, kind) - 2 * 1000 * on_work;
        assert!(
            (-20 * boundaries..400 * boundaries).contains(&beside),
            "{shape}: {beside} beside"
        );
    }
}

/// Waits for times in ways of which some pass the kernel a time of the clock, and says how long that took by the clock.
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
fn waits_come_to_an_end_by_a_clock_that_stands_still() {
    if !has_emulator() {
        return;
    }
    let project = Project::new("stilled");
    project.write("src/main.rs", WAITING);
    let program = built(&project, "stilled");
    let file = project.folder.join("waits");
    let mut command = workspan(&project.folder);
    command.arg("--still-clock").arg("--").arg(&program);
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
        // Each reading takes a microsecond.
        assert!((1_000_000..1_000_100).contains(&wait), "{wait}");
    }
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn emulators_that_cannot_count_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let refused = |emulator: &Path| {
        let mut command = workspan(folder.path());
        Ran::of(command.env("WORKSPAN_QEMU", emulator).args(["--", "true"]))
    };
    if !cfg!(target_arch = "x86_64") {
        refused(&path("missing")).exits(3).says("this machine is");
        return;
    }
    refused(&path("missing"))
        .exits(3)
        .says("apt install qemu-user");
    let stand_in = |text: &str| {
        script(&path("qemu"), text);
        path("qemu")
    };
    refused(&stand_in("echo qemu-x86_64 version 6.2.0"))
        .exits(3)
        .says("QEMU 6.2")
        .says("7.2 or newer");
    refused(&stand_in("echo qemu-x86_64 version 8.0.0"))
        .exits(3)
        .says("without plug-ins");
    refused(&stand_in("echo hello"))
        .exits(3)
        .says("does not say its version");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn what_cannot_be_counted_is_refused() {
    if !has_emulator() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script");
    script(&file, "true");
    Ran::of(workspan(folder.path()).arg("--").arg(&file))
        .exits(3)
        .says("is a script");
    Ran::of(workspan(folder.path()).args(["--functions", "exact", "--", "true"]))
        .exits(2)
        .says("--functions exact");
    Ran::of(workspan(folder.path()).args(["--clock", "thread", "--", "true"])).exits(2);
}
