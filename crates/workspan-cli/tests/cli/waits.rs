//! What tasks wait for: the lines that wait, and that end the wait.

use serde_json::Value;

use crate::project::{Project, line_of};

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
    assert_eq!(waits["reason"]["cause"], "sleep", "{waits}");
    assert_eq!(line(&waits["reason"]), line_of(WAITS, "sleeps"), "{waits}");
    assert_eq!(waits["contended"], Value::Null);
}
