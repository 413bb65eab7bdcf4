//! The library that is built from the embedded sources, and real programs that use it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::{Native, THREADS, has_libomp};
use crate::project::{Ran, copy_workspan, read_json, script, words};
use crate::skip::skip;

impl Native {
    /// A copy of workspan without a library next to it.
    pub(super) fn standalone(&self, line: &str) -> Command {
        let own = self.path("bin/workspan");
        if !own.exists() {
            fs::create_dir_all(own.parent().unwrap()).unwrap();
            copy_workspan(&own);
        }
        self.configure(Command::new(own), line)
    }

    /// Keeps what is built for other tests.
    pub(super) fn share_cache(&self) {
        let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("native-cache");
        fs::create_dir_all(&shared).unwrap();
        symlink(&shared, self.path("cache")).unwrap();
    }

    /// Has commands keep here what they measure of the programs in the folder, as if `cargo workspan`
    /// had built these: a cache that is shared has no place for those of all tests.
    pub(super) fn keep_here(&self) {
        self.write("bin/workspan-runner", "");
    }
}

#[test]
fn an_installed_library_of_other_sources_is_refused() {
    let Some(native) = Native::new() else { return };
    let text = "#include <workspan.h>\nint main(void) { return workspan_active(); }";
    native.gcc(text, "calls", &native.cflags());
    let mut command = native.standalone("run ./calls");
    let install = |text| {
        native.library(text, "bin/libworkspan.so");
    };
    install("const char WORKSPAN_LIBRARY_SOURCES[16] = \"0123456789abcdef\";");
    Ran::new(&mut command)
        .exits(3)
        .prints("")
        .says("is not of this workspan")
        .says("remove it");
    // A version that does not contain the hash of its sources.
    install("int workspan_active(void) { return 1; }");
    Ran::new(&mut command)
        .exits(3)
        .says("is not of this workspan");
}

#[test]
fn without_a_compiler_the_message_says_how_to_get_one() {
    let Some(native) = Native::new() else { return };
    native.gcc(THREADS, "threads", "-fopenmp");
    let mut command = native.standalone("run ./threads");
    for name in ["CARGO_HOME", "RUSTC", "RUSTUP_HOME"] {
        command.env_remove(name);
    }
    Ran::new(command.env("PATH", "/nowhere").env("HOME", "/nowhere"))
        .exits(3)
        .says("there is no rustc")
        .says("rustup.rs")
        .says("WORKSPAN_GOMP_LIBRARY");
    let old = native.path("rustc");
    script(&old, "echo rustc 1.63.0");
    let mut command = native.standalone("run ./threads");
    Ran::new(command.env("RUSTC", &old))
        .exits(3)
        .says("rustc 1.63.0 is too old");
}

#[test]
fn the_library_is_built_once_and_profiles_programs_of_gcc() {
    let Some(native) = Native::new() else { return };
    // A program that it starts sees no variables of workspan.
    let text = r#"
#include <stdlib.h>
int main(void) {
    double sum = 0;
    #pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 1000; i++)
        for (int j = 0; j < 1000; j++)
            sum += 1.0 / (i + j + 1);
    return system("env | grep -c -e LD_PRELOAD -e WORKSPAN_") == 0 || sum < 0;
}
"#;
    native.gcc(text, "sums", "-O1 -g -fopenmp");
    native.share_cache();
    let line = "run --json out.json --threads 4 ./sums";
    let run = || Ran::new(&mut native.standalone(line));
    let first = run();
    first.succeeds().prints("0\n").says("\nTry: ");
    let profile = read_json(&native.path("out.json"));
    let totals = &profile["totals"];
    assert!(
        totals["work_ns"].as_u64() > totals["span_ns"].as_u64(),
        "{totals}"
    );
    run().succeeds().does_not_say("building libworkspan.so");
}

#[test]
fn functions_with_clangs_sleds_are_measured_exactly() {
    let Some(native) = Native::new() else { return };
    if !has_libomp() {
        return;
    }
    native.write(
        "rows.c",
        r#"
#include <stdio.h>
static double row(int i) {
    double sum = 0;
    for (int j = 0; j < 2000; j++)
        sum += 1.0 / (i + j + 1);
    return sum;
}
int main(void) {
    double sum = 0;
    #pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 400; i++)
        sum += row(i);
    printf("%d\n", sum > 0);
    return 0;
}
"#,
    );
    for line in [
        "-g -O1 -fno-inline -fopenmp -c rows.c -fxray-instrument -fxray-instruction-threshold=1",
        "-fopenmp rows.o -o rows",
    ] {
        let mut clang = Command::new("clang");
        match clang
            .current_dir(native.path(""))
            .args(words(line))
            .output()
        {
            Ok(output) => assert!(output.status.success(), "{output:?}"),
            Err(_) => {
                skip("clang", "not installed (`ci/setup` installs it)");
                return;
            }
        }
    }
    native.share_cache();
    let line = "run --functions exact --function-bytes 1 --json out.json --no-report ./rows";
    Ran::new(&mut native.standalone(line))
        .succeeds()
        .prints("1\n");
    let profile = read_json(&native.path("out.json"));
    let sites = profile["sites"].as_array().unwrap();
    let calls: u64 = sites
        .iter()
        .filter(|site| site["kind"] == "function" && site["name"] == "row")
        .filter_map(|site| site["on_work"]["count"].as_u64())
        .sum();
    assert_eq!(calls, 400, "{}", profile["sites"]);
}
