//! The libraries and variables that a C program is started with.

use super::{Native, TEAMS, THREADS, has_libomp};
use crate::project::{Ran, read_json};

/// A program with gcc's OpenMP, and a library in place of libworkspan.so.
fn openmp() -> Option<Native> {
    let native = Native::new()?;
    native.gcc(THREADS, "threads", "-fopenmp");
    native.stand_in();
    Some(native)
}

impl Native {
    /// Runs `workspan run --no-report LINE` with the library in place of libworkspan.so.
    fn run_with_stand_in(&self, line: &str, variables: &[(&str, &str)]) -> Ran {
        let mut command = self.command(&format!("run --no-report {line}"));
        let command = self.with_stand_in(&mut command);
        Ran::new(command.envs(variables.iter().copied()))
    }
}

#[test]
fn a_program_of_gcc_keeps_its_runtime_and_the_users_library() {
    let Some(native) = openmp() else { return };
    let users = native.library("", "users.so");
    let users = users.to_str().unwrap();
    let ran = native.run_with_stand_in("--threads 3 ./threads", &[("LD_PRELOAD", users)]);
    let [library, gomp] = ["libworkspan.so", "libworkspan_gomp.so"]
        .map(|file| native.path(file).display().to_string());
    ran.succeeds()
        .shows(&format!("LD_PRELOAD={library}:{gomp}:{users}\n"))
        .shows(&format!("WORKSPAN_USER_LD_PRELOAD={users}\n"))
        .shows("OMP_NUM_THREADS=3\n")
        .shows("WORKSPAN_ASSUME_CORES=0\nWORKSPAN_THREADS=3\n")
        .shows("3 threads\n")
        .does_not_say("runtime")
        .does_not_show("WORKSPAN_CLOCK");
}

#[test]
fn llvms_runtime_stands_in_for_gccs_if_the_user_asks_for_it() {
    let Some(native) = openmp() else { return };
    if !has_libomp() {
        return;
    }
    native
        .run_with_stand_in("--libomp libomp --threads 3 ./threads", &[])
        .succeeds()
        .shows(&format!("{}:/", native.path("libworkspan.so").display()))
        .shows("libomp.so.5\n")
        .shows("3 threads\n")
        .says("`./threads` is built for GCC's OpenMP runtime")
        .says("stands in for it");
}

#[test]
fn llvms_runtime_stands_in_where_gccs_cannot_be_followed() {
    let Some(native) = openmp() else { return };
    native.gcc(TEAMS, "teams", "-fopenmp");
    let run = |options: &str| native.run_with_stand_in(&format!("{options} ./teams"), &[]);
    run("--libomp libgomp")
        .exits(3)
        .says("`./teams` calls GOMP_teams_reg of GCC's OpenMP runtime")
        .says(if has_libomp() {
            "leave out `--libomp libgomp`"
        } else {
            "apt install libomp5-19"
        });
    if !has_libomp() {
        return;
    }
    run("")
        .succeeds()
        .shows("libomp.so.5\n")
        .shows("a team\n")
        .says("`./teams` calls GOMP_teams_reg of GCC's OpenMP runtime")
        .says("stands in, with its own chunks and locks");
}

/// The plain runs print nowhere, so the program leaves a file.
#[test]
fn runs_without_a_profile_have_the_runtime_of_the_profile() {
    let Some(native) = openmp() else { return };
    if !has_libomp() {
        return;
    }
    let text = r#"
#include <stdio.h>
int main(void) {
    #pragma omp parallel
    #pragma omp single
    {
        FILE *maps = fopen("/proc/self/maps", "r"), *file = fopen("ran", "a");
        char line[1000];
        int has_libomp = 0;
        while (fgets(line, sizeof line, maps))
            for (char *at = line; *at; at++)
                has_libomp |= !__builtin_strncmp(at, "/libomp", 7);
        fprintf(file, "%d\n", has_libomp);
        fclose(file);
    }
    return 0;
}
"#;
    native.gcc(text, "runs", "-fopenmp");
    for (options, has_libomp) in [("", "0"), ("--libomp libomp", "1")] {
        native.write("ran", "");
        native
            .run_with_stand_in(&format!("--baseline {options} ./runs"), &[])
            .succeeds();
        let ran = std::fs::read_to_string(native.path("ran")).unwrap();
        // The profiled run, and at least one pair of plain ones where there is more than one
        // processor.
        let least = match std::thread::available_parallelism().unwrap().get() {
            1 => 1,
            _ => 3,
        };
        assert!(ran.lines().count() >= least, "{options}: {ran}");
        assert!(
            ran.lines().all(|line| line == has_libomp),
            "{options}: {ran}"
        );
    }
}

#[test]
fn assumed_cores_are_threads_timed_individually() {
    let Some(native) = openmp() else { return };
    native
        .run_with_stand_in("--assume-cores 200 ./threads", &[])
        .succeeds()
        .shows("OMP_NUM_THREADS=200\nOMP_DYNAMIC=false\nOMP_WAIT_POLICY=passive\n")
        .shows("WORKSPAN_CLOCK=thread\nWORKSPAN_ASSUME_CORES=200\nWORKSPAN_THREADS=200\n")
        .shows("200 threads\n")
        .says("200 threads run on")
        .says("each timed by its own processor time");
    let own_clock = "--assume-cores 200 --clock monotonic ./threads";
    native
        .run_with_stand_in(own_clock, &[])
        .succeeds()
        .shows("WORKSPAN_CLOCK=monotonic\n")
        .does_not_say("processor time");
}

#[test]
fn the_users_number_of_threads_counts() {
    let Some(native) = openmp() else { return };
    native
        .run_with_stand_in("./threads", &[("OMP_NUM_THREADS", "5")])
        .succeeds()
        .shows("5 threads\n");
    native
        .run_with_stand_in("--threads 4 ./threads", &[("OMP_THREAD_LIMIT", "2")])
        .succeeds()
        .says("OMP_THREAD_LIMIT=2 allows no more than 2 threads");
}

#[test]
fn target_regions_are_left_alone_with_a_notice() {
    let Some(native) = openmp() else { return };
    let text = r#"
#include <stdio.h>
int main(void) {
    int sum = 0;
    #pragma omp target map(tofrom : sum)
    for (int i = 0; i < 10; i++)
        sum += i;
    printf("sum %d\n", sum);
    return 0;
}
"#;
    native.gcc(text, "target", "-fopenmp");
    native
        .run_with_stand_in("./target", &[])
        .succeeds()
        .shows("sum 45\n")
        .says("`./target` has `target` regions");
}

#[test]
fn other_tools_are_overridden() {
    let Some(native) = openmp() else { return };
    native
        .run_with_stand_in("./threads", &[("OMP_TOOL", "disabled")])
        .succeeds()
        .shows("OMP_TOOL=enabled\n")
        .says("OMP_TOOL=disabled would keep workspan from seeing anything");
    native
        .run_with_stand_in("./threads", &[("OMP_TOOL_LIBRARIES", "/o/tool.so")])
        .succeeds()
        .says("OMP_TOOL_LIBRARIES names another tool for OpenMP (/o/tool.so)");
}

#[test]
fn opencilk_runs_serially() {
    let Some(native) = Native::new() else { return };
    native.stand_in();
    let text = "void __csi_func_entry(long, unsigned long) __attribute__((weak));\n\
                int main(void) { if (__csi_func_entry) __csi_func_entry(0, 0); return 0; }";
    native.gcc(text, "cilk", "");
    native
        .run_with_stand_in("--threads 2 ./cilk", &[])
        .succeeds()
        .shows("CILK_NWORKERS=1\n")
        .says("--threads changes nothing here");
}

#[test]
fn an_option_names_what_is_loaded_later() {
    let Some(native) = openmp() else { return };
    if !has_libomp() {
        return;
    }
    native.gcc("int main(void) { return 0; }", "plain", "");
    let run = |what: &str| native.run_with_stand_in(&format!("--runtime {what} ./plain"), &[]);
    run("openmp").succeeds().shows("libomp.so.5");
    run("calls").succeeds().shows("LD_PRELOAD=");
}

#[test]
fn a_library_that_ld_preload_cannot_name_is_loaded_through_a_link() {
    let Some(native) = openmp() else { return };
    std::fs::create_dir(native.path("with blank")).unwrap();
    let library = native.path("with blank/libworkspan.so");
    std::fs::rename(native.path("libworkspan.so"), &library).unwrap();
    let mut command = native.command("run --no-report ./threads");
    let command = native.with_stand_in(&mut command);
    Ran::new(command.env("WORKSPAN_LIBRARY", &library))
        .succeeds()
        .shows("/libworkspan.so:/");
    Ran::new(command.env("WORKSPAN_LIBRARY", "/no/such/libworkspan.so"))
        .exits(3)
        .says("WORKSPAN_LIBRARY names `/no/such/libworkspan.so`");
}

#[test]
fn a_program_that_exits_without_a_profile_is_explained() {
    let Some(native) = Native::new() else { return };
    native.library("", "libworkspan.so");
    let text = "#include <unistd.h>\nvoid workspan_sync(void) __attribute__((weak));\n\
                int main(void) { if (workspan_sync) workspan_sync(); _exit(0); }";
    native.gcc(text, "leaves", "");
    native
        .run_with_stand_in("./leaves", &[])
        .exits(0)
        .says("no profile was written")
        .says("`_exit`");
}

#[test]
fn a_sweep_sets_the_threads_of_an_openmp_program_by_its_own_variable() {
    let Some(native) = openmp() else { return };
    let line = "scale --no-prediction --threads 1,2 --runs 2 --json sweep.json ./threads";
    Ran::new(&mut native.command(line)).succeeds();
    let sweep = read_json(&native.path("sweep.json"));
    assert_eq!(sweep["threads_variable"], "OMP_NUM_THREADS");
}

/// oneTBB reads no variable, and makes as many threads as there are processors. The library here is
/// empty, which makes no difference.
#[test]
fn a_sweep_sets_the_threads_of_a_onetbb_program_by_its_processors() {
    let Some(native) = Native::new() else { return };
    native.program_with("libtbb.so.12", "int nothing;");
    let sweep = |more: &str| {
        let line = format!("scale --threads 1 --runs 1 --json sweep.json {more} ./program");
        let ran = Ran::new(&mut native.command(&line));
        ran.succeeds();
        let variable = read_json(&native.path("sweep.json"))["threads_variable"].clone();
        (ran, variable)
    };
    let (ran, variable) = sweep("--pin compact --report -");
    assert!(variable.is_null(), "{variable}");
    ran.says("no variable tells oneTBB")
        .shows("as many as a run has processors");
    let (ran, variable) = sweep("--pin none");
    assert!(variable.is_null(), "{variable}");
    ran.says("they all have the same number of threads");
    let (ran, variable) = sweep("--set-threads COUNT");
    assert_eq!(variable, "COUNT");
    ran.does_not_say("no variable tells");
}
