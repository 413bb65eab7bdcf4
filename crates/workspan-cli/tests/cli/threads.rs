//! Programs that start threads themselves and use no runtime.

use serde_json::Value;

use crate::project::{Project, Ran, line_of};

/// Two threads, of which the second has three times as much to do as the first.
const UNEVEN: &str = r#"
fn count(to: u64) -> u64 {
    (0..to).fold(to, |x, y| x.rotate_left(9).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ y)
}

fn main() {
    let sums = std::thread::scope(|scope| {
        let threads = [20_000_000, 60_000_000].map(|to| {
            scope.spawn(move || count(to)) // mark: starts
        });
        threads.map(|thread| thread.join().unwrap())
    });
    println!("{sums:?}");
}
"#;

/// The site that starts threads.
pub(crate) fn threads(profile: &Value) -> &Value {
    site(profile, "thread")
}

fn site<'a>(profile: &'a Value, kind: &str) -> &'a Value {
    let mut sites = profile["sites"].as_array().unwrap().iter();
    sites.find(|site| site["kind"] == kind).unwrap()
}

#[test]
fn a_program_without_rayon_has_its_threads_measured() {
    let project = Project::with_main("threads", "");
    project.write("src/main.rs", UNEVEN);
    let profile = project.profile("");
    let threads = threads(&profile);
    assert_eq!(threads["line"], line_of(UNEVEN, "starts"), "{threads}");
    assert_eq!(threads["on_work"]["count"], 2, "{threads}");
    assert_eq!(profile["program"]["runtimes"][0]["kind"], "threads");
    // A quarter of the work is the shorter thread's.
    let parallelism = profile["totals"]["parallelism"].as_f64().unwrap();
    assert!(parallelism > 1.1, "{}", profile["totals"]);
    assert_eq!(
        profile["verdict"]["limit"], "span",
        "{}",
        profile["verdict"]
    );
    assert_eq!(
        profile["findings"][0]["number"], "WS004",
        "{}",
        profile["findings"]
    );
}

#[test]
fn threads_that_cannot_be_measured_are_no_single_strand() {
    let project = Project::with_main("threads-unmeasured", "");
    project.write("src/main.rs", UNEVEN);
    let mut command = project.command("run --json out.json");
    let missing = "WORKSPAN_LIBRARY names `/no/such/library.so`";
    Ran::new(command.env("WORKSPAN_LIBRARY", "/no/such/library.so"))
        .succeeds()
        .says(&format!("its threads are not measured: {missing}"))
        .does_not_say("all of it is one strand");
    assert_eq!(project.json("out.json")["verdict"]["limit"], "own_threads");
    // What the warning said is kept with the profile.
    let mut report = project.command("report --no-source");
    let kept = project.kept("threads-unmeasured");
    Ran::new(report.arg(kept).env("COLUMNS", "1000"))
        .succeeds()
        .shows("Cannot be told from this run.")
        .shows(missing)
        .does_not_show("cannot make it faster");
}

/// One thread, for which nothing waits but the end of its scope. The root may be woken before the
/// thread has quite ended.
const SCOPED: &str = r#"
fn main() {
    let mut sum = 0u64;
    std::thread::scope(|scope| {
        scope.spawn(|| sum = (0..60_000_000).fold(1, |x, y| x.rotate_left(9) ^ y));
    });
    println!("{sum}");
}
"#;

#[test]
fn to_wait_for_a_scope_is_no_work() {
    let project = Project::with_main("scoped", "");
    project.write("src/main.rs", SCOPED);
    let profile = project.profile("");
    let work = |kind| site(&profile, kind)["on_work"]["local_work_ns"].as_u64();
    assert!(
        work("root") < work("thread").map(|work| work / 2),
        "{profile}"
    );
    let parallelism = profile["totals"]["parallelism"].as_f64().unwrap();
    assert!(parallelism < 1.2, "{}", profile["totals"]);
}
