//! `workspan scale --factored` of OpenMP programs.

use std::process::Command;

use serde_json::Value;

use super::{Native, has_libomp};
use crate::project::{Ran, read_json};

/// The last thread sleeps in its task, which counts as work, and the others wait for it. On P
/// threads, P − 1 are idle.
const LAST_THREAD: &str = r#"
#include <omp.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
    int threads = omp_get_max_threads();
    #pragma omp parallel
    if (omp_get_thread_num() == omp_get_num_threads() - 1)
        usleep(600000);
    printf("%d\n", threads > 0);
    return 0;
}
"#;

const SCALE: &str = "scale --threads 1,2,3 --runs 1";

/// The program, built by gcc with OpenMP and without.
fn native() -> Option<Native> {
    let native = Native::new()?;
    native.share_cache();
    native.keep_here();
    native.gcc(LAST_THREAD, "program", "-O1 -fopenmp");
    let serial = "#include <unistd.h>\nint main(void) { usleep(600000); }";
    native.gcc(serial, "serial", "-O1");
    Some(native)
}

impl Native {
    fn scale(&self, options: &str) -> Command {
        self.standalone(&format!(
            "{SCALE} --factored --json - {options} -- ./program"
        ))
    }

    /// The runs of a kind that the last sweep kept.
    fn runs(&self, kind: &str) -> Vec<Value> {
        let sweep = read_json(&self.path("program.sweep.json"));
        let runs = sweep["runs"].as_array().unwrap().iter();
        runs.filter(|run| run["kind"] == kind && run["is_warm_up"] == false)
            .cloned()
            .collect()
    }
}

/// The sum over the workers of a run, in nanoseconds.
fn sum(run: &Value, what: &str) -> f64 {
    let workers = run["workers"]["workers"].as_array().unwrap().iter();
    workers.map(|worker| worker[what].as_f64().unwrap()).sum()
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn idle_time_is_the_time_that_threads_wait_for_each_other() {
    let Some(native) = native() else { return };
    let options = "--baseline ./serial --t1-per-p";
    let ran = Ran::new(&mut native.scale(options));
    ran.succeeds()
        .does_not_say("stands in")
        .does_not_say("workers: --t1-per-p");
    assert!(ran.json()["stand_in"].is_null());
    assert_idle_time(&native, &ran.json());
    if !has_libomp() {
        return;
    }
    let ran = Ran::new(&mut native.scale(&format!("{options} --libomp libomp")));
    ran.succeeds()
        .says("built for GCC's OpenMP runtime")
        .says("in all runs");
    let document = ran.json();
    assert!(document["stand_in"].as_str().unwrap().contains("libomp"));
    assert_idle_time(&native, &document);
}

/// Asserts that on P threads P − 1 wait.
fn assert_idle_time(native: &Native, document: &Value) {
    assert_eq!(document["runtime"], "openmp");
    assert_eq!(document["factored"]["imbalances"], Value::Array(Vec::new()));
    for run in native.runs("idle") {
        let threads = run["threads"].as_f64().unwrap();
        let elapsed = run["workers"]["elapsed"].as_f64().unwrap();
        let outside = run["workers"]["outside"].as_f64().unwrap();
        let idle = sum(&run, "idle") - outside;
        // Threads that do not sleep are waiting, even while the process starts. A thread that wakes
        // up late only works for longer.
        let share = idle / elapsed / threads;
        assert!((share - (threads - 1.0) / threads).abs() < 0.05, "{run:#}");
        let work = sum(&run, "work") + outside;
        assert!((work + idle - threads * elapsed).abs() < 0.01 * elapsed);
    }
    let points = document["factored"]["points"].as_array().unwrap();
    for point in points {
        // The share of P · T_P between the actual speedup and the one without idle time.
        let of = |what: &str| point[what]["value"].as_f64().unwrap();
        let (actual, threads) = (of("actual"), point["threads"].as_f64().unwrap());
        let idle_share = 1.0 - actual / of("inflation_specific");
        assert!(
            (idle_share - (threads - 1.0) / threads).abs() < 0.05,
            "{point:#}"
        );
    }
    assert_eq!(native.runs("one_worker").len(), 3);
}

#[test]
fn a_program_has_the_same_runtime_in_all_runs() {
    let Some(native) = native() else { return };
    if !has_libomp() {
        return;
    }
    Ran::new(&mut native.scale("--libomp libomp")).succeeds();
    let resume = |options: &str| {
        let line = format!("{SCALE} --resume {options} -- ./program");
        Ran::new(&mut native.standalone(&line))
    };
    resume("--factored")
        .exits(4)
        .says("the OpenMP runtime in the place of the program's own was");
    resume("--factored --libomp libomp")
        .succeeds()
        .says("/program.sweep.json already");
}

#[test]
fn the_elision_of_an_openmp_program_is_a_program_of_its_own() {
    let Some(native) = native() else { return };
    Ran::new(&mut native.scale("--elision"))
        .exits(2)
        .says("without -fopenmp")
        .says("--baseline");
    Ran::new(&mut native.scale("--libomp serial"))
        .exits(3)
        .says("not LLVM's OpenMP runtime");
    Ran::new(native.scale("").env("OMP_TOOL", "disabled"))
        .succeeds()
        .says("OMP_TOOL=disabled");
}
