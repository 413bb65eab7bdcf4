//! `--assume-cores` with real OpenMP programs.

use super::{Native, has_libomp};
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

#[test]
fn a_loop_has_as_many_tasks_as_assumed_cores_however_few_there_are() {
    let Some(native) = Native::new() else { return };
    if !has_libomp() {
        return;
    }
    native.share_cache();
    native.gcc(LOOP, "loop", "-O1 -g -fopenmp");
    let run = |cores: &str| {
        let line = format!("run --assume-cores {cores} --json out.json ./loop");
        Ran::new(&mut native.standalone(&line)).succeeds();
        let profile = read_json(&native.path("out.json"));
        let nanos = |what: &str| profile["totals"][what].as_f64().unwrap();
        let run = &profile["program"];
        assert_eq!(run["threads"].to_string(), cores);
        assert_eq!(run["assumed_cores"].to_string(), cores);
        assert_eq!(run["threads_that_ran"].to_string(), cores);
        (nanos("work_ns") / 1e7, nanos("span_ns") / 1e7)
    };
    // Both are processor time, without waiting for a core. What exceeds them is the start of the
    // process.
    for (cores, known) in [("8", 1.0), ("64", 1.0), ("4", 2.0)] {
        // The kernel's work for a new thread counts as the thread's own. A busy machine has more of
        // it.
        let is_known = || {
            let (work, span) = run(cores);
            eprintln!("{cores} cores: work {work}, span {span}");
            (7.9..10.0).contains(&work) && (known - 0.1..known + 1.0).contains(&span)
        };
        assert!(most_of_three(is_known), "{cores} cores");
    }
}
