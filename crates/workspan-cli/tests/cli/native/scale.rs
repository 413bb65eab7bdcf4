//! `workspan scale` of C programs, which it profiles once before it measures them.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{Native, TEAMS, has_libomp};
use crate::project::{Ran, interruptible, read_json};
use crate::resume::{send, wait_for};
use crate::scale::{counted, lines};
use crate::stand_in::shell_script;

/// An OpenMP program that records its argument and its variables in each run.
const RECORDING: &str = r#"
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

/// The program, and a library in place of libworkspan.so that records the variables of profiled
/// runs.
fn native() -> Option<Native> {
    let native = Native::new()?;
    native.share_cache();
    native.keep_here();
    native.gcc(RECORDING, "program", "-fopenmp");
    native.stand_in();
    let script = "echo \"${OMP_NUM_THREADS:--} ${COUNT:--}\" >> profiled";
    native.write("write-profile", &shell_script(script));
    Some(native)
}

impl Native {
    /// `workspan scale LINE`, with the library in place of libworkspan.so.
    fn scale_command(&self, line: &str) -> Command {
        let mut command = self.command(&format!("scale {line}"));
        self.with_stand_in(&mut command);
        command
    }

    /// Runs `workspan scale LINE`, with one run for each number of threads.
    fn scale_once(&self, line: &str) -> Ran {
        Ran::new(&mut self.scale_command(&format!("--runs 1 --json sweep.json {line}")))
    }

    /// The variables of the profiled runs, one run a line.
    fn profiled(&self) -> Vec<String> {
        let file = self.path("profiled");
        match file.exists() {
            true => lines(file),
            false => Vec::new(),
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
fn an_openmp_program_is_profiled_once_and_then_measured_plain() {
    let Some(native) = native() else { return };
    native
        .scale_once("--threads 1,2 ./program")
        .succeeds()
        .says("one profiled run for the bounds")
        .does_not_say("nothing is profiled")
        .does_not_show("LD_PRELOAD=");
    assert_eq!(native.profiled(), ["2 -"]);
    // The profiled run, and for each number of threads a warm-up and a run that counts.
    let ran = lines(native.path("ran"));
    assert_eq!(ran[0], "- 2 -");
    assert_eq!(ran.len(), 1 + 2 * 2, "{ran:?}");
    // 1 ms of work on a span of 400 µs.
    assert!(native.upper_bound().is_some_and(|upper| upper > 1.5));
    let sweep = read_json(&native.path("program.sweep.json"));
    assert_eq!(counted(&sweep, "plain"), [1, 2]);

    // Never a team of one thread, which would show nothing, however few processors there are.
    native
        .scale_once("--threads 1,200 ./program")
        .succeeds()
        .says("each timed by its own processor time");
    assert_eq!(native.profiled(), ["2 -", "200 -"]);
}

/// Otherwise the bounds and the prediction would be those of another program.
#[test]
fn all_runs_have_the_runtime_of_the_profile() {
    let Some(native) = native() else { return };
    if !has_libomp() {
        return;
    }
    native.gcc(TEAMS, "teams", "-fopenmp");
    let stand_in = |line: &str| {
        native
            .scale_once(&format!("--threads 1,2 {line}"))
            .succeeds();
        read_json(&native.path("sweep.json"))["stand_in"].clone()
    };
    assert!(stand_in("./program").is_null());
    assert!(stand_in("--no-prediction ./teams").is_null());
    let libomp = stand_in("./teams");
    assert!(libomp.as_str().unwrap().contains("libomp"), "{libomp}");
}

#[test]
fn a_profiled_run_gets_its_threads_like_the_others() {
    let Some(native) = native() else { return };
    native
        .scale_once("--threads 2 --set-threads COUNT ./program t{threads}")
        .succeeds();
    assert_eq!(native.profiled(), ["- 2"]);
    assert_eq!(lines(native.path("ran"))[0], "t2 - 2");
}

#[test]
fn options_can_prevent_the_profiled_run() {
    let Some(native) = native() else { return };
    let scale = |options: &str| {
        let ran = native.scale_once(&format!("--threads 1,2 {options} -- ./program {{threads}}"));
        ran.succeeds().does_not_say("one profiled run");
        assert_eq!(native.upper_bound(), None, "{options}");
        ran
    };
    scale("--no-prediction").does_not_say("nothing is profiled");
    scale("--launcher env")
        .says("nothing is profiled")
        .says("the runs are made elsewhere");
    assert_eq!(native.profiled(), Vec::<String>::new());
    native
        .scale_once("--no-prediction --profiled a.wsp ./program")
        .exits(2);
}

#[test]
fn the_profiled_run_leaves_standard_input_to_the_others() {
    let Some(native) = native() else { return };
    native.write("input", "a");
    let mut command = native.scale_command("--runs 1 --threads 1 ./program");
    Ran::new(command.stdin(fs::File::open(native.path("input")).unwrap())).succeeds();
    assert_eq!(native.profiled().len(), 1);
    assert_eq!(lines(native.path("read")), ["97", "97", "97"]);
}

/// Otherwise a profiled run of minutes would be lost.
#[test]
fn a_sweep_is_refused_before_the_profiled_run() {
    let Some(native) = native() else { return };
    native
        .scale_once("--factored --elision ./program")
        .exits(2)
        .says("--elision")
        .does_not_say("one profiled run");
    assert!(native.profiled().is_empty());
}

/// A signal to the command alone ends the program, and leaves nothing behind.
#[test]
fn an_interrupted_profiled_run_ends_the_sweep() {
    let Some(native) = native() else { return };
    let text = "#include <stdio.h>\n#include <unistd.h>\n#include <omp.h>\n\
                int main(void) { omp_get_max_threads(); fclose(fopen(\"waits\", \"w\")); sleep(600); return 0; }";
    native.gcc(text, "waiting", "-fopenmp");
    fs::create_dir(native.path("temporary")).unwrap();
    let workspan = interruptible(env!("CARGO_BIN_EXE_workspan"));
    let mut child = native
        .configure(workspan, "scale --threads 1 -- ./waiting")
        .env("WORKSPAN_LIBRARY", native.path("libworkspan.so"))
        .env("WORKSPAN_GOMP_LIBRARY", native.path("libworkspan_gomp.so"))
        .env("TMPDIR", native.path("temporary"))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&native.path("waits"), &mut child);
    let start = Instant::now();
    send("-INT", &child);
    Ran::from(child.wait_with_output().unwrap())
        .exits(130)
        .says("interrupted by signal 2 in the profiled run");
    assert!(start.elapsed() < Duration::from_secs(600));
    let left: Vec<_> = fs::read_dir(native.path("temporary")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!native.path("waiting.sweep.json").exists());
}

#[test]
fn without_a_profile_the_sweep_goes_on() {
    let Some(native) = native() else { return };
    // A program that exits without writing a profile.
    let text = "#include <unistd.h>\nvoid workspan_sync(void) __attribute__((weak));\n\
                int main(void) { if (workspan_sync) workspan_sync(); _exit(0); }";
    native.gcc(text, "leaves", "");
    native.library("", "libworkspan.so");
    native
        .scale_once("--threads 1 ./leaves")
        .succeeds()
        .says("no profile was written")
        .says("the sweep is without bounds");
    assert_eq!(native.upper_bound(), None);

    // Reasons that are known before the run are reported in one line.
    let mut command = native.scale_command("--runs 1 --threads 1 ./program");
    Ran::new(command.env("WORKSPAN_LIBRARY", "/no/such/libworkspan.so"))
        .succeeds()
        .says("no bounds and no prediction: WORKSPAN_LIBRARY names")
        .does_not_say("error")
        .does_not_say("one profiled run");
    native.program_with("libtbb.so.12", "int nothing;");
    native
        .scale_once("--threads 1 ./program")
        .succeeds()
        .says("no bounds and no prediction: `./program` uses oneTBB")
        .says("$(workspan cxxflags)")
        .does_not_say("error");
}
