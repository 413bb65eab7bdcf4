//! What tasks wait for: the lines that wait, and that end the wait.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use crate::project::{Project, Ran, line_of};
use crate::skip::skip;

/// One task holds the lock until the kernel says that the other sleeps, and then for as long again as
/// the program has run: a large share of the run, however fast the machine is.
const WAITS: &str = r#"
use std::fs;
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::Instant;

static LOCK: Mutex<u32> = Mutex::new(0);
static WAITING: OnceLock<String> = OnceLock::new();

fn hold(began: Instant) {
    let mut guard = LOCK.lock().unwrap();
    while !WAITING.get().is_some_and(|thread| sleeps(thread)) {
        thread::yield_now();
    }
    let until = began.elapsed() * 2;
    while began.elapsed() < until {
        thread::yield_now();
    }
    *guard += 1;
    drop(guard); // mark: held until here
}

fn sleeps(thread: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/self/task/{thread}/stat")).unwrap();
    stat.rsplit_once(") ").unwrap().1.starts_with('S')
}

fn wait() {
    let link = fs::read_link("/proc/thread-self").unwrap();
    WAITING.set(link.file_name().unwrap().to_str().unwrap().to_owned()).unwrap();
    *LOCK.lock().unwrap() += 1; // mark: waits
}

fn main() {
    let began = Instant::now();
    if std::env::args().nth(1).as_deref() == Some("lock") {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        pool.install(|| rayon::join(|| hold(began), wait));
        println!("{}", LOCK.lock().unwrap());
    } else {
        rayon::join(
            || thread::sleep(began.elapsed() * 10), // mark: sleeps
            || fs::metadata("/").is_ok(),
        );
    }
}
"#;

fn profile(variant: &str) -> Value {
    let project = Project::with_main(&format!("waits-{variant}"), "");
    project.write("src/main.rs", WAITS);
    project.profile(&format!("-- {variant}"))["waits"].clone()
}

fn line(place: &Value) -> usize {
    place["line"].as_u64().unwrap() as usize
}

#[test]
fn a_lock_has_the_line_that_waits_and_the_line_that_held_it() {
    let waits = profile("lock");
    let lock = &waits["contended"];
    assert_eq!(line(lock), line_of(WAITS, "waits"), "{waits}");
    assert_eq!(
        line(&lock["holder"]),
        line_of(WAITS, "held until here"),
        "{waits}"
    );
    assert!(lock["waits"].as_u64().unwrap() >= 1, "{waits}");
    assert!(lock["time_share"].as_f64().unwrap() > 0.0, "{waits}");
    assert_eq!(waits["lock"], Value::Null);
}

#[test]
fn sleep_is_no_lock() {
    let waits = profile("sleep");
    assert_eq!(waits["reason"]["causes"], json!(["sleep"]), "{waits}");
    assert_eq!(line(&waits["reason"]), line_of(WAITS, "sleeps"), "{waits}");
    assert_eq!(waits["contended"], Value::Null);
}

/// Programs whose threads wait for one another, of one thread in the pool, and one that sleeps while
/// another thread waits for it. The kernel ends what nothing else does, long after that.
const STANDS: &str = r#"
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

static LOCK: Mutex<u32> = Mutex::new(0);

unsafe extern "C" {
    fn alarm(seconds: u32) -> u32;
    fn signal(number: i32, handler: extern "C" fn(i32)) -> usize;
    fn pipe(ends: *mut [i32; 2]) -> i32;
    fn read(end: i32, buffer: *mut u8, bytes: usize) -> isize;
}

extern "C" fn go_on(_: i32) {}

fn await_signal() {
    let mut ends = [0; 2];
    unsafe { pipe(&mut ends) };
    thread::spawn(move || unsafe { read(ends[0], &mut 0, 1) });
}

fn main() {
    unsafe { alarm(600) };
    if std::env::args().nth(2).is_some() {
        unsafe { signal(2, go_on) };
    }
    if std::env::args().nth(2).as_deref() == Some("awaits") {
        await_signal();
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    match std::env::args().nth(1).unwrap().as_str() {
        "lock" => pool.install(|| {
            let guard = LOCK.lock().unwrap();
            rayon::scope(|scope| {
                scope.spawn(|_| {
                    *LOCK.lock().unwrap() += 1; // mark: locks
                });
            });
            drop(guard);
        }),
        "message" => {
            let (send, receive) = mpsc::channel();
            let receive = Mutex::new(receive);
            pool.install(|| { // mark: hands over the message
                rayon::join(
                    || receive.lock().unwrap().recv().unwrap(), // mark: receives
                    || send.send(1).unwrap(),
                );
            });
        }
        "install" => pool.install(|| {
            thread::scope(|scope| {
                let inner = scope.spawn(|| {
                    pool.install(|| ()); // mark: installs
                });
                inner.join().unwrap(); // mark: joins
            });
        }),
        _ => {
            let guard = LOCK.lock().unwrap();
            let waits = thread::spawn(|| *LOCK.lock().unwrap() += 1);
            thread::sleep(Duration::from_secs(4));
            drop(guard);
            waits.join().unwrap();
            pool.join(|| (), || ());
        }
    }
}
"#;

const MESSAGE: &str = "the program has stood still";

/// Ends the program by a signal to all of its group, as Ctrl-C is, once workspan says that it
/// stands still.
fn ended_when_it_stands(project: &Project, variant: &str, signal: Signal) -> Ran {
    let mut command = project.command(&format!("run --json out.json -- {variant}"));
    command
        .env("WORKSPAN_STANDSTILL", "1")
        .env("COLUMNS", "1000");
    let command = command.process_group(0);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut messages = BufReader::new(child.stderr.take().unwrap());
    let mut before = String::new();
    while !before.contains(MESSAGE) {
        assert_ne!(messages.read_line(&mut before).unwrap(), 0, "{before}");
    }
    kill_process_group(Pid::from_child(&child), signal).unwrap();
    let mut after = String::new();
    messages.read_to_string(&mut after).unwrap();
    assert!(!after.contains(MESSAGE), "{after}");
    let mut ran = Ran::from(child.wait_with_output().unwrap());
    ran.stderr = before + &after;
    ran
}

/// The profile has these lines, at each of which one thread waits, and no speedup.
fn has_lines_that_wait(project: &Project, variant: &str, lines: &[usize]) {
    let profile = project.json("out.json");
    let found = profile["waits"]["standstill"]["lines"].as_array().unwrap();
    for &place in lines {
        let place = found.iter().find(|wait| line(wait) == place);
        let place = place.unwrap_or_else(|| panic!("{variant}: {found:?}"));
        assert_eq!(place["threads"], 1, "{variant}: {found:?}");
    }
    assert_eq!(profile["verdict"]["limit"], "standstill", "{variant}");
    assert_eq!(profile["findings"], Value::Array(Vec::new()), "{variant}");
}

/// A single test, so that the program is built once.
#[test]
fn a_program_that_stands_still_has_the_lines_that_wait() {
    let project = Project::with_main("standstill", "");
    project.write("src/main.rs", STANDS);
    let at = |name| line_of(STANDS, name);
    let cases = [
        ("lock", vec![at("locks")]),
        (
            "message",
            vec![at("receives"), at("hands over the message")],
        ),
        ("install", vec![at("installs"), at("joins")]),
    ];
    for (variant, lines) in cases {
        let ran = ended_when_it_stands(&project, variant, Signal::INT);
        ran.exits(130).says("The program stood still");
        has_lines_that_wait(&project, variant, &lines);
    }
    let mut ended = vec!["lock", "lock handles"];
    if Path::new("/proc/self/syscall").exists() {
        ended.push("lock awaits");
    } else {
        skip(
            "proc-syscall",
            "this kernel does not show in which call a thread is",
        );
    }
    for variant in ended {
        let ran = project.run(&format!("run --standstill 1 --json out.json -- {variant}"));
        ran.exits(130).says(MESSAGE).says("The program stood still");
        has_lines_that_wait(&project, variant, &[at("locks")]);
    }
    ended_when_it_stands(&project, "lock handles", Signal::TERM)
        .exits(143)
        .says("in another run, `--standstill SECONDS` ends it in any case");
    let mut command = project.command("run --standstill 1 -- sleep");
    Ran::new(command.env("WORKSPAN_STANDSTILL", "1"))
        .succeeds()
        .does_not_say(MESSAGE);
}
