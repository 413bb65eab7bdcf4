//! The library built from the embedded sources, and real programs with it.

use std::fs;
use std::os::unix::fs::symlink;

use super::{Native, THREADS, has_libomp};
use crate::project::Ran;

impl Native {
    /// A copy of workspan with no library beside it.
    pub(super) fn lonely(&self, arguments: &[&str]) -> std::process::Command {
        let own = self.path("bin/workspan");
        if !own.exists() {
            fs::create_dir_all(own.parent().unwrap()).unwrap();
            fs::copy(env!("CARGO_BIN_EXE_workspan"), &own).unwrap();
        }
        let like = self.command(arguments);
        let mut command = std::process::Command::new(own);
        command
            .args(like.get_args())
            .current_dir(self.folder.path());
        for (name, value) in like.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }
}

impl Native {
    /// Has what is built stay for other tests.
    pub(super) fn share_cache(&self) {
        let shared = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("native-cache");
        fs::create_dir_all(&shared).unwrap();
        symlink(&shared, self.path("cache")).unwrap();
    }
}

#[test]
fn a_library_of_other_sources_beside_it_is_refused() {
    let Some(native) = Native::new() else { return };
    let flags = Ran::of(&mut native.command(&["cflags"])).stdout;
    let flags: Vec<&str> = flags.split_whitespace().collect();
    let text = "#include <workspan.h>\nint main(void) { return workspan_active(); }";
    native.gcc(text, "calls", &flags);
    let mut command = native.lonely(&["run", "./calls"]);
    let beside = |text| {
        native.library(text, "bin/libworkspan.so");
    };
    beside("const char WORKSPAN_LIBRARY_SOURCES[16] = \"0123456789abcdef\";");
    Ran::of(&mut command)
        .exits(3)
        .prints("")
        .says("is not of this workspan")
        .says("remove it");
    // Of a version that did not tell.
    beside("int workspan_active(void) { return 1; }");
    Ran::of(&mut command)
        .exits(3)
        .says("is not of this workspan");
}

#[test]
fn without_a_compiler_it_is_said_how_to_get_one() {
    let Some(native) = Native::new() else { return };
    if !has_libomp() {
        return;
    }
    native.gcc(THREADS, "threads", &["-fopenmp"]);
    let mut command = native.lonely(&["run", "./threads"]);
    for name in ["CARGO_HOME", "RUSTC", "RUSTUP_HOME"] {
        command.env_remove(name);
    }
    Ran::of(command.env("PATH", "/nowhere").env("HOME", "/nowhere"))
        .exits(3)
        .says("there is no rustc")
        .says("rustup.rs")
        .says("WORKSPAN_LIBRARY");
    native.write("old/rustc", "#!/bin/sh\necho rustc 1.63.0\n");
    use std::os::unix::fs::PermissionsExt as _;
    let old = native.path("old/rustc");
    fs::set_permissions(&old, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = native.lonely(&["run", "./threads"]);
    Ran::of(command.env("RUSTC", &old))
        .exits(3)
        .says("rustc 1.63.0 is too old");
}

#[test]
fn the_library_is_built_once_and_profiles_what_gcc_built() {
    let Some(native) = Native::new() else { return };
    if !has_libomp() {
        return;
    }
    // What the programs that it starts see.
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
    native.gcc(text, "sums", &["-O1", "-g", "-fopenmp"]);
    native.share_cache();
    let run =
        || Ran::of(&mut native.lonely(&["run", "--json", "out.json", "--threads", "4", "./sums"]));
    let first = run();
    first.succeeds().prints("0\n").says("Parallelism profile");
    let profile = crate::project::read_json(&native.path("out.json"));
    let totals = &profile["totals"];
    assert!(
        totals["work_ns"].as_u64() > totals["span_ns"].as_u64(),
        "{totals}"
    );
    run().succeeds().does_not_say("building libworkspan.so");
}

#[test]
fn functions_that_clang_has_left_room_in_are_measured_exactly() {
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
    let room = ["-fxray-instrument", "-fxray-instruction-threshold=1"];
    for arguments in [
        &[
            &["-g", "-O1", "-fno-inline", "-fopenmp", "-c", "rows.c"][..],
            &room,
        ]
        .concat()[..],
        &["-fopenmp", "rows.o", "-o", "rows"],
    ] {
        let mut clang = std::process::Command::new("clang");
        match clang.current_dir(native.path("")).args(arguments).output() {
            Ok(output) => assert!(output.status.success(), "{output:?}"),
            Err(_) => {
                eprintln!("skipped: there is no clang (`ci/setup` installs it)");
                return;
            }
        }
    }
    native.share_cache();
    let options = [
        "run",
        "--functions",
        "exact",
        "--function-bytes",
        "1",
        "--json",
        "out.json",
    ];
    let mut command = native.lonely(&options);
    Ran::of(command.args(["--no-report", "./rows"]))
        .succeeds()
        .prints("1\n");
    let profile = crate::project::read_json(&native.path("out.json"));
    let sites = profile["sites"].as_array().unwrap();
    let calls: u64 = sites
        .iter()
        .filter(|site| site["kind"] == "function" && site["name"] == "row")
        .filter_map(|site| site["on_work"]["count"].as_u64())
        .sum();
    assert_eq!(calls, 400, "{}", profile["sites"]);
}
