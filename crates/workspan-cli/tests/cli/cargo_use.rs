//! `cargo workspan run` stands where `cargo run` stood.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Stdio};

use crate::project::{Project, Ran, assert_at, line_of, plain, read_json, site, workspan};

#[test]
fn the_program_keeps_its_streams_and_arguments_and_the_project_its_files() {
    let project = Project::new("use_plain");
    project
        .main("println!(\"{:?} {}\", std::env::args().skip(1).collect::<Vec<_>>(), use_plain::fib(10));")
        .lock();
    let files = ["Cargo.toml", "Cargo.lock", "src/main.rs", "src/lib.rs"];
    let before = files.map(|file| project.read(file));
    for options in [&["--locked"][..], &["--offline", "--locked"], &["--frozen"]] {
        let mut arguments = vec!["run"];
        arguments.extend(options);
        arguments.extend(["--", "--release", "a b"]);
        project
            .run(&arguments)
            .succeeds()
            .prints("[\"--release\", \"a b\"] 55\n")
            .says("Parallelism");
    }
    assert_eq!(files.map(|file| project.read(file)), before);
}

#[test]
fn the_plain_build_is_left_alone() {
    let mut project = Project::without_rayon("use_apart");
    project.target = project.folder.join("target");
    project.main("").lock();
    project.run(&["run"]).succeeds();
    let entries: Vec<_> = std::fs::read_dir(&project.target)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(entries, ["workspan"]);
}

#[test]
fn the_program_sees_nothing_of_workspan() {
    let project = Project::new("use_environment");
    project
        .main(
            "use_environment::fib(3);\n\
             for (name, value) in std::env::vars() {\n\
                 if name.starts_with(\"WORKSPAN\") || name == \"RUSTC_WRAPPER\" { println!(\"{name}={value}\"); }\n\
             }",
        )
        .lock();
    project.run(&["run"]).succeeds().prints("");
}

#[test]
fn binaries_examples_features_and_profiles_are_chosen_as_with_cargo() {
    let project = Project::new("use_choice");
    project
        .append("Cargo.toml", "[features]\nextra = []\n[profile.checked]\ninherits = 'release'\ndebug-assertions = true\n")
        .write("src/bin/one.rs", "fn main() { println!(\"one {}\", use_choice::fib(5)); }")
        .write("src/bin/two.rs", "fn main() { println!(\"two\"); }")
        .write(
            "examples/shown.rs",
            "fn main() { println!(\"{} {}\", cfg!(feature = \"extra\"), cfg!(debug_assertions)); }",
        )
        .lock();
    project
        .run(&["run", "--bin", "one"])
        .succeeds()
        .prints("one 5\n");
    project
        .run(&["run", "--bin=two"])
        .succeeds()
        .prints("two\n");
    let example = |options: &[&str]| {
        let mut arguments = vec!["run", "--example", "shown"];
        arguments.extend(options);
        project.run(&arguments)
    };
    example(&[]).succeeds().prints("false false\n");
    example(&["--release", "--features", "extra"])
        .succeeds()
        .prints("true false\n");
    example(&["-F", "extra", "--profile", "checked"])
        .succeeds()
        .prints("true true\n");
    example(&["--dev", "--all-features"])
        .succeeds()
        .prints("true true\n");
}

#[test]
fn the_manifest_may_be_elsewhere_and_paths_may_have_spaces() {
    let mut project = Project::in_folder("use_spaces", "with some spaces");
    project.target = project.folder.join("the target");
    project
        .append("Cargo.toml", "[dependencies]\nrayon = \"1\"\n")
        .write("src/lib.rs", crate::project::LIBRARY)
        .main("println!(\"{}\", use_spaces::fib(10));")
        .lock();
    let manifest = project.folder.join("Cargo.toml");
    let elsewhere = tempfile::tempdir().unwrap();
    let mut command = project.workspan(&[
        "run",
        "--manifest-path",
        manifest.to_str().unwrap(),
        "--json",
        "out.json",
        "-o",
        "out.wsp",
    ]);
    Ran::of(command.current_dir(elsewhere.path()))
        .succeeds()
        .prints("55\n");
    assert_eq!(
        read_json(&elsewhere.path().join("out.json"))["program"]["exit_code"],
        0
    );
    assert!(elsewhere.path().join("out.wsp").is_file());
    assert!(project.kept("use_spaces").is_file());
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
        .run(&["run", "-p", "use_two", "--locked"])
        .succeeds()
        .prints("two\n");
    project
        .run(&["run", "--package=use_one"])
        .succeeds()
        .prints("one\n");
    project
        .run(&["run", "-p", "use_three"])
        .exits(101)
        .says("use_three");
}

#[test]
fn vendored_sources_are_used() {
    let project = Project::new("use_vendored");
    project
        .main("println!(\"{}\", use_vendored::fib(10));")
        .lock();
    let vendored = plain(Command::new("cargo"))
        .current_dir(&project.folder)
        .args(["vendor", "--offline", "--locked", "--quiet"])
        .output()
        .unwrap();
    assert!(vendored.status.success(), "{vendored:?}");
    project.write(
        ".cargo/config.toml",
        &String::from_utf8(vendored.stdout).unwrap(),
    );
    let lock = project.read("Cargo.lock");
    project
        .run(&["run", "--frozen"])
        .succeeds()
        .prints("55\n")
        .says("Parallelism");
    assert_eq!(project.read("Cargo.lock"), lock);
}

/// All of rayon, from a folder of another name, beside a copy of its core, where names and lines are hardest to find.
#[test]
fn a_rayon_of_any_folder_is_told_from_the_program() {
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
    let vendored = plain(Command::new("cargo"))
        .current_dir(&project.folder)
        .args(["vendor", "--offline", "--locked", "--quiet"])
        .output()
        .unwrap();
    assert!(vendored.status.success(), "{vendored:?}");
    std::fs::rename(
        project.folder.join("vendor/rayon"),
        project.folder.join("own"),
    )
    .unwrap();
    std::fs::rename(
        project.folder.join("vendor/rayon-core"),
        project.folder.join("core"),
    )
    .unwrap();
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
    let json = project.folder.join("profile.json");
    project
        .run(&["run", "--json", json.to_str().unwrap()])
        .succeeds()
        .prints("10100 true 2\n")
        .says("other-rayon-core is a copy of rayon-core");
    let profile = read_json(&json);
    for kind in ["par_iter", "par_bridge", "par_sort"] {
        assert_at(site(&profile, kind), "src/main.rs", line_of(PROGRAM, kind));
    }
    // Names of files need not be UTF-8.
    let file = project.folder.join(OsStr::from_bytes(b"caf\xe9 1.wsp"));
    let program = project.target.join("workspan/release/use_patched");
    let arguments = [
        "run".as_ref(),
        "-o".as_ref(),
        file.as_os_str(),
        "--".as_ref(),
        program.as_os_str(),
    ];
    workspan(&project.folder, &arguments).succeeds();
    assert!(file.is_file());
}

#[test]
fn another_target_triple_and_target_directory_are_respected() {
    let project = Project::new("use_target");
    project
        .main("println!(\"{}\", use_target::fib(10));")
        .lock();
    let host =
        String::from_utf8(Command::new("rustc").arg("-vV").output().unwrap().stdout).unwrap();
    let host = host
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    let target = project.target.join("of_option");
    project
        .run(&[
            "run",
            "--target",
            host,
            "--target-dir",
            target.to_str().unwrap(),
        ])
        .succeeds()
        .prints("55\n")
        .says("Parallelism");
    assert!(target.join("workspan").join(host).is_dir());
}

#[test]
fn two_programs_can_be_profiled_at_once() {
    let project = Project::new("use_at_once");
    project
        .main("let n = std::env::args().nth(1).unwrap().parse().unwrap(); println!(\"{}\", use_at_once::fib(n));")
        .lock();
    let run = |n: u32| {
        let json = project.folder.join(format!("{n}.json"));
        let n = n.to_string();
        let mut command = project.workspan(&["run", "--json", json.to_str().unwrap(), "--", &n]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        (command.spawn().unwrap(), json)
    };
    let running: Vec<_> = [16, 17, 18].map(run).into();
    let joins = running.into_iter().map(|(mut child, json)| {
        assert!(child.wait().unwrap().success());
        read_json(&json)["totals"]["spawns"].as_u64().unwrap()
    });
    // The calls of fib(n) that join: those that compute n >= 2.
    assert_eq!(joins.collect::<Vec<_>>(), [1596, 2583, 4180]);
}
