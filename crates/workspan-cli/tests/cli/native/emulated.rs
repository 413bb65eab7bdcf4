//! Instructions of OpenMP programs, counted by an emulator.

use super::{Native, has_libomp};
use crate::emulated::has_emulator;
use crate::project::{Ran, read_json, site};

/// Eight iterations of `n` times two instructions each.
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
    if !has_libomp() || !has_emulator() {
        return;
    }
    native.share_cache();
    native.gcc(LOOP, "loop", &["-O1", "-g", "-fopenmp"]);
    for (threads, in_turn) in [("1", 8), ("4", 2)] {
        let run = |n: &str| {
            let mut options = vec!["run", "--emulate", "--no-record", "--no-report"];
            options.extend(["--threads", threads, "--json", "out.json", "./loop", n]);
            Ran::of(&mut native.lonely(&options)).succeeds();
            let profile = read_json(&native.path("out.json"));
            let parallel = site(&profile, "parallel");
            assert_eq!(parallel["line"], 5, "{parallel:#}");
            let work = parallel["on_work"]["local_work_count"].as_i64();
            // The serial code is the runtime's start, which reads what the machine says of itself.
            let serial = site(&profile, "root")["on_work"]["local_work_count"].as_i64();
            let span = profile["totals"]["span_count"].as_i64();
            (work.unwrap(), span.unwrap() - serial.unwrap())
        };
        // What the runtime itself does for a loop may hang on which thread comes first.
        let is_near = |found: i64, iterations: i64| (found - 400_000 * iterations).abs() < 2_000;
        let longer = || {
            let (less, more) = (run("100000"), run("300000"));
            (more.0 - less.0, more.1 - less.1)
        };
        let is_known = |&(work, span): &(i64, i64)| is_near(work, 8) && is_near(span, in_turn);
        let found: Vec<(i64, i64)> = (0..3)
            .map(|_| longer())
            .take_while(|found| !is_known(found))
            .collect();
        assert!(
            found.len() < 3,
            "{threads} threads: work and span {found:?}"
        );
    }
}
