//! `workspan scale` of programs of C, which it profiles once before it measures them.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{Native, has_libomp};
use crate::project::{Ran, interruptible, read_json};
use crate::resume::{send, wait_for};
use crate::scale::{counted, lines};
use crate::stand_in::shell_script;

/// An OpenMP program that writes down its argument and what variables tell it, once a run.
const TOLD: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static const char *told(const char *name) {
    const char *value = getenv(name);
    return value == NULL ? "-" : value;
}
int main(int count, char **words) {
    int threads = 0;
    #pragma omp parallel reduction(+ : threads)
    threads += 1;
    FILE *file = fopen("ran", "a");
    fprintf(file, "%s %s %s\n", count > 1 ? words[1] : "-", told("OMP_NUM_THREADS"), told("COUNT"));
    fclose(file);
    file = fopen("read", "a");
    fprintf(file, "%d\n", getchar());
    fclose(file);
    printf("%d threads\n", threads);
    return 0;
}
"#;

/// The program beside a library in the place of libworkspan.so, which writes down what a profiled run was told.
fn native() -> Option<Native> {
    let native = Native::new()?;
    if !has_libomp() {
        return None;
    }
    native.share_cache();
    native.gcc(TOLD, "program", &["-fopenmp"]);
    native.stand_in();
    let script = "echo \"${OMP_NUM_THREADS:--} ${COUNT:--}\" >> profiled";
    native.write("write-profile", &shell_script(script));
    Some(native)
}

impl Native {
    /// `workspan scale OPTIONS -- PROGRAM`, with one run for each number of threads.
    fn scale_once(&self, options: &[&str], program: &[&str]) -> Ran {
        let fixed = ["scale", "--runs", "1", "--json", "sweep.json"];
        let mut command = self.command(&[&fixed[..], options, &["--"], program].concat());
        command.env("WORKSPAN_LIBRARY", self.path("libworkspan.so"));
        Ran::of(&mut command)
    }

    /// What profiled runs were told, one a line; none if there were none.
    fn profiled(&self) -> Vec<String> {
        match self.path("profiled") {
            file if file.exists() => lines(file),
            _ => Vec::new(),
        }
    }

    /// The upper bound of the speedup with the most threads.
    fn upper_bound(&self) -> Option<f64> {
        let sweep = read_json(&self.path("sweep.json"));
        let points = sweep["scaling"]["points"].as_array().unwrap();
        points.last().unwrap()["upper"].as_f64()
    }
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn an_openmp_program_is_profiled_once_and_then_measured_plain() {
    let Some(native) = native() else { return };
    let ran = native.scale_once(&["--threads", "1,2"], &["./program"]);
    ran.succeeds()
        .says("one profiled run for the bounds")
        .does_not_say("nothing is profiled");
    assert!(!ran.stdout.contains("LD_PRELOAD="), "{ran:#?}");
    assert_eq!(native.profiled(), ["2 -"]);
    // On its own, and of each number one to warm up and one that counts.
    let told = lines(native.path("ran"));
    assert_eq!(told[0], "- 2 -");
    assert_eq!(told.len(), 1 + 2 * 2, "{told:?}");
    // 1 ms of work on a span of 400 µs.
    assert!(native.upper_bound().is_some_and(|upper| upper > 1.5));
    let runs = counted(&read_json(&native.path("program.sweep.json")));
    assert_eq!(runs.len(), 2, "{runs:?}");

    // One team of one thread would tell nothing, however few processors there are.
    native
        .scale_once(&["--threads", "1,200"], &["./program"])
        .succeeds()
        .says("each timed by its own processor time");
    assert_eq!(native.profiled(), ["2 -", "200 -"]);
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn a_profiled_run_is_told_its_threads_as_the_others_are() {
    let Some(native) = native() else { return };
    let options = ["--threads", "2", "--set-threads", "COUNT"];
    native
        .scale_once(&options, &["./program", "t{threads}"])
        .succeeds();
    assert_eq!(native.profiled(), ["- 2"]);
    assert_eq!(lines(native.path("ran"))[0], "t2 - 2");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn what_is_not_to_be_profiled_is_not() {
    let Some(native) = native() else { return };
    let scale = |options: &[&str]| {
        let ran = native.scale_once(
            &[&["--threads", "1,2"], options].concat(),
            &["./program", "{threads}"],
        );
        ran.succeeds().does_not_say("one profiled run");
        assert_eq!(native.upper_bound(), None, "{options:?}");
        ran
    };
    scale(&["--no-prediction"]).does_not_say("nothing is profiled");
    scale(&["--launcher", "env"])
        .says("nothing is profiled")
        .says("the runs are made elsewhere");
    assert_eq!(native.profiled(), Vec::<String>::new());
    native
        .scale_once(&["--no-prediction", "--profiled", "a.wsp"], &["./program"])
        .exits(2);
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn the_profiled_run_leaves_standard_input_to_the_others() {
    let Some(native) = native() else { return };
    native.write("input", "a");
    let mut command = native.command(&["scale", "--runs", "1", "--threads", "1", "./program"]);
    command
        .env("WORKSPAN_LIBRARY", native.path("libworkspan.so"))
        .stdin(fs::File::open(native.path("input")).unwrap());
    Ran::of(&mut command).succeeds();
    assert_eq!(native.profiled().len(), 1);
    assert_eq!(lines(native.path("read")), ["97", "97", "97"]);
}

/// A signal to the command alone ends the program, and leaves nothing.
/// A run of minutes would be lost.
#[test]
#[ignore = "judges time: ci/full timed"]
fn what_refuses_the_sweep_comes_before_the_profiled_run() {
    let Some(native) = native() else { return };
    let ran = native.scale_once(&["--factored", "--elision"], &["./program"]);
    assert!(!ran.stderr.contains("one profiled run"), "{}", ran.stderr);
    ran.exits(2).says("--elision");
    assert!(native.profiled().is_empty());
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn an_interrupted_profiled_run_is_the_end() {
    let Some(native) = native() else { return };
    let text = "#include <stdio.h>\n#include <unistd.h>\n#include <omp.h>\n\
                int main(void) { omp_get_max_threads(); fclose(fopen(\"waits\", \"w\")); sleep(60); return 0; }";
    native.gcc(text, "waiting", &["-fopenmp"]);
    fs::create_dir(native.path("temporary")).unwrap();
    let like = native.command(&["scale", "--threads", "1", "--", "./waiting"]);
    let mut command = interruptible(env!("CARGO_BIN_EXE_workspan"));
    command.args(like.get_args()).current_dir(native.path(""));
    for (name, value) in like.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let mut child = command
        .env("WORKSPAN_LIBRARY", native.path("libworkspan.so"))
        .env("TMPDIR", native.path("temporary"))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&native.path("waits"), &mut child);
    let begun = Instant::now();
    send("-INT", &child);
    Ran::from(child.wait_with_output().unwrap())
        .exits(130)
        .says("interrupted by signal 2 in the profiled run");
    assert!(begun.elapsed() < Duration::from_secs(50));
    let left: Vec<_> = fs::read_dir(native.path("temporary")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!native.path("waiting.sweep.json").exists());
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn without_a_profile_the_sweep_goes_on() {
    let Some(native) = native() else { return };
    // Nobody would ask why no profile was written of a program that leaves so.
    let text = "#include <unistd.h>\nvoid workspan_sync(void) __attribute__((weak));\n\
                int main(void) { if (workspan_sync) workspan_sync(); _exit(0); }";
    native.gcc(text, "leaves", &[]);
    native.library("", "libworkspan.so");
    native
        .scale_once(&["--threads", "1"], &["./leaves"])
        .succeeds()
        .says("no profile was written")
        .says("the sweep is without bounds");
    assert_eq!(native.upper_bound(), None);

    // What its file tells is said in one line.
    let mut command = native.command(&["scale", "--runs", "1", "--threads", "1", "./program"]);
    command.env("WORKSPAN_LIBRARY", "/no/such/libworkspan.so");
    Ran::of(&mut command)
        .succeeds()
        .says("no bounds and no prediction: WORKSPAN_LIBRARY names")
        .does_not_say("error")
        .does_not_say("one profiled run");
    native.program_with("libtbb.so.12", "int nothing;");
    native
        .scale_once(&["--threads", "1"], &["./program"])
        .succeeds()
        .says("no bounds and no prediction: `./program` uses oneTBB")
        .says("$(workspan cxxflags)")
        .does_not_say("error");
}
