//! `cargo workspan run` takes the place of `cargo run`.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Stdio};

use crate::project::{Project, Ran, assert_at, command, line_of, plain, site};

/// The program computes the Fibonacci number of its first argument, or of 10.
#[test]
fn the_program_keeps_its_streams_and_arguments_and_the_project_its_files() {
    let project = Project::with_main(
        "use_plain",
        "for (name, value) in std::env::vars() {\n\
             if name.starts_with(\"WORKSPAN\") || name == \"RUSTC_WRAPPER\" { println!(\"{name}={value}\"); }\n\
         }\n\
         let arguments: Vec<String> = std::env::args().skip(1).collect();\n\
         let n = arguments.first().and_then(|n| n.parse().ok()).unwrap_or(10);\n\
         println!(\"{arguments:?} {}\", use_plain::fib(n));",
    );
    let files = ["Cargo.toml", "Cargo.lock", "src/main.rs", "src/lib.rs"];
    let before = files.map(|file| project.read(file));
    // The program sees no variable of workspan, which it would print.
    for options in ["--locked", "--offline --locked", "--frozen"] {
        project
            .run(&format!("run {options} -- --release 'a b'"))
            .succeeds()
            .prints("[\"--release\", \"a b\"] 55\n")
            .says("\nTry: ");
    }
    assert_eq!(files.map(|file| project.read(file)), before);
    two_programs_can_be_profiled_at_once(&project);
}

fn two_programs_can_be_profiled_at_once(project: &Project) {
    let run = |n: u32| {
        let mut command = project.command(&format!("run --json {n}.json -- {n}"));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        (n, command.spawn().unwrap())
    };
    let running = [16, 17, 18].map(run);
    let joins = running.map(|(n, mut child)| {
        assert!(child.wait().unwrap().success());
        project.json(&format!("{n}.json"))["totals"]["spawns"].as_u64()
    });
    // The calls of fib(n) that join: those that compute n >= 2.
    assert_eq!(joins, [1596, 2583, 4180].map(Some));
}

#[test]
fn the_plain_build_is_left_alone() {
    let mut project = Project::without_rayon("use_apart");
    project.target = project.folder.join("target");
    project.main("").lock();
    project.run("run").succeeds();
    let entries = fs::read_dir(&project.target).unwrap();
    let entries: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(entries, ["workspan"]);
}

#[test]
fn binaries_examples_features_and_profiles_are_chosen_as_in_cargo() {
    let project = Project::without_rayon("use_choice");
    project
        .append("Cargo.toml", "[features]\nextra = []\n[profile.checked]\ninherits = 'release'\ndebug-assertions = true\n")
        .write("src/bin/one.rs", "fn main() { println!(\"one\"); }")
        .write("src/bin/two.rs", "fn main() { println!(\"two\"); }")
        .write(
            "examples/shown.rs",
            "fn main() { println!(\"{} {}\", cfg!(feature = \"extra\"), cfg!(debug_assertions)); }",
        )
        .lock();
    for (options, printed) in [
        ("--bin one", "one\n"),
        ("--bin=two", "two\n"),
        ("--example shown", "false false\n"),
        ("--example shown --release --features extra", "true false\n"),
        ("--example shown -F extra --profile checked", "true true\n"),
        ("--example shown --dev --all-features", "true true\n"),
    ] {
        let ran = project.run(&format!("run {options}"));
        ran.succeeds().prints(printed);
    }
}

#[test]
fn a_package_of_a_workspace_is_chosen_with_p() {
    let project = Project::without_rayon("use_workspace");
    let member = "[package]\nname = 'NAME'\nversion = '0.1.0'\nedition = '2024'\n[dependencies]\nrayon = '1'\n";
    project
        .write(
            "Cargo.toml",
            "[workspace]\nmembers = ['one', 'two']\nresolver = '3'\n",
        )
        .write("one/Cargo.toml", &member.replace("NAME", "use_one"))
        .write(
            "one/src/main.rs",
            "fn main() { rayon::join(|| (), || ()); println!(\"one\"); }",
        )
        .write("two/Cargo.toml", &member.replace("NAME", "use_two"))
        .write(
            "two/src/main.rs",
            "fn main() { rayon::join(|| (), || ()); println!(\"two\"); }",
        )
        .lock();
    project
        .run("run -p use_two --locked")
        .succeeds()
        .prints("two\n");
    project
        .run("run --package=use_one")
        .succeeds()
        .prints("one\n");
    project.run("run -p use_three").exits(101).says("use_three");
}

/// Vendors the project's dependencies. Returns the configuration of cargo that uses them.
fn vendor(project: &Project) -> String {
    let vendored = plain(Command::new("cargo"))
        .current_dir(&project.folder)
        .args(["vendor", "--offline", "--locked", "--quiet"])
        .output()
        .unwrap();
    assert!(vendored.status.success(), "{vendored:?}");
    String::from_utf8(vendored.stdout).unwrap()
}

#[test]
fn vendored_sources_are_used() {
    let body = "println!(\"{}\", use_vendored::fib(10));";
    let project = Project::with_main("use_vendored", body);
    let configuration = vendor(&project);
    project.write(".cargo/config.toml", &configuration);
    let lock = project.read("Cargo.lock");
    project
        .run("run --frozen")
        .succeeds()
        .prints("55\n")
        .says("\nTry: ");
    assert_eq!(project.read("Cargo.lock"), lock);
}

/// All of rayon is in a folder of another name, with a second copy of its core, and the build makes
/// names and lines as hard to find as possible.
#[test]
fn a_rayon_in_any_folder_is_not_part_of_the_program() {
    const PROGRAM: &str = r#"
use rayon::prelude::*;

fn main() {
    let one: u64 = (0..100_u64).into_par_iter().map(|n| n + 1).sum(); // mark: par_iter
    let two: u64 = (0..100_u64).par_bridge().map(|n| n + 1).sum(); // mark: par_bridge
    let mut numbers: Vec<u64> = (0..100_000_u64).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
    numbers.par_sort_unstable(); // mark: par_sort
    let (three, four) = other_rayon_core::join(|| one, || two);
    println!("{} {} {}", three + four, numbers.is_sorted(), env!("BUILT"));
}
"#;
    let project = Project::new("use_patched");
    project
        .write("src/lib.rs", "")
        .write("src/main.rs", PROGRAM)
        .lock();
    vendor(&project);
    for (vendored, own) in [("vendor/rayon", "own"), ("vendor/rayon-core", "core")] {
        fs::rename(project.folder.join(vendored), project.folder.join(own)).unwrap();
    }
    let core = project.read("core/Cargo.toml");
    let core = core
        .replace("name = \"rayon-core\"", "name = \"other-rayon-core\"")
        .replace("name = \"rayon_core\"", "name = \"other_rayon_core\"")
        .replace("links = \"rayon-core\"", "");
    project
        .write("core/Cargo.toml", &core)
        .append(
            "Cargo.toml",
            "other-rayon-core = { path = 'core' }\n[build-dependencies]\nrayon = '1'\n\
             [patch.crates-io]\nrayon = { path = 'own' }\n\
             [profile.release]\npanic = 'abort'\nlto = 'fat'\ncodegen-units = 1\nstrip = true\nsplit-debuginfo = 'packed'\n",
        )
        .write(
            "build.rs",
            "fn main() { println!(\"cargo::rustc-env=BUILT={}\", rayon::join(|| 1, || 2).1); }",
        )
        .lock();
    project
        .run("run --json profile.json")
        .succeeds()
        .prints("10100 true 2\n")
        .says("other-rayon-core is a copy of rayon-core");
    let profile = project.json("profile.json");
    for kind in ["par_iter", "par_bridge", "par_sort"] {
        assert_at(site(&profile, kind), "src/main.rs", line_of(PROGRAM, kind));
    }
    // File names need not be UTF-8.
    let file = project.folder.join(OsStr::from_bytes(b"caf\xe9 1.wsp"));
    let program = project.target.join("workspan/release/use_patched");
    let mut run = command(&project.folder, "run -o");
    Ran::new(run.arg(&file).arg("--").arg(&program)).succeeds();
    assert!(file.is_file());
}
