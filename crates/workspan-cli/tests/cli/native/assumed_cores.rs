//! `--assume-cores` with real OpenMP programs.

use serde_json::Value;

use super::Native;
use crate::project::{Ran, most_of_three, read_json};

/// Eight iterations of 10 ms of processor time each.
const LOOP: &str = r#"
#include <time.h>
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}
int main(void) {
    #pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 8; i++)
        for (double end = now() + 0.01; now() < end;)
            ;
    return 0;
}
"#;

/// The program, if it can be profiled here.
fn native() -> Option<Native> {
    let native = Native::new()?;
    native.share_cache();
    native.gcc(LOOP, "loop", "-O1 -g -fopenmp");
    Some(native)
}

fn profile(native: &Native, cores: &str) -> Value {
    let line = format!("run --assume-cores {cores} --json out.json ./loop");
    Ran::new(&mut native.standalone(&line)).succeeds();
    read_json(&native.path("out.json"))
}

#[test]
fn a_program_has_as_many_threads_as_assumed_cores_however_few_there_are() {
    let Some(native) = native() else { return };
    for cores in ["8", "64", "4"] {
        let run = &profile(&native, cores)["program"];
        for threads in ["threads", "assumed_cores", "threads_that_ran"] {
            assert_eq!(run[threads].to_string(), cores, "{threads}");
        }
    }
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn a_loop_is_as_parallel_as_assumed() {
    let Some(native) = native() else { return };
    // Both are processor time, without waiting for a core. What exceeds them is the start of the
    // process.
    for (cores, known) in [("8", 1.0), ("64", 1.0), ("4", 2.0)] {
        // The kernel's work for a new thread counts as the thread's own. A busy machine has more of
        // it.
        let is_known = || {
            let totals = &profile(&native, cores)["totals"];
            let [work, span] =
                ["work_ns", "span_ns"].map(|what| totals[what].as_f64().unwrap() / 1e7);
            eprintln!("{cores} cores: work {work}, span {span}");
            (7.9..10.0).contains(&work) && (known - 0.1..known + 1.0).contains(&span)
        };
        assert!(most_of_three(is_known), "{cores} cores");
    }
}
