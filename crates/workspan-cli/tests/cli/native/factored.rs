//! `workspan scale --factored` of OpenMP programs.

use serde_json::Value;

use super::{Native, has_libomp};
use crate::project::{Ran, read_json};
use crate::scale::json_of;

/// The last thread sleeps with its task, which is work; the others wait for it. On P threads, P − 1 of P are idle.
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

const OPTIONS: [&str; 8] = [
    "scale",
    "--factored",
    "--threads",
    "1,2,3",
    "--runs",
    "1",
    "--json",
    "-",
];

/// The program, built by gcc without and with OpenMP.
fn native() -> Option<Native> {
    let native = Native::new()?;
    if !has_libomp() {
        return None;
    }
    native.share_cache();
    native.gcc(LAST_THREAD, "program", &["-O1", "-fopenmp"]);
    let serial = "#include <unistd.h>\nint main(void) { usleep(600000); }";
    native.gcc(serial, "serial", &["-O1"]);
    Some(native)
}

impl Native {
    fn scale(&self, more: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = self.lonely(&[&OPTIONS[..], more, &["--", "./program"]].concat());
        Ran::of(command.envs(variables.iter().copied()))
    }

    /// The runs of a kind that the last sweep kept.
    fn runs(&self, kind: &str) -> Vec<Value> {
        let sweep = read_json(&self.path("program.sweep.json"));
        let runs = sweep["runs"].as_array().unwrap().iter();
        let of_kind = runs.filter(|run| run["kind"] == kind && run["is_warm_up"] == false);
        of_kind.cloned().collect()
    }
}

/// The sum over the workers of a run, in nanoseconds.
fn sum(run: &Value, what: &str) -> f64 {
    let workers = run["workers"]["workers"].as_array().unwrap().iter();
    workers.map(|worker| worker[what].as_f64().unwrap()).sum()
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn idle_time_is_what_threads_wait_for_one_another() {
    let Some(native) = native() else { return };
    let ran = native.scale(&["--baseline", "./serial", "--t1-per-p"], &[]);
    ran.succeeds()
        .says("built for GCC's OpenMP runtime")
        .says("all runs have LLVM's")
        .does_not_say("workers: --t1-per-p");
    let document = json_of(&ran);
    assert_eq!(document["runtime"], "openmp");
    assert!(document["stand_in"].as_str().unwrap().contains("libomp"));
    assert_eq!(document["factored"]["imbalances"], Value::Array(Vec::new()));
    for run in native.runs("idle") {
        let threads = run["threads"].as_f64().unwrap();
        let elapsed = run["workers"]["elapsed"].as_f64().unwrap();
        let outside = run["workers"]["outside"].as_f64().unwrap();
        let idle = sum(&run, "idle") - outside;
        // Whoever is not asleep waits, also while the process starts: however late anybody wakes up, it is a thread that works.
        let share = idle / elapsed / threads;
        assert!((share - (threads - 1.0) / threads).abs() < 0.05, "{run:#}");
        let work = sum(&run, "work") + outside;
        assert!((work + idle - threads * elapsed).abs() < 0.01 * elapsed);
    }
    let points = document["factored"]["points"].as_array().unwrap();
    for point in points {
        // Of P · T_P, what lies between the speedup and the one without idle time.
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
#[ignore = "judges time: ci/full timed"]
fn a_program_has_the_same_runtime_in_all_runs() {
    let Some(native) = native() else { return };
    native.scale(&[], &[]).succeeds();
    let resume = |more: &[&str]| {
        let options = ["scale", "--threads", "1,2,3", "--runs", "1", "--resume"];
        Ran::of(&mut native.lonely(&[&options[..], more, &["--", "./program"]].concat()))
    };
    resume(&[])
        .exits(4)
        .says("the OpenMP runtime in the place of the program's own was");
    resume(&["--factored"])
        .succeeds()
        .says("in program.sweep.json already");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn the_elision_of_an_openmp_program_is_a_program_of_its_own() {
    let Some(native) = native() else { return };
    native
        .scale(&["--elision"], &[])
        .exits(2)
        .says("without -fopenmp")
        .says("--baseline");
    native
        .scale(&["--libomp", "serial"], &[])
        .exits(3)
        .says("not LLVM's OpenMP runtime");
    native
        .scale(&[], &[("OMP_TOOL", "disabled")])
        .succeeds()
        .says("OMP_TOOL=disabled");
}
