//! Instructions of OpenMP programs, counted by an emulator.

use super::Native;
use crate::emulated::has_emulator;
use crate::project::{Ran, most_of_three, read_json, site};

/// Eight iterations, each with two instructions `n` times.
const LOOP: &str = r#"
#include <stdlib.h>
int main(int count, char **arguments) {
    long n = atol(arguments[1]);
    #pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 8; i++)
        __asm__ volatile("mov %0, %%rax\n1: dec %%rax\njnz 1b" ::"r"(n) : "rax");
    return 0;
}
"#;

#[test]
#[ignore = "judges time: ci/full timed"]
fn each_thread_has_a_counter_of_its_own() {
    let Some(native) = Native::new() else { return };
    if !has_emulator() {
        return;
    }
    native.share_cache();
    native.gcc(LOOP, "loop", "-O1 -g -fopenmp");
    for (threads, in_turn) in [(1, 8), (4, 2)] {
        let run = |n: u32| {
            let options = format!("--no-record --no-report --threads {threads} --json out.json");
            let line = format!("run --emulate {options} ./loop {n}");
            Ran::new(&mut native.standalone(&line)).succeeds();
            let profile = read_json(&native.path("out.json"));
            let parallel = site(&profile, "parallel");
            assert_eq!(parallel["line"], 5, "{parallel:#}");
            let work = parallel["on_work"]["local_work_count"].as_i64();
            // The serial code is the start of the runtime, which depends on the machine.
            let serial = site(&profile, "root")["on_work"]["local_work_count"].as_i64();
            let span = profile["totals"]["span_count"].as_i64();
            (work.unwrap(), span.unwrap() - serial.unwrap())
        };
        // The runtime's own work for a loop may depend on which thread comes first.
        let is_near = |found: i64, iterations: i64| (found - 400_000 * iterations).abs() < 2_000;
        let is_known = || {
            let (less, more) = (run(100_000), run(300_000));
            let (work, span) = (more.0 - less.0, more.1 - less.1);
            eprintln!("{threads} threads: work {work}, span {span}");
            is_near(work, 8) && is_near(span, in_turn)
        };
        assert!(most_of_three(is_known), "{threads} threads");
    }
}
